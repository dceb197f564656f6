"""The better of two runs, by how much it is better, and how sure that is.

A difference counts only when two tests agree on it: the 95% interval leaves out 0 (t, clustered), and the sign-flip
p-value is at most 0.05. The second holds its level exactly for two draws of one process, however skewed, tied or
unevenly clustered the scores are; the first is the interval that stands beside the verdict, so that the two never
contradict each other. That two runs are equivalent is said by neither: it takes the bound of `statistics.bound`, which
rare falls cannot pass by. docs/statistics.md has the formulas and what they assume.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from evaluation.comparison.bounds import LargestFall, usual_fall
from evaluation.comparison.carried import CarriedOver
from evaluation.comparison.conversations import compare_conversations
from evaluation.comparison.cues import MovedCue, find_moved
from evaluation.comparison.differences import (
    ALPHA,
    LEAST_CLUSTERS,
    CategoryDifference,
    Inference,
    MetricDifference,
    Table,
    by_category,
    checks_together,
    difference_table,
    pair_runs,
    worst_falls,
)
from evaluation.comparison.head_to_head import HeadToHead
from evaluation.comparison.items import ItemComparison, compare_items
from evaluation.comparison.judges import unfit_judges
from evaluation.comparison.mix import MixComparison, MixDifferences, differences_under
from evaluation.comparison.prompt_change import PromptChange
from evaluation.comparison.prompt_steps import change_between
from evaluation.comparison.runs import Leaf, RunScores, Terms, agree_on_terms, source_leaf
from evaluation.comparison.standing import is_cut_short, standing_of
from evaluation.decision.critical import count_check_failures, count_failures
from evaluation.decision.decide import Decision, too_few
from evaluation.decision.first_line import FirstLine, Standing, first_line
from evaluation.decision.mix import PlacedMix
from evaluation.errors import UsageError
from evaluation.records import Source
from evaluation.statistics.bound import situations_needed
from evaluation.statistics.paired import ScenarioPair
from evaluation.statistics.significance import SEED
from evaluation.suites.suite import Suite
from evaluation.summary.item_standing import Place

VerdictName: TypeAlias = Literal["better", "worse", "equivalent", "inconclusive"]

MARGIN = 0.02
"""Differences up to this share of the scale do not matter, unless a team says otherwise."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Candidate against base; every difference is candidate minus base."""

    base: RunScores
    candidate: RunScores
    suite: str
    source: Source
    """The one that decides."""
    overall: str
    terms: Terms
    forced: bool
    """True where the runs differ in more than what is compared, and were compared all the same."""
    verdict: VerdictName | None
    """None where nothing can be said: too few situations, or no pairs."""
    reasons: tuple[str, ...]
    """Why there is no verdict, or what limits it."""
    margin: float
    """In the units of the overall."""
    metrics: Table
    categories: tuple[CategoryDifference, ...]
    weights: Mapping[str, float]
    """Metric -> share in the overall; empty where it is no weighted sum."""
    unpaired: tuple[int, int]
    """Scenarios that only the base, or only the candidate, planned."""
    worst: tuple[ScenarioPair, ...]
    """Scenarios whose overall fell most, the deepest fall first."""
    all_checks: MetricDifference | None = None
    """The mean of all checks that apply, for a gate; None in a suite without checks."""
    items: ItemComparison | None = None
    """None where nothing is known of the expectations of one of the runs."""
    head_to_head: HeadToHead | None = None
    """Which of both answers is preferred, pair by pair; None where it was not asked for. No verdict rests on it."""
    conversations: tuple[MetricDifference, ...] = ()
    """What the judge says of conversations as a whole: described, and in no verdict."""
    carried: CarriedOver | None = None
    """What judged differences rest on where another judge scored the base; None where one judge scored both."""
    prompt_change: PromptChange | None = None
    """What the prompts say otherwise; None where one of the runs had none."""
    cues: tuple[MovedCue, ...] = ()
    """What the responses do more or less often, as the rules saw it: described, and in no verdict."""
    mix: MixComparison | None = None
    """The same under the users' mix, beside the verdict; None without one."""
    decision: Decision | None = None
    """On the candidate by itself, where it is known: it may hold the candidate back, whatever the means say."""

    @property
    def primary(self) -> MetricDifference | None:
        """The overall of the deciding source."""
        return self.metrics.get(self.source, {}).get(self.overall)

    @property
    def others(self) -> tuple[Leaf, ...]:
        """The parts that differ and should not, the deciding source included."""
        return (*self.terms.others, *source_leaf(self.source, self.candidate.summary.source))

    @property
    def components(self) -> tuple[MetricDifference, ...]:
        """The metrics that Holm's correction spans, in the order of the suite within each source."""
        return tuple(row for table in self.metrics.values() for row in table.values() if row.role == "component")

    @property
    def standing(self) -> Standing:
        """What keeps the verdict from standing."""
        runs = (self.base, self.candidate)
        rows = () if self.primary is None else (self.primary,)
        about = f"{self.candidate.name} against {self.base.name}"
        standing = standing_of(runs, rows, unfit=bool(unfit_judges(runs, self.source)), about=about)
        if self.carried is not None and not standing.nothing:
            standing = replace(standing, nothing=self.carried.lacking)
        return replace(standing, held_by_rule=self.decision is not None and self.decision.held_by == "rule")

    def line(self, said: str) -> FirstLine:
        """The first line; `said` is the verdict of the means in words, empty without one.

        Critical expectations that hold the candidate back go before whatever the means say.
        """
        if self.decision is None or self.decision.verdict != "held_back":
            return first_line(self.standing, FirstLine(self.verdict or "", said))
        means = f"; by the means alone {said}" if said else ""
        return first_line(self.standing, FirstLine("held_back", f"HELD BACK: {self._failures()}{means}"))

    def _failures(self) -> str:
        """How many critical checks or expectations fail in the candidate, and how many in the base, where known."""
        if self.candidate.summary.checks.critical_failures:
            known = f" ({len(self.base.summary.checks.critical_failures)} in {self.base.name})"
            return f"{count_check_failures(self.candidate.summary)} in {self.candidate.name}{known}"
        before, now = (run.summary.expectations for run in (self.base, self.candidate))
        if now is None:
            return f"critical expectations fail in {self.candidate.name}"
        known = "" if before is None else f" ({len(before.critical.failed)} in {self.base.name})"
        return f"{count_failures(now.critical)} in {self.candidate.name}{known}"

    @property
    def rehearsal(self) -> bool:
        return self.base.spec.rehearsed or self.candidate.spec.rehearsed


