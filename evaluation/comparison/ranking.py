"""More than two runs: their order, every pair of them, and the groups in which no two are shown to differ."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from evaluation.comparison.bounds import Bounded, LargestFall, bound_pairs, usual_fall
from evaluation.comparison.compare import (
    MARGIN,
    VerdictName,
    agree,
    check_share,
    could_overturn,
    name_apart,
    verdict_of,
)
from evaluation.comparison.conversations import ConversationPair, compare_each_conversations
from evaluation.comparison.differences import (
    ALPHA,
    MetricDifference,
    call_corrected,
    correct,
    describe,
    pair_runs,
)
from evaluation.comparison.judges import note_judges, unfit_judges
from evaluation.comparison.runs import Leaf, RunScores, Terms, source_leaf
from evaluation.comparison.standing import is_cut_short, standing_of
from evaluation.decision.first_line import Standing
from evaluation.errors import UsageError
from evaluation.records import Source
from evaluation.statistics.clusters import average
from evaluation.statistics.paired import ScenarioPair, totals
from evaluation.statistics.significance import SEED, sign_flip
from evaluation.suites.suite import Suite
from evaluation.summary.columns import Key
from evaluation.summary.metric import MetricSummary


@dataclass(frozen=True, slots=True)
class RankedPair:
    """Two of the runs on the primary metric, `first` minus `second`: places in `Ranking.runs`, from 0."""

    first: int
    second: int
    row: MetricDifference
    """Its `p_adjusted` is Holm's over all pairs."""
    verdict: VerdictName | None
    """Of `first` against `second`; None below 10 situations, and without data."""
    overturnable: bool
    """True where the missing pairs could turn the verdict around, or take equal runs beyond the margin."""

    @property
    def no_data(self) -> bool:
        """True where there is no exchange on which both runs have a value."""
        return self.row.estimate.difference is None


@dataclass(frozen=True, slots=True)
class OtherDifference:
    """A difference in something that is not compared, of one run from the first that was given."""

    run_id: str
    against: str
    """The run id of the first."""
    leaf: Leaf
    """Its value in the first, then in the run."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Runs from the highest to the lowest, on one metric of the deciding source: the overall, unless another was named.

    The order is of each run's mean difference to all others: that of the means, where nothing is missing.
    """

    runs: tuple[RunScores, ...]
    pairs: tuple[RankedPair, ...]
    groups: tuple[tuple[int, ...], ...]
    """Every largest set of places of which no two are shown to differ, lack common data or have an unfit judge; a run
    may be in several."""
    suite: str
    source: Source
    overall: str
    """Name of the metric that the runs are ranked on."""
    by: tuple[str, ...]
    margin: float
    """In the units of the metric."""
    level: float
    """Of each pair's minimum detectable effect: 0.05 over the number of pairs, of all rankings of the family."""
    forced: bool
    others: tuple[OtherDifference, ...]
    """Empty unless forced."""
    notes: tuple[str, ...]
    conversations: tuple[ConversationPair, ...] = ()
    """What the judge says of conversations as a whole, pair by pair: described, and in no verdict."""

    def pair(self, a: int, b: int) -> RankedPair:
        """The pair of two places, in either order."""
        return next(pair for pair in self.of(a) if b in (pair.first, pair.second))

    def overall_of(self, run: RunScores) -> MetricSummary | None:
        """The run's own mean and interval, as on its report."""
        return run.summary.metric(self.source, self.overall)

    def unbeaten(self) -> list[int]:
        """Places that no other run is shown to be better than; without those that have nothing to compare, or an unfit
        judge."""
        beaten = {pair.second for pair in self.pairs if pair.verdict == "better"}
        beaten |= {pair.first for pair in self.pairs if pair.verdict == "worse"}
        beaten |= set(self.unfit())
        return [place for place in range(len(self.runs)) if place not in beaten and self.has_data(place)]

    def unfit(self) -> list[int]:
        """Places of which nothing is said, because the judge of the run failed its check."""
        return [place for place, run in enumerate(self.runs) if unfit_judges((run,), self.source)]

    def has_data(self, place: int) -> bool:
        """True where the run shares an exchange with a value with any other."""
        return not all(pair.no_data for pair in self.of(place))

    def of(self, place: int) -> list[RankedPair]:
        """The pairs of one place."""
        return [pair for pair in self.pairs if place in (pair.first, pair.second)]

    def best(self) -> int | None:
        """The place that is shown to be better than every other, whatever the missing pairs hold."""
        for place in self.unbeaten():
            pairs = self.of(place)
            if all(pair.verdict in ("better", "worse") and not pair.overturnable for pair in pairs):
                return place
        return None

    @property
    def standing(self) -> Standing:
        """What keeps any verdict from standing."""
        rows = [pair.row for pair in self.pairs]
        unfit = [self.runs[place].name for place in self.unfit()]
        about = ", ".join(unfit or [run.name for run in self.runs])
        return standing_of(self.runs, rows, unfit=bool(unfit), about=about)

    @property
    def rehearsal(self) -> bool:
        return any(run.spec.rehearsed for run in self.runs)


