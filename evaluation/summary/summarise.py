"""From the results of a run to its summary, in one pass."""

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from evaluation.expectations.memory import MemoryTally
from evaluation.expectations.waivers import Waiver
from evaluation.judging.merging import JOINED
from evaluation.records import CallFailure, Reply, Result, Source, Verdict
from evaluation.runspec import PromptPin
from evaluation.statistics.scenario_scores import part_of
from evaluation.summary.checks import CheckTally
from evaluation.summary.columns import Columns, Plan
from evaluation.summary.counts import NO_TOKENS, Counts, FailureKind, RunTokens
from evaluation.summary.expectations import ItemTally, sum_up_items
from evaluation.summary.groups import pair_groups, summarise_groups
from evaluation.summary.human_units import LabelTally
from evaluation.summary.languages import LanguageSummary, LanguageTally
from evaluation.summary.metric import MetricSummary, MetricTable, summarise_metric
from evaluation.summary.panel import PanelTally
from evaluation.summary.replies import ReplyTally
from evaluation.summary.summary import Summary, WeakExchange

WEAKEST = 5
"""Exchanges that are named as the weakest."""


def summarise(
    results: Iterable[Result],
    columns: Columns,
    *,
    run_id: str,
    prompt: PromptPin | None,
    items: ItemTally | None = None,
    waivers: Sequence[Waiver] = (),
    labels: LabelTally | None = None,
    beside: Iterable[Result] = (),
) -> Summary:
    """Summarises a run in one pass over its results, which fill its columns and may come in any order.

    What has no result counts as skipped and lowers the coverage. `items` takes in the answers to expectations, of which
    `waivers` take some out of account; `labels` finds what people labelled, and `beside` is what the same panel said
    of another model's responses. Raises JournalError for a result that is not in the plan of the columns or comes
    twice.
    """
    suite, source = columns.suite, columns.source
    tallies = _Tallies(columns, items, labels)
    tallies.take_in(results, beside)
    tally = tallies.whole
    metrics, by_category = metric_tables(columns)
    found = metrics.get(source, {}).get(suite.overall)
    return Summary(
        run_id=run_id,
        suite=suite.name,
        prompt=prompt,
        source=source,
        overall=suite.overall,
        counts=tally.counts(columns.plan.size),
        metrics=metrics,
        by_category=by_category,
        quality_level=suite.level_of(None if found is None else found.estimate.mean),
        tokens=RunTokens(tally.generation, tally.judge),
        replies=tally.replies.figures(),
        cost_usd=tally.cost_usd(),
        finish_reasons=tally.most_frequent_endings(),
        cached_replies=tally.cached_replies,
        cached_verdicts=tally.cached_verdicts,
        fallbacks=tally.fallbacks,
        judge_fallback=columns.judge_fallback,
        injections=tally.injections,
        failures=tally.failures(),
        weakest=tally.weakest(),
        checks=tallies.checks.measure(columns.scenarios),
        answered_by=dict(sorted(tally.answered_by.items())),
        judged_by=dict(sorted(tally.judged_by.items())),
        memory=tallies.memory.measure(),
        measures={name: replace(summarise_metric(scores, None), bounds=None) for name, scores in columns.measures()},
        expectations=None if items is None else sum_up_items(items, partial(_mean_share, columns.plan), waivers),
        human=None if labels is None else labels.measure(run_id),
        groups=summarise_groups(columns, items.met if items is not None and items.asks else None),
        panel=tallies.panel.measure(),
        weights=columns.weights,
        languages=_languages(tallies.languages, columns),
    )


def _languages(spoken: LanguageTally, columns: Columns) -> LanguageSummary | None:
    """The languages of a run, with the means of each and their differences where there are several."""
    places = spoken.places(columns.scenarios)
    if len(places) < 2:
        return spoken.measure({}, ())
    _, by_language = metric_tables(columns, places)
    suite = columns.suite
    overall = columns.plan.scores(columns.column(columns.source, suite.overall), *suite.scale(columns.source))
    return spoken.measure(by_language, pair_groups(places, overall) if columns.weights is None else ())


class _Tallies:
    """All that takes in the results of a run, one by one."""

    def __init__(self, columns: Columns, items: ItemTally | None, labels: LabelTally | None) -> None:
        suite, scenarios = columns.suite, columns.scenarios
        self._columns = columns
        self.whole = Tally()
        self.checks = CheckTally(suite)
        self.memory = MemoryTally(scenarios, columns.plan.repeats)
        self.panel = PanelTally(suite.overall, scenarios)
        self.languages = LanguageTally(suite)
        self._placed = (self.checks, self.languages, *(each for each in (items, labels) if each is not None))
        """Those that need a result's place in the plan."""

    def take_in(self, results: Iterable[Result], beside: Iterable[Result]) -> None:
        """Raises JournalError for a result that is not in the plan or comes twice."""
        for result in results:
            self.memory.add(result)
            self.panel.add(result)
            slot, overall = self._columns.add(result)
            self.whole.add(result, slot, overall)
            for tally in self._placed:
                tally.add(result, slot)
        for result in beside:
            self.panel.add_beside(result)


