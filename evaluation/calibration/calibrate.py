"""Agreement of the tool with people: every metric of every source against every dimension that people rated."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from evaluation.calibration.item_agreement import AnsweredItem, ItemAgreement, item_agreements
from evaluation.calibration.judge_forms import FormComparison
from evaluation.calibration.people import NEAR, Ceiling, RatingScale, band_of, ceiling, rating_scales
from evaluation.calibration.rated_pairs import PairAccuracy, pair_accuracy, pair_groups
from evaluation.calibration.ratings import KEPT, WORDS, RatedUnit, ScoreKey
from evaluation.errors import UsageError
from evaluation.judging.fitness import CanaryReport
from evaluation.records import Json
from evaluation.rubrics.rubric import Rubric
from evaluation.statistics.agreement import PairedValues, paired_figures, spearman
from evaluation.statistics.clusters import average
from evaluation.statistics.reliability import Bin, RatedScore, reliability_bins
from evaluation.statistics.resamples import RESAMPLES, Figure
from evaluation.summary.agreement import Measurement

SCHEMA_VERSION = 1
SOURCES = ("heuristic", "check", "judge", "combined", "baseline")
"""In the order of every table."""
UNDEFINED = Figure(None)


@dataclass(frozen=True, slots=True)
class CalibrationOptions:
    """The choices that a user has."""

    scales: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Dimension -> (worst, best) rating."""
    mapping: tuple[tuple[str, str], ...] = ()
    """(dimension, metric) pairs to look at; empty means every pair."""
    seed: int = 0
    resamples: int = RESAMPLES


@dataclass(frozen=True, slots=True)
class Decisions:
    """Units that pass the rubric's deploy threshold by the tool, by people, by both and by neither."""

    both: int
    tool_only: int
    people_only: int
    neither: int
    differ: float
    """Share of units on which the two would decide differently."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """One metric of one source against one dimension. Values of people are on the rubric's scale."""

    dimension: str
    source: str
    metric: str
    n: int
    clusters: int
    spearman: Figure
    pearson: Figure
    mae: Figure
    bias: Figure
    kappa: Figure
    """Quadratic-weighted, on the rubric's bands."""
    alpha: float | None
    """Krippendorff's, ordinal, on the rubric's bands."""
    decisions: Decisions | None
    """None where the rubric has no deploy threshold, or nothing can be put on its scale."""
    tool_mean: float | None
    people_mean: float | None
    commonest: float | None
    """Share of the units that have the metric's commonest value: near 1 it distinguishes nothing."""
    alpha_ci95: tuple[float, float] | None = None
    bins: tuple[Bin, ...] = ()
    """What people gave by what the tool gave: of a metric beside the dimension of its name."""


@dataclass(frozen=True, slots=True)
class MetricCorrelation:
    """Two metrics of one source against each other; near 1 both measure the same."""

    first: ScoreKey
    second: ScoreKey
    n: int
    spearman: float | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """Everything that a report of one file says."""

    suite: str
    rubric: str
    rubric_version: str
    overall: str
    low: float
    high: float
    """Ends of the rubric's scale."""
    threshold: float | None
    lines: int
    """Lines that were read and scored."""
    unread: int
    units: Mapping[str, int]
    """Level -> units; two responses are one pair."""
    clusters: int
    """Conversations, or whatever else the file groups by; of pairs the messages that they answer."""
    scales: Mapping[str, RatingScale]
    ceilings: tuple[Ceiling, ...]
    agreements: tuple[Agreement, ...]
    pairs: tuple[PairAccuracy, ...]
    correlations: tuple[MetricCorrelation, ...]
    seed: int
    resamples: int
    judge: str | None = None
    """Model that judged; None where none did."""
    judge_fit: bool | None = None
    """Whether it passed its check on exchanges of known quality; None where it was not checked."""
    judge_problem: str = ""
    """A sentence on a judge that did not pass."""
    expectations: tuple[ItemAgreement, ...] = ()
    """Item by item, where people answered what responses are held to."""
    stand_in: bool = False
    """True where the rehearsal judge was asked: a script, and no language model."""
    judge_forms: FormComparison | None = None
    """The forms of the judge's question, and what they take; None where no judge was asked."""
    no_pairs: tuple[str, ...] = ()
    """Groups of level pair that have another number of responses than two; left out of the pairs."""
    measurement: Measurement | None = None
    """The same of the overall, as reports of runs look for it; None where nothing says what was measured."""


