"""The workflow files: valid, careful with rights and secrets, and made of commands that run as they stand."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts.documents.commands import parsers, targets
from tests.pages import ROOT, script_calls, text_of
from tests.scripts.commands import environment

FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"actions/[a-z/-]+@v\d+")
UNTRUSTED = "${{"
LONG_TESTS = "make check-long"


def workflow(path: Path) -> dict[Any, Any]:
    found: dict[Any, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in workflow(path)["jobs"].values() for step in job["steps"]]


def commands(path: Path) -> list[str]:
    return [step["run"] for step in steps(path) if "run" in step]


def test_both_are_there() -> None:
    assert [path.name for path in FILES] == ["nightly-eval.yml", "prompt-change.yml"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_it_follows_the_schema_of_workflow_files(path: Path) -> None:
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(path)]
    done = subprocess.run(check, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_rights_are_the_least_and_nothing_untrusted_is_run(path: Path) -> None:
    found = workflow(path)
    assert found["permissions"] == {"contents": "read"}
    more = {name: job["permissions"] for name, job in found["jobs"].items() if "permissions" in job}
    assert more in ({"night": {"contents": "read", "actions": "read"}}, {"comment": {"pull-requests": "write"}})
    for step in steps(path):
        assert "uses" not in step or PINNED.fullmatch(step["uses"]), step
        assert UNTRUSTED not in step.get("run", ""), "an expression in a script is text from outside that is run"
        if step.get("uses", "").startswith("actions/checkout"):
            assert step["with"]["persist-credentials"] is False


def test_the_job_that_may_write_runs_nothing_of_the_pull_request() -> None:
    job = workflow(FILES[1])["jobs"]["comment"]
    assert [step.get("uses", "gh").split("@")[0] for step in job["steps"]] == ["actions/download-artifact", "gh"]
    assert "head.repo.full_name == github.repository" in job["if"]
    assert "secrets." not in str(job)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_make_command_is_accepted(path: Path) -> None:
    made = [line for line in commands(path) if line.startswith("make ") and line != LONG_TESTS]
    assert len(made) == 1
    line = made[0].replace("$BASE_SHA", "main").replace("$RESUME", "--resume last")
    ((module, *given),) = script_calls(shlex.split(line))
    parsers()[module].parse_args(given)


def test_the_long_tests_run_every_night_without_a_secret() -> None:
    job = workflow(FILES[0])["jobs"]["long-tests"]
    assert [step["run"] for step in job["steps"] if "run" in step] == [LONG_TESTS]
    assert "secrets." not in str(job)
    assert "check-long" in targets()


def test_the_timer_and_the_crontab_line_start_what_the_workflow_starts() -> None:
    page = text_of("docs/nightly.md")
    assert "-m scripts.nightly --quiet" in page
    assert 'make nightly ARGS="--quiet"' in page
    assert commands(FILES[0])[0] == 'make nightly ARGS="--quiet $RESUME"'


def test_a_night_that_was_stopped_is_uploaded_and_taken_up_again() -> None:
    """Another attempt, and a run that is started by hand with the id of the stopped one, begin with its files."""
    job = workflow(FILES[0])["jobs"]["night"]
    named = {each.get("id") or each.get("name") or each["uses"].split("@")[0]: each for each in job["steps"]}
    taken = named["Take up the night of an earlier attempt, or of the run that is named"]
    night, upload = named["night"], named["actions/upload-artifact"]
    order = [job["steps"].index(each) for each in (taken, night, upload)]
    assert order == sorted(order)
    assert night["timeout-minutes"] < job["timeout-minutes"], "time is left to upload what was answered"
    # Without a token only artifacts of the same attempt are found.
    assert taken["with"]["run-id"] == "${{ inputs.run_id || github.run_id }}"
    assert taken["with"]["github-token"] == "${{ github.token }}"
    assert taken["with"]["name"] == upload["with"]["name"] == "night"
    assert "always()" in upload["if"] and "steps.night.outcome" in upload["if"]
    assert upload["with"]["overwrite"] is True
    assert upload["with"]["path"].split() == ["runs/", "!runs/latest", "!runs/nightly/latest"]
    assert night["env"]["RESUME"] == "${{ inputs.run_id != '' && '--resume last' || '' }}"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The project with a history of its own and the environment of these tests."""
    folder = tmp_path / "clone"
    for name in (
        "docs",
        "evaluation",
        "examples",
        "prompt_evaluation",
        "prompts",
        "scripts",
        "services",
        "Makefile",
        "requirements.txt",
        "requirements.lock",
        ".gitignore",
    ):
        source = ROOT / name
        if source.is_dir():
            # With what Python has compiled, which would take each command here seconds; not what it is writing now.
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("*.pyc.*"))
        else:
            shutil.copy(source, folder / name)
    os.utime(folder / "requirements.lock", (0, 0))
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "runtime").touch()
    python = folder / ".venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "before")
    return folder


def git(folder: Path, *words: str) -> str:
    name = ("-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *name, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def step(folder: Path, script: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    """A step's script as the runner starts it, over a few scenarios."""
    few = script.replace("--quiet", "--quiet --limit 48")
    env = {**environment(folder / "runs", settings), "GITHUB_STEP_SUMMARY": str(folder / "summary.txt")}
    return subprocess.run(["bash", "-e", "-c", few], cwd=folder, env=env, capture_output=True, text=True)


def test_a_changed_prompt_is_compared_with_production(clone: Path) -> None:
    compare, show = commands(FILES[1])[:2]
    base = git(clone, "rev-parse", "HEAD")
    folder = clone / "prompts" / "penpal-companion"
    (folder / "v3.md").write_text((folder / "v3.md").read_text() + "\nBe kind.\n")
    (clone / "prompts" / "new one").mkdir()
    (clone / "prompts" / "new one" / "v1.md").write_text("Be brief.")
    git(clone, "add", ".")
    git(clone, "commit", "-qm", "change")
    done = step(clone, compare, BASE_SHA=base)
    assert done.returncode == 0, done.stderr
    assert step(clone, show).returncode == 0
    page = (clone / "summary.txt").read_text()
    assert page == (clone / "runs" / "change.md").read_text()
    assert "# `penpal-companion/v3.md`" in page and "is better than" in page
    assert "A new prompt: nothing was in production before it." in page
    assert "rehearsal model" in page


def test_a_change_without_prompts_and_an_unknown_commit(clone: Path) -> None:
    compare = commands(FILES[1])[0]
    done = step(clone, compare, BASE_SHA="HEAD")
    assert (done.returncode, done.stdout) == (0, "no prompt changes: nothing was compared\n")
    unknown = step(clone, compare, BASE_SHA="0123456789abcdef")
    assert unknown.returncode == 2
    assert "name a commit that this clone has" in unknown.stderr
    assert step(clone, compare, BASE_SHA="--output=x").returncode == 2


def test_the_night_of_the_schedule_leaves_its_summary(clone: Path) -> None:
    night, show = commands(FILES[0])[:2]
    assert step(clone, night).returncode == 2, "there is no baseline yet"
    assert step(clone, show).returncode == 0
    assert "## NO BASELINE" in (clone / "summary.txt").read_text()
