"""A run in figures: what its results say per metric and source, and how much of the plan they cover."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from evaluation.expectations.memory import Memory
from evaluation.records import Json, Result, Source
from evaluation.runspec import PromptPin
from evaluation.summary.checks import NO_CHECKS, CheckFigures
from evaluation.summary.columns import Fallback
from evaluation.summary.conversations import ConversationSummary
from evaluation.summary.counts import Counts, FailureKind, RunTokens
from evaluation.summary.expectations import ItemSummary
from evaluation.summary.groups import NO_GROUPS, Groups
from evaluation.summary.human_units import HumanUnits
from evaluation.summary.languages import LanguageSummary
from evaluation.summary.metric import MetricSummary, MetricTable, table_json
from evaluation.summary.panel import PanelSummary
from evaluation.summary.replies import ReplyFigures
from evaluation.summary.weights import ScenarioWeights

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class WeakExchange:
    """One of the lowest-scoring exchanges; `value` is the overall of the decision's source."""

    value: float
    result: Result


@dataclass(frozen=True, slots=True)
class Summary:
    """All that the reports, the decision and the gate know of a run."""

    run_id: str
    suite: str
    prompt: PromptPin | None
    source: Source
    """The one that decides."""
    overall: str
    """Name of the overall metric."""
    counts: Counts
    metrics: MetricTable
    by_category: Mapping[str, MetricTable]
    quality_level: str | None
    """Of the mean overall of the deciding source; None without one."""
    tokens: RunTokens
    cost_usd: float | None
    """None when the price of any answered call is unknown."""
    finish_reasons: Mapping[str, int]
    """Of the answered exchanges, most frequent first: stop, length, content_filter, refusal, ..."""
    cached_replies: int
    cached_verdicts: int
    fallbacks: int
    """Verdicts that could not be read."""
    judge_fallback: Fallback
    """Says whether the rubric's stand-in for an unread verdict is part of the means."""
    injections: int
    """Responses that the judge's reader suspects of addressing the judge."""
    failures: tuple[FailureKind, ...]
    weakest: tuple[WeakExchange, ...]
    """Lowest overall first."""
    wall_seconds: float | None = None
    """None where nobody measured it."""
    measures: Mapping[str, MetricSummary] = field(default_factory=dict)
    """Figures on scales of their own, for information; without bounds."""
    checks: CheckFigures = NO_CHECKS
    answered_by: Mapping[str, int] = field(default_factory=dict)
    """Model that the endpoint says answered -> how many responses are its."""
    judged_by: Mapping[str, int] = field(default_factory=dict)
    """The same of verdicts."""
    memory: Memory | None = None
    """How planted facts are remembered and boundaries hold; None where nothing of the kind was answered."""
    expectations: ItemSummary | None = None
    """None where nothing is expected, or nobody answers."""
    groups: Groups = NO_GROUPS
    """By audience and by tag."""
    conversations: ConversationSummary | None = None
    """The conversations as a whole; None where the judge is asked about none."""
    panel: PanelSummary | None = None
    """The judges beside one another; None where one judge, or none, judged."""
    replies: ReplyFigures | None = None
    """Price and latency of the replies that the run paid for; None without any."""

    human: HumanUnits | None = None
    """What people's labels say of the means; None where there is none."""

    weights: ScenarioWeights | None = None
    """What each scenario stands for; None where all count alike."""

    languages: LanguageSummary | None = None
    """None where all is said in the language of the rubric."""

    def deciding(self) -> MetricSummary | None:
        """The overall of the deciding source."""
        return self.metric(self.source, self.overall)

    def metric(self, source: Source, name: str) -> MetricSummary | None:
        """One metric under one source, which may be people's values; None where the run does not have it."""
        if source == "human":
            return None if self.human is None else self.human.metric(name)
        return self.metrics.get(source, {}).get(name)

    def to_json(
        self,
        *,
        decision: Mapping[str, Json] | None = None,
        langfuse: Mapping[str, Json] | None = None,
        canaries: Mapping[str, Json] | None = None,
    ) -> dict[str, Json]:
        """The content of summary.json; `decision` as a Decision gives it, None without a verdict.

        `canaries` is how the judge did on exchanges of known quality; None where it was not asked.
        """
        return {
            "schema_version": SCHEMA_VERSION,
            "run_id": self.run_id,
            "suite": self.suite,
            "prompt": None if self.prompt is None else asdict(self.prompt),
            "counts": asdict(self.counts),
            "metrics": table_json(self.metrics),
            "measures": {name: measure.to_json() for name, measure in self.measures.items()},
            "by_category": {category: table_json(table) for category, table in self.by_category.items()},
            "quality_level": self.quality_level,
            "decision": None if decision is None else dict(decision),
            "usage": self.tokens.to_json(),
            "replies": None if self.replies is None else self.replies.to_json(),
            "cost_usd": self.cost_usd,
            "wall_seconds": self.wall_seconds,
            "langfuse": None if langfuse is None else dict(langfuse),
            "source": self.source,
            "finish_reasons": dict(self.finish_reasons),
            "cached": {"replies": self.cached_replies, "verdicts": self.cached_verdicts},
            "fallbacks": {"count": self.fallbacks, "in_means": self.judge_fallback == "include"},
            "injections_suspected": self.injections,
            "canaries": None if canaries is None else dict(canaries),
            "failures": [asdict(failure) for failure in self.failures],
            "weakest": [_weak_json(weak) for weak in self.weakest],
            **self.checks.to_json(),
            "answered_by": dict(self.answered_by),
            "judged_by": dict(self.judged_by),
            "memory": None if self.memory is None else self.memory.to_json(),
            **item_figures(self.expectations),
            "expectations": None if self.expectations is None else self.expectations.to_json(),
            "human_units": None if self.human is None else self.human.to_json(),
            **self.groups.to_json(),
            "conversations": None if self.conversations is None else self.conversations.to_json(),
            "panel": None if self.panel is None else self.panel.to_json(),
            **({} if self.weights is None else {"weights": self.weights.to_json()}),
            **({} if self.languages is None else self.languages.to_json()),
        }


def item_figures(expectations: ItemSummary | None) -> dict[str, Json]:
    """What summary.json and decision.json say of expectations alike; nulls where nothing is expected."""
    if expectations is None:
        return {"expectations_met": None, "critical_failures": None, "critical": None}
    critical = expectations.critical
    return {
        "expectations_met": expectations.met.to_json(),
        "critical_failures": len(critical.failed),
        "critical": critical.to_json(),
    }


def _weak_json(weak: WeakExchange) -> dict[str, Json]:
    exchange = weak.result.exchange
    cell = exchange.cell
    return {"scenario_id": cell.scenario_id, "repeat": cell.repeat, "turn": exchange.turn, "value": weak.value}
