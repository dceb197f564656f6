"""POST /v1/moderations of the rehearsal server, through the real openai client and as plain HTTP."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from services.rehearsal.options import RehearsalOptions
from services.rehearsal.process import rehearsal_endpoint
from tests.services.rehearsal.loopback import call, chat, client, post, stats

MODEL = "rehearsal-moderation"


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with rehearsal_endpoint() as url:
        yield url


def moderate(url: str, value: object) -> tuple[int, Any]:
    status, _, body = call(url, "POST", "/v1/moderations", json.dumps(value).encode())
    return status, body


def test_the_openai_client_gets_what_is_flagged(base_url: str) -> None:
    async def run() -> None:
        async with client(base_url) as openai_client:
            answer = await openai_client.moderations.create(model=MODEL, input=["What an IDIOT!", "Nice idiotism."])
        flagged, clean = answer.results
        assert (answer.model, flagged.flagged, clean.flagged) == (MODEL, True, False)
        assert (flagged.categories.harassment, flagged.categories.violence) == (True, False)
        assert flagged.category_scores.harassment > 0.5 > flagged.category_scores.violence

    asyncio.run(run())


@pytest.mark.parametrize(
    ("value", "status", "parameter"),
    [
        ([], 400, None),
        ({"model": MODEL}, 400, "input"),
        ({"model": MODEL, "input": []}, 400, "input"),
        ({"model": MODEL, "input": ["a", 1]}, 400, "input"),
        ({"input": "a"}, 400, "model"),
        ({"model": "rehearsal", "input": "a"}, 404, "model"),
    ],
)
def test_bad_requests_are_refused(base_url: str, value: object, status: int, parameter: str | None) -> None:
    got, body = moderate(base_url, value)
    assert (got, body["error"]["param"]) == (status, parameter)


def test_chat_is_not_offered_by_the_moderation_model(base_url: str) -> None:
    assert post(base_url, chat("hi", model=MODEL))[0] == 404


def test_moderations_are_counted_and_hit_by_faults_of_their_own() -> None:
    with rehearsal_endpoint(RehearsalOptions(rate_500=1.0, faults_on="moderation")) as url:
        assert moderate(url, {"model": MODEL, "input": "a"})[0] == 500
        assert post(url, chat("hi"))[0] == 200
        assert stats(url)["by_purpose"] == {"moderation": {"500": 1}, "generation": {"200": 1}}


def test_a_key_is_required_where_one_is_set() -> None:
    with rehearsal_endpoint(RehearsalOptions(require_key="right")) as url:
        assert moderate(url, {"model": MODEL, "input": "a"})[0] == 401
