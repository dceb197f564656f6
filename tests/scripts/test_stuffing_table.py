"""The command that holds made replies against plain ones: what it prints, and what it refuses."""

import json
from pathlib import Path

import pytest

from evaluation.mutations.base import parse_bases
from scripts.stuffing_table import main


@pytest.fixture(autouse=True)
def _few_bases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every twentieth reply: what is printed does not rest on their number; the documents hold those of all."""
    monkeypatch.setattr("scripts.validity.stuffing.parse_bases", lambda *material: parse_bases(*material)[::20])


@pytest.mark.slow
def test_two_rubrics_stand_beside_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--rubric", "companion-v3"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("rules of companion 2.0.4: ")
    assert "rules of companion 3.6.0: " in out
    assert "2.0.4 below" in out
    assert "3.6.0 below" in out
    for row in ("filler added, tenfold", "said again, twofold", "only questions, two", "rewarded, one of each"):
        assert row in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_suites_own_rubric_stands_alone_and_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--json", "--rubric", "companion"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [*found["made"]] == ["companion 2.0.4"]
    rows = found["made"]["companion 2.0.4"]
    assert {each["bases"] for each in rows} == {found["bases"]}
    assert all(each["mean"] <= each["most"] for each in rows)
    piled = next(each for each in rows if each["kind"] == "rewarded" and each["wording"] == "one of each")
    assert piled["below"] < piled["bases"] / 2  # rubric 2.0.1 rewards phrases: the figure is published


def test_another_rubric_of_the_same_name_and_version_is_named_by_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own.yaml"
    shipped = Path(__file__).resolve().parents[2] / "evaluation" / "rubrics" / "companion.yaml"
    own.write_text(shipped.read_text(encoding="utf-8") + "\n# ours\n", encoding="utf-8")
    assert main(["--json", "--rubric", str(own)]) == 0
    assert [*json.loads(capsys.readouterr().out)["made"]] == ["companion 2.0.4", f"companion 2.0.4 of {own}"]


def test_a_rubric_without_an_overall_by_rule_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--suite", "chat_flow"]) == 2
    assert "have no overall: name a rubric of the companion suite" in capsys.readouterr().err
