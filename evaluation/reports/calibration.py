"""Agreement with people as a document: one table per dimension that people rated."""

from collections.abc import Iterator, Mapping, Sequence

from evaluation.calibration.calibrate import Agreement, Calibration, MetricCorrelation
from evaluation.calibration.people import Ceiling, RatingScale
from evaluation.calibration.rated_pairs import PairAccuracy
from evaluation.calibration.ratings import WORDS
from evaluation.decision.decide import FEW_CLUSTERS
from evaluation.reports.document import (
    Block,
    Bullet,
    Bullets,
    Column,
    Command,
    Document,
    Fields,
    Heading,
    Name,
    Paragraph,
    Picture,
    Tone,
    document,
    table,
)
from evaluation.reports.intervals import behind, rounded, rounded_ends, rounded_text
from evaluation.reports.items import describe_items
from evaluation.reports.judge_forms import describe_forms
from evaluation.statistics.resamples import Figure
from evaluation.text import numbers
from evaluation.text.safe_text import clip

STRONG = 0.5
MODERATE = 0.3
ALIKE = 0.8
"""From this correlation on, two metrics are named as measuring the same."""
MOST_NAMED = 30
"""Dimensions."""
FLAT = 0.9
"""From this share of one value on, a metric is named as distinguishing little."""
MOST_DIMENSIONS = 30
MOST_NO_PAIRS = 5
"""Groups that are named."""
MOST_REMARKS = 20
"""That a terminal shows."""
LEGEND = (
    "r: Pearson; MAE, bias: tool against people on the rubric's scale, bias above 0: the tool is kinder; kappa: "
    "quadratic-weighted on the bands; dif: would decide differently"
)


def describe_calibration(
    found: Calibration,
    *,
    detail: bool = False,
    plots: Sequence[tuple[str, str]] = (),
    files: Sequence[str] = (),
) -> Document:
    """`detail` adds the metrics among themselves; `plots` are (title, file), `files` say where more can be read."""
    dimensions = list(found.scales)[:MOST_DIMENSIONS]
    return document(
        _head(found),
        *(_agreements(found, dimension) for dimension in dimensions),
        *(_pairs(found, dimension) for dimension in dimensions),
        describe_forms(found.judge_forms),
        describe_items(found.expectations),
        _remarks(found),
        _correlations(found) if detail else (),
        (Picture(title, file) for title, file in plots),
        (Command("", file) for file in files),
    )


def _head(found: Calibration) -> Iterator[Block]:
    yield Heading("Agreement with people", level=2, printed=False)
    yield Paragraph(headline(found), "strong")
    yield Bullets(tuple(map(Bullet, (*notes(found), *_methods(found)))))


def _methods(found: Calibration) -> Iterator[str]:
    if found.agreements:
        yield LEGEND
    yield (
        f"intervals: 95%, percentiles of {numbers.count(found.resamples)} resamples of {_drawn(found)}, "
        f"seed {found.seed}"
    )


def _drawn(found: Calibration) -> str:
    return "messages with all their pairs" if _noun(found) == "message" else "whole conversations"


def _agreements(found: Calibration, dimension: str) -> Iterator[Block]:
    rows = [item for item in found.agreements if item.dimension == dimension]
    if rows:
        yield Heading(Name(dimension), printed=False)
        names: Fields[Agreement] = [(Column(Name(dimension)), lambda item: Name(name_of(item.source, item.metric)))]
        yield table([*names, *AGREEMENT], rows, lambda item: _tone(reading(item)))


def _tone(said: str) -> Tone:
    if "AGAINST" in said or "WORSE" in said:
        return "bad"
    return "good" if "with people" in said or said.startswith("better") else ""


def _pairs(found: Calibration, dimension: str) -> Iterator[Block]:
    rows = [item for item in found.pairs if item.dimension == dimension]
    if rows:
        yield Heading(("Pairs: ", Name(dimension)), printed=False)
        names: Fields[PairAccuracy] = [(Column(Name(dimension)), lambda item: Name(name_of(item.source, item.metric)))]
        yield table([*names, *PAIRS], rows, lambda item: _tone(reading_pair(item)))
        yield Paragraph("ties: the metric is the same on both, which counts half; pairs without a preference are out")


def _remarks(found: Calibration) -> Iterator[Block]:
    sentences = [*overall_decisions(found), *remarks(found)]
    if sentences:
        yield Heading("What stands out")
        yield Bullets([Bullet(text) for text in sentences], brief=MOST_REMARKS)


