"""May this version go live? The rubric's decision rule on the means, how far the answer holds, and why."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Literal

from evaluation.decision.grounds import Bar, Choice, Grounds, grounds_of, grounds_of_people
from evaluation.records import Json, Source
from evaluation.rubrics.rubric import DecisionRule
from evaluation.suites.suite import ROUNDING, Suite
from evaluation.summary.human_units import LEAST_LABELS, LEAST_SITUATIONS
from evaluation.summary.metric import MetricSummary
from evaluation.summary.summary import Summary
from evaluation.text import numbers
from evaluation.text.names import in_words
from evaluation.text.safe_text import clip

JUDGED: tuple[Source, ...] = ("judge", "combined")
"""Sources that a judge has a part in."""
LONGEST_PHRASE = 40
"""Columns of a phrase of the rubric, in a reason."""
FEW_CLUSTERS = 10
"""Below this many situations an interval is rough, the sample is called small, and nothing is decided."""
FLOOR_COVERAGE = 0.98
"""Share of the applicable planned exchanges that must have a value."""
TOO_FEW_LABELS = "too_few_labels"
WITHHELD = ("incomplete", "too_few_scenarios")
"""Codes of decisions whose rule has an answer that too little stands behind."""


@dataclass(frozen=True, slots=True)
class SourceChoice:
    """The decision of one source alone."""

    verdict: Choice | None
    overall: float | None
    floors_from: tuple[Source, ...]
    """The sources of the other metrics' means; more than itself where it has no value for some."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict on a run and its reasons; without a verdict, the reasons say why there is none."""

    verdict: Choice | None
    stable: bool
    """True when all means at their lower ends, and all at their upper ends, give the same verdict."""
    reasons: tuple[str, ...]
    source: Source
    strict: bool
    """True when the lower ends of the intervals had to clear, not the means."""
    areas: tuple[str, ...]
    """Metrics to improve, lowest first; none when the verdict is deploy."""
    lower: Choice | None
    """The verdict with all means at their lower ends; None without an interval for each."""
    upper: Choice | None
    quality_level: str | None
    by_source: Mapping[Source, SourceChoice]
    floors: Mapping[str, Source]
    """Metric -> the source whose mean was held against the floor."""
    judge_fit: bool | None = None
    """False where the judge failed on exchanges of known quality; None where it was not checked, or none decides."""
    code: str = ""
    """The beginning of the headline as a word: `evaluation.decision.first_line` has them all."""
    headline: str = ""
    """The first line of every output, without figures."""
    held_by: Literal["rule", "judge", ""] = ""
    """Who shows the failures that hold the version back: a rule (or a person), or a judge alone; empty for neither."""
    aside: str = ""
    """A line beside the verdict of a rubric that has no rule on critical expectations; empty where none fails."""

    @property
    def judged(self) -> bool:
        """True where a judge has a part in what decides."""
        return self.source in JUDGED

    def to_json(self) -> dict[str, Json]:
        """As in decision.json, where no verdict has a name as well."""
        return {**asdict(self), "verdict": self.verdict or "none"}

    def in_summary(self) -> dict[str, Json] | None:
        """The entry of summary.json: nothing where the suite decides nothing, unless its judge is unfit."""
        return self.to_json() if self.by_source or self.judge_fit is False else None


def decide(summary: Summary, suite: Suite, *, strict: bool = False, ended: bool = True) -> Decision:
    """Applies the suite's rule to the means of the source that decides.

    Deploy from the rule's `deploy` on and A/B test from `ab_test` on, both only while no other metric averages below
    `floor`; else needs revision. A metric for which the source has no value is taken from the rules. There is no
    verdict where the suite has no rule or nothing was scored, below `FEW_CLUSTERS` situations, and on a run that did
    not come to its end (`ended`) below `FLOOR_COVERAGE` of its exchanges. The reasons then say what was found so far.
    Where the rule decides on people's values, there is none while labels are missing.
    """
    if suite.decision is None:
        return _no_decision(summary, strict, "no_rule", (f"suite {suite.name} has no decision rule",), {})
    by_source = {name: _source_choice(summary, suite, suite.decision, name, strict) for name in summary.metrics}
    grounds = grounds_of(summary, suite, suite.decision, summary.source)
    verdict = None if grounds is None else grounds.verdict(strict)
    if grounds is None or verdict is None:
        return _no_decision(summary, strict, "no_verdicts", (_why_nothing(summary),), by_source)
    if withheld := _withhold(grounds.overall.summary, ended=ended):
        code, why = withheld
        by_source = {name: replace(each, verdict=None) for name, each in by_source.items()}
        floors = {bar.metric: bar.source for bar in grounds.others}
        found = _no_decision(summary, strict, code, tuple(_reasons_so_far(grounds, summary, why)), by_source)
        return replace(found, floors=floors, quality_level=None)
    if suite.decision.decide == "human":
        return _decide_on_people(summary, suite, suite.decision, grounds, by_source)
    return _decided(summary, grounds, verdict, by_source, strict=strict)


