"""Files of batches on their way down: which lines they have, and downloads that stand still."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, cast

import pytest

from services.endpoint_url import parse_endpoint_url
from services.model.batch_api import BatchApi
from services.model.wire import open_wire
from services.rehearsal.wire import HttpRequest, HttpResponse
from services.retrying import Backoff, Retries, TryAgain
from tests.loopback import in_thread, listening


def download(answer: HttpResponse, stall_s: float = 5.0) -> list[dict[str, Any]]:
    """The objects of a file that a server on loopback answers with."""

    def respond(_: HttpRequest) -> HttpResponse:
        return answer

    async def read(port: int) -> list[dict[str, Any]]:
        where = parse_endpoint_url(f"http://127.0.0.1:{port}/v1")
        async with aclosing(open_wire(where, "key-of-a-test", where.identity, 2)) as wire:
            api = BatchApi(wire, Retries(Backoff(attempts=2, first_s=0.01)), stall_s)
            return [line async for line in api.lines("file-1")]

    with in_thread(lambda: listening(respond)) as port:
        return asyncio.run(read(port))


def test_a_line_ends_with_a_line_feed_alone() -> None:
    said = [{"custom_id": "a", "text": "one\u2028two\x85three"}, {"custom_id": "b", "text": "é" * 100_000}]
    content = "\r\n".join(json.dumps(each, ensure_ascii=False) for each in said)
    assert [each["custom_id"] for each in download(HttpResponse(200, content.encode()))] == ["a", "b"]


def test_a_download_that_stands_still_is_broken_off() -> None:
    with pytest.raises(TryAgain, match=r"nothing came for 0\.1 s"):
        download(HttpResponse(200, b"{}\n", manner="hang"), stall_s=0.1)


@pytest.mark.parametrize(("broken_at", "ends"), [((1, 2, 3, 4), True), ((1, 1, 1, 1), False)])
def test_tries_count_from_the_last_one_that_brought_a_line(broken_at: tuple[int, ...], ends: bool) -> None:
    places = iter(broken_at)

    async def objects(_api: BatchApi, _file: str) -> AsyncIterator[tuple[int, dict[str, Any]]]:
        place = next(places, 0)
        for number in range(1, 6):
            yield number, {"number": number}
            if number == place:
                raise TryAgain("timeout", "broke off")

    async def read() -> list[int]:
        api = BatchApi(cast(Any, None), Retries(Backoff(attempts=2, first_s=0.0)))
        return [line["number"] async for line in api.lines("file-1")]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BatchApi, "_objects", objects)
        if ends:
            assert asyncio.run(read()) == [1, 2, 3, 4, 5]
        else:
            with pytest.raises(TryAgain):
                asyncio.run(read())
