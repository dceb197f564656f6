"""A team's own cues: named in its rubric and its expectations, loaded from the file that the workspace file names."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.metrics.cues.own import NONE, use_own_cues
from tests.scripts.commands import Finished, run
from tests.scripts.support_bot import RUBRIC, write_support_bot

CUES = """
from evaluation.metrics.cues.cue import Cue, NoSettings
from evaluation.records import Finding


def says_e(_settings):
    def detect(utterance):
        at = utterance.response.original.lower().find("e")
        return () if at < 0 else (Finding("says_e", "response", at, at + 1, "e"),)
    return detect


CUES = [Cue("says_e", "the response holds an e", NoSettings, says_e)]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    write_support_bot(tmp_path)
    (tmp_path / "my_cues.py").write_text(CUES, encoding="utf-8")
    with (tmp_path / "prompt-eval.toml").open("r+", encoding="utf-8") as file:
        before = file.read()
        file.seek(0)
        file.write('cues = "my_cues.py"\n' + before)
    rubric = tmp_path / "suites/support/rubric.yaml"
    assert "{when: word_count" in RUBRIC
    text = RUBRIC.replace(
        "      - {when: word_count",
        "      - {when: says_e, add: -0.01, label: says an e}\n      - {when: word_count",
        1,
    )
    rubric.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tests.scripts.commands.ROOT", tmp_path)
    yield tmp_path
    use_own_cues(NONE)


def evaluate(folder: Path) -> Finished:
    return run("--quiet", "--json", runs=folder / "runs")


def scorer(folder: Path, done: Finished) -> str:
    assert done.code == 0, done.err
    manifest = folder / "runs" / json.loads(done.out)["run_id"] / "manifest.json"
    text: str = manifest.read_text(encoding="utf-8")
    return text.partition('"scorer": "')[2].partition('"')[0]


def test_a_rubric_names_a_cue_of_the_workspace_and_its_text_is_pinned(folder: Path) -> None:
    first = evaluate(folder)
    before = scorer(folder, first)
    assert len(before) == 64
    results = folder / "runs" / json.loads(first.out)["run_id"] / "results.jsonl"
    assert "-0.01 says an e" in results.read_text(encoding="utf-8")
    assert scorer(folder, evaluate(folder)) == before
    (folder / "my_cues.py").write_text(f"{CUES}# another line\n", encoding="utf-8")
    assert scorer(folder, evaluate(folder)) != before


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (CUES.replace('"says_e", "the', '"word_count", "the'), "cue 'word_count': a shipped cue has this name"),
        (CUES.replace("CUES = [", "CUES = [*CUES, ").replace("CUES = [*CUES", "CUES = [1 / 0"), ":13: ends with Zero"),
        ("def broken(:\n", "my_cues.py:1: is no Python"),
        ("CUE = []\n", "my_cues.py: has no CUES: write CUES = ["),
        ("CUES = ['says_e']\n", "my_cues.py: CUES holds 'says_e': write Cue("),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(folder: Path, code: str, said: str) -> None:
    (folder / "my_cues.py").write_text(code, encoding="utf-8")
    refused = evaluate(folder)
    assert refused.code == 2
    assert said in refused.err
    assert refused.err.count("\n") == 1


def test_a_missing_file_is_named_with_the_line_of_the_workspace_file(folder: Path) -> None:
    (folder / "my_cues.py").unlink()
    refused = evaluate(folder)
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "prompt-eval.toml:1: cues: there is no 'my_cues.py' beside the file" in refused.err


def test_only_the_workspace_file_names_cues(folder: Path) -> None:
    toml = folder / "prompt-eval.toml"
    toml.write_text(toml.read_text(encoding="utf-8").replace('cues = "my_cues.py"\n', ""), encoding="utf-8")
    (folder / ".env").write_text("EVAL_CUES=my_cues.py\nCUES=my_cues.py\n", encoding="utf-8")
    refused = run("--quiet", runs=folder / "runs", EVAL_CUES="my_cues.py", CUES="my_cues.py")
    assert refused.code == 2
    assert "unknown cue 'says_e'" in refused.err


def test_a_cue_that_fails_while_it_scores_is_named_and_what_was_answered_is_kept(folder: Path) -> None:
    (folder / "my_cues.py").write_text(CUES.replace(".lower()", ".lowre()"), encoding="utf-8")
    failed = evaluate(folder)
    assert failed.code == 3
    assert "Traceback" not in failed.err
    results = folder / "runs" / json.loads(failed.out)["run_id"] / "results.jsonl"
    lines = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    assert "my_cues.py:8: cue 'says_e' ends with AttributeError" in lines[0]["error"]["message"]
    assert all(line["response"] for line in lines)


