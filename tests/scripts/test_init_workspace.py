"""`prompt-eval init`: what it writes runs at once, and nothing that was there is written over."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from evaluation.statistics.bound import situations_needed
from prompt_evaluation import __version__
from prompt_evaluation.subcommands import SUBCOMMANDS
from scripts.documents.commands import parsers
from scripts.init_workspace import TEMPLATES
from scripts.starting.write import template_names
from services.settings import declared_settings, variables
from tests.scripts.commands import ROOT, Finished, document, run

SITUATIONS = 30


def typed(line: str, folder: Path, **settings: str) -> "subprocess.CompletedProcess[str]":
    """A command as it was printed, typed into a shell in that folder, with an empty HOME."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder / "home"), "LANG": "C.UTF-8"}
    return subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(ROOT), **settings},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


def started(arguments: str, folder: Path, **settings: str) -> "subprocess.CompletedProcess[str]":
    return typed(f"{shlex.quote(sys.executable)} -P -m prompt_evaluation {arguments}", folder, **settings)


def inside(folder: Path, subcommand: str, *arguments: str) -> Finished:
    """A subcommand in this process, typed in that workspace."""
    return run(*arguments, runs=folder / "runs", module=SUBCOMMANDS[subcommand].module, folder=str(folder))


def written(folder: Path) -> Mapping[str, str]:
    """Path below the folder -> text of every file in it, but for those of runs."""
    files = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_text(encoding="utf-8") for name, path in files.items() if not name.startswith("runs/")}


