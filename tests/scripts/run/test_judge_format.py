"""Endpoints that know nothing of structured outputs, and say so in their own ways: one form is found for the run."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.judging.judge import Judge
from evaluation.records import CallFailure, Verdict
from scripts.run.judge_format import find_judge_format
from scripts.run.plan import judge_pin
from services.model.endpoint import open_endpoint
from services.retrying import Retries
from tests.evaluation.judging.verdicts import exchange, judge_rubric, verdict
from tests.scripts.commands import document, lines, run
from tests.services.scripted_endpoint import Answer, Call, refuse, say, scripted_endpoint

FEW = ("--prompt", "v3", "--limit", "2", "--quiet", "--no-canaries")
SETTINGS = {"EVAL_MODEL": "companion", "EVAL_JUDGE_MODEL": "judge"}
LINE = "Score: 0.6 | Reasoning: warm, but it asks nothing"

Judging = Callable[[Any], Answer]


def answering(refusal: Answer, *kinds: str) -> Judging:
    """A judge that refuses these kinds of `response_format`, and answers the rest as asked."""

    def answer(asked: Any) -> Answer:
        kind = None if asked is None else asked["type"]
        return refusal if kind in kinds else say(LINE if kind is None else verdict(0.6))

    return answer


def always(answer: Answer) -> Judging:
    return lambda _asked: answer


BOTH = ("json_schema", "json_object")
CASES: dict[str, tuple[Judging, str]] = {
    "accepts a schema": (answering(refuse(400)), "schema"),
    "names the schema": (answering(refuse(400, "json_schema is not supported by this model"), "json_schema"), "json"),
    "names the parameter": (answering(refuse(422, "bad", param="response_format"), *BOTH), "text"),
    "speaks of a grammar": (answering(refuse(400, "failed to parse grammar"), "json_schema"), "json"),
    "has no such feature": (answering(refuse(501, "not implemented"), *BOTH), "text"),
    "answers with a page": (
        answering(Answer(400, "<html>Bad Request</html>", content_type="text/html"), *BOTH),
        "text",
    ),
    "answers with nothing": (answering(Answer(422, b""), *BOTH), "text"),
    "answers with a list": (answering(Answer(400, [{"detail": [{"msg": "extra fields"}]}]), "json_schema"), "json"),
    "answers with a tool call": (
        answering(
            say(None, "tool_calls", tool_calls=[{"function": {"name": "verdict", "arguments": verdict(0.6)}}]), *BOTH
        ),
        "text",
    ),
    "passes over the format": (always(say(LINE)), "text"),
    "wraps its object in talk": (always(say(f"Here you are:\n{verdict(0.9)}\n{LINE}")), "text"),
    "refuses to judge in JSON": (answering(say(None, refusal="I cannot rate people."), *BOTH), "text"),
    "gives a list of parts": (always(say([{"type": "text", "text": verdict(0.6)}])), "schema"),
    "thinks aloud first": (always(say(f"<think>\nIs {verdict(1.0)} fair?\n</think>\n\n{verdict(0.6)}")), "schema"),
}


def script(judging: Judging) -> Callable[[Call], Answer]:
    def answer(call: Call) -> Answer:
        return judging(call.body.get("response_format")) if call.body["model"] == "judge" else say("I hear you.")

    return answer


async def no_wait(_seconds: float) -> None:
    return None


async def found_and_judged(url: str) -> tuple[str, Verdict | CallFailure]:
    """The form that is found for the endpoint's judge, and its verdict in that form."""
    async with open_endpoint(base_url=url, retries=Retries(sleep=no_wait)) as endpoint:
        form = await find_judge_format("auto", "judge", judge_rubric(), endpoint)
        judge = Judge(judge_pin("judge", endpoint.identity, form, 1), judge_rubric(), seed=0)
        return form, await judge.judge(exchange("Hi", "I hear you."), endpoint.complete)


@pytest.mark.parametrize(("judging", "form"), CASES.values(), ids=CASES.keys())
def test_one_form_is_found_and_read(judging: Judging, form: str) -> None:
    with scripted_endpoint(script(judging)) as server:
        found, judged = asyncio.run(found_and_judged(server.url))
    assert found == form
    assert isinstance(judged, Verdict)
    assert judged.scores["overall_quality"] == 0.6


def test_a_refusal_in_other_words_is_remembered(tmp_path: Path) -> None:
    with scripted_endpoint(script(answering(refuse(400, "failed to parse grammar"), "json_schema"))) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, **SETTINGS}
        asked = []
        for _ in range(2):
            before = len(endpoint.calls)
            done = run(*FEW, "--cache", "none", runs=tmp_path, **settings)
            assert done.code == 0, done.err
            folder = (tmp_path / "latest").resolve()
            assert document(folder, "manifest.json")["spec"]["judge"]["format"] == "json"
            assert {line["scores"]["judge"]["overall_quality"] for line in lines(folder)} == {0.6}
            assert document(folder, "summary.json")["fallbacks"]["count"] == 0
            asked.append(len(endpoint.calls) - before)
    assert asked[0] - asked[1] == 2, "one question refused, one answered; the second run asks neither"


def test_a_judge_that_answers_nothing_in_any_form_is_reported_before_anything_is_generated(tmp_path: Path) -> None:
    with scripted_endpoint(script(always(refuse(400, "this model is for embeddings")))) as endpoint:
        done = run(*FEW, runs=tmp_path, OPENAI_BASE_URL=endpoint.url, **SETTINGS)
        assert {call.body["model"] for call in endpoint.calls} == {"judge"}
    assert done.code == 2
    assert "this model is for embeddings" in done.err
    assert done.err.count("\n") == 1
