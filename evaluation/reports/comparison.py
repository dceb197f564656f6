"""Two runs compared, as a document: the verdict and how sure it is before the tables. Nothing here computes."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from evaluation.comparison.compare import Comparison
from evaluation.comparison.differences import ALPHA, MetricDifference
from evaluation.comparison.gate import RegressionResult
from evaluation.comparison.judges import note_judges
from evaluation.comparison.runs import RunScores
from evaluation.decision.decide import JUDGED
from evaluation.decision.gate import GateResult
from evaluation.reports.differences import (
    describe_categories,
    describe_conversations,
    describe_metrics,
    ordered_sources,
)
from evaluation.reports.document import (
    NAME,
    Banner,
    Block,
    Bullet,
    Bullets,
    Command,
    Document,
    Heading,
    Name,
    Only,
    Paragraph,
    Part,
    Tone,
    document,
    in_detail,
    in_short,
)
from evaluation.reports.falls import worst_blocks
from evaluation.reports.head_to_head import describe_head_to_head
from evaluation.reports.item_changes import describe_changes
from evaluation.reports.prompts import change_in_one_line, describe_change
from evaluation.reports.replies import reply_sentence
from evaluation.reports.run import gate_blocks
from evaluation.reports.wording import REHEARSAL, beyond, show_command
from evaluation.statistics.paired import PairedEstimate
from evaluation.text import numbers
from evaluation.text.names import in_words
from evaluation.text.safe_text import clip

MOST_NAMED = 2
"""Metrics named in a headline, of each kind."""
TONES: Mapping[str, Tone] = {
    "better": "good",
    "worse": "bad",
    "equivalent": "even",
    "inconclusive": "warning",
    "held back": "bad",
}


def describe_comparison(
    comparison: Comparison,
    *,
    gate: RegressionResult | GateResult | None = None,
    notes: Sequence[str] = (),
    files: Sequence[str] = (),
) -> Document:
    """Two runs. `notes` are one line each (a run that was reused and its date), `files` say where more can be read."""
    return document(
        head_blocks(
            in_words(sense(comparison)) or "no verdict",
            headline(comparison),
            banners(comparison.rehearsal, comparison.forced),
            (*details(comparison), *(f"note: {note}" for note in notes)),
        ),
        gate_blocks(gate),
        in_detail(describe_change(comparison.prompt_change, comparison.base.name, comparison.candidate.name)),
        describe_head_to_head(
            comparison.head_to_head, comparison.verdict, comparison.base.name, comparison.candidate.name
        ),
        describe_changes(comparison.items, comparison.base.name, comparison.candidate.name),
        describe_metrics(comparison, comparison.source) if comparison.source in comparison.metrics else (),
        *(
            in_detail(describe_metrics(comparison, source))
            for source in ordered_sources(comparison)
            if source != comparison.source
        ),
        describe_conversations(comparison),
        worst_blocks(comparison.worst),
        in_detail(describe_categories(comparison)),
        end_blocks((comparison.base, comparison.candidate), files, conclusion(comparison), in_words(sense(comparison))),
    )


def head_blocks(verdict: str, sentence: str, warnings: Sequence[str], grounds: Sequence[str]) -> Iterator[Block]:
    """Everything above the tables of a comparison or a ranking."""
    yield from map(Banner, warnings)
    yield Heading(verdict.capitalize(), level=2, printed=False)
    yield Paragraph(sentence, TONES.get(verdict, "strong"))
    yield Bullets(tuple(map(Bullet, beyond(sentence, grounds))))


def headline(comparison: Comparison) -> str:
    """The first line: the verdict in one sentence, or why there is none."""
    said = "" if comparison.verdict is None else _verdict_sentence(comparison)
    return comparison.line(said).text


def conclusion(comparison: Comparison) -> str:
    """The first line, shorter: without what carried the verdict and what could have been found."""
    said = "" if comparison.verdict is None else _verdict_on_overall(comparison)
    return comparison.line(said).text


def _verdict_sentence(comparison: Comparison) -> str:
    """The verdict with what carried it, what moved against it, and what could have been found."""
    primary, verdict = comparison.primary, comparison.verdict
    power = "" if primary is None or primary.detectable is None else f"; {capability(primary)}"
    calls = {"better": "higher", "worse": "lower"}
    carried = _component_names(comparison, calls[verdict]) if verdict in calls else ""
    with_it = f", carried by {carried}" if carried else ""
    shifts = _shifts(comparison, verdict if verdict in calls else "")
    return f"{_verdict_on_overall(comparison)}{with_it}{shifts}{power}"


def _verdict_on_overall(comparison: Comparison) -> str:
    """The verdict with the difference and its interval."""
    primary = comparison.primary
    assert primary is not None, "without a primary metric there is no verdict"
    base, candidate = comparison.base.name, comparison.candidate.name
    found = primary.estimate
    moved, interval = f"{numbers.with_sign(found.difference)} overall", _interval(found)
    if comparison.verdict == "equivalent":
        ends = f"{moved}, 90% CI {numbers.span(found.ci90)}{_bounds(primary)}"
        return f"{candidate} and {base} are equivalent within {comparison.margin:g}: {ends}"
    if comparison.verdict == "inconclusive":
        return f"{candidate} cannot be distinguished from {base}: {moved}{interval}"
    return f"{candidate} is {comparison.verdict} than {base}: {moved}{interval}"


def _interval(found: PairedEstimate) -> str:
    return f" (95% CI {numbers.span(found.ci95)})" if found.ci95 else ""


def _bounds(primary: MetricDifference) -> str:
    """The bounds by which two runs are called equivalent."""
    bound = primary.bound
    return "" if bound is None else f", bounds {numbers.span((bound.low, bound.high))}"


def _component_names(comparison: Comparison, call: str) -> str:
    """The components that are shown to have moved this way, those that moved the overall most first."""

    def weight(row: MetricDifference) -> float:
        return abs(row.estimate.difference or 0.0) * comparison.weights.get(row.metric, 1.0)

    rows = sorted((row for row in comparison.components if row.call == call), key=weight, reverse=True)
    return " and ".join(title(row.metric, comparison.overall) for row in rows[:MOST_NAMED])


def _shifts(comparison: Comparison, verdict: str) -> str:
    """Components that moved against the verdict (either way without one), then categories that stand out."""
    parts = []
    for call, word in (("lower", "worse"), ("higher", "better")):
        if verdict == word:
            continue
        if named := _component_names(comparison, call):
            parts.append(f"{word} on {named}")
        if cells := _standing_out(comparison, call):
            parts.append(f"{call} on {' and '.join(cells)} (descriptive)")
    return "".join(f"; {part}" for part in parts)


def _standing_out(comparison: Comparison, call: str) -> list[str]:
    sign = 1 if call == "higher" else -1
    cells = [
        cell
        for cell in comparison.categories
        if cell.p_adjusted is not None and cell.p_adjusted <= ALPHA and (cell.row.estimate.difference or 0.0) * sign > 0
    ]
    cells.sort(key=lambda cell: (cell.p_adjusted or 0.0, -abs(cell.row.estimate.difference or 0.0)))
    return [f"{title(cell.row.metric, comparison.overall)} in {cell.category} scenarios" for cell in cells[:MOST_NAMED]]


def title(metric: str, overall: str) -> str:
    """A metric in a sentence: the overall by that name, the others without underscores."""
    return "overall" if metric == overall else in_words(metric)


def sense(comparison: Comparison) -> str:
    """What colours the answer: the verdict of the means, unless critical expectations hold the candidate back."""
    held = comparison.decision is not None and comparison.decision.verdict == "held_back"
    return "held_back" if held else comparison.verdict or ""


def banners(rehearsal: bool, forced: bool) -> list[str]:
    """The lines that must stand above everything else."""
    found = [REHEARSAL] if rehearsal else []
    return [*found, "forced: the runs differ in more than what is compared"] if forced else found


def details(comparison: Comparison) -> Iterable[str]:
    """The lines below the headline: grounds, limits, and what differs."""
    if comparison.decision is not None and comparison.decision.aside:
        yield f"{comparison.candidate.name} by itself: {comparison.decision.aside}"
    yield from comparison.reasons
    if comparison.prompt_change is not None and not comparison.prompt_change.is_empty:
        yield f"prompt: {change_in_one_line(comparison.prompt_change)}"
    found = None if comparison.primary is None else comparison.primary.estimate
    if comparison.verdict is None and found is not None and found.difference is not None:
        yield f"so far: {numbers.with_sign(found.difference)} overall{_interval(found)}"
    if "model" in comparison.terms.by:
        yield from (reply_sentence(run.name, run.summary) for run in (comparison.base, comparison.candidate))
    for part, before, after in comparison.others:
        yield f"also differs: {part} {before} / {after}"
    yield from note_judges((comparison.base, comparison.candidate), comparison.source)
    yield from comparison.terms.notes
    if any(comparison.unpaired):
        (base, candidate), sides = comparison.unpaired, (comparison.base, comparison.candidate)
        yield f"scenarios without a counterpart: {base} of {sides[0].name}, {candidate} of {sides[1].name}"
    primary = comparison.primary
    if primary is None or primary.estimate.difference is None:
        return
    if comparison.carried is not None and primary.source in JUDGED:
        yield from _size_through_bridge(primary)
    else:
        yield from _size(primary)
    yield from _noise(primary)


def _size_through_bridge(primary: MetricDifference) -> Iterable[str]:
    """Nothing is flipped there, and no scenario counts as higher or lower: two judges scored it."""
    found = primary.estimate
    scenarios, situations = (
        numbers.times(*each) for each in ((found.scenarios, "scenario"), (found.clusters, "situation"))
    )
    yield f"{scenarios}, coverage {numbers.percent(primary.coverage)}; {situations} of the base were judged by both"
    if found.p is not None:
        yield f"tested by t alone: p {numbers.p_value(found.p)}; through a bridge there are no pairs to flip"


def _size(primary: MetricDifference) -> Iterable[str]:
    found = primary.estimate
    share = f"coverage {numbers.percent(primary.coverage)}"
    if primary.paired < primary.planned:
        share += f", the missing pairs leave {numbers.span(primary.bounds)} possible"
    yield f"{numbers.times(found.scenarios, 'scenario')} in {numbers.times(found.clusters, 'situation')}, {share}"
    effect = "" if found.effect is None else f", standardised {numbers.with_sign(found.effect, 2)}"
    method = "all sign patterns" if found.exact else "9,999 draws"
    flips = f"sign-flip p {numbers.p_value(found.p_sign_flip)} ({method}), t p {numbers.p_value(found.p_t)}"
    if found.p is None:
        flips = "one situation has no interval and no p-value"
    yield f"{found.wins} higher, {found.ties} equal, {found.losses} lower{effect}; {flips}"


def _noise(primary: MetricDifference) -> Iterable[str]:
    if primary.noise:
        yield f"observed differences under {numbers.above(primary.noise)} are noise for this set-up"
    parts = primary.components
    if parts is not None and parts.sampling is not None:
        shares = [("scenarios", parts.scenario), ("sampling", parts.sampling), ("judge", parts.judge)]
        known = ", ".join(f"{origin} {math.sqrt(value):.3f}" for origin, value in shares if value is not None)
        included = "" if parts.judge is not None else " (the judge included)"
        yield f"standard deviation of a difference by origin: {known}{included}"
    need = primary.need
    if need is None or primary.detectable is None or primary.detectable <= need.effect:
        return
    ways = []
    if need.scenarios is not None:
        ways.append(f"{need.scenarios:,} scenarios of this kind")
    if need.repeats is not None:
        ways.append(f"{numbers.times(need.repeats, 'repeat')} of these")
    if ways:
        yield f"to detect {need.effect:g} it takes {' or '.join(ways)}"


def capability(primary: MetricDifference) -> str:
    """The difference that the set-up can find."""
    if not primary.detectable:
        return "nothing varied: any difference would have been found"
    return f"this set-up could detect differences of {numbers.above(primary.detectable)}"


def end_blocks(runs: Sequence[RunScores], files: Sequence[str], answer: str, verdict: str) -> Iterator[Part]:
    """The runs, and where more can be read; in short the answer once more, its page, and how to see the last run."""
    for run in runs:
        yield Only(Paragraph((Name(run.name), ": run ", Name(run.run_id))), short=False)
    yield from in_detail(Command("", file) for file in files)
    yield Only(Paragraph(answer, TONES.get(verdict, "strong")), short=True)
    yield from in_short(Command("", file) for file in files[:1])
    yield Only(Command(f"all of {clip(runs[-1].name, NAME)}", show_command(runs[-1].run_id)), short=True)