def _decided(
    summary: Summary,
    grounds: Grounds,
    verdict: Choice,
    by_source: Mapping[Source, SourceChoice],
    *,
    strict: bool,
) -> Decision:
    lower, upper = grounds.at(Bar.low), grounds.at(Bar.high)
    return Decision(
        verdict=verdict,
        stable=verdict == lower == upper,
        reasons=tuple(reasons_for(grounds, summary, verdict, lower, upper, strict)),
        source=grounds.overall.source,
        strict=strict,
        areas=() if verdict == "deploy" else tuple(bar.metric for bar in grounds.areas()),
        lower=lower,
        upper=upper,
        quality_level=summary.quality_level,
        by_source=by_source,
        floors={bar.metric: bar.source for bar in grounds.others},
        code=verdict,
    )


def _decide_on_people(
    summary: Summary, suite: Suite, rule: DecisionRule, of_tool: Grounds, by_source: Mapping[Source, SourceChoice]
) -> Decision:
    """By the lower ends of the corrected means, so that a version that falls short is seldom deployed by luck.

    A metric that has too few labels is held against its floor by the tool's value.
    """
    grounds, lacking = grounds_of_people(summary, suite, rule, of_tool), lacking_labels(summary)
    verdict = None if grounds is None else grounds.verdict(strict=True)
    if lacking or grounds is None or verdict is None:
        what = "; ".join(lacking) or f"{in_words(suite.overall)} has no label"
        why = f"no verdict: the rubric decides on people's values, and there are not enough of them: {what}"
        found = _no_decision(summary, True, TOO_FEW_LABELS, (why,), by_source)
        return replace(found, source="human", quality_level=None)
    found = _decided(summary, grounds, verdict, by_source, strict=True)
    level = suite.level_of(grounds.overall.mean())
    return replace(found, quality_level=level, reasons=(_people_reason(summary), *found.reasons))


def lacking_labels(summary: Summary) -> tuple[str, ...]:
    """What is missing before people's values decide."""
    none = (f"{LEAST_LABELS} labels in {LEAST_SITUATIONS} situations",)
    return none if summary.human is None else summary.human.lacking


def _people_reason(summary: Summary) -> str:
    assert summary.human is not None
    found = summary.human.metrics[summary.overall].found
    assert found is not None
    labels, situations = numbers.times(found.labels, "label"), numbers.times(found.clusters, "situation")
    return f"in human units: {summary.source} {numbers.score(found.raw)}, corrected by {labels} in {situations}"


def _source_choice(summary: Summary, suite: Suite, rule: DecisionRule, source: Source, strict: bool) -> SourceChoice:
    grounds = grounds_of(summary, suite, rule, source)
    if grounds is None:
        return SourceChoice(None, None, ())
    floors_from: tuple[Source, ...] = tuple(dict.fromkeys(bar.source for bar in grounds.others))
    # A source may have values in fewer situations than the one that decides.
    verdict = None if _withhold(grounds.overall.summary) else grounds.verdict(strict)
    return SourceChoice(verdict, grounds.overall.mean(), floors_from)


def _no_decision(
    summary: Summary, strict: bool, code: str, reasons: tuple[str, ...], by_source: Mapping[Source, SourceChoice]
) -> Decision:
    level = summary.quality_level
    return Decision(None, False, reasons, summary.source, strict, (), None, None, level, by_source, {}, code=code)


def _withhold(overall: MetricSummary, *, ended: bool = True) -> tuple[str, str] | None:
    """The code and the reason why no verdict rests on this mean; None where one may."""
    if not ended and is_short(overall.coverage):
        counted, floor = numbers.percent(overall.coverage), numbers.percent(FLOOR_COVERAGE)
        return "incomplete", f"no verdict: {counted} of the planned exchanges count, {floor} are needed"
    few = overall.estimate.clusters
    return ("too_few_scenarios", too_few(few)) if few < FEW_CLUSTERS else None


def is_short(coverage: float | None) -> bool:
    """True where so much of a plan is missing that nothing is decided."""
    return (coverage or 0.0) < FLOOR_COVERAGE - ROUNDING


def too_few(situations: int, needed: int = FEW_CLUSTERS) -> str:
    """Says that so many situations, fewer than are needed, decide nothing."""
    return f"too few scenarios to decide ({numbers.times(situations, 'situation')}, {needed} needed)"


def _why_nothing(summary: Summary) -> str:
    counts, what = summary.counts, f"{summary.source} {in_words(summary.overall)}"
    return (
        f"no verdict: not one of {numbers.times(counts.planned, 'planned exchange')} has a {what} "
        f"({counts.failed} failed, {counts.unparsed} unparsed, {counts.skipped} skipped)"
    )


def _reasons_so_far(grounds: Grounds, summary: Summary, withheld: str) -> Iterator[str]:
    yield withheld
    found = grounds.overall.summary.estimate
    over = f"95% interval {numbers.interval(found.ci95)} over " if found.ci95 else "over "
    mean = f"{grounds.overall.source} {in_words(grounds.overall.metric)} {numbers.score(found.mean)}"
    yield f"so far: {mean}, {over}{numbers.times(found.clusters, 'situation')}"
    yield from _floor_reasons(grounds, strict=False)
    yield from _source_reasons(grounds)
    yield from _coverage_reasons(grounds, summary)


