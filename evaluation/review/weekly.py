"""Reviews week by week: means, agreement of reviewers, changes, remarks. Weeks are ISO weeks in UTC.

A response that several people reviewed counts once, with the mean of their scores; then the estimand is that of
`statistics/clusters.py`: turns within a cell, repeats within a scenario, scenarios alike, clustered by situation.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

from evaluation import moments
from evaluation.calibration.calibrate import Calibration, CalibrationOptions, calibrate
from evaluation.calibration.item_agreement import ItemAgreement, item_agreements
from evaluation.calibration.people import on_scale_of_tool
from evaluation.calibration.ratings import WORDS, RatedUnit, ScoreKey
from evaluation.commands import write_command
from evaluation.decision.decide import FEW_CLUSTERS
from evaluation.errors import UsageError
from evaluation.eval_records.record import Item, read_item
from evaluation.records import Json
from evaluation.review.items import answered_items
from evaluation.review.review import Review, read_review
from evaluation.rubrics.rubric import Rubric
from evaluation.statistics.agreement import Level, krippendorff_alpha
from evaluation.statistics.clusters import Scale, average
from evaluation.statistics.scenario_scores import Estimate, Observation, estimate
from evaluation.statistics.unpaired import UnpairedDifference, unpaired_difference

SCHEMA_VERSION = 1
GENERAL = ""
"""Dimension of a remark that belongs to none."""

WeekOf: TypeAlias = Literal["response", "review"]
"""By when the response came, or by when it was reviewed."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """One review with the response that it is of."""

    item: Item
    review: Review
    week: str
    """2026-W47."""


@dataclass(frozen=True, slots=True)
class ReviewerAgreement:
    """The agreement of reviewers on one dimension."""

    shared: int
    """Responses that at least two people scored."""
    alpha: float | None
    """Krippendorff's; None where nothing can be paired or all scores are alike."""


@dataclass(frozen=True, slots=True)
class DimensionWeek:
    """One dimension in one week."""

    estimate: Estimate
    agreement: ReviewerAgreement
    change: UnpairedDifference | None
    """Against the week before that has reviews; None in the first one."""
    small: bool
    """True where one of the two weeks rests on so few situations that intervals are rough."""

    @property
    def regressed(self) -> bool:
        """True where it is lower than before by more than chance explains."""
        return self.change is not None and self.change.ci95 is not None and self.change.ci95[1] < 0


@dataclass(frozen=True, slots=True)
class Week:
    """One week of reviews."""

    week: str
    items: int
    reviews: int
    reviewers: tuple[str, ...]
    dimensions: Mapping[str, DimensionWeek]

    @property
    def regressed(self) -> dict[str, DimensionWeek]:
        """The dimensions that fell by more than chance explains."""
        return {name: found for name, found in self.dimensions.items() if found.regressed}


@dataclass(frozen=True, slots=True)
class Remark:
    """A reviewer's words."""

    week: str
    reviewer: str
    scenario_id: str
    dimension: str
    """The one that it is of; for a review's notes the lowest one, empty where none is lowest."""
    score: float | None
    text: str
    mark: str | None = None


@dataclass(frozen=True, slots=True)
class WeeklyReport:
    """Everything that a report of one suite's reviews says."""

    suite: str
    rubric: str
    rubric_versions: tuple[str, ...]
    """Of the reviews; more than one make weeks hard to compare."""
    low: float
    high: float
    dimensions: tuple[str, ...]
    """In the rubric's order, the overall last."""
    level: Level
    """Alpha's reading of the scores: ordinal on a scale of steps, interval on a fine one."""
    week_of: WeekOf
    items: int
    reviews: int
    reviewers: tuple[str, ...]
    kept: int
    """Responses' judgements as a whole: fit to go out as they are, by review."""
    flagged: int
    """The same, not fit to go out."""
    not_blind: int
    unknown: tuple[str, ...]
    """Scored, and no metric of the rubric: left out."""
    rehearsal: int
    """Reviews of responses that an embedded stand-in gave."""
    weeks: tuple[Week, ...]
    """Oldest first."""
    agreement: Mapping[str, ReviewerAgreement]
    """Over all weeks."""
    calibration: Calibration
    """People beside judge and rules, each dimension beside the metric of its name."""
    remarks: tuple[Remark, ...]
    unclear: tuple[Remark, ...]
    """Dimensions that could not be scored, and responses marked unclear: for the rubric's next version."""
    exemplary: tuple[Remark, ...]
    flags: tuple[Remark, ...]
    """Responses that people flagged, with their comments."""
    expectations: tuple[ItemAgreement, ...] = ()
    """Over all weeks: item by item how far people agree with each other, and rule and judge with them."""


