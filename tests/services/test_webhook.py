"""The webhook over loopback: what is posted, what is tried again, and that nobody sees its address."""

import asyncio
import logging

import pytest

from services.retrying import Backoff, Retries
from services.setting_sources import Sources
from services.settings import settings_of
from services.webhook import post_webhook
from tests.services.scripted_endpoint import Answer, scripted_endpoint

SECRET = "services/T000/B000/SECRET-PART"
BODY = {"text": "hello", "blocks": []}


def posted(url: str) -> str:
    return asyncio.run(post_webhook(url, BODY, retries=Retries(Backoff(attempts=3, first_s=0.001, longest_s=0.002))))


@pytest.mark.parametrize(
    ("answers", "problem", "calls"),
    [
        ([Answer(body="ok")], "", 1),
        ([Answer(body="a body without an end", keep=4, hang=True)], "", 1),
        ([Answer(status=503), Answer(status=503), Answer()], "", 3),
        ([Answer(status=429, headers={"Retry-After": "0"}), Answer()], "", 2),
        ([Answer(status=404)], "answered 404: check EVAL_WEBHOOK_URL", 1),
        ([Answer(status=302, headers={"Location": "http://evil.example/"})], "answered 302: check EVAL_WEBHOOK_URL", 1),
        ([Answer(status=500)], "answered 500 every time", 3),
        ([Answer(reset=True)], "cannot be reached (", 3),
    ],
)
def test_what_becomes_of_a_message(
    answers: list[Answer], problem: str, calls: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with scripted_endpoint(answers) as server:
        found = posted(f"{server.url}/{SECRET}")
        assert len(server.calls) == calls
        assert all((call.method, call.body) == ("POST", BODY) for call in server.calls)
    assert found.startswith(problem) and bool(found) == bool(problem)
    assert "SECRET-PART" not in found + caplog.text


def test_nobody_there_is_reported_in_a_few_words() -> None:
    assert posted(f"http://127.0.0.1:9/{SECRET}").startswith("cannot be reached (")


def test_the_address_is_kept_as_a_secret() -> None:
    settings = settings_of(Sources({"EVAL_WEBHOOK_URL": f"https://hooks.example.com/{SECRET}"}))
    assert "SECRET-PART" not in repr(settings)
    assert settings.night.webhook_url in settings.secrets()
