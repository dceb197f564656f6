"""action.yml: its form, its rights, and its shell steps, run with the tool, GitHub's files and gh in their places."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.pages import ROOT
from tests.test_workflows import PINNED, UNTRUSTED

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
HOSTILE = "$(touch hacked); `touch hacked` \"' && touch hacked #"


def script(name: str) -> str:
    return next(str(step["run"]) for step in STEPS if step["name"] == name)


def test_it_follows_the_schema_of_actions() -> None:
    check = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        "vendor.github-actions",
        str(ROOT / "action.yml"),
    ]
    done = subprocess.run(check, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_from_outside_stands_in_a_script() -> None:
    assert any("run" in step for step in STEPS)
    for step in STEPS:
        assert UNTRUSTED not in step.get("run", ""), step["name"]
        assert "uses" not in step or PINNED.fullmatch(step["uses"]), step
        assert ("run" in step) == ("shell" in step), "a composite action names the shell of each script"
    assert all(value["description"] for value in (*ACTION["inputs"].values(), *ACTION["outputs"].values()))
    used = set(re.findall(r"inputs\.([a-z-]+)", (ROOT / "action.yml").read_text(encoding="utf-8")))
    assert used == set(ACTION["inputs"]), "each input is used, and none that is not declared"


def test_a_fork_gets_no_comment() -> None:
    comment = next(step for step in STEPS if step["name"] == "Comment")
    assert "head.repo.full_name == github.repository" in comment["if"]


@pytest.fixture
def runner(tmp_path: Path) -> dict[str, str]:
    """A runner's environment with a tool and a gh that write down their arguments."""
    tools = tmp_path / "temp" / "prompt-eval" / "bin"
    tools.mkdir(parents=True)
    for path in (tools / "prompt-eval", tools / "gh"):
        name = path.name
        path.write_text(
            f'#!/bin/sh\nprintf "%s\\n" "$@" > "{tmp_path}/{name}.arguments"\n'
            f'[ {name} = gh ] && cat "$5" > "{tmp_path}/comment" && exit 0\n'
            'mkdir -p "$EVAL_RUNS_DIR/latest"; echo verdict > "$EVAL_RUNS_DIR/latest/summary.md"\n'
            'echo change > "$EVAL_RUNS_DIR/change.md"; exit "${FAKE_CODE:-0}"\n'
        )
        path.chmod(0o755)
    return {
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "RUNNER_TEMP": str(tmp_path / "temp"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "FOLDER": ".",
        "BASE": "",
        "PROMPT": "",
        "GATE": "",
        "ARGUMENTS": "",
    }


def bash(tmp_path: Path, name: str, settings: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    # As GitHub starts bash.
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script(name)]
    return subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True, timeout=60, check=False)


def test_it_evaluates_with_hostile_inputs_as_single_words(tmp_path: Path, runner: dict[str, str]) -> None:
    given = {"COMMAND": "evaluate", "PROMPT": HOSTILE, "GATE": "deploy", "ARGUMENTS": f"--repeats=2\n{HOSTILE}\n\n"}
    done = bash(tmp_path, "Evaluate", {**runner, **given, "FAKE_CODE": "1"})
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "prompt-eval.arguments").read_text().splitlines() == [
        "eval", f"--prompt={HOSTILE}", "--gate=deploy", "--repeats=2", HOSTILE, "--quiet",
    ]  # fmt: skip
    assert (tmp_path / "output").read_text() == "exit-code=1\n"
    assert (tmp_path / "summary").read_text() == "verdict\n"
    assert not (tmp_path / "hacked").exists()


def test_it_compares_with_the_base_of_the_pull_request(tmp_path: Path, runner: dict[str, str]) -> None:
    done = bash(tmp_path, "Evaluate", {**runner, "COMMAND": "compare", "BASE": "abc123"})
    assert done.returncode == 0, done.stderr
    words = (tmp_path / "prompt-eval.arguments").read_text().splitlines()
    assert words == ["compare-change", "--gate=none", "--quiet", "--", "abc123"]
    from scripts.compare_change import build_parser

    parsed = build_parser().parse_args(words[1:])
    assert (parsed.base, parsed.gate, parsed.quiet) == ("abc123", "none", True)
    assert (tmp_path / "summary").read_text() == "change\n"


@pytest.mark.parametrize(
    ("command", "said"), [("compare", "error: compare needs base"), (HOSTILE, "error: command is")]
)
def test_what_cannot_be_done_is_one_line(tmp_path: Path, runner: dict[str, str], command: str, said: str) -> None:
    done = bash(tmp_path, "Evaluate", {**runner, "COMMAND": command})
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(said)
    assert not (tmp_path / "hacked").exists()
    assert not (tmp_path / "prompt-eval.arguments").exists()


def test_the_comment_holds_the_verdict_and_the_link(tmp_path: Path, runner: dict[str, str]) -> None:
    settings = {**runner, "NUMBER": "7", "REPORT": "https://github.com/o/r/actions/runs/1/artifacts/2"}
    (tmp_path / "temp" / "prompt-evaluation-comment.md").write_text("# HELD BACK\n")
    assert bash(tmp_path, "Comment", settings).returncode == 0
    assert (tmp_path / "gh.arguments").read_text().splitlines()[:3] == ["pr", "comment", "7"]
    assert (tmp_path / "comment").read_text() == f"# HELD BACK\n\n\n[Reports and results]({settings['REPORT']})\n"
    (tmp_path / "temp" / "prompt-evaluation-comment.md").unlink()
    assert bash(tmp_path, "Comment", {**settings, "REPORT": ""}).returncode == 0
    assert (tmp_path / "comment").read_text().startswith("The evaluation wrote no verdict")


def test_the_job_answers_as_the_evaluation_did(tmp_path: Path, runner: dict[str, str]) -> None:
    assert bash(tmp_path, "Answer as the evaluation did", {**runner, "CODE": "3"}).returncode == 3
