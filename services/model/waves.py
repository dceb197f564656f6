"""Calls that wait for a batch, named the same in every process, and the waves in which they are sent."""

import asyncio
import hashlib
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field

from evaluation.records import Json, Request
from services.json_text import to_line
from services.model.batch_api import batch_line
from services.model.wire import WireAnswer

MOST_LINES, MOST_BYTES = 50_000, 190_000_000
"""Of one input file; the server's limit is 200 MB."""
PREFIX = "/v1"
"""Of the addresses that a line names, whatever the base URL is."""


@dataclass(eq=False, slots=True)
class Call:
    """A call that waits."""

    name: str
    """Its id without the number of the try."""
    path: str
    body: Json
    model: str
    answer: "asyncio.Future[WireAnswer]"
    tries: int = 0
    """Waves in which it took part, and in which it may have been asked."""
    refusals: int = 0
    """Batches with it for which the server had no room."""
    custom_id: str = ""

    def line(self) -> bytes:
        """The call in an input file."""
        return batch_line(self.custom_id, f"{PREFIX}{self.path}", self.body)


@dataclass(eq=False, slots=True)
class Wave:
    """The calls of one future batch. It holds no lines: those of many waves would not find room in memory at once."""

    path: str
    calls: list[Call] = field(default_factory=list)
    size: int = 0
    """Bytes of its lines."""

    def lines(self) -> Iterator[bytes]:
        """Those of its input file, each made when it is asked for."""
        return (call.line() for call in self.calls)


@dataclass(frozen=True, slots=True)
class Patience:
    """Times of waiting, in seconds, and the clocks that they are measured by."""

    quiet_s: float = 0.5
    """A wave ends when no further call has come for so long."""
    gathering_s: float = 60.0
    """After so long a wave ends though live calls are under way, which may bring further ones."""
    first_look_s: float = 2.0
    longest_look_s: float = 60.0
    room_s: float = 30.0
    """Where the server has too much queued for the account; each further wait is twice as long."""
    live_after_s: float | None = None
    """With `--batch auto`: after so long batches are ended, and what is left asked live. None: never."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    now: Callable[[], float] = time.time


def name_of(request: Request, path: str, body: Json) -> str:
    """Names a call in its pass, the same in every process that asks it."""
    cell = request.cell
    place = (request.run_id, request.purpose, cell.scenario_id, cell.repeat, request.turn, request.sample)
    text = f"{'|'.join(map(str, place))}|{path}|{to_line(body)}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def cut(calls: Iterable[Call]) -> list[Wave]:
    """The calls of each model and address, in order, in parts that one file may hold."""
    waves: dict[tuple[str, str], list[Wave]] = defaultdict(list)
    for call in calls:
        size = len(call.line())
        parts = waves[call.path, call.model]
        if not parts or len(parts[-1].calls) >= MOST_LINES or parts[-1].size + size > MOST_BYTES:
            parts.append(Wave(call.path))
        parts[-1].calls.append(call)
        parts[-1].size += size
    return [wave for parts in waves.values() for wave in parts]


def fail(calls: Iterable[Call], error: Exception) -> None:
    """Ends those of the calls that have no answer yet."""
    for call in calls:
        if not call.answer.done():
            call.answer.set_exception(error)


def calls_text(some: Collection[object]) -> str:
    """How many calls, for people."""
    return "1 call" if len(some) == 1 else f"{len(some):,} calls"