def _correlations(found: Calibration) -> Iterator[Block]:
    defined = [item for item in found.correlations if item.spearman is not None]
    if not defined:
        return
    yield Heading("The metrics among themselves (Spearman)")
    if len(defined) < len(found.correlations):
        left_out = len(found.correlations) - len(defined)
        yield Paragraph(f"Left out, because one of the two does not vary: {left_out} pairs.")
    yield table(CORRELATIONS, sorted(defined, key=lambda item: -abs(item.spearman or 0.0)))


def headline(found: Calibration) -> str:
    """Says what was compared."""
    units = ", ".join(numbers.times(count, level) for level, count in found.units.items())
    return (
        f"Agreement with people: suite {found.suite}, rubric {found.rubric} {found.rubric_version}; {units} from "
        f"{numbers.times(found.lines, 'line')} in {numbers.times(found.clusters, _noun(found))}; "
        f"{'no judge' if found.judge is None else f'judge {found.judge}'}"
    )


def _noun(found: Calibration) -> str:
    """What the responses belong to: pairs to the messages that they answer."""
    return "message" if set(found.units) == {"pair"} else "conversation"


def notes(found: Calibration) -> Iterator[str]:
    """Notes that a reader needs before the figures."""
    if found.stand_in:
        yield "the rehearsal judge is a script and no language model: these figures are a stand-in's"
    if found.judge is not None and found.judge_fit is not True:
        yield found.judge_problem or "the judge is not checked on exchanges of known quality"
    if found.unread:
        yield f"left out, because they could not be read: {numbers.times(found.unread, 'line')}"
    if found.no_pairs:
        named = ", ".join(clip(name, 40) for name in found.no_pairs[:MOST_NO_PAIRS])
        yield (
            f"no pair, so left out: {numbers.times(len(found.no_pairs), 'group')} of another number of responses than "
            f"two ({named}{', ...' if found.no_pairs[MOST_NO_PAIRS:] else ''}): give both responses of a pair the same "
            "group"
        )
    if found.clusters < FEW_CLUSTERS:
        yield f"small sample: {numbers.times(found.clusters, _noun(found))}; below {FEW_CLUSTERS} intervals are rough"
    intervals = sum(item.spearman.ci95 is not None for item in found.agreements)
    if intervals:
        yield (
            f"{intervals} correlations have an interval: of as many unrelated ones about {intervals / 20:.1f} would "
            "have one without 0, by chance alone"
        )
    if found.agreements:
        yield "MAE, bias, kappa, alpha and decisions put the ratings on the rubric's scale, end to end"
    yield from _scale_lines(found.scales)
    yield from _ceiling_lines(found.ceilings)


def _scale_lines(scales: Mapping[str, RatingScale]) -> Iterator[str]:
    for dimension, scale in scales.items():
        if scale.worst == scale.best:
            yield f"{dimension}: every rating is {scale.worst:g}; there is nothing to agree on"
    for given, origin in ((True, "as given"), (False, "the range found in the file; --scale sets another")):
        shown = [
            f"{dimension} {scale.worst:g} to {scale.best:g}"
            for dimension, scale in scales.items()
            if scale.given == given and scale.worst != scale.best
        ]
        if shown:
            yield f"scales from worst to best, {origin}: {', '.join(shown[:MOST_NAMED])}"


def _ceiling_lines(ceilings: Sequence[Ceiling]) -> Iterator[str]:
    unknown = [known.dimension for known in ceilings if not known.units]
    if unknown:
        named = ", ".join(unknown[:MOST_NAMED])
        yield f"how well people agree with people is not known, since the file gives means only: {named}"
    for known in ceilings[:MOST_NAMED]:
        if known.units:
            yield _ceiling_line(known)


def _ceiling_line(known: Ceiling) -> str:
    return (
        f"people with people on {known.dimension} ({numbers.times(known.units, 'unit')}): one against the others' mean "
        f"Spearman {numbers.score(known.one_against_rest)}, alpha {numbers.score(known.alpha)}, on the bands "
        f"{numbers.score(known.alpha_bands)}; more cannot be asked of a metric"
    )


def reading(item: Agreement) -> str:
    """One row in words; without an interval it says nothing."""
    if item.spearman.value is None:
        return "not defined: too few units, or one side does not vary"
    if item.spearman.ci95 is None:
        return "a single conversation: no interval" if item.clusters < 2 else "varies too rarely for an interval"
    low, high = item.spearman.ci95
    if low <= 0 <= high:
        return "no relation shown"
    size = abs(item.spearman.value)
    strength = "strongly" if size >= STRONG else "moderately" if size >= MODERATE else "weakly"
    return f"{strength} with people" if low > 0 else f"{strength} AGAINST people"


