"""The short form of a result: it fits a screen, ends with the verdict and one command, and hides nothing of weight."""

from pathlib import Path
from typing import Any

import pytest

from evaluation.text.safe_text import width
from services.rehearsal.options import RehearsalOptions
from tests.scripts.commands import only_run, run, server

MOST_LINES = 46
COMPARE = "scripts.compare_prompts"
DETAILS = ("by category", "5 weakest responses", "Rules and judge disagree", "finish reasons", "eval_records.jsonl")


def test_the_shipped_run_fits_a_screen_and_ends_with_the_verdict_and_one_command(tmp_path: Path) -> None:
    done = run("--prompt", "v3", runs=tmp_path)
    lines, folder = done.out.splitlines(), only_run(tmp_path)
    assert len(lines) <= MOST_LINES
    assert lines[-5:] == [
        *lines[1:3],
        f"{folder}/report.html",
        "all of it:",
        f'make runs ARGS="show {folder.name}"',
    ]
    assert lines[1].startswith("DEPLOY (stable): combined overall quality 0.7")
    assert all(width(line) <= 80 for line in lines[:-3])
    assert sum(line.startswith("make ") for line in lines) == 1
    assert lines[2].startswith("HELD BACK: ")
    assert sum(", repeat 1, turn " in line for line in lines) == 1, "the weakest, behind what must never happen"
    assert "may be addressing the judge" in done.out
    written = (folder / "summary.md").read_text(encoding="utf-8")
    shown = run("show", "last", runs=tmp_path, module="scripts.manage_runs").out
    for detail in DETAILS:
        assert detail not in done.out
        assert detail in shown
        assert detail in written.replace("`", "")


def test_verbose_prints_all_of_it(tmp_path: Path) -> None:
    done = run("--prompt", "v3", "--limit", "12", "--verbose", runs=tmp_path)
    assert all(detail in done.out for detail in DETAILS)


@pytest.mark.parametrize(
    ("faults", "arguments", "said"),
    [
        ({"empty": 0.3, "seed": 3}, (), ("planned exchanges: ", " failed, ", "empty_reply x ", "to go on:")),
        ({"malformed_verdict": 0.3}, (), ("could not be read: outside the means",)),
        ({"truncate": 0.5, "faults_on": "generation"}, (), ("cut off at the token limit",)),
        ({}, ("--judge-model", "rehearsal"), ("the model judges itself and prefers its own words",)),
        ({"judge_mode": "lenient"}, (), ("NO VERDICT: the judge is unfit", "known quality")),
        ({}, ("--gate", "deploy"), ("gate deploy: FAILED", "too few scenarios to decide")),
    ],
)
def test_nothing_that_matters_hides(
    tmp_path: Path, faults: dict[str, Any], arguments: tuple[str, ...], said: tuple[str, ...]
) -> None:
    with server(RehearsalOptions(**faults)) as endpoint:
        done = run("--prompt", "v3", "--limit", "9", *arguments, runs=tmp_path, **endpoint.settings)
    shown = " ".join(done.out.split())
    assert all(each in shown for each in said), done.out


def test_a_run_that_measured_nothing_shows_no_table_of_means(tmp_path: Path) -> None:
    with server(RehearsalOptions(empty=1.0, faults_on="generation")) as endpoint:
        done = run("--prompt", "v3", "--limit", "9", runs=tmp_path, **endpoint.settings)
    assert "planned exchanges: 0 scored, " in done.out and "to go on:" in done.out
    assert "lies within [0.00, 1.00]" not in done.out and len(done.out.splitlines()) <= MOST_LINES
    assert "0% of the exchanges could be scored" in (only_run(tmp_path) / "summary.md").read_text(encoding="utf-8")


def test_failed_checks_of_a_flow_stay_visible(tmp_path: Path) -> None:
    done = run("--limit", "12", "--defect", "ignores_time", runs=tmp_path, module="scripts.evaluate_chat_flow")
    assert "Checks that failed, in " in done.out and "- time_budget: " in done.out
    assert done.out.splitlines()[-2:-1] == ["all of it:"]


def test_a_comparison_ends_with_its_answer_its_page_and_one_command(tmp_path: Path) -> None:
    # A category in which one scenario is worse.
    sides = ("--base", "v2", "--prompt", "v3", "--category", "basic_conversations")
    done = run(*sides, runs=tmp_path, module=COMPARE)
    lines = done.out.splitlines()
    assert len(lines) <= MOST_LINES
    assert lines[1].startswith("v3 is better than v2: higher in ")
    assert lines[-4].startswith("v3 is better than v2: +0.1")
    assert "-companion-v3-" in lines[-3] and lines[-3].endswith("/comparison.html")
    assert lines[-2] == "all of v3:" and lines[-1].startswith('make runs ARGS="show ')
    assert sum(line.startswith("overall quality ") for line in lines) == 1, "one table"
    assert "Worst regressions" in done.out and "overall by category" not in done.out
    whole = run(*sides[:4], "--limit", "24", "--verbose", runs=tmp_path, module=COMPARE)
    assert "overall by category" in whole.out and "comparison.json" in whole.out


def test_one_empty_line_at_most_stands_between_sections(tmp_path: Path) -> None:
    done = run("--prompt", "v3", "--limit", "2", runs=tmp_path)
    assert "\n\n" in done.out
    assert "\n\n\n" not in done.out
