"""Servers in a thread of this process: they serve tests and other processes, and no Python has to start for them."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import TypeVar

from services.rehearsal.options import RehearsalOptions
from services.rehearsal.server import Rehearsal
from services.rehearsal.wire import HEAD_LIMIT, Respond, converse

T = TypeVar("T")


@contextmanager
def in_thread(serving: Callable[[], AbstractAsyncContextManager[T]]) -> Iterator[T]:
    """Enters `serving` in an event loop of its own; gives what it gives, and leaves it when the block ends."""
    started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, T]] = Future()

    async def run() -> None:
        stopped = asyncio.Event()
        try:
            async with serving() as given:
                started.set_result((asyncio.get_running_loop(), stopped, given))
                await stopped.wait()
        except Exception as problem:
            if started.done():
                raise
            started.set_exception(problem)

    thread = threading.Thread(target=asyncio.run, args=(run(),), daemon=True)
    thread.start()
    loop, stopped, given = started.result(timeout=20)
    try:
        yield given
    finally:
        loop.call_soon_threadsafe(stopped.set)
        thread.join()


def rehearsing(options: RehearsalOptions) -> AbstractAsyncContextManager[int]:
    """The rehearsal server without its process; gives its port."""
    return listening(Rehearsal(options).respond, options.port)


@asynccontextmanager
async def listening(respond: Respond, port: int = 0) -> AsyncIterator[int]:
    """A server that answers so; gives its port."""
    writers: list[asyncio.StreamWriter] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        await converse(respond, reader, writer)

    listener = await asyncio.start_server(talk, "127.0.0.1", port, limit=HEAD_LIMIT, backlog=1024)
    try:
        yield listener.sockets[0].getsockname()[1]
    finally:
        listener.close()
        for writer in writers:
            writer.transport.abort()