def reading_pair(item: PairAccuracy) -> str:
    """The accuracy on pairs in words."""
    if item.accuracy.value is None or item.accuracy.ci95 is None:
        return "too few pairs"
    low, high = item.accuracy.ci95
    if low <= 0.5 <= high:
        return "no better than guessing"
    return "better than guessing" if low > 0.5 else "WORSE than guessing"


def name_of(source: str, metric: str) -> str:
    """A metric's name where sources stand beside each other."""
    if (source, metric) == WORDS:
        return "(length in words)"
    return metric if source == "heuristic" else f"{source} {metric}"


def remarks(found: Calibration) -> Iterator[str]:
    """Findings that are easily overlooked in the tables."""
    flat = {
        name_of(item.source, item.metric): item.commonest
        for item in found.agreements
        if item.commonest is not None and item.commonest >= FLAT
    }
    for metric, share in flat.items():
        little = "nothing" if share == 1 else "little"
        yield f"{metric} has one and the same value on {numbers.percent(share)} of the units: it distinguishes {little}"
    for pair in found.correlations:
        if pair.spearman is not None and abs(pair.spearman) >= ALIKE:
            first, second = name_of(*pair.first), name_of(*pair.second)
            yield f"{first} and {second} measure nearly the same (Spearman {numbers.score(pair.spearman)})"


def decision_line(item: Agreement, threshold: float) -> str:
    """Says how often tool and people would decide differently on single units."""
    made = item.decisions
    if made is None:
        return ""
    total = made.both + made.tool_only + made.people_only + made.neither
    easy = max(made.both + made.people_only, made.tool_only + made.neither) / total
    return (
        f"{item.dimension} by {name_of(item.source, item.metric)} at {threshold:g}: differ on "
        f"{numbers.percent(made.differ)} of {numbers.count(total)} ({numbers.count(made.tool_only)} pass by the tool "
        f"alone, {numbers.count(made.people_only)} by people alone); always giving people's commoner answer would "
        f"differ on {numbers.percent(1 - easy)}"
    )


def overall_decisions(found: Calibration) -> Iterator[str]:
    """The lines for the metrics that decide."""
    if found.threshold is None:
        return
    for item in found.agreements:
        if item.metric == found.overall and item.decisions is not None:
            yield decision_line(item, found.threshold)


def _rounded(value: float | None) -> str:
    return numbers.score(rounded(value))


def _ends(found: Figure) -> str:
    return behind(rounded_ends(found)).lstrip()


AGREEMENT: Fields[Agreement] = [
    (Column("n", right=True), lambda item: numbers.count(item.n)),
    (Column("Spearman [95%]"), lambda item: rounded_text(item.spearman)),
    (Column("r", right=True), lambda item: _rounded(item.pearson.value)),
    (Column("MAE", right=True), lambda item: _rounded(item.mae.value)),
    (Column("bias", right=True), lambda item: _rounded(item.bias.value)),
    (Column("kappa", right=True), lambda item: _rounded(item.kappa.value)),
    (Column("dif", right=True), lambda item: numbers.percent(item.decisions.differ if item.decisions else None)),
    (Column("r 95%", detail=True), lambda item: _ends(item.pearson)),
    (Column("MAE 95%", detail=True), lambda item: _ends(item.mae)),
    (Column("bias 95%", detail=True), lambda item: _ends(item.bias)),
    (Column("kappa 95%", detail=True), lambda item: _ends(item.kappa)),
    (Column("alpha [95%]", detail=True), lambda item: rounded_text(Figure(item.alpha, item.alpha_ci95))),
    (Column("conversations", detail=True), lambda item: numbers.count(item.clusters)),
    (Column("reading", detail=True), reading),
]
PAIRS: Fields[PairAccuracy] = [
    (Column("pairs"), lambda item: numbers.count(item.pairs)),
    (Column("ties"), lambda item: numbers.count(item.tool_ties)),
    (Column("accuracy [95%]"), lambda item: rounded_text(item.accuracy)),
    (Column("reading"), reading_pair),
    (Column("undecided people", detail=True), lambda item: numbers.count(item.undecided)),
]
CORRELATIONS: Fields[MetricCorrelation] = [
    (Column("metric"), lambda item: Name(name_of(*item.first))),
    (Column("metric"), lambda item: Name(name_of(*item.second))),
    (Column("n"), lambda item: str(item.n)),
    (Column("Spearman"), lambda item: _rounded(item.spearman)),
]
