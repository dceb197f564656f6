"""A team's own language packs: named in the workspace file, read before texts are, and part of what scores."""

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from evaluation.languages.packs import use_own_packs
from scripts.run.load import load_suite
from scripts.score_responses import main
from scripts.validate_files import main as validate

LINE = {"id": "a", "user_input": "Jest mi bardzo smutno i nie wiem, co robić.", "response": "Przykro mi, że tak jest."}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    german = (files("evaluation.languages") / "de.yaml").read_text("utf-8")
    changes = (
        ("language: de", "language: pl"),
        ("name: German", "name: Polish"),
        ("[traurig, unglücklich,", "[smutno,"),
        ("[versteh, fühl,", "[przykro,"),
    )
    for old, new in changes:
        assert old in german
        german = german.replace(old, new)
    (tmp_path / "polish.yaml").write_text(german, "utf-8")
    (tmp_path / "prompt-eval.toml").write_text('languages = "polish.yaml"\n', "utf-8")
    (tmp_path / "in.jsonl").write_text(f"{json.dumps(LINE)}\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    use_own_packs(())


def test_a_language_with_a_pack_of_ones_own_is_scored(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["in.jsonl", "--jobs", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["explanations"]["emotional_intelligence"] == '0.5 base, +0.3 empathy ("Przykro", user: "smutno")'
    (folder / "prompt-eval.toml").write_text("", "utf-8")
    assert main(["in.jsonl", "--jobs", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["explanations"]["emotional_intelligence"] == "no language pack for Polish"


def test_what_scores_changes_with_the_pack(folder: Path) -> None:
    before = load_suite("companion").suite.scored_by
    assert before[-1].startswith("pack pl ")
    text = (folder / "polish.yaml").read_text("utf-8").replace("[smutno,", "[smutno, smutny,")
    (folder / "polish.yaml").write_text(text, "utf-8")
    assert load_suite("companion").suite.scored_by != before


def test_a_pack_that_is_wrong_is_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert validate(["polish.yaml"]) == 0
    text = (folder / "polish.yaml").read_text("utf-8").replace("open_marks:", "openmarks:")
    (folder / "polish.yaml").write_text(text, "utf-8")
    capsys.readouterr()
    assert main(["in.jsonl"]) == 2
    assert "polish.yaml:10: openmarks: unknown key 'openmarks'; did you mean 'open_marks'?" in capsys.readouterr().err
    (folder / "prompt-eval.toml").write_text('languages = "packs"\n', "utf-8")
    (folder / "packs").mkdir()
    assert main(["in.jsonl"]) == 2
    assert "no language pack lies there" in capsys.readouterr().err


def test_a_line_may_name_its_language(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ({"id": 1, "user_input": "hi", "response": "ok", "lang": "de"}, {**LINE, "lang": "xx"})
    (folder / "in.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in lines), "utf-8")
    assert main(["in.jsonl", "--jobs", "1"]) == 3
    _, wrong = map(json.loads, capsys.readouterr().out.splitlines())
    assert wrong["error"].startswith("\"lang\" is 'xx': write the code of a language as in ISO 639-1")
