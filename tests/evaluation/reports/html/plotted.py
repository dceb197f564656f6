"""Pages with pictures: several runs of conversations that were repeated, made by hand."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from evaluation.comparison.compare import compare
from evaluation.comparison.ranking import Ranking, rank
from evaluation.comparison.runs import RunScores
from evaluation.records import Result, Scenario
from evaluation.reports.html.comparison import comparison_report
from evaluation.reports.html.gathering import Gathered, Side, gather
from evaluation.statistics.scenario_scores import Estimate
from evaluation.summary.columns import Columns
from evaluation.summary.metric import MetricSummary
from evaluation.summary.replies import ReplyFigures
from evaluation.summary.summarise import summarise
from tests.evaluation.comparison.examples import SUITE, overall_run
from tests.evaluation.made_runs import JUDGED, failed, made_outcome, scenario, scored, suite
from tests.evaluation.reports.hostile import EVIL
from tests.evaluation.reports.html.pages import assets, chosen, run_page

Value: TypeAlias = Callable[[int, int, int], float | None]
"""Scenario's number, repeat and turn -> the value of every metric and source; None where the call failed."""
REPEATS = 3


def conversations() -> list[Scenario]:
    """Twenty scenarios of one to four turns in three categories."""
    return [scenario(f"s{number:02d}", turns=1 + number % 4, category=f"kind_{number % 3}") for number in range(20)]


def always(value: float | None) -> Value:
    """Every response has this value."""
    return lambda *_: value


def rising(start: float) -> Value:
    """Every scenario is a little better than the one before, every turn than the last; repeats of even ones differ."""
    return lambda number, repeat, turn: round(
        start + number / 100 + turn / 50 + (repeat - 1) * (number % 2 == 0) * number / 200, 4
    )


def with_gaps(start: float) -> Value:
    """The same, but every seventh call failed."""
    of = rising(start)
    return lambda number, repeat, turn: None if (number + repeat + turn) % 7 == 0 else of(number, repeat, turn)


def played(plan: Sequence[Scenario], of: Value, repeats: int = REPEATS) -> list[Result]:
    results = []
    for number, each in enumerate(plan):
        for repeat in range(1, repeats + 1):
            for turn in range(1, len(each.turns) + 1):
                value = of(number, repeat, turn)
                made = (
                    failed(each.id, repeat, turn)
                    if value is None
                    else scored(each.id, value, repeat, turn, judge=value)
                )
                results.append(made)
    return results


def side_of(plan: Sequence[Scenario], of: Value, name: str = "v1", run_id: str = "r1", repeats: int = REPEATS) -> Side:
    results = played(plan, of, repeats)
    summary = summarise(results, Columns(suite(), plan, repeats, JUDGED), run_id=run_id, prompt=None)
    return Side(name, run_id, summary, plan, repeats, chosen(results))


def gathered(*sides: Side, most: int = 2000) -> Gathered:
    return gather(sides, suite(), seed=1, most=most)


def run_of_conversations() -> str:
    plan = conversations()
    shown = side_of(plan, with_gaps(0.3))
    return run_page([], plan, shown=shown)


def hostile_run() -> str:
    plan = [replace(scenario(f"{number}{EVIL}", turns=3), category=EVIL) for number in range(15)]
    return run_page([], plan, shown=side_of(plan, rising(0.3), EVIL))


def ranked(costs: Sequence[float | None], means: Sequence[float | None] = (0.6, 0.5, 0.4)) -> Ranking:
    """Three runs in the order v1, v2, v3, with these prices of a reply and means."""
    return rank([priced(place, *both) for place, both in enumerate(zip(costs, means, strict=True), 1)], suite=SUITE)


def priced(version: int, cost: float | None, mean: float | None) -> RunScores:
    run = overall_run([1 - version / 10, 1.02 - version / 10] * 10, version=version)
    ends = None if mean is None else (mean - 0.05, mean + 0.05)
    found = MetricSummary(Estimate(20, 20, mean, 0.1, 0.02, ends, mean, mean, mean, mean), 20, 0, None)
    replies = ReplyFigures(20, cost, 1.0, 2.0)
    return replace(run, summary=replace(run.summary, metrics={"heuristic": {"overall": found}}, replies=replies))


def page_of(names: Sequence[str], plan: Sequence[Scenario], values: Sequence[Value], **changes: int) -> str:
    """Two runs compared, or more ranked; `changes` of the number of repeats."""
    runs = (
        ranked([0.001, 0.002, 0.003]).runs
        if len(values) == 3
        else [overall_run([0.5] * 20, version=at) for at in (1, 2)]
    )
    result = rank(runs, suite=SUITE) if len(values) == 3 else compare(runs[0], runs[1], suite=SUITE)
    shown = result.runs if isinstance(result, Ranking) else (result.base, result.candidate)
    made = zip(names, values, shown, strict=True)
    sides = [side_of(plan, of, name, run.run_id, **changes) for name, of, run in made]
    outcome = made_outcome(sides[-1].summary, plan, suite(), {"seed": 1})
    return comparison_report(
        result, sides, replace(outcome, run=replace(outcome.run, run_id=sides[-1].run_id)), assets()
    )


def ranking_of_conversations() -> str:
    return page_of(["v1", "v2", "v3"], conversations(), [rising(0.5), with_gaps(0.4), rising(0.3)])


def comparison_of_conversations() -> str:
    return page_of(["v1", "v2"], conversations(), [rising(0.3), lambda number, *_: 0.6 - number / 50])


def hostile_ranking() -> str:
    plan = [replace(scenario(f"{number}{EVIL}", turns=2), category=EVIL) for number in range(12)]
    return page_of([f"{number}{EVIL}" for number in range(3)], plan, [rising(0.3)] * 3, repeats=1)


def one_situation() -> str:
    return page_of(["v1", "v2", "v3"], [scenario("alone", turns=3)], [always(0.5)] * 3)
