"""One run as a comparison sees it: what it measured, and a value or a gap for every planned exchange."""

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluation.records import Result, Scenario
from evaluation.runspec import RunSpec
from evaluation.statistics.clusters import MISSING
from evaluation.statistics.paired import Grid
from evaluation.suites.suite import Suite
from evaluation.summary.columns import Columns, Key, Plan, table_order
from evaluation.summary.summarise import summarise
from evaluation.summary.summary import Summary


@dataclass(frozen=True, slots=True)
class RunScores:
    """The scores of one run, column by column, over its plan."""

    run_id: str
    name: str
    """For people: "v3", "temperature 0.7"."""
    spec: RunSpec
    scenarios: tuple[Scenario, ...]
    plan: Plan
    columns: Mapping[Key, Sequence[float]]
    """A value for each slot of the plan, with the marks of `statistics.clusters`."""
    judge_variance: Sequence[float] | None
    """For each slot: how far the judge's overall would vary on the same text; None with one sample per verdict."""
    summary: Summary

    def grids(self, key: Key) -> dict[str, Grid]:
        """Scenario id -> its planned values under one metric."""
        column = self.columns[key]
        return {
            scenario.id: Grid(column[span.start : span.stop], span.turns)
            for scenario, span in zip(self.scenarios, self.plan.spans, strict=True)
        }


def read_run(results: Iterable[Result], columns: Columns, *, spec: RunSpec, run_id: str, name: str) -> RunScores:
    """Reads a run's results once, into its columns, for its summary and for comparisons.

    Raises JournalError for a result that is not in the plan or comes twice.
    """
    plan = columns.plan
    spread = array("d", [MISSING]) * plan.size

    def watched() -> Iterator[Result]:
        for result in results:
            if result.verdict is not None and result.verdict.parsed:
                spread[plan.slot(result.exchange)] = variance_of_median(result.verdict.samples)
            yield result

    summary = summarise(watched(), columns, run_id=run_id, prompt=spec.prompt)
    return RunScores(
        run_id=run_id,
        name=name,
        spec=spec,
        scenarios=columns.scenarios,
        plan=plan,
        columns=dict(columns.scored()),
        judge_variance=None if all(map(math.isnan, spread)) else spread,
        summary=summary,
    )


def variance_of_median(samples: Sequence[float]) -> float:
    """Of the median of n samples of one verdict, which is what the judge's score is; MISSING below two.

    Of two, the median is their mean: their variance over 2. From three on pi/2 times the variance over n, which is the
    large-sample value for normal noise (Cramer 1946) and an approximation: 17% too high at n = 3, 32% at 4, 10% at 5.
    """
    count = len(samples)
    if count < 2:
        return MISSING
    mean = math.fsum(samples) / count
    of_mean = math.fsum([(sample - mean) ** 2 for sample in samples]) / (count - 1) / count
    return of_mean if count == 2 else math.pi / 2 * of_mean


def shared_keys(a: RunScores, b: RunScores, suite: Suite) -> list[Key]:
    """Source and metric of every column that both runs have, in the order of every table."""
    return sorted((key for key in a.columns if key in b.columns), key=table_order(suite))
