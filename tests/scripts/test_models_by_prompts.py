"""Several models under several prompts in one pass: the order of calls, the table, the ranking, and what is refused."""

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from tests.scripts.commands import Finished, document, run, server
from tests.services.scripted_endpoint import Answer, Call, ScriptedEndpoint, refuse, say, scripted_endpoint

CHEAP, DEAR = "gpt-4.1-nano", "gpt-4.1"
"""In the price list: 10 tokens in and 5 out cost 0.000003 USD and 0.00006 USD."""
FEW = ("--limit", "12", "--quiet", "--no-judge", "--expectations", "rules")
LATE_S = 0.05
"""So much later come the replies of the dear model."""


def answering(call: Call) -> Answer:
    """The dear model says more, and says it later."""
    if call.body["model"] == DEAR:
        said = say("That sounds hard, and it makes sense that you feel it. What happened then?")
        return replace(said, delay_s=LATE_S)
    return say("Ok.")


def evaluate(endpoint: ScriptedEndpoint, runs: Path, *arguments: str) -> Finished:
    return run(*arguments, runs=runs, OPENAI_BASE_URL=endpoint.url)


def models(*names: str) -> list[str]:
    return [word for name in names for word in ("--model", name)]


def prompts(*names: str) -> list[str]:
    return [word for name in names for word in ("--prompt", name)]


def ranking(runs: Path) -> Path:
    (found,) = {path.resolve().parent for path in runs.glob("*/comparison.json")}
    return found


def test_every_model_under_every_prompt_is_one_run_and_one_line_of_the_ranking(tmp_path: Path) -> None:
    with scripted_endpoint(answering) as endpoint:
        done = evaluate(endpoint, tmp_path, *prompts("v2", "v3"), *models(CHEAP, DEAR), *FEW, "--concurrency", "1")
        asked = [call.body["model"] for call in endpoint.calls if call.method == "POST"]
    assert done.code == 0, done.err
    folder = ranking(tmp_path)
    found = document(folder, "comparison.json")
    assert found["kind"] == "ranking" and found["compared_by"] == ["prompt", "model"]
    names = {run["name"] for run in found["runs"]}
    assert names == {f"{prompt} on {model}" for prompt in ("v2", "v3") for model in (CHEAP, DEAR)}
    for each in found["runs"]:
        dear = each["model"] == DEAR
        assert each["replies"]["cost_usd"] == pytest.approx(6e-5 if dear else 3e-6)
        assert (each["replies"]["median_ms"] >= LATE_S * 1000) == dear
        assert each["replies"]["p95_ms"] >= each["replies"]["median_ms"]
    # Interleaved: the models take turns from the first cells on.
    assert {CHEAP, DEAR} == set(asked[:8])
    written = (folder / "comparison.md").read_text(encoding="utf-8")
    assert "| per 1,000 | half in | 95% in |" in " ".join(written.split())
    assert "$0.0600" in written and "$0.0030" in written
    assert "per 1,000" in (folder / "comparison.html").read_text(encoding="utf-8")


def test_two_models_under_one_prompt_are_compared_with_price_and_latency(tmp_path: Path) -> None:
    with scripted_endpoint(answering) as endpoint:
        done = evaluate(endpoint, tmp_path, *prompts("v3"), *models(CHEAP, DEAR), *FEW)
    assert done.code == 0, done.err
    folder = ranking(tmp_path)
    assert document(folder, "comparison.json")["compared_by"] == ["model"]
    written = " ".join((folder / "comparison.md").read_text(encoding="utf-8").split())
    assert f"model `{CHEAP}`: 1,000 replies cost $0.0030; half of them came within" in written
    assert f"model `{DEAR}`: 1,000 replies cost $0.0600" in written