def _mean_share(plan: Plan, column: "array[float]") -> MetricSummary:
    return summarise_metric(plan.scores(column, 0.0, 1.0), (0.0, 1.0))


def metric_tables(
    columns: Columns, groups: Mapping[str, Sequence[int]] | None = None
) -> tuple[MetricTable, dict[str, MetricTable]]:
    """The table of the whole run and that of each group of scenarios, one column at a time to keep the memory bounded.

    Without groups those are the categories.
    """
    places = columns.plan.by_category() if groups is None else groups
    whole: dict[Source, dict[str, MetricSummary]] = {}
    parts: dict[str, dict[Source, dict[str, MetricSummary]]] = {category: {} for category in places}
    for (source, metric), column in columns.in_order():
        scale, share = columns.suite.scale(source), source == "check"
        scenarios = columns.plan.scores(column, *scale)
        whole.setdefault(source, {})[metric] = summarise_metric(scenarios, scale, share=share)
        for category, positions in places.items():
            part = summarise_metric(part_of(scenarios, positions), scale, share=share)
            parts[category].setdefault(source, {})[metric] = part
        del scenarios  # before those of the next column are made
    return whole, dict(parts)


class Tally:
    """Counts results. Whatever it says does not depend on the order in which they came."""

    def __init__(self) -> None:
        self.ends: Counter[str] = Counter()
        self.answered_by: Counter[str] = Counter()
        self.judged_by: Counter[str] = Counter()
        self.generation = NO_TOKENS
        self.replies = ReplyTally()
        self.judge = NO_TOKENS
        self._costs: list[float | None] = []
        self.finish_reasons: Counter[str] = Counter()
        self.cached_replies = 0
        self.cached_verdicts = 0
        self.fallbacks = 0
        self.injections = 0
        self._weakest: list[tuple[float, int, Result]] = []
        """Lowest first; equal values in plan order."""
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

    def counts(self, planned: int) -> Counts:
        scored, failed, unparsed = (self.ends[state] for state in ("scored", "failed", "unparsed"))
        return Counts(planned, scored, failed, unparsed, planned - scored - failed - unparsed)

    def cost_usd(self) -> float | None:
        """Of all answered calls that this run paid for; None as soon as the price of one is unknown."""
        known = [cost for cost in self._costs if cost is not None]
        return math.fsum(known) if len(known) == len(self._costs) else None

    def most_frequent_endings(self) -> dict[str, int]:
        """Reason -> how many replies ended so, most frequent first."""
        return dict(sorted(self.finish_reasons.items(), key=lambda item: (-item[1], item[0])))

    def failures(self) -> tuple[FailureKind, ...]:
        """Most frequent kind first."""
        ordered = sorted(self._failures, key=lambda kind: (-self._failures[kind], kind))
        return tuple(
            FailureKind(kind, self._failures[kind], self._first_failure[kind][1].message, self._first_failure[kind][2])
            for kind in ordered
        )

    def weakest(self) -> tuple[WeakExchange, ...]:
        return tuple(WeakExchange(value, result) for value, _, result in self._weakest)

    def _add_reply(self, reply: Reply) -> None:
        self.finish_reasons[reply.finish_reason] += 1
        if reply.model:
            self.answered_by[reply.model] += 1
        if reply.cached:
            self.cached_replies += 1
        else:
            self.replies.add(reply)
            self.generation = self.generation.plus(reply.usage, reply.saved_usd)
            self._costs.append(reply.cost_usd)

    def _add_verdict(self, verdict: Verdict) -> None:
        self.fallbacks += not verdict.parsed
        if verdict.model and verdict.parsed:
            # Samples of one verdict may come from several models, in any order: each counts once.
            self.judged_by.update(verdict.model.split(JOINED))
        self.injections += verdict.injection_suspected
        if verdict.cached:
            self.cached_verdicts += 1
        else:
            self.judge = self.judge.plus(verdict.usage, verdict.saved_usd)
            self._costs.append(verdict.cost_usd)

    def _add_failure(self, failure: CallFailure, slot: int, scenario_id: str) -> None:
        self._failures[failure.kind] += 1
        known = self._first_failure.get(failure.kind)
        if known is None or slot < known[0]:
            self._first_failure[failure.kind] = (slot, failure, scenario_id)

    def _keep_if_weak(self, overall: float, slot: int, result: Result) -> None:
        if len(self._weakest) < WEAKEST or (overall, slot) < self._weakest[-1][:2]:
            kept = [*self._weakest, (overall, slot, result)]
            self._weakest = sorted(kept, key=lambda entry: entry[:2])[:WEAKEST]
