"""Conversations as a whole in figures: how many were judged, and what their scores come to.

A conversation is one value of each metric, so that its cell has one slot; the averaging is that of every other score.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from evaluation.judging.conversations.asking import ConversationQuestion
from evaluation.judging.conversations.fitness import ConversationCheck
from evaluation.records import Json, Result, Scenario
from evaluation.statistics.scenario_scores import NOT_APPLICABLE
from evaluation.summary.columns import Plan
from evaluation.summary.counts import Counts, FailureKind
from evaluation.summary.metric import MetricSummary, summarise_metric
from evaluation.summary.weights import ScenarioWeights

WEAKEST, NAMED = 40, 5
"""Conversations that are kept as the weakest for a page, and those of them that everything else names."""
FIRST_TURN = 1


@dataclass(frozen=True, slots=True)
class WeakConversation:
    """A conversation by its lowest score."""

    metric: str
    value: float
    result: Result


@dataclass(frozen=True, slots=True)
class ConversationColumns:
    """The scores of a run's conversations, column by column, with a slot for each planned one."""

    scenarios: tuple[Scenario, ...]
    """Those with a conversation to judge, each with its last turn alone: a conversation has one slot."""
    plan: Plan
    columns: Mapping[str, "array[float]"]
    """Metric -> values, with the marks of `statistics.clusters`."""

    @classmethod
    def of(
        cls,
        scenarios: Sequence[Scenario],
        repeats: int,
        metrics: Iterable[str],
        weights: ScenarioWeights | None = None,
    ) -> "ConversationColumns":
        """Columns of missing values; `scenarios` are those with a conversation to judge."""
        single = tuple(replace(scenario, turns=scenario.turns[-1:]) for scenario in scenarios)
        plan = Plan(single, repeats, weights)
        return cls(single, plan, {metric: plan.blank(needs_context=False) for metric in metrics})

    def add(self, result: Result) -> int:
        """Takes in a conversation's scores; returns its slot. Raises JournalError for one that was never planned."""
        slot = self.plan.slot(replace(result.exchange, turn=FIRST_TURN))
        for score in result.scores:
            column = self.columns.get(score.metric)
            if column is not None and (not score.applicable or score.value is not None):
                column[slot] = score.value if score.applicable and score.value is not None else NOT_APPLICABLE
        return slot


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """The conversations of a run in figures."""

    counts: Counts
    """Of conversations; skipped are those in which a turn got no answer, or that were never played to their end."""
    metrics: Mapping[str, MetricSummary]
    weakest: tuple[WeakConversation, ...]
    """Lowest score first."""
    failures: tuple[FailureKind, ...]
    """Calls about conversations that got no answer."""
    cached: int
    """Verdicts that an earlier run had paid for."""
    check: ConversationCheck | None = None
    """What conversations of known quality say of the judge; None where it was asked about none."""

    @property
    def counted(self) -> bool:
        """False where the judge is not fit for conversations: then no score of them has a mean."""
        return self.check is None or self.check.fit is not False

    @property
    def incomplete(self) -> bool:
        """True where a call about a conversation failed, or one was never made."""
        return bool(self.counts.failed or self.counts.skipped)

    def to_json(self) -> dict[str, Json]:
        return {
            "counts": asdict(self.counts),
            "metrics": {name: found.to_json() for name, found in self.metrics.items()},
            "weakest": [
                {
                    "scenario_id": weak.result.exchange.cell.scenario_id,
                    "repeat": weak.result.exchange.cell.repeat,
                    "metric": weak.metric,
                    "value": weak.value,
                }
                for weak in self.weakest[:NAMED]
            ],
            "failures": [asdict(failure) for failure in self.failures],
            "cached": self.cached,
            "judge_fit": None if self.check is None else self.check.fit,
            "check": None if self.check is None else self.check.to_json(),
        }


def summarise_conversations(
    results: Iterable[Result],
    columns: ConversationColumns,
    question: ConversationQuestion,
    check: ConversationCheck | None = None,
) -> ConversationSummary:
    """Sums up a run's conversations in one pass, which fills the columns.

    These stay empty where the `check` says that the judge is not fit for conversations.
    """
    counted = check is None or check.fit is not False
    states: Counter[str] = Counter()
    weak: list[tuple[float, int, WeakConversation]] = []
    failures: dict[str, FailureKind] = {}
    cached = 0
    for result in results:
        slot = columns.add(result if counted else replace(result, scores=()))
        states[result.state] += 1
        cached += result.verdict is not None and result.verdict.cached
        weak = sorted([*weak, *(_lowest(result, slot) if counted else ())], key=lambda each: each[:2])[:WEAKEST]
        if result.error is not None:
            known = failures.get(result.error.kind)
            example = (result.error.message, result.exchange.cell.scenario_id)
            failures[result.error.kind] = (
                FailureKind(result.error.kind, 1, *example) if known is None else replace(known, count=known.count + 1)
            )
    planned, scale = columns.plan.size, (question.low, question.high)
    scored, failed, unparsed = (states[state] for state in ("scored", "failed", "unparsed"))
    return ConversationSummary(
        counts=Counts(planned, scored, failed, unparsed, planned - scored - failed - unparsed),
        metrics={
            name: summarise_metric(columns.plan.scores(column, *scale), scale)
            for name, column in columns.columns.items()
        },
        weakest=tuple(each for _, _, each in weak),
        failures=tuple(sorted(failures.values(), key=lambda kind: (-kind.count, kind.kind))),
        cached=cached,
        check=check,
    )


def _lowest(result: Result, slot: int) -> list[tuple[float, int, WeakConversation]]:
    """The lowest score of a conversation, if it has any, with what it is ordered by."""
    scored = [(score.value, score.metric) for score in result.scores if score.value is not None]
    return [(value, slot, WeakConversation(metric, value, result)) for value, metric in sorted(scored)[:1]]
