"""The names of scores in Langfuse, where one name means one scale: what each says, and which of them a run may send."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from evaluation.records import Json, Source
from evaluation.run import Run
from evaluation.suites import SUITES
from evaluation.suites.own import own_prefixes
from evaluation.suites.suite import Suite

DataType: TypeAlias = Literal["NUMERIC", "BOOLEAN", "CATEGORICAL"]

VERDICTS = ("deploy", "ab_test", "needs_revision", "held_back")
MAX_NAME = 35
MET, CRITICAL = "expectations_met", "critical_failures"
"""The share of answered expectations that hold, and how many critical ones fail."""
_DIGEST = 5
"""Characters that tell apart the names of expectations whose ids are too long for one."""


@dataclass(frozen=True, slots=True)
class ScoreKind:
    """One name with its type and range, as a score config says it."""

    name: str
    data_type: DataType
    low: float | None = None
    high: float | None = None
    categories: tuple[str, ...] = ()
    optional: bool = False
    """True where a config is made when there is time for it; scores need none."""

    def problem(self, value: float | str) -> str:
        """Why the server would refuse or silently drop this value; empty when it is good."""
        if self.data_type == "CATEGORICAL":
            return "" if value in self.categories else f"{value!r} is none of {', '.join(self.categories)}"
        if isinstance(value, str) or not abs(value) < float("inf"):
            return f"{value!r} is no finite number"
        if self.data_type == "BOOLEAN":
            return "" if value in (0, 1) else f"{value!r} is neither 0 nor 1"
        if (self.low is not None and value < self.low) or (self.high is not None and value > self.high):
            return f"{value!r} is outside {self.low!r} to {self.high!r}"
        return ""


@dataclass(frozen=True, slots=True)
class Figure:
    """One named value that is said of a run as a whole, or of one response."""

    name: str
    value: float | str
    comment: str
    metadata: Mapping[str, Json] = field(default_factory=dict)


def score_name(suite: str, source: Source, metric: str) -> str:
    """The name under which a suite's score of one source is sent, at most 35 characters."""
    prefix = (
        SUITES[suite].prefix_of(source) if suite in SUITES else own_prefixes(suite).get(source, f"{suite}.{source}.")
    )
    return f"{prefix}{metric}"[:MAX_NAME]


def own_name(suite: str, name: str) -> str:
    """The name of what belongs to no source: judge_parsed, quality_level, decision, coverage, failures, ..."""
    prefix = SUITES[suite].own_prefix if suite in SUITES else None
    return f"{f'{suite}.' if prefix is None else prefix}{name}"[:MAX_NAME]


def item_name(suite: str, item: str) -> str:
    """The name of the answers to one expectation: `expect.<id>`, a long id cut and made unique by its digest."""
    whole = f"expect.{item}"
    room = MAX_NAME - len(own_name(suite, ""))
    if len(whole) > room:
        whole = f"{whole[: room - _DIGEST - 1]}-{hashlib.sha256(item.encode()).hexdigest()[:_DIGEST]}"
    return own_name(suite, whole)


def conversation_name(suite: str, metric: str) -> str:
    """The name of what a judge scores of a conversation as a whole, such as `judge.conversation.memory`."""
    return score_name(suite, "judge", f"conversation.{metric}")


def kinds_of_run(run: Run) -> Iterator[ScoreKind]:
    """Every name that a run may send that has a config; of expectations by themselves the critical ones, where sent."""
    yield from score_kinds(run.suite, judged=run.spec.judge is not None, expects=has_expectations(run))
    judge = run.conversation_judge
    if judge is not None and run.judged_conversations:
        scale = (judge.question.low, judge.question.high)
        for metric in judge.question.dimensions:
            yield ScoreKind(conversation_name(run.suite.name, metric), "NUMERIC", *scale)
    if run.request.langfuse_scores == "all" and has_expectations(run):
        items = (item for scenario in run.scenarios for item in scenario.expect if item.critical)
        for name in dict.fromkeys(item_name(run.suite.name, item.id) for item in items):
            yield ScoreKind(name, "BOOLEAN", optional=True)


def has_expectations(run: Run) -> bool:
    """True where anything is expected of the run's responses and somebody answers."""
    return run.expectations != "none" and any(scenario.expect for scenario in run.scenarios)


def score_kinds(suite: Suite, *, judged: bool, expects: bool = False) -> Iterator[ScoreKind]:
    """Every name that a run of the suite may send, with a judge or without, in a stable order.

    `expects` says that expectations are answered.
    """
    sources = [source for source in suite.sources(judged=judged) if source != "check"]
    named: list[tuple[Source, str]] = [(source, metric) for metric in suite.metrics for source in sources]
    named += [("check", check) for check in suite.checks]
    for source, metric in named:
        yield ScoreKind(score_name(suite.name, source, metric), "NUMERIC", *suite.scale(source))
    if judged:
        yield ScoreKind(own_name(suite.name, "judge_parsed"), "BOOLEAN")
    if suite.levels:
        levels = tuple(level.name for level in suite.levels)
        yield ScoreKind(own_name(suite.name, "quality_level"), "CATEGORICAL", categories=levels)
    if suite.decision is not None:
        yield ScoreKind(own_name(suite.name, "decision"), "CATEGORICAL", categories=VERDICTS)
    yield ScoreKind(own_name(suite.name, "coverage"), "NUMERIC", 0.0, 1.0)
    yield ScoreKind(own_name(suite.name, "failures"), "NUMERIC", 0.0)
    yield ScoreKind(own_name(suite.name, "fallbacks"), "NUMERIC", 0.0)
    if expects:
        yield ScoreKind(own_name(suite.name, MET), "NUMERIC", 0.0, 1.0)
        yield ScoreKind(own_name(suite.name, CRITICAL), "NUMERIC", 0.0)