def compare(
    base: RunScores,
    candidate: RunScores,
    *,
    suite: Suite,
    by: Sequence[str] = ("prompt",),
    margin: float = MARGIN,
    force: bool = False,
    effect: float | None = None,
    largest_fall: LargestFall = usual_fall,
    seed: int = SEED,
    mix: PlacedMix | None = None,
) -> Comparison:
    """Compares two runs of one suite.

    `by` names what is compared (see `terms`); runs that differ in anything else raise UsageError unless `force`.
    `margin` is the largest difference that does not matter and `effect` the smallest that one wants to find (the margin
    unless given), both as shares of the scale's width. `largest_fall` is what the bounds assume, `seed` of the
    sign-flip draws. `mix` is that of the users, under which they are compared too.
    """
    asked = Inference(suite, margin if effect is None else effect, largest_fall, seed)
    check_share("margin", margin)
    check_share("effect", asked.effect)
    found = agree(base, candidate, by, force=force)
    source = base.summary.source
    paired = pair_runs(base, candidate, suite)
    table = difference_table(paired, source, asked)
    low, high = suite.scale(source)
    limit = margin * (high - low)
    primary = table.get(source, {}).get(suite.overall)
    unfit = unfit_judges((base, candidate), source)
    barred = primary is None or unfit or is_cut_short(primary, (base, candidate))
    verdict = None if primary is None or barred else verdict_of(primary, limit)
    named = name_apart((base, candidate))
    ours, theirs = base.scenario_ids, candidate.scenario_ids
    return Comparison(
        base=named[0],
        candidate=named[1],
        suite=suite.name,
        source=source,
        overall=suite.overall,
        terms=found,
        forced=bool(found.refusal) or candidate.summary.source != source,
        verdict=verdict,
        reasons=(*unfit, *reasons_for(primary, verdict, limit)),
        margin=limit,
        metrics=table,
        categories=tuple(by_category(paired, table, seed)),
        weights=suite.weights or {},
        unpaired=(len(ours - theirs), len(theirs - ours)),
        worst=worst_falls(paired.pairs.get((source, suite.overall), ())),
        all_checks=checks_together(base, candidate, asked),
        conversations=compare_conversations(base, candidate, suite, seed),
        items=compare_items(base.items, candidate.items, _waived(candidate)),
        prompt_change=change_between(base, candidate),
        # Other scenarios ask for other cues.
        cues=find_moved(base.cues, candidate.cues, source) if ours == theirs else (),
        mix=None if mix is None else _under(mix, base, candidate, asked, limit, barred=bool(barred)),
    )


def _under(
    mix: PlacedMix,
    base: RunScores,
    candidate: RunScores,
    asked: Inference,
    limit: float,
    *,
    barred: bool,
) -> MixComparison:
    """The comparison under a mix; what bars a verdict on the set bars one on the mix."""
    found = differences_under(mix, base, candidate, asked)
    if isinstance(found, str):
        return MixComparison(mix.place, found)
    weights, table = found
    primary = table.get(base.summary.source, {}).get(asked.suite.overall)
    verdict = None if primary is None or barred else verdict_of(primary, limit)
    return MixComparison(mix.place, MixDifferences(weights, table, verdict))


def _waived(run: RunScores) -> Iterable[Place]:
    """The items that do not hold and are out of account."""
    found = run.summary.expectations
    return () if found is None else (each.place for each in found.critical.waived)


def check_share(name: str, value: float) -> None:
    """Raises UsageError unless a margin or an effect lies above 0 and below 1."""
    if not 0 < value < 1:
        raise UsageError(f"--{name} {value!r}: a share of the scale is above 0 and below 1, such as 0.02")