def test_a_price_that_is_unknown_is_said_so(tmp_path: Path) -> None:
    with scripted_endpoint(answering) as endpoint:
        done = evaluate(endpoint, tmp_path, *prompts("v3"), *models("house-model", CHEAP), *FEW)
    assert done.code == 0, done.err
    written = " ".join((ranking(tmp_path) / "comparison.md").read_text(encoding="utf-8").split())
    assert "model house-model: 1,000 replies at a price that is unknown" in written


def test_the_pass_goes_on_where_it_was_interrupted_with_all_of_its_models(tmp_path: Path) -> None:
    broken = [True]

    def answer(call: Call) -> Answer:
        gone = broken[0] and call.number > 20
        return Answer(401, {"error": {"message": "the key was revoked"}}) if gone else answering(call)

    with scripted_endpoint(answer) as endpoint:
        arguments = (*prompts("v2", "v3"), *models(CHEAP, DEAR), *FEW, "--concurrency", "1")
        stopped = evaluate(endpoint, tmp_path, *arguments)
        before = len([call for call in endpoint.calls if call.method == "POST"])
        broken[0] = False
        resumed = evaluate(endpoint, tmp_path, "--resume", "last", "--quiet")
        after = len([call for call in endpoint.calls if call.method == "POST"])
    assert (stopped.code, resumed.code) == (2, 0), stopped.err + resumed.err
    with scripted_endpoint(answering) as endpoint:
        evaluate(endpoint, tmp_path / "whole", *arguments)
        whole = len([call for call in endpoint.calls if call.method == "POST"])
    assert after - before == whole - 20, "no answered call is repeated"
    assert len(document(ranking(tmp_path), "comparison.json")["runs"]) == 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*models("a", "b"), "--no-judge"), "the rehearsal model is the only one"),
        ((*models("a", "a"),), "--model a is given twice: two runs alike say nothing, use --repeats"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    done = run("--prompt", "v3", *arguments, runs=tmp_path)
    assert done.code == 2 and said in done.err.splitlines()[-1], done.err


def test_several_models_need_one_judge(tmp_path: Path) -> None:
    with scripted_endpoint(answering) as endpoint:
        done = evaluate(endpoint, tmp_path, "--prompt", "v3", *models(CHEAP, DEAR))
    assert done.code == 2 and "each would judge itself: name one for all with --judge-model" in done.err
    assert not [call for call in endpoint.calls if call.method == "POST"]


def test_other_commands_take_one_model_and_name_the_command_that_takes_several(tmp_path: Path) -> None:
    with server() as endpoint:
        arguments = ("--base", "v2", "--prompt", "v3", *models("a", "b"))
        done = run(*arguments, runs=tmp_path, module="scripts.compare_prompts", **endpoint.settings)
    assert done.code == 2
    assert (
        '--model is given 2 times: name one, or play several in one pass with make eval ARGS="--model a --model b"'
        in done.err
    )


def test_a_model_that_is_refused_is_named_with_the_command_for_the_others(tmp_path: Path) -> None:
    def refusing(call: Call) -> Answer:
        return refuse(401, "not for you") if call.body.get("model") == DEAR else answering(call)

    with scripted_endpoint(refusing) as endpoint:
        first = evaluate(endpoint, tmp_path, *prompts("v2", "v3"), *models(CHEAP, DEAR), *FEW, "--concurrency", "1")
        assert first.code == 2
        (line,) = (line for line in first.err.splitlines() if line.startswith(f"that was model {DEAR}"))
        words = shlex.split(line.partition('ARGS="')[2].rstrip('"'))
        assert [word for word in words if word in (CHEAP, DEAR)] == [CHEAP]
        answered = sum(call.method == "POST" and call.body["model"] == CHEAP for call in endpoint.calls)
        second = evaluate(endpoint, tmp_path, *words, "--quiet")
        asked = [call for call in endpoint.calls if call.method == "POST" and call.body["model"] == CHEAP]
    assert second.code == 0, second.err
    assert answered
    bodies = [json.dumps(call.body, sort_keys=True) for call in asked]
    assert len(bodies) == len(set(bodies)), "what was answered is not asked for again"