def test_an_expectation_names_a_cue_and_validate_knows_it(folder: Path) -> None:
    scenarios = next((folder / "suites/support").rglob("*billing*"), None) or folder / "suites/support/scenarios"
    path = scenarios if scenarios.is_file() else next(scenarios.glob("*.yaml"))
    named = "    expect:\n      - {id: has-an-e, check: cue, cue: says_e}\n"
    text = path.read_text(encoding="utf-8").replace("    expect:\n", named, 1)
    path.write_text(text, encoding="utf-8")
    valid = [str(path), str(folder / "suites/support/rubric.yaml")]
    found = run(*valid, "--suite", "support", runs=folder / "runs", module="scripts.validate_files")
    assert found.code == 0, found.out + found.err
    path.write_text(text.replace("cue: says_e", "cue: says_x"), encoding="utf-8")
    refused = run(*valid, "--suite", "support", runs=folder / "runs", module="scripts.validate_files")
    assert refused.code == 2
    assert "says_x" in refused.out + refused.err


def test_a_comparison_scores_a_run_of_another_text_again_without_a_call(folder: Path) -> None:
    first = json.loads(evaluate(folder).out)["run_id"]
    (folder / "my_cues.py").write_text(CUES.replace('find("e")', 'find("a")'), encoding="utf-8")
    second = json.loads(evaluate(folder).out)["run_id"]
    sides = ("--base", first, "--prompt", second, "--json")
    done = run(*sides, runs=folder / "runs", module="scripts.compare_prompts")
    assert done.code == 0, done.err
    assert f"{first} was scored by other code: it was scored again, without a call" in done.out


def test_a_stored_run_whose_cue_is_gone_is_listed_and_says_what_it_needs(folder: Path) -> None:
    run_id = json.loads(evaluate(folder).out)["run_id"]
    toml = folder / "prompt-eval.toml"
    toml.write_text(toml.read_text(encoding="utf-8").replace('cues = "my_cues.py"\n', ""), encoding="utf-8")
    listed = run("list", runs=folder / "runs", module="scripts.manage_runs")
    assert listed.code == 0 and run_id in listed.out
    refused = run(run_id, runs=folder / "runs", module="scripts.rescore_run")
    assert refused.code == 2 and refused.err.count("\n") == 1, refused.err
    assert "unknown cue 'says_e'; one of your own comes from the file that `cues` names" in refused.err


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ('("says_e",)', "return a tuple of Finding values"),
        ('(Finding("says_e", "reply", 0, 1, "e"),)', "its place is one of response, user_input, context"),
        ('(Finding("says_e", "response", 3, 1, "e"),)', "its start and end are offsets"),
        ('(Finding("says_e", "response", 0, 1, "e", 7.0),)', "its strength from 0 to 1"),
        ("7", "ends with TypeError"),
    ],
)
def test_what_is_no_finding_is_named_and_the_answers_are_kept(folder: Path, found: str, said: str) -> None:
    text = CUES.replace('() if at < 0 else (Finding("says_e", "response", at, at + 1, "e"),)', found)
    assert found in text
    (folder / "my_cues.py").write_text(text, encoding="utf-8")
    failed = run("--quiet", "--json", "--limit", "2", runs=folder / "runs")
    assert failed.code == 3 and "Traceback" not in failed.err
    results = folder / "runs" / json.loads(failed.out)["run_id"] / "results.jsonl"
    (first, *_) = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    assert said in first["error"]["message"] and first["response"]


def test_when_the_cue_is_mended_the_run_is_started_again_and_nothing_is_paid_twice(folder: Path) -> None:
    (folder / "my_cues.py").write_text(CUES.replace(".lower()", ".lowre()"), encoding="utf-8")
    failed = json.loads(evaluate(folder).out)
    (folder / "my_cues.py").write_text(CUES, encoding="utf-8")
    refused = run("--resume", failed["run_id"], "--quiet", runs=folder / "runs")
    assert refused.code == 2 and "start it again with --cache all" in refused.err
    mended = run("--cache", "all", "--quiet", "--json", runs=folder / "runs")
    assert mended.code == 0, mended.err
    found = json.loads(mended.out)
    assert found["counts"]["scored"] == found["counts"]["planned"]
    assert found["usage"]["generation"]["calls"] == 0


def test_what_the_file_prints_is_no_part_of_the_result(folder: Path) -> None:
    (folder / "my_cues.py").write_text(f'print("loaded")\n{CUES}', encoding="utf-8")
    done = evaluate(folder)
    assert done.code == 0 and json.loads(done.out)["run_id"]