def agree(a: RunScores, b: RunScores, by: Sequence[str], *, force: bool) -> Terms:
    """The terms of a comparison. Raises UsageError, unless `force`, where other parts or deciding sources differ."""
    found = agree_on_terms(a, b, by, force=force)
    if a.summary.source != b.summary.source and not force:
        raise UsageError(
            f"runs {a.run_id} and {b.run_id}: one is decided by {a.summary.source}, the other by "
            f"{b.summary.source} scores: compare runs with the same sources, or mark it with --force"
        )
    if a.summary.weights != b.summary.weights and not force:
        raise UsageError(
            f"runs {a.run_id} and {b.run_id}: their scenarios stand for something else in each: compare runs of one "
            "sample, or mark it with --force, which counts all scenarios alike"
        )
    return found


def name_apart(runs: Sequence[RunScores]) -> list[RunScores]:
    """The runs as they are named in reports: with the run id where another run has the same name."""
    names = [run.name for run in runs]
    return [replace(run, name=f"{run.name} ({run.run_id})") if names.count(run.name) > 1 else run for run in runs]


def verdict_of(row: MetricDifference, margin: float) -> VerdictName | None:
    """Better or worse where the test says so, else equivalent when the bound lies in +-margin on both sides.

    Each side is asked at the level of the row's bound, as in two one-sided tests (Schuirmann 1987). A difference that
    is both sure and small is better or worse: it is no noise.
    """
    if row.call is None:
        return None
    if row.call != "unclear":
        return "better" if row.call == "higher" else "worse"
    ends = None if row.bound is None else (row.bound.low, row.bound.high)
    return "equivalent" if inside(ends, margin) else "inconclusive"


def inside(ends: tuple[float, float] | None, margin: float) -> bool:
    """True where an interval lies within +-margin, its ends included."""
    return ends is not None and -margin <= ends[0] and ends[1] <= margin


def reasons_for(primary: MetricDifference | None, verdict: VerdictName | None, margin: float) -> Iterable[str]:
    """The limits of the verdict on the primary metric."""
    if primary is None or primary.estimate.difference is None:
        yield "there is no exchange on which both runs have an overall of the deciding source"
        return
    found = primary.estimate
    if found.clusters < LEAST_CLUSTERS:
        yield too_few(found.clusters)
    if primary.call == "unclear" and found.p_t is not None and found.p_t <= ALPHA:
        yield "the interval leaves out 0, but the sign-flip test does not confirm it: too few or too uneven situations"
    if primary.call == "unclear" and found.p_sign_flip is not None and found.p_sign_flip <= ALPHA:
        yield "the sign-flip test finds a difference, but the interval does not leave out 0"
    if primary.call in ("higher", "lower") and inside(found.ci95, margin):
        yield "the difference is sure but small: its interval lies within the margin"
    if found.se == 0:
        yield "the differences do not vary between situations: the interval is a point"
    if primary.paired < primary.planned:
        lost = primary.planned - primary.paired
        yield f"{lost} of {primary.planned} pairs of exchanges lack a value in one of the runs or both"
        if could_overturn(primary, verdict, margin):
            yield caution(verdict)
    yield from _limits_of_size(primary, verdict, margin)


def _limits_of_size(row: MetricDifference, verdict: VerdictName | None, margin: float) -> Iterable[str]:
    """Number and sizes of the situations: what they leave room for."""
    if row.source == "check" and row.estimate.se is not None and row.detectable is None:
        yield "no fall of this check is deep enough to be found in 80 of 100 comparisons of so few situations"
    bound = row.bound
    if bound is None:
        return
    needed = situations_needed(margin, bound.largest_fall, bound.level) if margin < bound.largest_fall else 0
    if verdict == "inconclusive" and bound.situations < needed:
        yield (
            f"that two runs are equivalent takes {needed} situations even where none differs, here are "
            f"{bound.situations}: what was not seen may be a fall of {bound.largest_fall:g}"
        )
    if bound.fall_seen is not None:
        yield (
            f"a situation fell by {bound.fall_seen:.3g}, more than is assumed possible: the bound takes the whole scale"
        )
    if bound.uneven:
        yield (
            f"the situations are of very uneven size: {bound.situations} weigh like {bound.effective:.0f} of one size, "
            "so that the interval and the detectable difference are too small"
        )


def could_overturn(row: MetricDifference, verdict: VerdictName | None, margin: float) -> bool:
    """True where the missing pairs could contradict a verdict: beyond 0, or for equal runs beyond the margin."""
    if row.paired >= row.planned or row.bounds is None:
        return False
    low, high = row.bounds
    if verdict == "better":
        return low <= 0
    if verdict == "worse":
        return high >= 0
    return verdict == "equivalent" and not inside(row.bounds, margin)


def caution(verdict: VerdictName | None) -> str:
    """The effect that the missing pairs could have on a verdict."""
    if verdict == "equivalent":
        return "the missing pairs could take the difference beyond the margin"
    return "the missing pairs could turn the difference around"
