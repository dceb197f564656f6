"""Runs whose responses are measured by vectors too, from the outside."""

import csv
import os
import signal
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evaluation.metrics.meaning.measures import MEASURES
from services.rehearsal.options import RehearsalOptions
from tests.evaluation.metrics.meaning.test_measures import WEIGHTED
from tests.scripts.commands import document, lines, only_run, run, server, started
from tests.services.scripted_endpoint import Answer, Call, refuse, say, scripted_endpoint
from tests.services.test_embeddings import embedding

EMBEDDED = ("--no-judge", "--quiet", "--embedding-model", "rehearsal-embedding")
STAND_IN = "rehearsal-embedding, a stand-in that compares words and no meaning"
SCENARIOS = """
category: small_talk
scenarios:
  - id: rain
    turns: ["What should I pack for a rainy weekend in Ghent?", "And what if it turns cold?"]
    data: {key_points: ["Pack a rain jacket.", "Take a warm sweater."]}
  - {id: plain, turns: ["How was your weekend?"]}
"""


def measured(line: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = line["scores"]["measure"]
    return {name: found[name] for name in MEASURES}


@pytest.fixture
def own(tmp_path: Path) -> str:
    path = tmp_path / "own.yaml"
    path.write_text(SCENARIOS)
    return str(path)


def runs_of(tmp_path: Path) -> Path:
    return tmp_path / "runs"


def test_both_suites_are_measured_and_every_output_says_by_what(tmp_path: Path, own: str) -> None:
    for place, asked in enumerate(
        (("--prompt", "v3", "--scenarios", own), ("--suite", "text_quality", "--limit", "2"))
    ):
        runs = tmp_path / str(place)
        done = run(*asked, *EMBEDDED, runs=runs)
        assert done.code == 0, done.err
        folder = only_run(runs)
        spec, summary = document(folder, "manifest.json")["spec"], document(folder, "summary.json")
        assert (spec["embedding"]["model"], spec["embedding"]["weighed"]) == ("rehearsal-embedding", False)
        assert list(summary["measures"])[-len(MEASURES) :] == list(MEASURES)
        assert summary["measures"]["prompt_relevance"]["n"] == summary["counts"]["scored"]
        assert summary["usage"]["embedding"]["calls"] > summary["counts"]["scored"], "texts, each once"
        for name in ("summary.md", "report.html"):
            assert STAND_IN in (folder / name).read_text(encoding="utf-8"), name
        table = tmp_path / "out.csv"
        assert run("export", "last", "--csv", str(table), runs=runs, module="scripts.manage_runs").code == 0
        with table.open(encoding="utf-8", newline="") as file:
            assert all(float(row["measure.prompt_relevance"]) <= 1 for row in csv.DictReader(file))
        for line in lines(folder):
            for name, value in measured(line).items():
                assert (value is None) != line["explanations"][name].endswith(f", by {STAND_IN}"), name


def test_a_conversation_is_measured_turn_by_turn_and_its_key_points_at_the_end(tmp_path: Path, own: str) -> None:
    done = run("--prompt", "v3", "--scenarios", own, *EMBEDDED, runs=runs_of(tmp_path))
    assert done.code == 0, done.err
    by_place = {(line["scenario_id"], line["turn"]): measured(line) for line in lines(only_run(runs_of(tmp_path)))}
    later = ("conversation_drift", "near_repetition", "key_point_coverage")
    assert [by_place["rain", 1][name] for name in later] == [None, None, None]
    assert all(isinstance(by_place["rain", 2][name], float) for name in later)
    assert by_place["plain", 1]["key_point_coverage"] is None
    assert -1 <= by_place["rain", 2]["key_point_coverage"] <= 1


def test_scores_keep_their_digits_and_without_a_model_nothing_is_asked_or_said(tmp_path: Path, own: str) -> None:
    with server() as endpoint:
        common = ("--prompt", "v3", "--scenarios", own, "--no-judge", "--quiet")
        plain = run(*common, runs=tmp_path / "plain", **endpoint.settings)
        assert "embedding" not in endpoint.stats()["by_purpose"]
        setting = {"EVAL_EMBEDDING_MODEL": "rehearsal-embedding"}
        asked = run(*common, runs=tmp_path / "asked", **endpoint.settings, **setting)
        calls = endpoint.stats()["by_purpose"]["embedding"]
    assert (plain.code, asked.code, calls) == (0, 0, {"200": 3}), plain.err + asked.err
    first, second = (only_run(tmp_path / name) for name in ("plain", "asked"))
    assert [line["scores"]["heuristic"] for line in lines(first)] == [
        line["scores"]["heuristic"] for line in lines(second)
    ]
    assert document(first, "summary.json")["measures"] == {}
    assert document(first, "manifest.json")["spec"]["embedding"] is None
    digests = [document(folder, "manifest.json")["digests"] for folder in (first, second)]
    assert digests[0] == digests[1], "for information: both compare with what was measured without it"


def test_a_second_run_pays_for_no_text_that_an_earlier_one_embedded(tmp_path: Path, own: str) -> None:
    with server() as endpoint:
        asked = ("--prompt", "v3", "--scenarios", own, *EMBEDDED)
        for more, calls in (((), 3), (("--seed", "0"), 3), (("--cache", "none"), 6)):
            assert run(*asked, *more, runs=runs_of(tmp_path), **endpoint.settings).code == 0
            assert endpoint.stats()["by_purpose"]["embedding"] == {"200": calls}, more


def test_a_stored_run_is_measured_afterwards_and_scored_again_without_a_call(tmp_path: Path, own: str) -> None:
    with server() as endpoint:
        runs, settings = runs_of(tmp_path), endpoint.settings
        assert run("--prompt", "v3", "--scenarios", own, "--no-judge", "--quiet", runs=runs, **settings).code == 0
        counts = []
        for _ in range(2):
            again = run("last", *EMBEDDED[:1], *EMBEDDED[2:], runs=runs, module="scripts.rescore_run", **settings)
            assert again.code == 0, again.err
            counts.append(endpoint.stats()["by_purpose"])
    assert counts[0]["generation"] == counts[1]["generation"] == {"200": 3}
    assert counts[0]["embedding"] == counts[1]["embedding"] == {"200": 3}, "the second takes the vectors of the first"
    newest = (runs / "latest").resolve()
    assert all(measured(line)["prompt_relevance"] is not None for line in lines(newest))


def test_what_was_answered_is_not_asked_again_after_the_endpoint_refused(tmp_path: Path, own: str) -> None:
    healed = threading.Event()

    def script(call: Call) -> Answer:
        if not call.path.endswith("/embeddings"):
            return say(f"You said: {call.body['messages'][-1]['content']}")
        hit = not healed.is_set() and any("cold" in text for text in call.body["input"])
        return refuse(404, "Not Found") if hit else embedding(call)

    with scripted_endpoint(script) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_MODEL": "m", "EVAL_EMBEDDING_MODEL": "vectors"}
        asked = ("--prompt", "v3", "--scenarios", own, "--no-judge", "--quiet", "--concurrency", "1")
        first = run(*asked, runs=runs_of(tmp_path), **settings)
        before = [call for call in endpoint.calls if call.path.endswith("/embeddings")]
        healed.set()
        resumed = run("--resume", "last", "--quiet", runs=runs_of(tmp_path), **settings)
    assert (first.code, resumed.code) == (2, 0), first.err + resumed.err
    assert "refused POST /embeddings" in first.err
    refused, *_ = [call.body["input"] for call in before if any("cold" in text for text in call.body["input"])]
    texts = Counter(text for call in endpoint.calls for text in call.body.get("input", ()))
    assert {text: count for text, count in texts.items() if count > 1} == dict.fromkeys(refused, 2)
    said = [str(call.body["messages"]) for call in endpoint.calls if "messages" in call.body]
    assert len(said) == len(set(said)) == 3
    assert {line["state"] for line in lines(only_run(runs_of(tmp_path)))} == {"scored"}


def test_a_text_that_is_not_taken_leaves_a_scored_response_without_measures(tmp_path: Path, own: str) -> None:
    too_long = refuse(400, "input is too large", code="string_above_max_length")

    def script(call: Call) -> Answer:
        if not call.path.endswith("/embeddings"):
            return say("An answer of some words. And a second sentence.")
        return too_long if any("cold" in text for text in call.body["input"]) else embedding(call)

    with scripted_endpoint(script) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_MODEL": "m", "EVAL_EMBEDDING_MODEL": "vectors"}
        asked = ("--prompt", "v3", "--scenarios", own, "--no-judge", "--quiet")
        done = run(*asked, runs=runs_of(tmp_path), **settings)
    assert done.code == 0, done.err
    [line] = [line for line in lines(only_run(runs_of(tmp_path))) if line["turn"] == 2]
    assert set(measured(line).values()) == {None}
    assert line["explanations"]["near_repetition"] == "vectors takes no such text: HTTP 400: input is too large"
    assert line["scores"]["heuristic"]["overall_quality"] is not None


def test_a_model_that_does_not_exist_is_named_in_one_line_with_its_setting(tmp_path: Path, own: str) -> None:
    with server() as endpoint:
        settings = {**endpoint.settings, "EVAL_EMBEDDING_MODEL": "nope"}
        done = run("--prompt", "v3", "--scenarios", own, "--no-judge", "--quiet", runs=runs_of(tmp_path), **settings)
    assert done.code == 2
    [complaint] = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert "'nope'" in complaint
    assert "EVAL_EMBEDDING_MODEL" in complaint


def test_vectors_come_from_a_further_endpoint_where_the_model_is_named_at_one(tmp_path: Path, own: str) -> None:
    with server() as vectors, scripted_endpoint(lambda _call: say("An answer.")) as endpoint:
        usual = {"OPENAI_BASE_URL": endpoint.url, "EVAL_MODEL": "m"}
        further = {"EVAL_ENDPOINT_HOUSE_URL": vectors.base_url, "EVAL_EMBEDDING_MODEL": "rehearsal-embedding@house"}
        asked = ("--prompt", "v3", "--scenarios", own, "--no-judge", "--quiet")
        done = run(*asked, runs=runs_of(tmp_path), **usual, **further)
        gone = run("--resume", "last", "--quiet", runs=runs_of(tmp_path), **usual)
        assert vectors.stats()["by_purpose"] == {"embedding": {"200": 3}}
    assert done.code == 0, done.err
    assert {call.path for call in endpoint.calls} == {"/v1/chat/completions"}
    assert gone.code == 2, "the run was planned at an endpoint that the settings no longer name"
    assert "a model was asked at" in gone.err
    assert "no endpoint of the settings has that address" in gone.err


def test_runs_that_weigh_other_vectors_are_told_apart_and_a_rubric_without_them_says_so(tmp_path: Path) -> None:
    rubric, runs = tmp_path / "own.yaml", runs_of(tmp_path)
    rubric.write_text(WEIGHTED)
    asked = ("--suite", "text_quality", "--limit", "2", "--rubric", str(rubric))
    plain = run(*asked, "--verbose", runs=runs)
    weighed = run(*asked, *EMBEDDED[1:], runs=runs)
    assert (plain.code, weighed.code) == (0, 0), plain.err + weighed.err
    assert "relevance has no value: no model of embeddings was asked: set EVAL_EMBEDDING_MODEL" in _flat(plain.out)
    assert "meaning: not measured, so that relevance has no value" in plain.err
    names = sorted(path.name for path in runs.iterdir() if path.is_dir() and not path.is_symlink())
    shown = run("diff", *names, runs=runs, module="scripts.manage_runs")
    assert (shown.code, shown.out.splitlines()[0]) == (0, "embedding"), shown.err
    compared = run("--base", names[0], "--prompt", names[1], runs=runs, module="scripts.compare_prompts")
    assert compared.code == 2
    assert "embedding" in compared.err
    assert "(not set)" in compared.err
    forced = ("--base", names[0], "--prompt", names[1], "--by", "embedding")
    assert run(*forced, "--suite", "text_quality", runs=runs, module="scripts.compare_prompts").code == 0


def _flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("more", [EMBEDDED[2:], ()])
def test_a_dry_run_counts_the_calls_and_prices_them(tmp_path: Path, own: str, more: tuple[str, ...]) -> None:
    settings = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "EVAL_MODEL": "gpt-5-mini"}
    named = ("--embedding-model", "text-embedding-3-small") if more else ()
    asked = ("--prompt", "v3", "--scenarios", own, "--no-judge", "--dry-run")
    done = run(*asked, *named, runs=runs_of(tmp_path), **settings)
    assert done.code == 0, done.err
    assert ("3 to embed" in done.out) == bool(more)
    plain = run(*asked, runs=runs_of(tmp_path), **settings)
    price, of_plain = (float(each.out.split("price ")[1].split()[0]) for each in (done, plain))
    assert (price >= of_plain) if more else (price == of_plain)


