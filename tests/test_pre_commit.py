"""The hook for pre-commit: its form, the files that it takes, and the command that it starts."""

import re
import shlex

import pytest
import yaml

from scripts.documents.commands import parsers, targets
from tests.pages import ROOT

HOOK = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))[0]


def test_it_starts_the_command_that_validates_files() -> None:
    program, subcommand = shlex.split(HOOK["entry"])
    assert (program, HOOK["language"]) == ("prompt-eval", "python")
    assert subcommand in targets()
    assert parsers()["scripts.validate_files"].parse_args(["rubric.yaml"]).files == ["rubric.yaml"]
    assert {"id", "name", "description", "files"} <= HOOK.keys()
    assert HOOK["require_serial"], "files of one set are held against each other by one process"


@pytest.mark.parametrize(
    "path",
    [
        "rubric.yaml",
        "waivers.yml",
        "support/rubric.yaml",
        "scenarios/greetings.yaml",
        "scenarios/deep/more.yml",
        "rubrics/own.yaml",
        "gates/strict.yaml",
        "prompts/penpal/v3.md",
        "prompts/penpal/v12.yaml",
        "prompts/penpal/labels.yaml",
    ],
)
def test_it_takes_what_a_team_writes(path: str) -> None:
    assert re.search(HOOK["files"], path)


@pytest.mark.parametrize(
    "path", ["prompts/README.md", ".github/workflows/ci.yml", "docs/rubric.md", "myscenarios/a.yaml"]
)
def test_it_leaves_other_files_alone(path: str) -> None:
    assert not re.search(HOOK["files"], path)
