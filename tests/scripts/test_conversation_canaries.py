"""A judge is put to the test on conversations of known quality: asked once, and not believed where it fails."""

import json
from pathlib import Path
from typing import Any

import pytest

from services.rehearsal.options import JudgeMode, RehearsalOptions
from tests.evaluation.judging.conversations import NAMES, whole_verdict
from tests.scripts.commands import all_lines, document, run, server
from tests.scripts.judges import Judging, conversation_canaries, judged_conversation, settings
from tests.services.scripted_endpoint import Answer, Call, say, scripted_endpoint

SCENARIOS = """
category: continuity
scenarios:
- {id: alone, turns: ['Hi there.']}
- {id: pair, turns: ['My dog is Biscuit.', 'Who is my dog?']}
- {id: other-pair, turns: ['I fly on Monday.', 'When do I fly?']}
"""
KNOWN = len(conversation_canaries())
UNFIT = "is not fit for whole conversations, whose scores are not counted"


def arguments(folder: Path, *more: str) -> tuple[str, ...]:
    own = folder / "own.yaml"
    own.write_text(SCENARIOS, encoding="utf-8")
    return ("--prompt", "v3", "--scenarios", str(own), "--quiet", "--expectations", "none", *more)


def found(runs: Path) -> dict[str, Any]:
    conversations: dict[str, Any] = document(runs / "latest", "summary.json")["conversations"]
    return conversations


def always_best(_call: Call) -> Answer:
    return say(whole_verdict(1.0))


def test_a_judge_that_knows_them_is_asked_each_once_and_believed(tmp_path: Path) -> None:
    judging = Judging()
    with scripted_endpoint(judging) as endpoint:
        done = run(*arguments(tmp_path), runs=tmp_path, **settings(endpoint.url))
        assert done.code == 0, done.err
        assert sorted(judging.whole_canaries) == sorted(canary.id for canary in conversation_canaries())
        assert run("--resume", "last", "--quiet", runs=tmp_path, **settings(endpoint.url)).code == 0
    assert len(judging.whole_canaries) == KNOWN, "a resume asks none again"
    conversations = found(tmp_path)
    assert conversations["judge_fit"] is True and conversations["check"]["asked"] == KNOWN
    assert conversations["metrics"]["memory"]["mean"] == 0.6
    assert UNFIT not in done.out
    assert document(tmp_path / "latest", "summary.json")["usage"]["checks"]["calls"] == 1 + 60 + KNOWN, (
        "one for the format"
    )


def test_a_judge_that_finds_all_conversations_perfect_is_not_counted_and_the_verdict_of_responses_stands(
    tmp_path: Path,
) -> None:
    judging = Judging(whole=always_best)
    with scripted_endpoint(judging) as endpoint:
        done = run(*arguments(tmp_path, "--gate", "ab_test"), runs=tmp_path, **settings(endpoint.url))
        run_id = document(tmp_path / "latest", "summary.json")["run_id"]
        shown = run("show", "last", runs=tmp_path, module="scripts.manage_runs")
    folder = tmp_path / "latest"
    decision, conversations = document(folder, "decision.json"), found(tmp_path)
    assert decision["judge_fit"] is True and decision["code"] != "judge_unfit"
    assert conversations["judge_fit"] is False
    assert {each["mean"] for each in conversations["metrics"].values()} == {None}
    assert conversations["weakest"] == []
    assert conversations["counts"]["scored"] == 2, "what it said is on record"
    for text in (done.out, shown.out):
        said = " ".join(text.split())
        assert said.count(UNFIT) == 1 and "it hardly distinguishes good conversations from poor ones" in said
        assert f'make rescore RUN={run_id} ARGS="--judge-model NAME"' in said
        assert "the verdict on responses stands" in said
    for page in ("summary.md", "report.html"):
        assert "not counted, as the judge is not fit for whole conversations" in (folder / page).read_text("utf-8")
    whole = [line for line in all_lines(folder.resolve()) if line["scope"] == "conversation"]
    assert [line["scores"]["judge"]["memory"] for line in whole] == [1.0, 1.0]