def test_key_points_that_are_no_texts_are_refused_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    for given, said in (
        ("umbrella", "key_points is 'umbrella'"),
        ("[]", "key_points is an empty list"),
        ("[a, 3]", "key point 2 is 3"),
    ):
        path.write_text(
            f"category: small_talk\nscenarios:\n  - id: a\n    turns: [Hi]\n    data: {{key_points: {given}}}\n"
        )
        done = run("--prompt", "v3", "--scenarios", str(path), "--quiet", runs=runs_of(tmp_path))
        assert done.code == 2
        assert f"own.yaml:5: scenario 'a': {said}" in done.err, done.err
        assert "give a list of texts" in done.err


def test_the_checkup_asks_for_one_vector(tmp_path: Path) -> None:
    def doctor(*flags: str, **settings: str) -> str:
        done = run(*flags, "--timeout", "2", runs=runs_of(tmp_path), module="scripts.doctor", **settings)
        return " ".join(done.out.split())

    with server(RehearsalOptions(any_model=True)) as endpoint:
        usual = {**endpoint.settings, "EVAL_EMBEDDING_MODEL": "text-embedding-3-small"}
        assert "ok embeddings text-embedding-3-small gives vectors of 256 numbers" in doctor(**usual)
        assert endpoint.stats()["by_purpose"]["embedding"] == {"200": 1}
        assert "ok embeddings text-embedding-3-small gives vectors of 16" in doctor(
            **usual, EVAL_EMBEDDING_DIMENSIONS="16"
        )
        assert "not checked embeddings" in doctor("--no-calls", **usual)
    with server() as endpoint:
        wrong = doctor(**endpoint.settings, EVAL_EMBEDDING_MODEL="nope")
        assert "wrong embeddings" in wrong
        assert "EVAL_EMBEDDING_MODEL" in wrong
    assert "embeddings rehearsal-embedding stands in" in doctor(EVAL_EMBEDDING_MODEL="any")
    assert "embeddings" not in doctor()


@pytest.mark.slow
def test_a_killed_run_goes_on_without_paying_for_a_kept_text_again(tmp_path: Path) -> None:
    enough = threading.Event()
    answered: Counter[str] = Counter()

    def script(call: Call) -> Answer:
        if not call.path.endswith("/embeddings"):
            return say(f"Answer {call.number}. It stands alone.")
        if sum(answered.values()) > 30:
            enough.set()
        answered.update(call.body["input"])
        return embedding(call)

    with scripted_endpoint(script) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_MODEL": "m", "EVAL_EMBEDDING_MODEL": "vectors"}
        asked = ("--prompt", "v3", "--no-judge", "--quiet", "--limit", "20", "--concurrency", "2")
        with started(*asked, runs=runs_of(tmp_path), **settings) as process:
            assert enough.wait(30)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        resumed = run("--resume", "last", "--quiet", runs=runs_of(tmp_path), **settings)
    assert resumed.code == 0, resumed.err
    twice = [text for text, count in answered.items() if count > 1]
    # Of each of the three open cells at most the texts of one call: in flight when it died, or on the way to the disk.
    assert len(twice) <= 24, twice
    assert len(answered) > 70
    assert {line["state"] for line in lines(only_run(runs_of(tmp_path)))} == {"scored"}
