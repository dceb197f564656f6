"""Scoring existing responses: a line out for every line in, in order, with nothing called."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scripts.evaluate_prompts import evaluate_conversational_quality, evaluate_overall_quality
from scripts.score_responses import main
from tests.scripts.commands import ROOT, Finished, environment, run, run_apart

GOOD = {"id": "a", "user_input": "I feel sad", "response": "That sounds hard. What happened?"}


def score(tmp_path: Path, *lines: bytes | str | dict[str, Any], arguments: tuple[str, ...] = ()) -> Finished:
    file = tmp_path / "responses.jsonl"
    texts = [json.dumps(line) if isinstance(line, dict) else line for line in lines]
    file.write_bytes(b"\n".join(line if isinstance(line, bytes) else line.encode() for line in texts) + b"\n")
    return run(str(file), *arguments, runs=tmp_path, module="scripts.score_responses")


def test_gives_scores_and_explanations_in_order(tmp_path: Path) -> None:
    done = score(tmp_path, GOOD, {**GOOD, "id": 2, "context": [{"role": "user", "content": "hi"}]})
    assert (done.code, done.err) == (0, "")
    first, second = map(json.loads, done.out.splitlines())
    assert (first["id"], second["id"]) == ("a", 2)
    assert list(first["scores"]) == list(first["explanations"])
    assert first["scores"]["overall_quality"] == evaluate_overall_quality(GOOD["user_input"], GOOD["response"])
    assert first["scores"]["conversational_quality"] == evaluate_conversational_quality(
        GOOD["user_input"], GOOD["response"]
    )
    assert "0.6 base" in first["explanations"]["conversational_quality"]


BROKEN = [
    ("{", {"line": 1}, "not JSON"),
    ("", {"line": 1}, "not JSON"),
    ("[]", {"line": 1}, "not a JSON object"),
    (b'{"id": "\xff"}', {"line": 1}, "not UTF-8"),
    ('{"user_input": "a", "response": "b"}', {"line": 1}, '"id"'),
    ('{"id": true, "user_input": "a", "response": "b"}', {"id": True}, '"id"'),
    ('{"id": "x", "user_input": "a"}', {"id": "x"}, '"response"'),
    ('{"id": "x", "user_input": null, "response": "b"}', {"id": "x"}, '"user_input"'),
    ('{"id": "x", "user_input": "a", "response": "b", "context": "c"}', {"id": "x"}, '"context"'),
    ('{"id": "x", "user_input": "a", "response": "b", "context": [{"role": 1}]}', {"id": "x"}, '"context" item 0'),
    ("[" * 100_000, {"line": 1}, ""),
]


@pytest.mark.parametrize(("line", "place", "problem"), BROKEN)
def test_a_line_that_cannot_be_read_says_so_in_its_place(
    tmp_path: Path, line: str | bytes, place: dict[str, Any], problem: str
) -> None:
    done = score(tmp_path, line, GOOD)
    assert done.code == 3
    refused, scored = map(json.loads, done.out.splitlines())
    assert {key: refused[key] for key in place} == place
    assert problem in refused["error"]
    assert scored["scores"]
    assert "1 line could not be read" in done.err


def test_an_empty_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").touch()
    done = run(str(tmp_path / "none.jsonl"), runs=tmp_path, module="scripts.score_responses")
    assert (done.code, done.out) == (0, "")
    assert done.err.count("\n") == 1
    assert "is empty: give one response a line" in done.err


def test_writes_to_a_file_and_never_over_its_input(tmp_path: Path) -> None:
    target = tmp_path / "scores.jsonl"
    assert score(tmp_path, GOOD, arguments=("--output", str(target))).code == 0
    assert json.loads(target.read_text())["id"] == "a"
    source = str(tmp_path / "responses.jsonl")
    done = run(source, "--output", source, runs=tmp_path, module="scripts.score_responses")
    assert done.code == 2
    assert json.loads((tmp_path / "responses.jsonl").read_text()) == GOOD


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    done = run(str(tmp_path / "none.jsonl"), runs=tmp_path, module="scripts.score_responses")
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1


def test_an_unknown_suite_lists_those_there_are(tmp_path: Path) -> None:
    done = score(tmp_path, GOOD, arguments=("--suite", "companio"))
    assert done.code == 2
    assert "did you mean 'companion'" in done.err


def test_reads_standard_input(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scripts.score_responses", "-"]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(tmp_path, {}), input=json.dumps(GOOD), capture_output=True, text=True
    )
    assert json.loads(done.stdout)["id"] == "a"


def test_hostile_text_comes_back_as_json(tmp_path: Path) -> None:
    hostile = {"id": "\u202e\x1b[2J", "user_input": "\ud800", "response": "\x00<script>" + "a" * 100_000}
    done = score(tmp_path, hostile)
    assert done.code == 0, done.err
    assert json.loads(done.out)["id"] == hostile["id"]
    assert "\x1b" not in done.out


def test_several_processes_give_the_lines_of_one_in_order(tmp_path: Path) -> None:
    """Lines that cannot be read keep their numbers, in whatever batch they are."""
    texts = [json.dumps({**GOOD, "id": number}) if number % 7 else "{" for number in range(700)]
    file = tmp_path / "many.jsonl"
    file.write_text("\n".join([*texts, json.dumps({**GOOD, "id": "\ud800"})]) + "\n")
    one, three = (
        run_apart(str(file), "--jobs", jobs, runs=tmp_path, module="scripts.score_responses") for jobs in ("1", "3")
    )
    assert (one.code, three.code) == (3, 3)
    assert three.out == one.out
    assert three.err == one.err
    assert [json.loads(line).get("line") for line in one.out.splitlines()][:15:7] == [1, 8, 15]
    assert len(one.out.splitlines()) == 701


KILLED = """
import os
from evaluation.errors import LinesNotScored
from scripts.scoring.batches import ScoredBatch, in_batches, score_batches

