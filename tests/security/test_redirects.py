"""A server cannot send questions or keys elsewhere."""

import asyncio
import socket
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from evaluation.errors import EvaluationError
from services.langfuse.prompts import LangfusePrompts
from services.langfuse_access import LangfuseAccess
from services.model.endpoint import Endpoint
from services.webhook import post_webhook
from tests.services.model.test_endpoint import request, using
from tests.services.scripted_endpoint import Answer, Call, say, scripted_endpoint

HOST = "endpoint.case.invalid"
"""Not this machine by its name, so that what holds for loopback addresses does not hold for it."""


@pytest.fixture(autouse=True)
def resolved(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name leads to this machine."""
    look_up: Callable[..., Any] = socket.getaddrinfo

    def getaddrinfo(host: Any, *more: Any, **options: Any) -> Any:
        return look_up("127.0.0.1" if host in (HOST, HOST.encode()) else host, *more, **options)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


async def find_prompt(url: str) -> None:
    with pytest.raises(EvaluationError):
        await LangfusePrompts(LangfuseAccess(url, "pk-lf-a", "sk-lf-b")).find("any", "1")


async def post(url: str) -> None:
    assert await post_webhook(url, {"text": "secret"})


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_call_to_a_model_follows_a_redirect(status: int) -> None:
    async def work(endpoint: Endpoint) -> None:
        with pytest.raises(EvaluationError, match="refused the URL"):
            await endpoint.complete(request())

    _redirected(status, lambda url: using(f"{url}/v1", work))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("client", [find_prompt, post])
def test_no_call_to_langfuse_or_a_webhook_follows_a_redirect(
    status: int, client: Callable[[str], Coroutine[Any, Any, None]]
) -> None:
    _redirected(status, lambda url: asyncio.run(client(url)))


def _redirected(status: int, ask: Callable[[str], None]) -> None:
    """Asks a server that leads to another one, under another name; the other one hears nothing."""
    with scripted_endpoint([say("you should not be here")]) as other:

        def lead_away(_call: Call) -> Answer:
            return Answer(status, headers={"location": f"http://localhost:{other.port}/v1/chat/completions"})

        with scripted_endpoint(lead_away) as server:
            ask(f"http://{HOST}:{server.port}")
            assert server.calls
        assert other.calls == []
