"""A certificate held against its files: all is made once more from them, and each accidental change has a name."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scripts.runs.upkeep import removable
from services.journal import Journal
from services.settings import read_settings
from tests.scripts.promotion.promoting import Place


@pytest.fixture
def promoted(proved: Place) -> Place:
    done = proved.promote()
    assert done.code == 0, done.out + done.err
    return proved


def edit(path: Path, change: Callable[[Any], None]) -> None:
    """One JSON document, changed and written as the tool writes it."""
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def edit_line(path: Path, number: int, change: Callable[[Any], None]) -> None:
    lines = path.read_text().splitlines()
    content = json.loads(lines[number])
    change(content)
    lines[number] = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    path.write_text("\n".join(lines) + "\n")


def test_equal_files_are_equal_and_the_limits_of_that_are_said(promoted: Place) -> None:
    done = promoted.verify()
    assert done.code == 0, done.out
    assert "equal: 5 files" in done.out
    assert "no proof against intent, which needs a signature" in done.out
    answer = json.loads(promoted.verify(str(promoted.certificate), "--json").out)
    assert answer["equal"] and not answer["different"] and "signature" in answer["finds"]


def test_a_copy_of_the_runs_elsewhere_serves(promoted: Place, tmp_path: Path) -> None:
    shutil.move(promoted.run, tmp_path / "kept" / promoted.run.name)
    assert promoted.verify(str(promoted.certificate), "--runs", str(tmp_path / "kept")).code == 0


def test_what_commands_write_once_more_is_no_change(promoted: Place) -> None:
    edit(promoted.run / "summary.json", lambda found: found.update(langfuse={"url": "x"}, wall_seconds=1.0))
    edit(promoted.run / "decision.json", lambda found: found.update(gate={"gate": "no_regression", "passed": False}))
    assert promoted.verify().code == 0


def _mean(found: Any) -> None:
    found["metrics"]["combined"]["overall_quality"]["mean"] += 0.001


def _category(found: Any) -> None:
    found["by_category"]["small_talk"]["judge"]["helpfulness"]["n"] = 11


def _verdict(found: Any) -> None:
    found["verdict"] = "ab_test"


def _rubric(found: Any) -> None:
    found["inputs"]["rubric"] = found["inputs"]["rubric"].replace("version: ", "version:  ", 1)


def _prompt(found: Any) -> None:
    found["inputs"]["prompt"] = found["inputs"]["prompt"].replace("Penpal", "Penpall", 1)


def _scenario(found: Any) -> None:
    found["inputs"]["scenarios"] = found["inputs"]["scenarios"].replace("the number 3", "the number 4", 1)


def _seed(found: Any) -> None:
    found["spec"]["seed"] = 1


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("summary.json", _mean, "summary.json: metrics.combined.overall_quality.mean is 0."),
        ("summary.json", _category, "summary.json: by_category.small_talk.judge.helpfulness.n is 11, and"),
        ("decision.json", _verdict, "decision.json: verdict is ab_test, and results.jsonl gives deploy"),
        ("inputs.json", _rubric, "inputs.json: the text 'rubric' has the hash "),
        ("inputs.json", _prompt, "inputs.json: its prompt has the hash "),
        ("inputs.json", _scenario, "inputs.json: its scenarios has the hash "),
        ("manifest.json", _seed, "manifest.json: the digest of seed does not fit"),
    ],
)
def test_a_change_of_a_document_is_named_with_its_figure(
    promoted: Place, name: str, change: Callable[[Any], None], said: str
) -> None:
    edit(promoted.run / name, change)
    done = promoted.verify()
    assert done.code == 1, done.out
    assert f"/{name}: its hash is " in done.out
    assert said in done.out


def test_a_line_lost_is_named_with_the_counts(promoted: Place) -> None:
    path = promoted.run / "results.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    done = promoted.verify()
    assert done.code == 1
    assert "results.jsonl: its hash is " in done.out
    assert "results.jsonl: counts.scored is 11, and the certificate says 12" in done.out


def test_a_score_changed_is_named_with_its_mean(promoted: Place) -> None:
    edit_line(promoted.run / "results.jsonl", 4, lambda line: line["scores"]["judge"].update(helpfulness=0.1))
    done = promoted.verify()
    assert done.code == 1
    assert "results.jsonl: means.judge.helpfulness.mean is " in done.out


@pytest.mark.parametrize("text", ["{half a li\n", '{"scope": "response"}\n', "[]\n"])
def test_a_line_that_is_none_is_one_finding_and_no_traceback(promoted: Place, text: str) -> None:
    path = promoted.run / "results.jsonl"
    path.write_text(path.read_text() + text)
    done = promoted.verify()
    assert done.code == 1 and "Traceback" not in done.err
    assert "results.jsonl: " in done.out


def test_a_line_that_comes_twice_is_found(promoted: Place) -> None:
    path = promoted.run / "results.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines, lines[0]]))
    done = promoted.verify()
    assert done.code == 1 and "has two results" in done.out


def test_a_digit_of_the_certificate_is_found(promoted: Place) -> None:
    edit(promoted.certificate, lambda found: found["runs"][0]["figures"]["counts"].update(scored=13))
    done = promoted.verify()
    assert done.code == 1
    assert "its id is" in done.out and "counts.scored is 12, and the certificate says 13" in done.out


def test_a_missing_file_is_named_and_ends_with_two(promoted: Place) -> None:
    (promoted.run / "results.jsonl").unlink()
    done = promoted.verify()
    assert done.code == 2
    assert f"missing: {promoted.run}/results.jsonl" in done.out


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"kind": "certificate"}', "\x1b[2J"])
def test_what_is_no_certificate_is_one_line(promoted: Place, tmp_path: Path, text: str) -> None:
    (tmp_path / "no.json").write_text(text)
    done = promoted.verify(str(tmp_path / "no.json"))
    assert done.code == 2 and "is no certificate" in done.err and done.err.count("\n") == 1
    assert "\x1b" not in done.err


def test_pruning_leaves_the_runs_of_certificates(promoted: Place) -> None:
    other = promoted.folder / "certificates" / "broken.json"
    other.write_text("[1")
    with Journal.in_folder(promoted.runs) as journal:
        found = removable([promoted.run.name, "another"], journal, read_settings(promoted.settings, promoted.folder))
    assert (found.run_ids, found.held) == (("another",), (promoted.run.name,))
