"""A suite without code in a workspace: evaluated, compared, resumed and scored again as the shipped ones are."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.errors import UsageError
from scripts.run.load import load_suite
from services.langfuse.score_names import score_name
from tests.scripts.commands import run
from tests.scripts.support_bot import RUBRIC, write_support_bot


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    write_support_bot(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tests.scripts.commands.ROOT", tmp_path)
    yield tmp_path


def test_a_suite_of_a_workspace_is_evaluated_and_rescored(folder: Path) -> None:
    runs = folder / "runs"
    first = run("--quiet", "--json", runs=runs)
    assert first.code == 0, first.err
    summary = json.loads(first.out)
    assert summary["suite"] == "support"
    assert set(summary["metrics"]["combined"]) == {"resolution", "brevity", "overall"}
    assert set(summary["metrics"]["heuristic"]) == {"brevity"}
    judged, combined = (summary["metrics"][source]["resolution"]["mean"] for source in ("judge", "combined"))
    assert combined == pytest.approx(judged)
    again = run(summary["run_id"], "--no-judge", runs=runs, module="scripts.rescore_run")
    assert again.code == 0, again.err
    (folder / "suites/support/suite.yaml").unlink()
    shown = run("show", summary["run_id"], runs=runs, module="scripts.manage_runs")
    assert shown.code == 0, shown.err
    assert "brevity" in shown.out


def test_a_suite_is_named_by_its_folder_or_by_its_name(folder: Path) -> None:
    assert load_suite("support").suite.name == load_suite("./suites/support").suite.name == "support"
    with pytest.raises(UsageError, match=r"there is no suite 'suport': did you mean 'support'\?"):
        load_suite("suport")


def test_what_a_suite_lacks_is_named_with_its_line(folder: Path) -> None:
    path = folder / "suites/support/suite.yaml"
    path.write_text("plays: prompt\nrubric: rubrik.yaml\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"suites/support/suite\.yaml:2: rubric: there is no 'rubrik.yaml' beside"):
        load_suite("support")


def test_scores_have_names_that_no_other_suite_has(folder: Path) -> None:
    assert score_name("support", "combined", "brevity") == "support.brevity"
    assert score_name("support", "judge", "brevity") == "support.judge.brevity"
    rubric = folder / "suites/support/rubric.yaml"
    rubric.write_text(RUBRIC.replace("brevity:", "brevity_of_the_whole_answer:"), encoding="utf-8")
    with pytest.raises(UsageError, match="would have names of 41 characters in Langfuse, which end at 35"):
        load_suite("support")


def test_canaries_beside_a_suite_check_its_judge(folder: Path) -> None:
    write_support_bot(folder, checked=True)
    judge = load_suite("support").suite.judge
    assert judge is not None
    assert len(judge.canaries) == 33
    path = folder / "suites/support/canaries.yaml"
    path.write_text(path.read_text().replace("level: 0.9", "level: 9", 1), encoding="utf-8")
    with pytest.raises(UsageError, match=r"suites/support/canaries\.yaml:2: judge\.canaries\[0\]\.level"):
        load_suite("support")


def test_the_gate_of_the_workspace_holds_where_no_flag_names_one(folder: Path) -> None:
    path = folder / "prompt-eval.toml"
    path.write_text(f'gate = "deploy"\n{path.read_text()}', encoding="utf-8")
    assert run("--quiet", runs=folder / "runs").code == 1
    assert run("--quiet", "--gate", "none", runs=folder / "runs").code == 0
    limited = run("--quiet", "--min-overall", "0.99", runs=folder / "runs")
    assert limited.code == 1
    assert "0.99" in limited.out, "a limit is one of the gate that the workspace names"
    refused = run("--quiet", "--gate", "none", "--min-overall", "0.99", runs=folder / "runs")
    assert (refused.code, "a limit is a gate's" in refused.err) == (2, True)


def test_the_version_that_the_workspace_names_is_compared_and_watched(folder: Path) -> None:
    """No label `production` is needed for it."""
    runs = folder / "runs"
    values = ("--by", "temperature", "--values", "0.1,0.9", "--limit", "2", "--quiet")
    compared = run(*values, runs=runs, module="scripts.compare_prompts")
    assert compared.code == 0, compared.err
    played = [json.loads(path.read_text())["prompt"] for path in runs.glob("*-support-bot-*/summary.json")]
    assert {(prompt["name"], prompt["version"]) for prompt in played} == {("support-bot", 2)}
    night = run(
        "--limit", "2", "--no-latest", runs=runs, module="scripts.nightly", EVAL_BASELINES_DIR=str(folder / "b")
    )
    assert "prompt: support-bot v2 = " in night.err, night.err
    assert "NO BASELINE" in night.out