def reasons_for(
    grounds: Grounds, summary: Summary, verdict: Choice, lower: Choice | None, upper: Choice | None, strict: bool
) -> Iterator[str]:
    yield _overall_reason(grounds, strict)
    yield from _floor_reasons(grounds, strict)
    if verdict != "deploy" and (areas := grounds.areas()):
        yield f"to improve: {', '.join(f'{in_words(bar.metric)} {numbers.score(bar.mean())}' for bar in areas)}"
    yield from _source_reasons(grounds)
    yield from _coverage_reasons(grounds, summary)
    yield from _stability_reasons(grounds, verdict, lower, upper)


def _overall_reason(grounds: Grounds, strict: bool) -> str:
    rule, bar = grounds.rule, grounds.overall
    value, metric = bar.interval_low() if strict else bar.mean(), in_words(bar.metric)
    if value is None:
        return f"{metric} has no interval whose lower end could clear, as strict asks: more situations are needed"
    bound, asked = (rule.deploy, "deploy") if value >= rule.deploy - ROUNDING else (rule.ab_test, "an A/B test")
    mean, shown = numbers.beside(value, bound)
    reach = "is at least" if value >= bound - ROUNDING else "is below"
    what = f"the lower end of {metric}" if strict else metric
    aside = f"mean {numbers.score(bar.mean())}, " if strict else ""
    found = bar.summary.estimate
    over = f"95% interval {numbers.interval(found.ci95)} over {numbers.times(found.clusters, 'situation')}"
    return f"{what} {mean} {reach} {shown}, what {asked} asks; {aside}{over}"


def _floor_reasons(grounds: Grounds, strict: bool) -> Iterator[str]:
    value = Bar.interval_low if strict else Bar.mean
    prefix = "the lower end of " if strict else ""
    breaches = grounds.breaches(value)
    for bar, found in breaches:
        mean, floor = numbers.beside(found, grounds.rule.floor)
        yield f"{prefix}{in_words(bar.metric)} {mean} is below its floor of {floor} ({bar.source})"
    for bar, _ in grounds.breaches(Bar.mean):
        if bar.source == "heuristic" and (phrases := grounds.phrases.get(bar.metric)):
            named = " or ".join(f'"{clip(phrase, LONGEST_PHRASE)}"' for phrase in phrases)
            yield (
                f"by the rules the floor of {in_words(bar.metric)} cannot be met without phrases such as {named}: "
                "nothing else lifts a response to it"
            )
    known = [(stands, bar) for bar in grounds.others if (stands := value(bar)) is not None]
    if known and not breaches:
        lowest, bar = min(known, key=lambda pair: pair[0])
        mean, floor = numbers.beside(lowest, grounds.rule.floor)
        yield f"no metric is below its floor of {floor}: the lowest is {prefix}{in_words(bar.metric)}, {mean}"
    for bar in grounds.others:
        if not bar.summary.planned:
            yield f"{in_words(bar.metric)} applies to no exchange of this run: its floor was not tested"
        elif bar.mean() is None:
            yield f"{in_words(bar.metric)} applies but has no value: its floor was not tested"


def _source_reasons(grounds: Grounds) -> Iterator[str]:
    source, overall = grounds.overall.source, in_words(grounds.overall.metric)
    borrowed = [in_words(bar.metric) for bar in grounds.others if bar.source != source]
    if borrowed and source == "human":
        yield f"too few labels of {', '.join(borrowed)}: held against the floor by the tool's values"
    elif borrowed:
        which = "the floors" if len(borrowed) == len(grounds.others) else "the floors of " + ", ".join(borrowed)
        yield f"{which} are held against the heuristic means: {source} has {overall}, but no value for them"


def _coverage_reasons(grounds: Grounds, summary: Summary) -> Iterator[str]:
    found, counts = grounds.overall.summary, summary.counts
    if found.estimate.n < found.planned:
        yield (
            f"{found.estimate.n} of {numbers.times(found.planned, 'planned exchange')} count "
            f"({numbers.percent(found.coverage)}; {counts.failed} failed, {counts.unparsed} unparsed, "
            f"{counts.skipped} skipped): with the missing ones the mean lies within {numbers.interval(found.bounds)}"
        )


def _stability_reasons(grounds: Grounds, verdict: Choice, lower: Choice | None, upper: Choice | None) -> Iterator[str]:
    if lower is None or upper is None:
        bare = [in_words(bar.metric) for bar in (grounds.overall, *grounds.applicable()) if bar.low() is None]
        yield f"not stable: {', '.join(bare)} rests on one situation, which gives no interval"
    elif verdict == lower == upper:
        yield "stable: the same verdict at both ends of all intervals"
    else:
        ends = [(lower, "lower"), (upper, "upper")]
        turns = [f"{in_words(choice)} at the {side} ends" for choice, side in ends if choice != verdict]
        yield f"not stable: {' and '.join(turns)} of the intervals"
