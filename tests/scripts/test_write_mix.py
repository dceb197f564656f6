"""A mix from a sample of production's files, from outside: written, read by a run, and what is refused."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.scripts.commands import Finished, document, run

SAMPLE = "20261128T080000Z-production-penpal-abc123"
WANTED = {
    "since": "2026-11-16T00:00:00.000Z",
    "until": "2026-11-30T00:00:00.000Z",
    "prompt_name": "penpal",
    "prompt_version": 3,
    "environments": ["production"],
    "tag": "",
    "user_id": "",
    "session_id": "",
}
MESSAGES = (
    "what is the weather like",
    "hello how are you doing today",
    "convert this invoice to XML",
    "I am so angry, my best friend forgot my birthday again",
)


def sample(runs: Path, messages: Sequence[str] = MESSAGES, **manifest: Any) -> None:
    """The files of a sample, as `score-traces` leaves them: three turns a user, every other of twice the weight."""
    folder = runs / SAMPLE
    folder.mkdir()
    said = {"kind": "production", "suite": "companion", "wanted": WANTED, **manifest}
    (folder / "manifest.json").write_text(json.dumps(said), encoding="utf-8")
    lines = [
        {
            "state": "scored",
            "stratum": "v3",
            "weight": 2.0 if at % 2 else 1.0,
            "user_input": message,
            "cluster": f"user-{at // 3}",
            "trace_id": f"t{at}",
            "session_id": None,
        }
        for at, message in enumerate(messages)
    ]
    lines += [{**line, "state": "skipped"} for line in lines[:1]]
    (folder / "results.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


def write(runs: Path, *arguments: str) -> Finished:
    return run(*arguments, "--file", str(runs / "mix.yaml"), runs=runs, module="scripts.write_mix")


@pytest.mark.slow
def test_the_newest_sample_becomes_a_mix_that_is_never_written_over_by_itself(tmp_path: Path) -> None:
    sample(tmp_path)
    done = write(tmp_path, "last")
    assert (done.code, done.err) == (0, "")
    assert "17% of what users say is like no scenario" in done.out
    assert "convert this invoice to XML" in done.out
    text = (tmp_path / "mix.yaml").read_text(encoding="utf-8")
    assert "uncovered: {share: 0.1667" in text and f'sample: "{SAMPLE}"' in text and "what: " in text
    assert "weather-question: {share: 0.1667, responses: 1}" in text
    again = write(tmp_path, "last")
    assert again.code == 2 and "--force writes over it" in again.err
    as_json = write(tmp_path, SAMPLE, "--force", "--json")
    assert json.loads(as_json.out)["uncovered"] == pytest.approx(1 / 6)


@pytest.mark.slow
def test_the_run_that_judged_a_sample_and_a_sample_that_is_not_finished_are_not_the_newest(tmp_path: Path) -> None:
    sample(tmp_path, [*MESSAGES, *MESSAGES])
    judged = tmp_path / SAMPLE.replace("-abc123", "-judged-abc123")
    unfinished = tmp_path / SAMPLE.replace("0800", "0900")
    for folder, manifest in ((judged, {"run_id": judged.name}), (unfinished, {"kind": "production"})):
        folder.mkdir()
        (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    (judged / "results.jsonl").write_text("{}\n", encoding="utf-8")
    done = write(tmp_path, "last")
    assert (done.code, done.err) == (0, "")
    assert done.out.count("convert this invoice to XML") == 1, "a message is shown once"
    out = ("--json", "--output", str(tmp_path / "d" / "a.yaml"))
    harvested = run("--uncovered", "2", *out, runs=tmp_path, module="scripts.harvest_traces")
    assert harvested.code == 0, harvested.err
    assert json.loads(harvested.out)["source"].endswith(SAMPLE)


@pytest.mark.parametrize(
    ("asked", "said"),
    [("last", "is no sample of production yet"), ("x", "is no sample of production (there is no such file)")],
)
def test_without_a_sample_one_is_to_be_drawn(tmp_path: Path, asked: str, said: str) -> None:
    done = write(tmp_path, asked)
    assert done.code == 2 and said in done.err and "make score-traces" in done.err and done.err.count("\n") == 1


def test_what_is_no_sample_of_scored_responses_is_refused_in_one_line(tmp_path: Path) -> None:
    sample(tmp_path, [])
    assert "no line is a scored response" in write(tmp_path, SAMPLE).err
    (tmp_path / SAMPLE / "results.jsonl").write_text('{"state": "scored"}\n', encoding="utf-8")
    done = write(tmp_path, SAMPLE)
    assert done.code == 2 and "results.jsonl:1: is no line of a sample" in done.err and done.err.count("\n") == 1


CATEGORIES = (
    "small_talk",
    "emotional_support",
    "trust_building",
    "basic_conversations",
    "continuity",
    "age_demographic",
)
PLAYED = ("--limit", "48", "--no-judge", "--no-langfuse", "--quiet")


def mix_file(folder: Path, name: str, *, uncovered: float = 0.0, **shares: float) -> str:
    path = folder / name
    categories = ", ".join(f"{each}: {{share: {shares.get(each, 0.1)}}}" for each in CATEGORIES)
    path.write_text(
        f"mix_of: companion\nuncovered: {{share: {uncovered}}}\ncategories: {{{categories}}}\n", encoding="utf-8"
    )
    return str(path)


@pytest.mark.slow
def test_a_run_and_its_comparison_stand_for_set_and_mix(tmp_path: Path) -> None:
    path = mix_file(tmp_path, "mix.yaml", uncovered=0.2, trust_building=0.3)
    done = run("--prompt", "v3", *PLAYED, "--mix", path, runs=tmp_path)
    assert done.code == 0 and "the mix of your users: " in done.out
    latest = (tmp_path / "latest").resolve()
    decision, summary = document(latest, "decision.json"), document(latest, "summary.json")
    assert decision["mix"]["verdict"] in ("deploy", "ab_test", "needs_revision", "none")
    assert summary["mix"]["uncovered"] == pytest.approx(0.2 / 1.0)
    assert summary["mix"]["weights"]["by"] == "category"
    assert "weights" not in summary
    assert decision["overall"]["mean"] != decision["mix"]["overall"]["mean"]

    shown = run("show", "last", "--json", "--mix", "none", runs=tmp_path, module="scripts.manage_runs")
    plain = json.loads(shown.out)
    assert "mix" not in plain["decision_document"]
    assert plain["decision_document"]["overall"] == decision["overall"]
    uneven = mix_file(tmp_path, "uneven.yaml", trust_building=90.0)
    refused = run("show", "last", "--mix", uneven, runs=tmp_path, module="scripts.manage_runs")
    assert "nothing is said: the mix is too uneven" in " ".join(refused.out.split())

    compared = run(
        "--base", "v1", "--prompt", latest.name, *PLAYED, "--mix", path, runs=tmp_path, module="scripts.compare_prompts"
    )
    assert compared.code == 0, compared.err
    said = document(latest, "comparison.json")["mix"]
    assert said["verdict"] == document(latest, "comparison.json")["verdict"] == "better"
    assert '<section id="mix"' in (latest / "comparison.html").read_text(encoding="utf-8")


def test_a_wrong_mix_is_named_before_anything_is_paid(tmp_path: Path) -> None:
    path = tmp_path / "mix.yaml"
    path.write_text("mix_of: companion\ncategories: {a: {share: none}}\n", encoding="utf-8")
    done = run("--prompt", "v3", *PLAYED, "--mix", str(path), "--dry-run", runs=tmp_path)
    assert done.code == 2 and done.err.startswith(f"error: {path}:2: categories.a.share: ")
    path.write_text("mix_of: other\ncategories: {a: {share: 1}}\n", encoding="utf-8")
    done = run("--prompt", "v3", *PLAYED, "--mix", str(path), "--dry-run", runs=tmp_path)
    assert done.code == 2 and "is of suite 'other', and the run is of 'companion'" in done.err