def weekly_report(
    records: Iterable[Mapping[str, Any]], rubric: Rubric, suite: str, *, week_of: WeekOf = "response", seed: int = 0
) -> WeeklyReport:
    """The report of the human records of one suite, under one rubric. Raises UsageError when there are none."""
    found = [_read_reviewed(record, week_of, rubric) for record in records if record.get("source") == "human"]
    found = [each for each in found if each.item.suite == suite]
    if not found:
        raise UsageError(
            f"there is no review of suite {suite!r}: make some with "
            f"{write_command('review', RUN='last', REVIEWER='NAME')}"
        )
    _check_scales(found, rubric)
    names = [name for name in rubric.metrics if name != rubric.overall] + [rubric.overall]
    scored = {name for each in found for name, value in each.review.scores.items() if value is not None}
    level: Level = "ordinal" if rubric.high - rubric.low >= 2 else "interval"
    return WeeklyReport(
        suite=suite,
        rubric=rubric.name,
        rubric_versions=tuple(
            sorted({str((each.item.record.get("rubric") or {}).get("version", "")) for each in found})
        ),
        low=rubric.low,
        high=rubric.high,
        dimensions=tuple(names),
        level=level,
        week_of=week_of,
        items=len({each.item.id for each in found}),
        reviews=len(found),
        reviewers=tuple(sorted({each.review.reviewer for each in found})),
        unknown=tuple(sorted(scored - set(names))),
        rehearsal=sum(each.item.record.get("rehearsal") is True for each in found),
        kept=sum(each.review.judgement == "keep" for each in found),
        flagged=sum(each.review.judgement == "flag" for each in found),
        not_blind=sum(not each.review.blind for each in found),
        weeks=tuple(_weeks(found, names, level, (rubric.low, rubric.high))),
        agreement={name: _agreement(found, name, level) for name in names},
        calibration=_calibration(found, names, rubric, suite, seed),
        remarks=tuple(remark for each in found for remark in _remarks(each, rubric)),
        unclear=tuple(remark for each in found for remark in _unclear(each)),
        exemplary=tuple(_remark(each, GENERAL, each.review.notes) for each in found if each.review.mark == "exemplary"),
        flags=tuple(_remark(each, GENERAL, each.review.notes) for each in found if each.review.judgement == "flag"),
        expectations=item_agreements(answered_items((each.item, each.review) for each in found)),
    )


def report_document(report: WeeklyReport) -> dict[str, Json]:
    """Every figure as JSON; keys are those of the records here."""
    document: dict[str, Json] = {"schema_version": SCHEMA_VERSION, **asdict(report)}
    for week, shown in zip(report.weeks, document["weeks"], strict=True):
        for name, dimension in week.dimensions.items():
            shown["dimensions"][name]["regressed"] = dimension.regressed
    return document


def _read_reviewed(record: Mapping[str, Any], week_of: WeekOf, rubric: Rubric) -> Reviewed:
    review, item = read_review(record), read_item(record)
    scores = on_scale_of_tool(review.scores, rubric, in_context=bool(item.context))
    review = replace(review, scores=scores)
    at = datetime.fromisoformat(str(record["timestamp"]) if week_of == "response" else review.reviewed_at)
    return Reviewed(item, review, moments.week_of(at.astimezone(UTC)))


def _check_scales(found: Iterable[Reviewed], rubric: Rubric) -> None:
    """Raises UsageError for a review on another scale: a mean over two scales would say nothing."""
    for each in found:
        scale = each.item.record.get("scale")
        if scale is not None and (scale["low"], scale["high"]) != (rubric.low, rubric.high):
            raise UsageError(
                f"the review of {each.item.scenario_id[:60]!r} by {each.review.reviewer[:60]!r} runs from "
                f"{scale['low']:g} to {scale['high']:g}, rubric {rubric.name} from {rubric.low:g} to {rubric.high:g}: "
                "name its rubric with --rubric, or report its file on its own"
            )


