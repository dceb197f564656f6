"""Pages whose figures come from the very responses that they show."""

from dataclasses import replace

from evaluation.comparison.compare import compare
from evaluation.comparison.ranking import rank
from evaluation.comparison.runs import RunScores, read_run
from evaluation.records import Result
from evaluation.reports.html.gathering import Side
from evaluation.summary.columns import Columns
from tests.evaluation.comparison.examples import JUDGE, spec
from tests.evaluation.expectations.held import NO_FOREVER, answer, answered, expecting, summary_with
from tests.evaluation.made_runs import JUDGED, failed, scored, suite, unparsed
from tests.evaluation.reports.html.pages import chosen, compared, known_plan, known_results, run_page

CRITICAL = 9
"""Critical expectations that fail on the page of a long list."""


def results(version: int = 0) -> list[Result]:
    """The known run with a verdict on s05 that was not read; v1 lost on s04 and failed on s03, v2 gained on s06."""
    found = known_results()
    found[5] = unparsed("s05", 0.6)
    if version == 1:
        found[3] = failed("s03")
        found[4] = scored("s04", {"helpfulness": 0.1, "trust": 0.9, "overall_quality": 0.28}, judge=0.28)
    if version == 2:
        found[6] = scored("s06", 0.82, judge=0.82)
    return found


def run() -> str:
    return run_page(results(), known_plan())


def comparison() -> str:
    base, candidate = _scores(0), _scores(1)
    played = [(results(number), known_plan()) for number in (0, 1)]
    return compared(compare(base, candidate, suite=suite()), played=played)


def ranking() -> str:
    found = rank([_scores(number) for number in (0, 1, 2)], suite=suite())
    by_run = {f"run-{number}": results(number) for number in (0, 1, 2)}
    return compared(found, played=[(by_run[run.run_id], known_plan()) for run in found.runs])


def long_list() -> str:
    """A run in which more critical expectations fail than are listed first."""
    plan = [expecting(f"s{number:02d}", NO_FOREVER) for number in range(CRITICAL)]
    held = [answered(each.id, answer(NO_FOREVER, "fails", "indeed")) for each in plan]
    shown = Side("penpal v3", "r1", summary_with(plan, held), plan, 1, chosen(held))
    return run_page(held, plan, shown=shown)


def _scores(number: int) -> RunScores:
    columns = Columns(suite(), known_plan(), 1, JUDGED)
    found = read_run(
        results(number),
        columns,
        spec=spec(number + 1, judge=JUDGE),
        run_id=f"run-{number}",
        name=f"v{number + 1}",
    )
    return replace(found, judge_fit=True)