def calibrate(
    units: Sequence[RatedUnit],
    rubric: Rubric,
    suite: str,
    options: CalibrationOptions,
    *,
    lines: int,
    unread: int = 0,
    judge: str | None = None,
    checked: CanaryReport | None = None,
    items: Iterable[AnsweredItem] = (),
) -> Calibration:
    """The whole comparison. Raises UsageError for a scale or a mapping that does not fit the data."""
    scales = check_scales(units, rubric, options)
    keys = _score_keys(units, rubric)
    alone = [unit for unit in units if unit.level != "pair"]
    paired = [unit for unit in units if unit.level == "pair"]
    wanted = [(name, key) for name in scales for key in keys if _is_wanted(name, key, options.mapping)]
    view = _View(rubric, scales, options)
    return Calibration(
        suite=suite,
        rubric=rubric.name,
        rubric_version=rubric.edition,
        overall=rubric.overall,
        low=rubric.low,
        high=rubric.high,
        threshold=None if rubric.decision is None else rubric.decision.deploy,
        lines=lines,
        unread=unread,
        units=_count_units(units),
        clusters=len({unit.asked or unit.cluster for unit in units}),
        scales=scales,
        ceilings=tuple(ceiling(name, units, scale, rubric) for name, scale in scales.items()),
        agreements=tuple(view.agreement(name, key, alone) for name, key in wanted if _has_ratings(name, alone)),
        pairs=tuple(
            pair_accuracy(name, key, paired, scales[name], seed=options.seed, resamples=options.resamples)
            for name, key in wanted
            if _has_ratings(name, paired)
        ),
        correlations=tuple(_correlations(units, keys)),
        seed=options.seed,
        resamples=options.resamples,
        judge=judge,
        judge_fit=None if checked is None else checked.fit,
        judge_problem="" if checked is None else checked.explain(),
        expectations=item_agreements(items),
        no_pairs=tuple(name for name, members in pair_groups(paired).items() if len(members) != 2),
    )


def _count_units(units: Sequence[RatedUnit]) -> dict[str, int]:
    """Level -> units; two responses are one pair."""
    counts = Counter(unit.level for unit in units)
    return {level: len(pair_groups(units)) if level == "pair" else count for level, count in counts.items()}


def _score_keys(units: Sequence[RatedUnit], rubric: Rubric) -> list[ScoreKey]:
    """Every (source, metric) with a value anywhere, in the order of sources and of the rubric."""
    found = {key for unit in units for key in unit.scores}
    metrics = [*rubric.metrics, WORDS[1]]
    return [(source, metric) for source in SOURCES for metric in metrics if (source, metric) in found]


def check_scales(units: Sequence[RatedUnit], rubric: Rubric, options: CalibrationOptions) -> dict[str, RatingScale]:
    """Dimension -> scale. Raises UsageError for options that do not fit: to be asked before a judge is paid."""
    dimensions = rating_scales(units, options.scales)
    for dimension, metric in options.mapping:
        if dimension not in dimensions:
            raise UsageError(f"--map {dimension}={metric}: no line rates it: there are {', '.join(dimensions)}")
        if metric not in rubric.metrics:
            raise UsageError(f"--map {dimension}={metric}: no such metric: there are {', '.join(rubric.metrics)}")
    return dimensions


def _is_wanted(dimension: str, key: ScoreKey, mapping: Sequence[tuple[str, str]]) -> bool:
    return not mapping or key == WORDS or (dimension, key[1]) in mapping


