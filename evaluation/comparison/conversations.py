"""The paired differences of what a judge says of conversations as a whole: beside a verdict, and in none.

They are described with their intervals and not tested, so that they take nothing from the level of the tests.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from evaluation.comparison.differences import ALPHA, MetricDifference, describe, pair_runs
from evaluation.comparison.runs import RunScores
from evaluation.statistics.paired import totals
from evaluation.statistics.significance import sign_flip
from evaluation.suites.suite import Suite
from evaluation.summary.columns import Key


@dataclass(frozen=True, slots=True)
class ConversationPair:
    """Two of several runs by what the judge says of their conversations: places, from 0."""

    first: int
    second: int
    rows: tuple[MetricDifference, ...]
    """`first` minus `second`, metric by metric; never empty."""


def compare_each_conversations(
    runs: Sequence[RunScores], places: Iterable[tuple[int, int]], suite: Suite, seed: int
) -> tuple[ConversationPair, ...]:
    """Those of the pairs (first, second) in which the judge was asked about the conversations of both runs."""
    found = (
        ConversationPair(first, second, compare_conversations(runs[second], runs[first], suite, seed))
        for first, second in places
    )
    return tuple(pair for pair in found if pair.rows)


def compare_conversations(
    base: RunScores, candidate: RunScores, suite: Suite, seed: int
) -> tuple[MetricDifference, ...]:
    """A row for each metric that the conversations of both runs have; none where one of them judged none."""
    if base.conversations is None or candidate.conversations is None:
        return ()
    theirs = candidate.conversations.columns
    keys: list[Key] = [("judge", metric) for metric in base.conversations.columns if metric in theirs]
    paired = pair_runs(_of_conversations(base), _of_conversations(candidate), suite, keys)
    flips = sign_flip([totals(paired.pairs[key]) for key in keys], seed)
    return tuple(
        describe(key, paired.pairs[key], flip, "descriptive", ALPHA) for key, flip in zip(keys, flips, strict=True)
    )


def _of_conversations(run: RunScores) -> RunScores:
    """The run as one whose exchanges are its conversations."""
    found = run.conversations
    assert found is not None, "runs without conversations are not compared by them"
    columns: dict[Key, Sequence[float]] = {("judge", metric): column for metric, column in found.columns.items()}
    return replace(run, scenarios=found.scenarios, plan=found.plan, columns=columns, judge_variance=None)