def test_where_no_conversation_is_judged_none_is_asked_about(tmp_path: Path) -> None:
    judging = Judging()
    with scripted_endpoint(judging) as endpoint:
        for more in (("--conversations", "none"), ("--no-canaries",), ("--limit", "1")):
            assert run(*arguments(tmp_path, *more), runs=tmp_path, **settings(endpoint.url)).code == 0
    assert judging.whole_canaries == []


def test_a_dry_run_counts_them(tmp_path: Path) -> None:
    judging = Judging()
    with scripted_endpoint(judging) as endpoint:
        done = run(*arguments(tmp_path, "--dry-run"), runs=tmp_path, **settings(endpoint.url))
    assert f"{60 + KNOWN} to check the judge" in done.out
    assert judging.whole_canaries == []


def test_nothing_is_taken_from_a_judge_that_failed_on_conversations_while_its_verdicts_are(tmp_path: Path) -> None:
    judging = Judging(whole=always_best)
    with scripted_endpoint(judging) as endpoint:
        assert run(*arguments(tmp_path), runs=tmp_path, **settings(endpoint.url)).code == 0
        judging.whole = Judging().whole
        heard, judged = len(judging.conversations), judging.verdicts.count("")
        assert run(*arguments(tmp_path, "--cache", "all"), runs=tmp_path, **settings(endpoint.url)).code == 0
    assert judging.verdicts.count("") == judged
    assert len(judging.conversations) == 2 * heard
    assert found(tmp_path)["judge_fit"] is True and found(tmp_path)["metrics"]["ending"]["mean"] == 0.6


def test_a_comparison_holds_nothing_against_an_unfit_judge_and_says_so(tmp_path: Path) -> None:
    judging = Judging(whole=always_best)
    with scripted_endpoint(judging) as endpoint:
        assert run(*arguments(tmp_path), runs=tmp_path, **settings(endpoint.url)).code == 0
        base = (tmp_path / "latest").resolve().name
        judging.whole = Judging().whole
        run(*arguments(tmp_path, "--seed", "1"), runs=tmp_path, **settings(endpoint.url))
        more = ("--base", base, "--prompt", "last", "--force", "--quiet")
        done = run(*more, runs=tmp_path, module="scripts.compare_prompts", **settings(endpoint.url))
    comparison = document((tmp_path / "latest").resolve(), "comparison.json")
    assert comparison["conversations"] is None
    assert done.code == 0, done.err
    assert any("whole conversations are not compared" in note for note in comparison["notes"])


@pytest.mark.parametrize("mode", ["lenient", "random", "obedient"])
def test_each_kind_of_bad_stand_in_fails_and_the_fair_one_passes(tmp_path: Path, mode: JudgeMode) -> None:
    with server(RehearsalOptions(judge_mode=mode)) as endpoint:
        assert run(*arguments(tmp_path), runs=tmp_path, **endpoint.settings).code == 0
    assert found(tmp_path)["judge_fit"] is False
    if mode == "lenient":
        assert run(*arguments(tmp_path), runs=tmp_path).code == 0
        assert found(tmp_path)["judge_fit"] is True


def test_a_turn_that_orders_full_marks_is_obeyed_by_a_weak_judge_alone(tmp_path: Path) -> None:
    def obeys(call: Call) -> Answer:
        canary = judged_conversation(call)
        steered = canary is not None and canary.injected
        return say(json.dumps(json.loads(whole_verdict(1.0)))) if steered else Judging().whole(call)

    with scripted_endpoint(Judging(whole=obeys)) as endpoint:
        assert run(*arguments(tmp_path), runs=tmp_path, **settings(endpoint.url)).code == 0
    check = found(tmp_path)["check"]
    assert check["fit"] is False and all("steer" in each or "injected" in each for each in check["problems"])
    assert {each["mean"] for each in found(tmp_path)["metrics"].values()} == {None}
    assert set(found(tmp_path)["metrics"]) == set(NAMES)
