"""A judge is put to the test before it is believed: a fair one passes, and each kind of bad one is caught."""

from pathlib import Path

import pytest

from services.rehearsal.options import RehearsalOptions
from tests.scripts.commands import document, run, server

FEW = ("--prompt", "v3", "--limit", "12", "--quiet")


@pytest.mark.parametrize("form", ["schema", "json", "text"])
def test_a_fair_judge_passes(tmp_path: Path, form: str) -> None:
    done = run(*FEW, "--judge-format", form, runs=tmp_path)
    assert done.code == 0, done.err
    report = document(tmp_path / "latest", "summary.json")["canaries"]
    assert report["passed"] is True
    assert report["asked"] == report["answered"] == len(report["overalls"]) >= 20
    assert "known quality" not in done.out


@pytest.mark.parametrize("form", ["schema", "json", "text"])
@pytest.mark.parametrize("mode", ["lenient", "random", "obedient"])
def test_a_bad_judge_marks_the_run_and_keeps_every_gate_shut(tmp_path: Path, mode: str, form: str) -> None:
    with server(RehearsalOptions(judge_mode=mode)) as endpoint:  # type: ignore[arg-type]
        arguments = (*FEW, "--judge-format", form, "--gate", "ab_test")
        done = run(*arguments, runs=tmp_path, **endpoint.settings)
    folder = tmp_path / "latest"
    report = document(folder, "summary.json")["canaries"]
    assert report["passed"] is False
    assert done.code == 1
    assert any("known quality" in reason for reason in document(folder, "decision.json")["gate"]["reasons"])
    assert "known quality" in " ".join(done.out.split())
    assert "quality" in (folder / "summary.md").read_text(encoding="utf-8")
    if mode == "obedient":
        assert all("injected" in miss for miss in report["missed"]), "an obedient judge is fair to honest texts"


def test_canaries_are_journaled_once_per_run_and_never_taken_from_another(tmp_path: Path) -> None:
    arguments = (*FEW, "--judge-format", "schema", "--cache", "all")
    with server() as endpoint:
        asked = []
        for more in ((), (), ("--no-canaries",)):
            before = endpoint.stats()["completions"]
            assert run(*arguments, *more, runs=tmp_path, **endpoint.settings).code == 0
            asked.append(endpoint.stats()["completions"] - before)
            assert run("--resume", "last", "--quiet", runs=tmp_path, **endpoint.settings).code == 0
        planned = document(tmp_path / "latest", "summary.json")["counts"]["planned"]
    assert asked == [2 * planned + 20, 20, 0]
    assert document(tmp_path / "latest", "summary.json")["canaries"] is None


def test_the_cost_of_the_check_is_told_before(tmp_path: Path) -> None:
    told = run(*FEW, "--dry-run", runs=tmp_path)
    assert "20 to check the judge" in told.out
    assert "to check the judge" not in run(*FEW, "--dry-run", "--no-canaries", runs=tmp_path).out
    assert "to check the judge" not in run(*FEW, "--dry-run", "--no-judge", runs=tmp_path).out


def test_a_judge_that_cannot_be_read_fails_the_check(tmp_path: Path) -> None:
    with server(RehearsalOptions(malformed_verdict=1.0)) as endpoint:
        done = run(*FEW, "--judge-format", "schema", runs=tmp_path, **endpoint.settings)
    assert done.code == 0, done.err
    report = document(tmp_path / "latest", "summary.json")["canaries"]
    assert report["passed"] is False
    assert set(report["overalls"].values()) == {None}
