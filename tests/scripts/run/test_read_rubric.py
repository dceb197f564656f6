"""Rubrics by name and file, with those that they extend, and the rubric that a run keeps."""

from pathlib import Path

import pytest

from evaluation.errors import UsageError
from evaluation.suites import SUITES
from evaluation.suites.loaded import build_suite
from evaluation.text.forms import SourceText
from scripts.run.load import load_rubric, load_suite
from scripts.run.texts import read_rubric

TEAM = """\
extends: {}
version: team-1
history: [{{version: team-1, date: "2026-12-01", changes: [Deploys later]}}]
decision: {{deploy: 0.9}}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: str, extended: str) -> str:
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(TEAM.format(extended), encoding="utf-8")
    return path


@pytest.mark.parametrize("extended", ["companion", "companion-v3"])
def test_a_rubric_of_a_few_lines_extends_a_shipped_one(extended: str) -> None:
    team, shipped = load_rubric(write("team.yaml", extended)), load_rubric(extended)
    assert (team.version, list(team.metrics)) == ("team-1", list(shipped.metrics))
    assert team.decision is not None
    assert (team.decision.deploy, team.weights) == (0.9, shipped.weights)
    assert team.judge == shipped.judge


def test_a_file_is_named_as_seen_from_the_one_that_extends_it() -> None:
    write("rubrics/base.yaml", "companion")
    write("rubrics/team.yaml", "base.yaml")
    assert read_rubric("rubrics/team.yaml").text.startswith("# team.yaml extends base.yaml extends companion.yaml\n")


def test_an_unknown_name_lists_what_exists() -> None:
    write("team.yaml", "compnion")
    with pytest.raises(UsageError) as caught:
        load_rubric("team.yaml")
    said = "extends: there is no rubric 'compnion', neither shipped nor as a file; shipped are "
    assert str(caught.value) == f"team.yaml:1: {said}chat_flow, companion, companion-v3, text_quality"


@pytest.mark.parametrize(("first", "second"), [("team.yaml", "team.yaml"), ("other.yaml", "./team.yaml")])
def test_a_circle_is_refused(first: str, second: str) -> None:
    write("team.yaml", first)
    if first != "team.yaml":
        write(first, second)
    with pytest.raises(UsageError) as caught:
        load_rubric("team.yaml")
    expected = f"{first}:1: extends: {second!r} extends this rubric in turn: let one of them stand for itself"
    assert str(caught.value) == expected


def test_a_suite_keeps_a_text_from_which_it_can_be_built_again() -> None:
    loaded = load_suite("companion", write("team.yaml", "companion-v3"))
    Path("team.yaml").unlink()
    again = build_suite(SUITES["companion"], SourceText(loaded.text, "rubric of a run"))
    assert again.rubric == loaded.rubric
    assert again.rubric.sha256 == loaded.rubric.sha256
    assert again.text == loaded.text
