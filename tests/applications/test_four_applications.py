"""Four differently built applications, evaluated by the companion's and a support suite with a mapping each."""

import json
from pathlib import Path

import pytest

from tests.applications.servers import APPLICATIONS, serving
from tests.scripts.commands import Finished, document, lines, only_run, run
from tests.scripts.support_bot import write_support_bot

KEY = "key-of-the-shop-0815"
FEW = ("--tag", "smoke", "--limit", "12")


def evaluated(runs: Path, url: str, mapping: Path, *arguments: str) -> Finished:
    flags = ("--url", url, "--mapping", str(mapping), "--quiet", *arguments)
    return run(*flags, runs=runs, SHOP_KEY=KEY)


def mapping_of(name: str, folder: Path) -> Path:
    file = folder / "mapping.yaml"
    file.write_text(APPLICATIONS[name][1])
    return file


@pytest.mark.parametrize("name", APPLICATIONS)
def test_the_companions_suite_is_played_on_it_turn_by_turn(name: str, tmp_path: Path) -> None:
    with serving(APPLICATIONS[name][0]()) as seen:
        done = evaluated(
            tmp_path / "runs", seen.url, mapping_of(name, tmp_path), "--limit", "12", "--category", "continuity"
        )
    assert done.code == 0, done.err
    found = lines(only_run(tmp_path / "runs"))
    assert found
    for line in found:
        before = sum(turn["role"] == "user" for turn in line["context"])
        # What came before the scenario is in no session of the application.
        remembered = before + 1 if name in ("streaming", "polling") else line["turn"]
        assert line["response"].strip().endswith(f"(message {remembered} of yours)"), line
        assert line["state"] == "scored"
    manifest = document(only_run(tmp_path / "runs"), "manifest.json")
    assert (manifest["spec"]["endpoint"], manifest["spec"]["prompt"], manifest["spec"]["model"]) == (seen.url, None, "")
    first = document(only_run(tmp_path / "runs"), "summary.json")["replies"]["first_token"]
    assert (first is not None) == (name == "streaming")
    assert ("first words in " in done.out) == (name == "streaming")
    assert first is None or (0 < first["median_ms"] <= first["p95_ms"] and first["replies"] == len(found))
    text = "".join(
        path.read_text(errors="replace") for path in only_run(tmp_path / "runs").rglob("*") if path.is_file()
    )
    assert KEY not in text


@pytest.mark.parametrize("name", APPLICATIONS)
def test_a_support_suite_is_played_on_it(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_support_bot(tmp_path)
    suite = tmp_path / "suites/support"
    (suite / "suite.yaml").write_text("plays: application\n")
    monkeypatch.setattr("tests.scripts.commands.ROOT", tmp_path)
    with serving(APPLICATIONS[name][0]()) as seen:
        mapping = mapping_of(name, tmp_path)
        settings = {"CHAT_FLOW_URL": seen.url, "CHAT_FLOW_MAPPING": str(mapping), "SHOP_KEY": KEY}
        done = run("--suite", str(suite), "--quiet", runs=tmp_path / "runs", **settings)
    assert done.code == 0, done.err
    found = lines(only_run(tmp_path / "runs"))
    assert {line["scenario_id"] for line in found} == {"charged-twice", "cancel-plan"}
    assert all(line["scores"]["heuristic"]["brevity"] == 1.0 for line in found)
    assert json.loads((only_run(tmp_path / "runs") / "summary.json").read_text())["suite"] == "support"
