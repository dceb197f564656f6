"""What an endpoint says of the tokens of an answer, and an endpoint that says nothing of them."""

import json
import math
from typing import Any

import pytest

from evaluation.errors import EndpointRefused
from evaluation.records import NumberToken, Reply
from services.model.alternatives import MOST_KEPT, read_numbers
from tests.services.model.test_endpoint import ask, request
from tests.services.scripted_endpoint import Answer, Call, refuse, say

ASKED: dict[str, Any] = {"logprobs": True, "top_logprobs": 20}


def said(token: str, odds: dict[str, float] | None = None, **changes: Any) -> dict[str, Any]:
    listed = [{"token": each, "logprob": math.log(p) if p else -math.inf} for each, p in (odds or {}).items()]
    return {"token": token, "logprob": -0.1, "top_logprobs": listed, **changes}


def numbers(text: str, *tokens: dict[str, Any]) -> tuple[NumberToken, ...]:
    return read_numbers({"logprobs": {"content": list(tokens)}}, text)


def test_the_numbers_are_kept_with_their_place_and_nothing_else_is() -> None:
    seven = said(" 7", {" 7": 0.5, "7": 0.25, "8": 0.2, "x": 0.05})
    found = numbers('{"a": 7, "b"', said('{"a":'), seven, said(', "b"'))
    assert found == (NumberToken(6, "7", {"7": 0.75, "8": 0.2}),)


def test_places_are_counted_in_characters_though_tokens_are_bytes() -> None:
    first, second = [list(part) for part in ("é".encode()[:1], "é".encode()[1:])]
    tokens = [said("\ufffd", bytes=first), said("\ufffd", bytes=second), said("9", {"9": 1.0})]
    assert numbers("é9", *tokens) == (NumberToken(1, "9", {"9": 1.0}),)


def test_an_end_token_after_the_text_does_no_harm() -> None:
    assert numbers("9", said("9", {"9": 1.0}), said("<|end|>")) == (NumberToken(0, "9", {"9": 1.0}),)


@pytest.mark.parametrize(
    "choice",
    [
        {},
        {"logprobs": None},
        {"logprobs": {"content": None}},
        {"logprobs": {"content": ["9"]}},
        {"logprobs": {"content": [said("8", {"8": 1.0})]}},
        {"logprobs": {"content": [said("9")]}},
        {"logprobs": {"content": [said("9", bytes=[999], top_logprobs="9")]}},
        {"logprobs": {"content": [said("9", top_logprobs=[{"token": 9, "logprob": "x"}])]}},
    ],
)
def test_what_names_no_alternatives_of_this_text_names_none(choice: dict[str, Any]) -> None:
    assert read_numbers(choice, "9") == ()


def test_strange_probabilities_are_none_and_there_is_an_end() -> None:
    strange = [{"token": "9", "logprob": value} for value in (math.nan, "x", True, None)]
    assert numbers("9", said("9", top_logprobs=strange)) == (NumberToken(0, "9", {"9": 0.0}),)
    assert len(numbers("9" * 500, *[said("9", {"9": 1.0})] * 500)) == MOST_KEPT


REFUSALS = [
    (400, "Logprobs is not enabled for models/small"),
    (403, "You are not allowed to request logprobs from this model"),
    (400, "5 is greater than the maximum of 1 - 'logprobs'"),
    (422, "Cannot request more than 5 logprobs"),
]


@pytest.mark.parametrize(("status", "message"), REFUSALS)
def test_an_endpoint_that_refuses_them_is_asked_without(status: int, message: str) -> None:
    learned: list[str] = []

    def script(call: Call) -> Answer:
        return refuse(status, message) if "logprobs" in call.body else say("fine")

    outcome, calls = ask(script, request(**ASKED), on_trait=lambda _model, trait: learned.append(trait))
    assert isinstance(outcome, Reply) and len(calls) == 2
    assert learned == ["without_logprobs"] and outcome.parameters == {}


def test_another_refusal_is_no_such_trait() -> None:
    with pytest.raises(EndpointRefused, match="refused the key"):
        ask(lambda _call: refuse(403, "no"), request(**ASKED))


def test_a_reply_carries_them() -> None:
    body = say("7").body
    body["choices"][0]["logprobs"] = {"content": [said("7", {"7": 0.5, "6": 0.5})]}
    outcome, _ = ask([Answer(body=json.loads(json.dumps(body)))], request(**ASKED))
    assert isinstance(outcome, Reply) and outcome.numbers == (NumberToken(0, "7", {"7": 0.5, "6": 0.5}),)
