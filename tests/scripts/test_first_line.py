"""The first line of every output: one order, whatever is shown and wherever it is written."""

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

from services.rehearsal.options import RehearsalOptions
from tests.scripts.commands import document, run, server

FEW = "TOO FEW SCENARIOS TO DECIDE (2 situations, 10 needed)"
ANNOUNCED = re.compile(r"\b(deploy|a/b test|ab_test|needs[ _]revision|stable|better|worse|equivalent)\b", re.IGNORECASE)
COMPARE = "scripts.compare_prompts"


def page_of(path: Path) -> str:
    """The first screen of a page: its text up to the first table."""
    text = re.sub(r"<(script|style|svg)\b[^>]*>.*?</\1>", " ", path.read_text(encoding="utf-8"), flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text[: text.index("<main")])).split())


@pytest.mark.parametrize("judged", [(), ("--no-judge",)])
def test_two_scenarios_decide_nothing_in_any_output(tmp_path: Path, judged: tuple[str, ...]) -> None:
    done = run("--prompt", "v3", "--limit", "2", "--gate", "deploy", *judged, runs=tmp_path)
    shown = run("show", "last", runs=tmp_path, module="scripts.manage_runs")
    as_json = json.loads(run("show", "last", "--json", runs=tmp_path, module="scripts.manage_runs").out)
    folder = tmp_path / "latest"
    decision = document(folder, "decision.json")
    assert done.code == 1
    for text in (done.out, shown.out):
        assert FEW in text.splitlines()[1], "below the banner of the rehearsal"
    assert (decision["verdict"], decision["code"], decision["stable"]) == ("none", "too_few_scenarios", False)
    assert (decision["headline"], decision["lower"], decision["upper"]) == (FEW, None, None)
    assert decision["reasons"][1].startswith("so far: ")
    assert {choice["verdict"] for choice in decision["by_source"].values()} == {None}
    assert decision["gate"]["reasons"][0] == FEW.capitalize().replace("Too", "too")
    assert as_json["decision_document"]["verdict"] == as_json["decision"]["verdict"] == "none"
    assert document(folder, "summary.json")["decision"]["code"] == "too_few_scenarios"
    summary = (folder / "summary.md").read_text(encoding="utf-8")
    for text in (done.out, summary, page_of(folder / "report.html")):
        said = " ".join(text.split()).replace("gate deploy: FAILED", "").replace("Nothing below says", "")
        first = said.partition("prompt ")[0]
        assert not ANNOUNCED.search(first), first
    assert FEW.capitalize() in page_of(folder / "report.html")
    assert "too few scenarios to decide" in (folder / "junit.xml").read_text(encoding="utf-8")


def test_two_paired_scenarios_are_neither_better_nor_worse_nor_equivalent(tmp_path: Path) -> None:
    sides = ("--base", "v2", "--prompt", "v3", "--limit", "2")
    done = run(*sides, runs=tmp_path, module=COMPARE)
    found = compared(tmp_path)
    assert (found["verdict"], found["code"]) == ("none", "too_few_scenarios")
    assert found["headline"] == f"{FEW}: v3 against v2"
    assert done.out.splitlines()[1] == found["headline"]
    page = page_of(next(tmp_path.glob("2*/comparison.html")))
    assert f"{FEW.capitalize()} {found['headline']}." in page
    assert f"v3 on its own: {FEW}" in page
    for text in (done.out, page.replace("Is v3 better than v2?", "")):
        assert not ANNOUNCED.search(text)
    gated = run(*sides, "--gate", "no_regression", runs=tmp_path, module=COMPARE)
    assert gated.code == 1
    assert compared(tmp_path)["gate"]["reasons"][0] == "too few scenarios to decide (2 situations, 10 needed)"
    ranked = run(*sides, "--prompt", "v1", runs=tmp_path, module=COMPARE)
    found = compared(tmp_path, "ranking")
    assert found["code"] == "too_few_scenarios" and {pair["verdict"] for pair in found["pairs"]} == {"none"}
    assert found["headline"].startswith(FEW) and found["headline"] in " ".join(ranked.out.split())


def compared(runs: Path, kind: str = "comparison") -> dict[str, Any]:
    """The content of the only comparison.json of this kind."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in runs.glob("2*/comparison.json")]
    (one,) = [each for each in found if each["kind"] == kind]
    return dict(one)


def test_what_failed_comes_first_and_takes_the_verdict_away(tmp_path: Path) -> None:
    with server(RehearsalOptions(empty=0.2, seed=3)) as endpoint:
        done = run("--prompt", "v3", "--limit", "40", "--no-judge", runs=tmp_path, **endpoint.settings)
    decision, counts = (document(tmp_path / "latest", "decision.json")[name] for name in ("headline", "counts"))
    assert done.code == 3 and counts["failed"]
    assert decision == (
        f"INCOMPLETE ({counts['scored']} of {counts['planned']} exchanges have a score, {counts['failed']} failed): "
        "NO VERDICT"
    )
    assert decision in " ".join(done.out.split())
