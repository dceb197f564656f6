"""The forms of the judge's question in the main job: played, checked, scored again and reused like any other."""

from pathlib import Path

import pytest

from services.rehearsal.options import JudgeMode, RehearsalOptions
from tests.evaluation.judging.verdicts import DIMENSIONS
from tests.scripts.commands import document, lines, only_run, run, server
from tests.scripts.test_rescore import made, replies, rescored

FEW = ("--prompt", "v3", "--limit", "4", "--quiet", "--expectations", "none")
UNCHECKED = (*FEW, "--no-canaries")


@pytest.mark.parametrize("kind", ["schema", "json", "text"])
def test_whole_numbers_become_their_expectation_in_every_format(tmp_path: Path, kind: str) -> None:
    with server() as endpoint:
        done = run(
            *UNCHECKED, "--judge-form", "score_first", "--judge-format", kind, runs=tmp_path, **endpoint.settings
        )
    assert done.code == 0, done.err
    folder = only_run(tmp_path)
    assert document(folder, "manifest.json")["spec"]["judge"]["form"] == "score_first"
    for line in lines(folder):
        assert set(line["scores"]["judge"]) == {*DIMENSIONS, "overall_quality"}
        values = [line["scores"]["judge"][name] for name in DIMENSIONS]
        assert any(round(value * 10, 6) != round(value * 10) for value in values), "no value is a mere written number"


def test_an_expectation_is_the_same_when_it_is_reused_and_scored_again(tmp_path: Path) -> None:
    with server() as endpoint:
        assert run(*UNCHECKED, "--judge-form", "score_first", runs=tmp_path, **endpoint.settings).code == 0
        parent, before = only_run(tmp_path), made(endpoint)
        scores = [line["scores"] for line in lines(parent)]
        child = rescored(tmp_path, endpoint)
        assert made(endpoint) == before
        assert [line["scores"] for line in lines(child)] == scores and replies(child) == replies(parent)
        again = run(*UNCHECKED, "--judge-form", "score_first", "--cache", "all", runs=tmp_path, **endpoint.settings)
        assert again.code == 0 and made(endpoint) == before
    assert [line["scores"] for line in lines((tmp_path / "latest").resolve())] == scores


@pytest.mark.parametrize("form", ["score_first", "reasoned_each", "score_first_each"])
def test_the_canaries_check_a_judge_in_its_own_form(tmp_path: Path, form: str) -> None:
    modes: list[tuple[JudgeMode, bool]] = [("fair", True), ("lenient", False)]
    for mode, fit in modes:
        with server(RehearsalOptions(judge_mode=mode)) as endpoint:
            runs = tmp_path / mode
            run(*FEW, "--judge-form", form, runs=runs, **endpoint.settings)
            asked = made(endpoint)["judge"]
        folder = only_run(runs)
        assert document(folder, "decision.json")["judge_fit"] is fit, (form, mode)
        calls = len(DIMENSIONS) if form.endswith("_each") else 1
        more = asked - calls * (60 + len(lines(folder))) - 16  # each conversation of the canaries in one call
        assert 1 <= more <= 2 * calls + 5, "the format, whole conversations, and a canary that prints its verdict"


def test_a_dry_run_counts_the_calls_of_the_form(tmp_path: Path) -> None:
    shown = {
        form: run(*FEW, "--dry-run", "--judge-form", form, runs=tmp_path).out.split("calls ")[1].split(" to check")[0]
        for form in ("reasoned", "score_first", "score_first_each")
    }
    assert shown["reasoned"] == shown["score_first"]
    assert " 76" in shown["reasoned"] and " 376" in shown["score_first_each"]


def test_another_form_is_another_judge(tmp_path: Path) -> None:
    with server() as endpoint:
        assert run(*UNCHECKED, runs=tmp_path, **endpoint.settings).code == 0
        before = made(endpoint)["judge"]
        child = rescored(tmp_path, endpoint, "--judge-form", "score_first", "--no-canaries")
        assert made(endpoint)["judge"] == before + len(lines(child)) + 1
    pins = [document(folder, "manifest.json")["digests"]["judge"] for folder in (only_parent(tmp_path, child), child)]
    assert pins[0] != pins[1]


def only_parent(runs: Path, child: Path) -> Path:
    return runs / str(document(child, "manifest.json")["parent_run_id"])