@pytest.fixture(scope="module", params=TEMPLATES)
def workspace(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that init made, of each template."""
    folder = tmp_path_factory.mktemp(request.param)
    done = run(str(folder), "--template", request.param, runs=folder / "no", module="scripts.init_workspace")
    assert done.code == 0, done.err
    return folder


def scenarios_of(folder: Path) -> list[dict[str, Any]]:
    texts = [text for name, text in written(folder).items() if name.startswith("scenarios/")]
    return [scenario for text in texts for scenario in yaml.safe_load(text)["scenarios"]]


def test_the_templates_are_the_folders() -> None:
    assert template_names() == TEMPLATES


def test_it_holds_what_a_workspace_needs(workspace: Path) -> None:
    files = written(workspace)
    assert {"prompt-eval.toml", "rubric.yaml", "judge.yaml", ".env.example", ".gitignore"} <= files.keys()
    assert ".github/workflows/evaluate.yml" in files
    assert [name.rpartition("/")[2] for name in sorted(files) if name.startswith("prompts/")] == [
        "labels.yaml",
        "v1.md",
        "v2.md",
    ]
    rubric = yaml.safe_load(files["rubric.yaml"])
    assert len(rubric["metrics"]) == 3, "two, and the overall of both"
    assert len(files["rubric.yaml"].splitlines()) <= 54
    assert len(yaml.safe_load(files["judge.yaml"])["judge"]["canaries"]) == 23
    assert re.findall(r"@[a-z]+@", "".join(files.values()).replace("@production", "")) == []


def test_thirty_scenarios_are_each_held_to_something(workspace: Path) -> None:
    scenarios = scenarios_of(workspace)
    assert len(scenarios) == SITUATIONS
    assert all(scenario["expect"] for scenario in scenarios)
    assert sum(item.get("critical", False) for scenario in scenarios for item in scenario["expect"]) >= 5
    assert sum(len(scenario["turns"]) > 1 for scenario in scenarios) >= 2


def test_no_two_templates_share_a_scenario(tmp_path: Path) -> None:
    said: list[str] = []
    for template in TEMPLATES:
        run(str(tmp_path / template), "--template", template, runs=tmp_path, module="scripts.init_workspace")
        said += [scenario["turns"][0] for scenario in scenarios_of(tmp_path / template)]
    assert len(said) == len(set(said)) == SITUATIONS * len(TEMPLATES)


@pytest.mark.slow
def test_it_runs_at_once_without_a_key_and_says_which_version_is_better(workspace: Path) -> None:
    compared = inside(workspace, "compare", "--base", "v1", "--prompt", "v2", "--quiet")
    assert compared.code == 0, compared.err
    assert "v2 is better than v1" in " ".join(compared.out.split())
    for version in ("v1", "v2"):
        [folder] = (workspace / "runs").glob(f"*-{version}-*")
        decision = document(folder, "decision.json")
        assert decision["verdict"] == "held_back", "a stand-in fails critical expectations, and it is said"
        assert decision["judge_fit"] is True, "the canaries fit the judge"
        assert decision["counts"]["planned"] == decision["counts"]["scored"]
    assert decision["overall"]["mean"] > 0.7
    checked = inside(workspace, "doctor", "--json")
    assert checked.code == 0, checked.out
    assert json.loads(checked.out)["works"]


@pytest.mark.slow
def test_what_eval_takes_without_a_name_is_the_prompt_in_production(workspace: Path) -> None:
    assert inside(workspace, "eval", "--limit", "3", "--no-judge", "--quiet").code == 0
    prompt = document(workspace / "runs" / "latest", "summary.json")["prompt"]
    assert (prompt["version"], prompt["label"]) == (1, "production")


@pytest.mark.slow
def test_every_command_that_is_printed_can_be_pasted(tmp_path: Path) -> None:
    done = started("init 'my shop' --template support", tmp_path)
    assert done.returncode == 0, done.stderr
    _, _, after = done.stdout.partition("next (")
    lines = [line.strip() for line in after.splitlines() if line.startswith("  ")]
    assert lines[0] == "cd 'my shop'"
    assert len(lines) == 4
    pasted = typed(" && ".join(lines), tmp_path)
    assert pasted.returncode == 0, pasted.stderr


def test_files_that_exist_stay_as_they_are_and_are_named(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("node_modules\n.env\n", encoding="utf-8")
    (tmp_path / "rubric.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    done = run(str(tmp_path), "--template", "text", runs=tmp_path / "no", module="scripts.init_workspace")
    assert done.code == 0
    assert "left as they were, as they exist: .gitignore, rubric.yaml" in done.out
    assert "add this line to your .gitignore: /runs/" in done.out
    assert ".gitignore: .env" not in done.out
    assert (tmp_path / ".gitignore").read_text(encoding="utf-8") == "node_modules\n.env\n"
    assert not (tmp_path / "elsewhere.yaml").exists()


def test_a_workspace_is_not_written_twice(tmp_path: Path) -> None:
    first = run(str(tmp_path), runs=tmp_path / "no", module="scripts.init_workspace")
    (tmp_path / "judge.yaml").unlink()
    again = run(str(tmp_path), runs=tmp_path / "no", module="scripts.init_workspace")
    assert (first.code, again.code, again.out) == (0, 2, "")
    assert "prompt-eval.toml: exists" in again.err
    assert not (tmp_path / "judge.yaml").exists()


def test_a_file_in_the_place_of_a_folder_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")
    done = run(str(tmp_path / "taken"), runs=tmp_path / "no", module="scripts.init_workspace")
    assert (done.code, done.err.count("\n")) == (2, 1)
    (tmp_path / "prompts").write_text("", encoding="utf-8")
    done = run(str(tmp_path), runs=tmp_path / "no", module="scripts.init_workspace")
    assert (done.code, done.err.count("\n")) == (2, 1)


def test_comments_name_settings_that_there_are(workspace: Path) -> None:
    files = written(workspace)
    known = {variable.name for variable in variables()}
    assert set(re.findall(r"^([A-Z_]+)=", files[".env.example"], re.MULTILINE)) <= known
    keys = {variable.key for variable in declared_settings() if variable.key}
    named = re.findall(r"^(?:# )?([a-z_]+) = ", files["prompt-eval.toml"], re.MULTILINE)
    assert len(named) >= 8
    assert [key for key in named if key not in keys and f"langfuse.{key}" not in keys] == []


def test_every_command_in_a_file_is_one_that_exists(workspace: Path) -> None:
    commands = parsers()
    found = re.findall(r"prompt-eval ([a-z-]+)((?: (?:--)?[a-z0-9_]+)*)", "\n".join(written(workspace).values()))
    assert len(found) >= 6
    for name, flags in found:
        known = {flag for action in commands[SUBCOMMANDS[name].module]._actions for flag in action.option_strings}
        assert {word for word in flags.split() if word.startswith("--")} <= known, f"prompt-eval {name}{flags}"


def test_the_workflow_says_when_the_gate_against_regressions_can_open(workspace: Path) -> None:
    text = " ".join(written(workspace)[".github/workflows/evaluate.yml"].replace("#", "").split())
    said = re.search(r"it takes (\d+) situations at least. Of 100 unchanged versions about (\d+) pass with (\d+)", text)
    assert said is not None
    needed, chance, situations = map(int, said.groups())
    assert needed == situations_needed(0.02, 0.5) > SITUATIONS
    assert needed < situations
    assert 80 <= chance <= 99
    assert f"and about 1 with the {SITUATIONS} of this workspace" in text, "as the note of a night says it"
    workflow = yaml.safe_load(written(workspace)[".github/workflows/evaluate.yml"])
    steps = [step.get("run", "") for step in workflow["jobs"]["evaluate"]["steps"]]
    gated = [step for step in steps if "--gate" in step]
    assert gated == ["prompt-eval eval --prompt latest --gate deploy --quiet"]


GIT = {"vcs": "git", "commit_id": "c0ffee", "requested_revision": "main"}


@pytest.mark.parametrize(
    ("noted", "installs"),
    [
        ({"url": "https://example.org/tool", "vcs_info": GIT}, "git+https://example.org/tool@c0ffee"),
        ({"url": "https://ana:key@example.org/tool.whl", "archive_info": {}}, "https://example.org/tool.whl"),
        ({}, f"prompt-evaluation=={__version__}"),
        ({"url": "file:///home/ana/tool.whl"}, ""),
        ({"url": "file:///home/ana/tool", "vcs_info": GIT}, ""),
    ],
)
def test_the_workflow_installs_what_another_computer_can_reach(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, noted: dict[str, object], installs: str
) -> None:
    monkeypatch.setattr("scripts.starting.write.direct_url", lambda: noted)
    monkeypatch.setattr("scripts.starting.write._is_installed", lambda: True)
    done = run(str(tmp_path / "own"), runs=tmp_path, module="scripts.init_workspace")
    text = (tmp_path / "own" / ".github" / "workflows" / "evaluate.yml").read_text()
    assert yaml.safe_load(text)["jobs"]["evaluate"]["env"]["PROMPT_EVALUATION"] == installs
    assert "home/ana" not in text, "a path of one computer helps nobody else"
    assert ("before you commit .github/workflows/evaluate.yml" in done.out) is not bool(installs)
    [step] = re.findall(r"run: (pip install .*)", text)
    ended = subprocess.run(
        ["bash", "-c", step.replace("pip", "echo")], env={"PROMPT_EVALUATION": installs}, capture_output=True, text=True
    )
    assert ended.stdout == (f"install {installs}\n" if installs else "")
    assert ("Say in this workflow what is installed" in ended.stderr) is not bool(installs)
