"""The ways to stop a run: by a signal, or because its money is spent."""

import asyncio
import signal
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from evaluation.errors import StopRequested, UsageError
from evaluation.judging.giving_up import GivenUp
from evaluation.outcome import Ending
from evaluation.records import Reply, Request
from evaluation.text import numbers
from scripts.run.endpoints import Endpoints
from scripts.shell import note

GRACE_SECONDS = 10.0
"""The time in which calls in flight may still be answered after the first signal, or a refusal of all further calls."""


GRACE_BEFORE_SECONDS = 5.0
"""The same before a run, while the judge is asked for its format: there is hardly anything to lose."""

T = TypeVar("T")


class Stop:
    """Says whether new calls may start, and why not. Set once: the first reason stays."""

    def __init__(self, shut: Callable[[str], None] = lambda _: None) -> None:
        """`shut` also turns calls away that were let pass and wait for their turn."""
        self._shut = shut
        self.reason = ""
        self.interrupted = False
        self.given_up: GivenUp | None = None
        """The judge for whose sake no new call starts."""

    @property
    def requested(self) -> bool:
        return bool(self.reason)

    def ending(self, wall_seconds: float) -> Ending:
        """How the calls ended that it stopped or let pass."""
        return Ending(wall_seconds, self.reason, self.interrupted, self.given_up)

    def request(self, reason: str, *, interrupted: bool = False) -> None:
        if not self.reason:
            self.reason = reason
            self.interrupted = interrupted

    def give_up(self, judge: GivenUp) -> None:
        """Requests a stop, as this judge brings no verdict."""
        self.given_up = self.given_up or judge
        self.request(judge.reason)
        self._shut(judge.reason)

    def end_at_once(self, reason: str) -> None:
        """Requests a stop where nothing more can be kept: what waits for its turn is not paid for."""
        self.request(reason)
        self._shut(reason)

    def interrupt(self, reason: str) -> None:
        """Requests a stop for a signal, whatever was the reason before."""
        self.reason = ""
        self.request(reason, interrupted=True)
        self._shut(reason)

    def check(self) -> None:
        """Raises StopRequested once a stop was requested."""
        if self.reason:
            raise StopRequested(self.reason)


@contextmanager
def signals_stop(
    stop: Stop, task: "asyncio.Future[Any]", under_way: Callable[[], int], grace_s: float = GRACE_SECONDS
) -> Iterator[None]:
    """While inside, the first SIGINT or SIGTERM requests a stop and grants the grace period; the second cancels.

    What is waited for is said at once: `under_way` counts the calls. Afterwards they do what they did before.
    """
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def on_signal(name: str) -> None:
        if stop.interrupted:
            task.cancel()
            return
        stop.interrupt(name)
        note(f"waiting for {numbers.times(under_way(), 'call')}, up to {grace_s:g} s; again: stop now")
        loop.call_later(grace_s, task.cancel)

    for number in before:
        loop.add_signal_handler(number, on_signal, signal.Signals(number).name)
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)


async def asked_before_the_run(work: Coroutine[Any, Any, T], endpoints: Endpoints) -> T:
    """The result of questions that come before anything is evaluated. Raises StopRequested where a signal ends them."""
    stop, task = Stop(endpoints.shut), asyncio.ensure_future(work)
    with signals_stop(stop, task, lambda: endpoints.in_flight, GRACE_BEFORE_SECONDS):
        try:
            found = await task
        except (asyncio.CancelledError, StopRequested):
            if not stop.interrupted:
                raise
    if not stop.interrupted:
        return found
    raise StopRequested(f"{stop.reason} before anything was evaluated: start again")


class Budget:
    """Lets no call start that would lead over the cost limit, as far as the calls so far can show.

    Under a limit the first call to each model goes alone: from then on what a call to it costs is known.
    Raises UsageError when the limit is spent before the first call.
    """

    def __init__(self, limit: float | None, spent: float, stop: Stop, later_share: float = 1.0) -> None:
        """`later_share` is what later calls cost of the price of the first: half of it where they go in batches."""
        if limit is not None and spent > 0 and spent >= limit:
            raise UsageError(f"--max-cost {limit:g}: {spent:.4f} USD are spent already: give a higher limit to go on")
        self._limit = limit
        self._spent = spent
        self.stop = stop
        self._later_share = later_share
        self._unpriced = False
        self._open: Counter[str] = Counter()
        """Model -> calls under way."""
        self._dearest: dict[str, float] = {}
        """Model that has answered -> what its dearest call cost: sixty canaries cost less than sixty replies."""
        self._alone: dict[str, asyncio.Event] = {}
        """Model -> set when the call that shows its price has ended."""

    def spent(self) -> float | None:
        """US dollars so far, of earlier sessions too; None as soon as the price of a call is unknown."""
        return None if self._unpriced else self._spent

    async def before_call(self, request: Request) -> None:
        """Raises StopRequested when no new call may start."""
        self.stop.check()
        while request.model in self._alone:
            await self._alone[request.model].wait()
        self.stop.check()
        if self._limit is not None and self._foreseen(request.model) > self._limit:
            self.stop.request(f"the cost limit of {self._limit:g} USD is reached: {self._describe(request.model)}")
            self.stop.check()
        self._open[request.model] += 1
        # What an application costs its owner is not known here: its calls need not wait for one another.
        if self._limit is not None and request.purpose != "application" and request.model not in self._dearest:
            self._alone[request.model] = asyncio.Event()

    def after_call(self, request: Request, reply: Reply | None) -> None:
        """Counts what the call cost; None for a call that brought no reply."""
        self._open[request.model] -= 1
        cost = 0.0 if reply is None else reply.cost_usd or 0.0
        self._spent += cost
        if reply is not None:
            self._unpriced |= reply.cost_usd is None
            share = self._later_share if request.model in self._alone else 1.0
            self._dearest[request.model] = max(self._dearest.get(request.model, 0.0), cost * share)
        if request.model in self._alone:
            self._alone.pop(request.model).set()

    def _foreseen(self, model: str) -> float:
        """What is spent once the calls under way, and one more to this model, have cost as much as their dearest."""
        return self._spent + self._reserved() + self._dearest.get(model, 0.0)

    def _reserved(self) -> float:
        """What the calls under way will have cost, as far as the calls so far can show."""
        return sum(count * self._dearest.get(name, 0.0) for name, count in self._open.items())

    def _describe(self, model: str) -> str:
        """What is paid, kept for calls in flight, and needed for one more to this model."""
        said = [f"{self._spent:.4f} paid"]
        if calls := self._open.total():
            said.append(f"{self._reserved():.4f} reserved for {numbers.times(calls, 'call')} in flight")
        if following := self._dearest.get(model, 0.0):
            said.append(f"{following:.4f} for the next")
        return ", ".join(said)