def _weeks(found: Sequence[Reviewed], names: Sequence[str], level: Level, scale: Scale) -> Iterable[Week]:
    before: dict[str, Estimate] = {}
    for week in sorted({each.week for each in found}):
        mine = [each for each in found if each.week == week]
        dimensions = {}
        for name in names:
            now, last = _estimate(mine, name, scale), before.get(name)
            small = 0 < now.clusters < FEW_CLUSTERS or (last is not None and 0 < last.clusters < FEW_CLUSTERS)
            change = None if last is None else unpaired_difference(last, now)
            dimensions[name] = DimensionWeek(now, _agreement(mine, name, level), change, small)
            if now.mean is not None:
                before[name] = now
        yield Week(
            week=week,
            items=len({each.item.id for each in mine}),
            reviews=len(mine),
            reviewers=tuple(sorted({each.review.reviewer for each in mine})),
            dimensions=dimensions,
        )


def _by_item(found: Iterable[Reviewed], name: str) -> dict[str, tuple[Item, list[float]]]:
    """Item id -> the item and every person's score of one dimension; without those that nobody scored."""
    gathered: dict[str, tuple[Item, list[float]]] = {}
    for each in found:
        value = each.review.scores.get(name)
        if value is not None:
            gathered.setdefault(each.item.id, (each.item, []))[1].append(value)
    return gathered


def _estimate(found: Iterable[Reviewed], name: str, scale: Scale) -> Estimate:
    gathered = _by_item(found, name)
    repeats = {repeat: n for n, repeat in enumerate(sorted({item.repeat for item, _ in gathered.values()}), start=1)}
    observations = (
        Observation(item.cluster, item.scenario_id, repeats[item.repeat], item.turn, average(values))
        for item, values in gathered.values()
    )
    return estimate(observations, scale)


def _agreement(found: Iterable[Reviewed], name: str, level: Level) -> ReviewerAgreement:
    shared = [values for _, values in _by_item(found, name).values() if len(values) > 1]
    return ReviewerAgreement(len(shared), krippendorff_alpha(shared, level))


def _calibration(found: Sequence[Reviewed], names: Sequence[str], rubric: Rubric, suite: str, seed: int) -> Calibration:
    scored = {name: _by_item(found, name) for name in names}
    items = {each.item.id: each.item for each in found}
    units = []
    for identity, item in items.items():
        raters = {name: tuple(scored[name][identity][1]) for name in names if identity in scored[name]}
        if raters:
            ratings = {name: average(values) for name, values in raters.items()}
            units.append(RatedUnit(identity, item.cluster, "turn", _machine(item, rubric), ratings, raters))
    rated = [name for name in names if any(name in unit.ratings for unit in units)]
    options = CalibrationOptions(
        scales=dict.fromkeys(rated, (rubric.low, rubric.high)),
        mapping=tuple((name, name) for name in rated),
        seed=seed,
    )
    return calibrate(units, rubric, suite, options, lines=len(units))


def _machine(item: Item, rubric: Rubric) -> dict[ScoreKey, float]:
    """The scores of judge and rules on the rubric's scale: checks, which run from 0 to 1, are stretched over it."""
    found: dict[ScoreKey, float] = {WORDS: float(len(item.text.split()))}
    for source, values in item.scores.items():
        for metric, value in values.items():
            stretched = rubric.low + value * (rubric.high - rubric.low) if source == "check" else value
            found[source, metric] = stretched
    return found


def _remarks(each: Reviewed, rubric: Rubric) -> Iterable[Remark]:
    review = each.review
    for dimension, text in review.rationale.items():
        if dimension not in review.unclear:
            yield _remark(each, dimension, text)
    if review.notes:
        yield _remark(each, _lowest(review, rubric), review.notes)


def _lowest(review: Review, rubric: Rubric) -> str:
    """The dimension that a review is lowest on: what its notes most likely speak of; none where several are."""
    names = rubric.metrics.keys() - {rubric.overall}
    values = {name: value for name, value in review.scores.items() if value is not None and name in names}
    lowest = [name for name, value in values.items() if value == min(values.values())]
    return lowest[0] if len(lowest) == 1 else GENERAL


def _unclear(each: Reviewed) -> Iterable[Remark]:
    for dimension in each.review.unclear:
        yield _remark(each, dimension, each.review.rationale.get(dimension) or each.review.notes)
    if each.review.mark == "unclear" and not each.review.unclear:
        yield _remark(each, GENERAL, each.review.notes)


def _remark(each: Reviewed, dimension: str, text: str) -> Remark:
    review = each.review
    return Remark(
        week=each.week,
        reviewer=review.reviewer,
        scenario_id=each.item.scenario_id,
        dimension=dimension,
        score=review.scores.get(dimension) if dimension else None,
        text=text,
        mark=review.mark,
    )
