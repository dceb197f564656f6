"""The table of planted memory, in full, in short and on the page of a run: the same shares everywhere."""

from dataclasses import replace

from evaluation.records import Expectation, ItemAnswer, Outcome, Result, Scenario
from evaluation.reports.markdown import to_markdown
from evaluation.reports.run import describe_run
from evaluation.reports.terminal import to_terminal
from tests.evaluation.made_runs import JUDGED, made_outcome, scenario, scored, summary_of
from tests.evaluation.reports.html.pages import run_page
from tests.evaluation.reports.html.test_run import text_of

FACT = Expectation("fact", "check", "Is it?", "recalls", {"fact": "Ada", "from_turn": 1}, scope="turn", turn=2)
OLD = Expectation("old", "check", "Is it?", "omits", {"any": ["Eve"]}, scope="turn", turn=2)
PLAN = [replace(scenario(f"s{number}", turns=2), expect=(FACT, OLD)) for number in range(4)]
HEAD = "| turns since then | recalled | false recall | old value | boundary held |"


def answered(place: int, fact: Outcome, old: Outcome = "holds") -> list[Result]:
    results = [scored(f"s{place}", 0.8, turn=turn, judge=0.7) for turn in (1, 2)]
    answers = (ItemAnswer("fact", fact, "rule"), ItemAnswer("old", old, "rule"))
    return [results[0], replace(results[1], expectations=answers)]


RESULTS = [*answered(0, "holds"), *answered(1, "holds"), *answered(2, "holds"), *answered(3, "fails", "fails")]


def markdown(plan: list[Scenario], results: list[Result]) -> str:
    return to_markdown(describe_run(made_outcome(summary_of(results, plan, sources=JUDGED), plan)))


def test_the_whole_table_has_intervals_and_numbers() -> None:
    """p = 3/4 over four situations: SE = 1/4, so n = 3; t(3)^2 / n = 3.376, the ends (2.438 -+ 1.866) / 4.376."""
    lines = markdown(PLAN, RESULTS).splitlines()
    start = lines.index(HEAD)
    row = lines[start + 2]
    assert row.startswith("| 1 | 0.75 [0.13, 0.98] n 4 | 0.25 [0.02, 0.87] n 4 | 0.25 [0.02, 0.87] n 4 |  |")
    assert lines[start + 3] == row.replace("| 1 |", "| **all** |")
    assert "Planted memory" in lines[start - 2]


def test_in_short_it_is_one_line_a_rate_without_those_that_nothing_probed() -> None:
    outcome = made_outcome(summary_of(RESULTS, PLAN, sources=JUDGED), PLAN)
    text = to_terminal(describe_run(outcome), short=True)
    table = next(part for part in text.split("\n\n") if part.startswith("planted memory"))
    assert [line.split()[:3] for line in table.splitlines()] == [
        ["planted", "memory", "1"],
        ["recalled", "0.75", "0.75"],
        ["false", "recall", "0.25"],
        ["old", "value", "0.25"],
    ]


def test_the_screen_of_a_run_that_is_mostly_about_something_else_leaves_it_to_the_files() -> None:
    plan = [*PLAN, *(scenario(f"t{number}") for number in range(4))]
    results = [*RESULTS, *(scored(f"t{number}", 0.8, judge=0.7) for number in range(4))]
    outcome = made_outcome(summary_of(results, plan, sources=JUDGED), plan)
    assert "planted memory" not in to_terminal(describe_run(outcome), short=True)
    assert HEAD in markdown(plan, results)


def test_probes_without_an_answer_are_said() -> None:
    assert "probe without an answer" not in markdown(PLAN, RESULTS)
    assert "2 probes without an answer" in markdown(PLAN, RESULTS[:-2])


def test_the_page_has_the_same_table() -> None:
    said = text_of(run_page(RESULTS, PLAN))
    assert "turns since then recalled false recall old value boundary held 1 0.75 [0.13, 0.98] n 4" in said
    assert 'href="#memory"' in run_page(RESULTS, PLAN)


def test_a_run_that_plants_nothing_says_nothing_of_it() -> None:
    plan = [scenario("s0")]
    results = [scored("s0", 0.8, judge=0.7)]
    assert "Planted memory" not in markdown(plan, results)
    assert "memory" not in text_of(run_page(results, plan)).lower()
