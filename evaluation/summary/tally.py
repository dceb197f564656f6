"""Counts over the results of a run, one result at a time: ends, tokens, money, failures, the weakest."""

import heapq
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.records import CallFailure, Reply, Result, Usage, Verdict


@dataclass(frozen=True, slots=True)
class Counts:
    """The planned exchanges, counted by how they ended: the last four add up to `planned`."""

    planned: int
    scored: int
    failed: int
    unparsed: int
    skipped: int
    """Planned, but without a result: not reached, or behind a failed turn of the same conversation."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Of the answered calls that this run paid for; cached answers are left out."""

    calls: int
    input_tokens: int
    output_tokens: int
    uncounted: int
    """Calls whose endpoint named no token counts: with any, the two sums are lower bounds."""


NO_TOKENS = Tokens(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class FailureKind:
    """One kind of failed call: how often, and the first one in plan order as an example."""

    kind: str
    count: int
    message: str
    scenario_id: str


@dataclass(frozen=True, slots=True)
class WeakExchange:
    """One of the lowest-scoring exchanges; `value` is the overall of the decision's source."""

    value: float
    result: Result


@dataclass(frozen=True, slots=True)
class FailedChecks:
    """One exchange and the checks that failed on it."""

    scenario_id: str
    repeat: int
    turn: int
    user_input: str
    checks: Mapping[str, str]
    """Check -> the evidence, in the order of every table."""


@dataclass(slots=True)
class Spending:
    """Adds up one purpose's calls."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    uncounted: int = 0
    costs: list[float] = field(default_factory=list)
    unpriced: int = 0

    def add(self, usage: Usage, cost_usd: float | None) -> None:
        self.calls += 1
        if usage.input_tokens is None or usage.output_tokens is None:
            self.uncounted += 1
        self.input_tokens += usage.input_tokens or 0
        self.output_tokens += usage.output_tokens or 0
        if cost_usd is None:
            self.unpriced += 1
        else:
            self.costs.append(cost_usd)

    def tokens(self) -> Tokens:
        return Tokens(self.calls, self.input_tokens, self.output_tokens, self.uncounted)


class Tally:
    """Counts results. Whatever it says does not depend on the order in which they came.

    `overall` is the metric that sums up the others, and so no check of its own.
    """

    def __init__(self, weakest: int, overall: str) -> None:
        self.checked = 0
        """Exchanges on which at least one check applied."""
        self._overall = overall
        self._failed_checks: list[tuple[int, FailedChecks]] = []
        self.ends: Counter[str] = Counter()
        self.generation = Spending()
        self.judge = Spending()
        self.finish_reasons: Counter[str] = Counter()
        self.cached_replies = 0
        self.cached_verdicts = 0
        self.fallbacks = 0
        self.injections = 0
        self._room = weakest
        self._weakest: list[tuple[float, int, Result]] = []
        self._failures: Counter[str] = Counter()
        self._first_failure: dict[str, tuple[int, CallFailure, str]] = {}

    def add(self, result: Result, slot: int, overall: float | None) -> None:
        """`slot` is the exchange's place in the plan, `overall` its value under the decision's source."""
        self.ends[result.state] += 1
        outcome = result.exchange.outcome
        if isinstance(outcome, Reply):
            self._add_reply(outcome)
        if result.verdict is not None:
            self._add_verdict(result.verdict)
        if result.error is not None:
            self._add_failure(result.error, slot, result.exchange.cell.scenario_id)
        if overall is not None:
            self._keep_if_weak(overall, slot, result)
        self._add_checks(result, slot)

    def counts(self, planned: int) -> Counts:
        scored, failed, unparsed = (self.ends[state] for state in ("scored", "failed", "unparsed"))
        return Counts(planned, scored, failed, unparsed, planned - scored - failed - unparsed)

    def cost_usd(self) -> float | None:
        """Of all answered calls that this run paid for; None as soon as the price of one is unknown."""
        if self.generation.unpriced or self.judge.unpriced:
            return None
        return math.fsum([*self.generation.costs, *self.judge.costs])

    def failures(self) -> tuple[FailureKind, ...]:
        """Most frequent kind first."""
        ordered = sorted(self._failures, key=lambda kind: (-self._failures[kind], kind))
        return tuple(
            FailureKind(kind, self._failures[kind], self._first_failure[kind][1].message, self._first_failure[kind][2])
            for kind in ordered
        )

    def failed_checks(self) -> tuple[FailedChecks, ...]:
        """In plan order."""
        return tuple(failed for _, failed in sorted(self._failed_checks, key=lambda entry: entry[0]))

    def weakest(self) -> tuple[WeakExchange, ...]:
        """Lowest first; equal values in plan order."""
        ordered = sorted(self._weakest, key=lambda entry: (-entry[0], -entry[1]))
        return tuple(WeakExchange(-negated, result) for negated, _, result in ordered)

    def _add_reply(self, reply: Reply) -> None:
        self.finish_reasons[reply.finish_reason] += 1
        if reply.cached:
            self.cached_replies += 1
        else:
            self.generation.add(reply.usage, reply.cost_usd)

    def _add_verdict(self, verdict: Verdict) -> None:
        self.fallbacks += not verdict.parsed
        self.injections += verdict.injection_suspected
        if verdict.cached:
            self.cached_verdicts += 1
        else:
            self.judge.add(verdict.usage, verdict.cost_usd)

    def _add_checks(self, result: Result, slot: int) -> None:
        checks = [each for each in result.scores if each.source == "check" and each.metric != self._overall]
        applied = [each for each in checks if each.applicable and each.value is not None]
        failed = {each.metric: each.explanation for each in applied if each.value == 0}
        self.checked += bool(applied)
        if failed:
            exchange = result.exchange
            cell = exchange.cell
            found = FailedChecks(cell.scenario_id, cell.repeat, exchange.turn, exchange.user_input, failed)
            self._failed_checks.append((slot, found))

    def _add_failure(self, failure: CallFailure, slot: int, scenario_id: str) -> None:
        self._failures[failure.kind] += 1
        known = self._first_failure.get(failure.kind)
        if known is None or slot < known[0]:
            self._first_failure[failure.kind] = (slot, failure, scenario_id)

    def _keep_if_weak(self, overall: float, slot: int, result: Result) -> None:
        entry = (-overall, -slot, result)
        if len(self._weakest) < self._room:
            heapq.heappush(self._weakest, entry)
        elif self._room and entry[:2] > self._weakest[0][:2]:
            heapq.heapreplace(self._weakest, entry)
