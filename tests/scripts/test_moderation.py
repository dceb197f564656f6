"""A run whose responses are moderated too, from the outside."""

from pathlib import Path

import pytest

from tests.scripts.commands import document, lines, only_run, run, server
from tests.services.scripted_endpoint import Answer, Call, refuse, say, scripted_endpoint

MODERATED = ("--prompt", "v3", "--no-judge", "--quiet", "--moderation", "rehearsal-moderation")
SCENARIOS = """
category: small_talk
scenarios:
  - id: named-in-the-answer
    turns: ["What is a murder of crows?", "And why is it called so?"]
    note: The first reply names its subject, a word that the stand-in's list takes for violence.
  - {id: plain, turns: ["How was your weekend?"], note: Anything kind.}
"""


def test_each_response_is_moderated_and_flags_reach_line_score_and_explanation(tmp_path: Path) -> None:
    scenarios = tmp_path / "own.yaml"
    scenarios.write_text(SCENARIOS)
    with server() as endpoint:
        arguments = (*MODERATED, "--scenarios", str(scenarios), "--repeats", "4")
        done = run(*arguments, runs=tmp_path / "runs", **endpoint.settings)
        counts = endpoint.stats()["by_purpose"]
    assert done.code == 0, done.err
    assert counts == {"generation": {"200": 12}, "moderation": {"200": 12}}
    written = lines(only_run(tmp_path / "runs"))
    flagged = [line for line in written if line["moderation"]]
    assert flagged, [line["response"] for line in written]
    for line in written:
        assert line["moderation"] == (["violence"] if "murder" in line["response"] else [])
        named = "(moderation: violence)" in line["explanations"]["appropriateness"]
        assert named == bool(line["moderation"])
    assert document(only_run(tmp_path / "runs"), "manifest.json")["spec"]["moderation"] == "rehearsal-moderation"


def test_the_setting_turns_it_on_for_the_embedded_model_too(tmp_path: Path) -> None:
    done = run("--prompt", "v3", "--limit", "3", runs=tmp_path, EVAL_MODERATION_MODEL="omni-moderation-latest")
    assert done.code == 0, done.err
    assert "moderation: each response goes to rehearsal-moderation" in done.err
    assert all(line["moderation"] == [] for line in lines(only_run(tmp_path)))


def test_without_it_nothing_is_moderated(tmp_path: Path) -> None:
    with server() as endpoint:
        assert run("--prompt", "v3", "--limit", "3", "--quiet", runs=tmp_path, **endpoint.settings).code == 0
        assert "moderation" not in endpoint.stats()["by_purpose"]
    assert document(only_run(tmp_path), "manifest.json")["spec"]["moderation"] is None


def test_what_failed_is_asked_again_on_resume_and_what_was_answered_is_not(tmp_path: Path) -> None:
    too_long = refuse(400, "too long", code="string_above_max_length")
    clean = Answer(body={"results": [{"flagged": False, "categories": {"hate": False}, "category_scores": {}}]})
    healed = False

    def script(call: Call) -> Answer:
        if call.path.endswith("/moderations"):
            return clean if healed or "movie" not in call.body["input"] else too_long
        return say(f"You said: {call.body['messages'][-1]['content']}")

    def moderations() -> list[str]:
        return [call.body["input"] for call in endpoint.calls if call.path.endswith("/moderations")]

    with scripted_endpoint(script) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_MODEL": "m", "EVAL_MODERATION_MODEL": "omni"}
        first = run("--prompt", "v3", "--no-judge", "--quiet", "--category", "small_talk", runs=tmp_path, **settings)
        failed = [line for line in lines(only_run(tmp_path)) if line["state"] == "failed"]
        asked = moderations()
        healed = True
        resumed = run("--resume", "last", "--quiet", runs=tmp_path, **settings)
    assert (first.code, resumed.code) == (3, 0), first.err + resumed.err
    assert failed
    assert all(line["error"]["stage"] == "moderation" and "movie" in line["response"] for line in failed)
    again = moderations()[len(asked) :]
    assert sorted(again) == sorted(line["response"] for line in failed)
    assert len(endpoint.calls) - len(moderations()) == len(set(asked)) == len(lines(only_run(tmp_path)))
    assert {line["state"] for line in lines(only_run(tmp_path))} == {"scored"}


def test_an_endpoint_that_does_not_moderate_is_reported_in_one_line(tmp_path: Path) -> None:
    with server() as endpoint:
        done = run("--prompt", "v3", "--quiet", "--moderation", "nope", runs=tmp_path, **endpoint.settings)
    assert done.code == 2
    [complaint] = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert "'nope'" in complaint
    assert "EVAL_MODERATION_MODEL" in complaint


@pytest.mark.parametrize(("more", "counted"), [(MODERATED[3:], True), ((), False)])
def test_a_dry_run_counts_the_moderations(tmp_path: Path, more: tuple[str, ...], counted: bool) -> None:
    done = run("--prompt", "v3", "--limit", "5", "--dry-run", *more, runs=tmp_path)
    assert done.code == 0, done.err
    exchanges = done.out.split("exchanges", 1)[1].split()[0]
    assert (f", {exchanges} to moderate (free)" in done.out) == counted