def score(batch):
    if batch.first > 2000:
        os.kill(os.getpid(), 9)
    return ScoredBatch("", len(batch.lines), 0)

try:
    for _ in score_batches(in_batches([b"x"] * 5000), score, 2):
        pass
except LinesNotScored as error:
    print(error.exit_code, error)
"""


def test_a_process_that_is_killed_ends_the_command_with_one_line() -> None:
    done = subprocess.run([sys.executable, "-c", KILLED], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    assert done.stdout.startswith("3 a process that scored was ended from outside")
    assert "score the file again with --jobs 1" in done.stdout


def test_a_thousand_lines_need_no_more_memory_than_one(tmp_path: Path) -> None:
    """The reader is handed one line at a time: an endless pipe is scored as it comes."""
    command = [sys.executable, "-m", "scripts.score_responses", "-"]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment(tmp_path, {}), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write((json.dumps(GOOD) + "\n") * 400)
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == "a", "scored before the input has ended"
        process.stdin.close()
        assert len(process.stdout.read().splitlines()) == 399


def test_the_entry_point_takes_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps(GOOD))
    assert main([str(file)]) == 0
    assert json.loads(capsys.readouterr().out)["id"] == "a"


def test_the_lines_of_a_run_score_as_the_run_did(tmp_path: Path) -> None:
    """Conversations, what was said before and failed exchanges among them."""
    given = ("--prompt", "v3", "--category", "continuity", "--limit", "12", "--no-judge", "--quiet")
    assert run(*given, runs=tmp_path).code == 0
    file = tmp_path / "latest" / "results.jsonl"
    played = [json.loads(line) for line in file.read_text().splitlines()]
    assert any(line["context"] for line in played)
    done = run(str(file), runs=tmp_path, module="scripts.score_responses")
    assert (done.code, done.err) == (0, "")
    scored = [json.loads(line) for line in done.out.splitlines()]
    assert [line["scores"] for line in scored] == [line["scores"]["heuristic"] for line in played]
    places = [f"{line['run_id']}/{line['scenario_id']}/{line['repeat']}/{line['turn']}" for line in played]
    assert [line["id"] for line in scored] == places


LINE = {"run_id": "r", "scenario_id": "s", "repeat": 1, "turn": 2, "input": "I feel sad", "response": "Oh no. Why?"}


def test_what_was_flagged_counts_as_in_the_run(tmp_path: Path) -> None:
    done = score(
        tmp_path, {**LINE, "moderation": []}, {**LINE, "moderation": ["hate"]}, {**GOOD, "moderation": ["hate"]}
    )
    clean, flagged, foreign = (json.loads(line)["scores"] for line in done.out.splitlines())
    assert flagged["appropriateness"] < clean["appropriateness"]
    own = json.loads(score(tmp_path, GOOD).out)["scores"]
    assert foreign == own, "a field of another program's lines says nothing"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"input": None}, '"user_input" (or "input", as in results.jsonl) must be a string'),
        ({"response": None}, '"response" must be a string'),
        ({"scenario_id": None}, '"id" must be a string or a whole number; without one, run_id, scenario_id'),
        ({"user_input": "I feel glad"}, '"user_input" and "input" differ: leave one of them out'),
    ],
)
def test_a_line_of_a_run_that_cannot_be_scored_says_what_is_missing(
    tmp_path: Path, changes: dict[str, Any], problem: str
) -> None:
    done = score(tmp_path, {**LINE, **changes}, {**LINE, "user_input": LINE["input"]})
    assert done.code == 3
    refused, scored = map(json.loads, done.out.splitlines())
    assert refused["error"].startswith(problem)
    assert scored["id"] == "r/s/1/2"


def test_a_line_without_a_flow_does_not_stop_those_behind_it(tmp_path: Path) -> None:
    flow = json.dumps({"input": {"fridge_input": "eggs"}, "options": [], "selected": None, "error": None})
    done = score(tmp_path, GOOD, {**GOOD, "id": "b", "response": flow}, GOOD, arguments=("--suite", "chat_flow"))
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 3 and len(lines) == 3, done.err
    assert lines[0] == lines[2] and lines[0]["id"] == "a" and "no record of a flow" in lines[0]["error"]
