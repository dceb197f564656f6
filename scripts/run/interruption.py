"""The ways to stop a run: by a signal, or because its money is spent."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from evaluation.errors import StopRequested

GRACE_SECONDS = 10.0
"""The time in which calls in flight may still be answered after the first signal, or a refusal of all further calls."""


class Stop:
    """Says whether new calls may start, and why not. Set once: the first reason stays."""

    def __init__(self) -> None:
        self.reason = ""
        self.interrupted = False

    @property
    def requested(self) -> bool:
        return bool(self.reason)

    def request(self, reason: str, *, interrupted: bool = False) -> None:
        if not self.reason:
            self.reason = reason
            self.interrupted = interrupted

    def check(self) -> None:
        """Raises StopRequested once a stop was requested."""
        if self.reason:
            raise StopRequested(self.reason)


@contextmanager
def signals_stop(stop: Stop, task: "asyncio.Future[None]") -> Iterator[None]:
    """While inside, the first SIGINT or SIGTERM requests a stop and grants the grace period; the second cancels.

    Afterwards they do what they did before.
    """
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def on_signal(name: str) -> None:
        if stop.interrupted:
            task.cancel()
            return
        stop.reason = ""
        stop.request(name, interrupted=True)
        loop.call_later(GRACE_SECONDS, task.cancel)

    for number in before:
        loop.add_signal_handler(number, on_signal, signal.Signals(number).name)
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)
