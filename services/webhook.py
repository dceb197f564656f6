"""Posting a message to a chat's incoming webhook. Its address is a secret: no message and no error holds it."""

import asyncio
import logging
import time
from typing import TYPE_CHECKING

from evaluation.records import Json
from services.endpoint_url import parse_endpoint_url
from services.retrying import Backoff, Retries, Tries, TryAgain, retry_after

if TYPE_CHECKING:
    from httpx import AsyncClient

ATTEMPT_SECONDS = 10.0
PATIENCE = Backoff(attempts=3, first_s=0.5, longest_s=4.0, retry_after_cap_s=10.0, deadline_s=30.0)


async def post_webhook(url: str, body: Json, *, retries: Retries | None = None) -> str:
    """Posts JSON. Returns why it could not be delivered, in a few words, or an empty text; raises nothing for that."""
    import httpx

    parsed = parse_endpoint_url(url, "EVAL_WEBHOOK_URL", "https://hooks.example.com/services/...")
    client = httpx.AsyncClient(
        timeout=ATTEMPT_SECONDS, trust_env=not parsed.loopback, verify=not parsed.plain, follow_redirects=False
    )
    # The client logs the address of each request.
    before = logging.root.manager.disable
    logging.disable()
    try:
        async with client:
            return await (retries or Retries(PATIENCE)).run(lambda _: _attempt(client, url, body), Tries())
    except TryAgain as failure:
        return failure.message
    finally:
        logging.disable(before)


async def _attempt(client: "AsyncClient", url: str, body: Json) -> str:
    import httpx

    try:
        # Streamed, and the body never read: what it says changes nothing, and it might not end.
        async with asyncio.timeout(ATTEMPT_SECONDS), client.stream("POST", url, json=body) as answer:
            status, headers = answer.status_code, dict(answer.headers)
    except (TimeoutError, httpx.TimeoutException):
        raise TryAgain("timeout", f"no answer within {ATTEMPT_SECONDS:g} s") from None
    except httpx.HTTPError as error:
        # The text of the error may hold the address.
        raise TryAgain("connection", f"cannot be reached ({type(error).__name__})") from None
    if status in (408, 429) or status >= 500:
        wait = retry_after(headers, time.time())
        raise TryAgain("server_error", f"answered {status} every time", wait_s=wait, throttled=status == 429)
    return "" if status < 300 else f"answered {status}: check EVAL_WEBHOOK_URL"