def rank(
    runs: Sequence[RunScores],
    *,
    suite: Suite,
    by: Sequence[str] = ("prompt",),
    margin: float = MARGIN,
    force: bool = False,
    seed: int = SEED,
    metric: str | None = None,
    family: int = 1,
    largest_fall: LargestFall = usual_fall,
) -> Ranking:
    """Ranks at least two runs that differ in nothing but `by`; raises UsageError otherwise, unless `force`.

    Runs in which different sources decide differ, too. `margin` is a share of the scale's width. What the data say is
    in pairs and groups, not in the order. Of several rankings that are read together `family` is their number: the
    p-values are then corrected for all pairs of all of them (Bonferroni over the rankings, Holm within each).
    """
    check_share("margin", margin)
    if len(runs) < 2:
        raise UsageError(f"a ranking needs at least 2 runs, not {len(runs)}: name more prompts or run ids")
    source = runs[0].summary.source
    key: Key = (source, metric or suite.overall)
    found = [agree(a, b, by, force=force) for a, b in combinations(runs, 2)]
    others = tuple(_others(runs, found))
    ordered = name_apart(_order(runs, suite, key))
    unfit = {place for place, run in enumerate(ordered) if unfit_judges((run,), source)}
    low, high = suite.scale(source)
    pairs = _pairs(ordered, suite, key, margin, largest_fall, seed, family)
    apart = {
        (pair.first, pair.second)
        for pair in pairs
        if pair.no_data or pair.verdict in ("better", "worse") or unfit & {pair.first, pair.second}
    }
    return Ranking(
        runs=tuple(ordered),
        pairs=tuple(pairs),
        groups=groups_of(len(ordered), apart),
        suite=suite.name,
        source=source,
        overall=key[1],
        by=found[0].by,
        margin=margin * (high - low),
        level=ALPHA / len(found) / family,
        forced=bool(others),
        others=others,
        conversations=()
        if metric is not None
        else compare_each_conversations(ordered, combinations(range(len(ordered)), 2), suite, seed),
        notes=tuple(
            dict.fromkeys(
                (
                    *unfit_judges(ordered, source),
                    *note_judges(ordered, source),
                    *(note for term in found for note in term.notes),
                )
            )
        ),
    )


def _others(runs: Sequence[RunScores], found: Sequence[Terms]) -> Iterable[OtherDifference]:
    """`found` begins with the terms of every later run against the first."""
    first = runs[0]
    for run, term in zip(runs[1:], found, strict=False):
        for leaf in (*term.others, *source_leaf(first.summary.source, run.summary.source)):
            yield OtherDifference(run.run_id, first.run_id, leaf)


def groups_of(count: int, apart: set[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    """All largest sets of places 0..count-1 without a pair that differs (insert and absorb, Piepho 2004)."""
    groups = [frozenset(range(count))]
    for a, b in sorted(apart):
        kept = [group for group in groups if not {a, b} <= group]
        parts = [group - {place} for group in groups if {a, b} <= group for place in (a, b)]
        candidates = list(dict.fromkeys((*kept, *parts)))
        groups = [group for group in candidates if not any(group < other for other in candidates)]
    return tuple(sorted(tuple(sorted(group)) for group in groups))


def _pairs(
    runs: Sequence[RunScores],
    suite: Suite,
    key: Key,
    margin: float,
    largest_fall: LargestFall,
    seed: int,
    family: int,
) -> list[RankedPair]:
    """One metric of every pair, tested, corrected over the pairs, and judged; `margin` is a share of the scale."""
    low, high = suite.scale(key[0])
    places = list(combinations(range(len(runs)), 2))
    scenarios = [_scenario_pairs(runs[second], runs[first], suite, key) for first, second in places]
    flips = sign_flip([totals(pairs) for pairs in scenarios], seed)
    level = ALPHA / len(places) / family
    bounds = bound_pairs([Bounded(pairs, high - low, largest_fall(key[1], key[0])) for pairs in scenarios], level)
    rows = [
        replace(describe(key, pairs, flip, "primary", level), bound=bound)
        for pairs, flip, bound in zip(scenarios, flips, bounds, strict=True)
    ]
    # A pair without data counts in the family as a test that found nothing.
    adjusted = correct([1.0 if row.estimate.p is None else min(1.0, row.estimate.p * family) for row in rows])
    tested = [None if row.estimate.p is None else p for row, p in zip(rows, adjusted, strict=True)]
    found = []
    for (first, second), row in zip(places, call_corrected(rows, tested), strict=True):
        unfit = unfit_judges((runs[first], runs[second]), key[0])
        barred = unfit or is_cut_short(row, (runs[first], runs[second]))
        verdict = None if barred else verdict_of(row, margin * (high - low))
        open_ = could_overturn(row, verdict, margin * (high - low))
        found.append(RankedPair(first, second, row, verdict, open_))
    return found


def _scenario_pairs(a: RunScores, b: RunScores, suite: Suite, key: Key) -> Sequence[ScenarioPair]:
    if key not in a.columns or key not in b.columns:
        return ()
    return pair_runs(a, b, suite, [key]).pairs[key]


def _order(runs: Sequence[RunScores], suite: Suite, key: Key) -> list[RunScores]:
    """By mean difference to the others, highest first; runs without any come last, equal ones as given."""
    over: list[list[float]] = [[] for _ in runs]
    for a, b in combinations(range(len(runs)), 2):
        known = [pair.difference for pair in _scenario_pairs(runs[a], runs[b], suite, key)]
        differences = [difference for difference in known if difference is not None]
        if differences:
            over[b].append(average(differences))
            over[a].append(-average(differences))
    places = sorted(range(len(runs)), key=lambda place: (not over[place], -average(over[place] or [0.0])))
    return [runs[place] for place in places]
