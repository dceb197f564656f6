"""From prompt to prompt of several runs: in the order of their numbers, each prompt once."""

from dataclasses import replace

from evaluation.comparison.prompt_steps import steps_between
from evaluation.comparison.runs import RunScores
from tests.evaluation.comparison.examples import overall_run
from tests.evaluation.reports.html.pages import known_prompt


def run(version: int) -> RunScores:
    return replace(overall_run([0.5] * 3, version=version), prompt=known_prompt(version))


def test_versions_follow_each_other_by_number_whatever_their_rank() -> None:
    found = steps_between([run(10), run(2), run(9)])
    assert [(step.before, step.after) for step in found] == [("v2", "v9"), ("v9", "v10")]


def test_several_runs_of_one_prompt_make_no_step() -> None:
    assert steps_between([run(2), run(2)]) == ()
    assert [(step.before, step.after) for step in steps_between([run(3), run(2), run(3)])] == [("v2", "v3")]


def test_a_prompt_whose_text_is_not_at_hand_is_left_out() -> None:
    assert steps_between([run(2), replace(run(3), prompt=None)]) == ()