def _has_ratings(dimension: str, units: Sequence[RatedUnit]) -> bool:
    return any(dimension in unit.ratings for unit in units)


def _correlations(units: Sequence[RatedUnit], keys: Sequence[ScoreKey]) -> Iterator[MetricCorrelation]:
    for number, first in enumerate(keys):
        for second in keys[number + 1 :]:
            if first[0] == second[0] or second == WORDS or first[1] == second[1]:
                both = [unit.scores for unit in units if first in unit.scores and second in unit.scores]
                value = spearman([scores[first] for scores in both], [scores[second] for scores in both])
                yield MetricCorrelation(first, second, len(both), value)


@dataclass(frozen=True, slots=True)
class _View:
    """The units seen through one rubric and one set of scales."""

    rubric: Rubric
    scales: Mapping[str, RatingScale]
    options: CalibrationOptions

    def agreement(self, dimension: str, key: ScoreKey, units: Sequence[RatedUnit]) -> Agreement:
        known = [unit for unit in units if dimension in unit.ratings and key in unit.scores]
        tool = [unit.scores[key] for unit in known]
        scale = self.scales[dimension]
        placed = [scale.on(self.rubric.low, self.rubric.high, unit.ratings[dimension]) for unit in known]
        people = [value for value in placed if value is not None]
        scaled = len(people) == len(tool)
        if not scaled:
            people = [unit.ratings[dimension] for unit in known]
        # A check gives the share that passed, and people keep or flag: neither is on the scale of the rubric.
        comparable = scaled and key != WORDS and key[0] != "check" and dimension != KEPT
        bands = self.rubric.metrics[key[1]].bands if comparable else ()
        tool_bands, people_bands = ([float(band_of(value, bands)) for value in side] for side in (tool, people))
        figures = paired_figures(
            PairedValues(tool, people, tool_bands, people_bands, [unit.cluster for unit in known]),
            seed=self.options.seed,
            resamples=self.options.resamples,
        )
        return Agreement(
            dimension=dimension,
            source=key[0],
            metric=key[1],
            n=figures.n,
            clusters=figures.clusters,
            spearman=figures.spearman,
            pearson=figures.pearson,
            mae=figures.mae if comparable else UNDEFINED,
            bias=figures.bias if comparable else UNDEFINED,
            kappa=figures.kappa if comparable else UNDEFINED,
            alpha=figures.alpha.value if comparable else None,
            alpha_ci95=figures.alpha.ci95 if comparable else None,
            decisions=self._decisions(tool, people) if comparable else None,
            tool_mean=average(tool) if tool else None,
            people_mean=average(people) if scaled and people else None,
            commonest=Counter(tool).most_common(1)[0][1] / len(tool) if tool else None,
            bins=self._bins(known, tool, people) if scaled and key[1] == dimension else (),
        )

    def _bins(self, units: Sequence[RatedUnit], tool: Sequence[float], people: Sequence[float]) -> tuple[Bin, ...]:
        rated = map(RatedScore, (unit.cluster for unit in units), tool, people)
        return reliability_bins(rated, (self.rubric.low, self.rubric.high))

    def _decisions(self, tool: Sequence[float], people: Sequence[float]) -> Decisions | None:
        if self.rubric.decision is None or not tool:
            return None
        bound = self.rubric.decision.deploy - NEAR
        passes = [(mine >= bound, theirs >= bound) for mine, theirs in zip(tool, people, strict=True)]
        tool_only, people_only = passes.count((True, False)), passes.count((False, True))
        return Decisions(
            both=passes.count((True, True)),
            tool_only=tool_only,
            people_only=people_only,
            neither=passes.count((False, False)),
            differ=(tool_only + people_only) / len(passes),
        )


def calibration_document(found: Calibration) -> dict[str, Json]:
    """Every figure as JSON; keys of the tables are those of the records."""
    return {"schema_version": SCHEMA_VERSION, **asdict(found)}
