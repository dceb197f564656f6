"""The bounds on calls under way at one endpoint and on starts a minute: one limiter for all who call it."""

import asyncio
import heapq
import itertools
from collections import Counter, deque
from collections.abc import Mapping

from evaluation.errors import StopRequested
from evaluation.records import Json, Purpose, Request, Usage

SMALLEST_WINDOW = 16
LARGEST_WINDOW = 64
LONGEST_PAUSE_S = 60.0
PAUSE_WITHOUT_HINT_S = 1.0
CATCH_UP_S = 0.1
"""The part of an unused allowance that may be made up for at once: the event loop wakes late by a few milliseconds."""
CHARACTERS_PER_TOKEN = 4
USUAL_OUTPUT_TOKENS = 200
SOON_S = 1e-6
"""A shorter wait is none: a clock near the rounding of its own numbers would never see it pass."""
_LENGTHS = ("max_tokens", "max_completion_tokens")


class _Account:
    """An allowance that fills steadily and is drawn on in advance: a call may start once the debt is paid."""

    def __init__(self, per_minute: float, most: float) -> None:
        self._rate = per_minute / 60
        self._most = most
        self._level = 0.0
        self._at: float | None = None

    def wait_s(self, now: float) -> float:
        if self._at is not None:
            self._level = min(self._most, self._level + (now - self._at) * self._rate)
        self._at = now
        debt_s = -self._level / self._rate
        return debt_s if debt_s > SOON_S else 0.0

    def draw(self, amount: float) -> None:
        self._level -= amount


class Pace:
    """When the next call may start under `rpm` requests and `tpm` tokens a minute; None means no limit.

    Calls are spread evenly, without a burst at the start: a provider that counts by the second then refuses none.
    """

    def __init__(self, rpm: float | None = None, tpm: float | None = None) -> None:
        burst = 0.0 if rpm is None else max(0.0, rpm / 60 * CATCH_UP_S - 1)
        self._requests = None if rpm is None else _Account(rpm, burst)
        self._tokens = None if tpm is None else _Account(tpm, tpm / 60 * CATCH_UP_S)
        self._answered: Counter[Purpose] = Counter()
        self._output: Counter[Purpose] = Counter()
        """Calls of a purpose that were answered, and the tokens of their answers."""

    @property
    def unlimited(self) -> bool:
        return self._requests is None and self._tokens is None

    def wait_s(self, now: float) -> float:
        """Seconds until a call may start; 0 when it may now. `now` is in seconds of any steady clock."""
        return max((account.wait_s(now) for account in (self._requests, self._tokens) if account), default=0.0)

    def start(self, tokens: float) -> None:
        """A call starts, of so many tokens as far as can be known."""
        if self._requests:
            self._requests.draw(1)
        if self._tokens:
            self._tokens.draw(tokens)

    def expect(self, request: Request) -> float:
        """Tokens of question and answer: a quarter of its characters, and the mean answer of its purpose so far."""
        if self._tokens is None:
            return 0.0
        question = sum(len(turn.content) for turn in request.messages) / CHARACTERS_PER_TOKEN
        calls = self._answered[request.purpose]
        return question + (self._output[request.purpose] / calls if calls else _longest(request.parameters))

    def settle(self, request: Request, expected: float, usage: Usage) -> None:
        """Takes in what an answered call really used, as far as the endpoint counted it."""
        if self._tokens is None or usage.output_tokens is None:
            return
        self._answered[request.purpose] += 1
        self._output[request.purpose] += usage.output_tokens
        if usage.input_tokens is not None:
            self._tokens.draw(usage.input_tokens + usage.output_tokens - expected)


def _longest(parameters: Mapping[str, Json]) -> float:
    limits = [value for name in _LENGTHS if isinstance(value := parameters.get(name), int | float)]
    return min(limits, default=USUAL_OUTPUT_TOKENS)


class Limiter:
    """Slots, at most `bound` of them, handed out in the order of tickets.

    A call takes one ticket for its whole life. While it waits out a throttle it holds no slot, and with its old ticket
    it comes back ahead of work that arrived later. The number of slots shrinks with the share of throttled answers
    among the last ones (twice the bound, within 16..64) and grows back with it, between 1 and `bound`. All calls wait
    only when all of those were throttled or the endpoint says that no request remains; under a `pace`, each start
    waits until the allowance per minute permits it. Not thread-safe: one event loop.
    """

    def __init__(self, bound: int, pace: Pace | None = None) -> None:
        """Without `pace` no allowance is kept."""
        if bound < 1:
            raise ValueError(f"a limiter needs at least one slot, not {bound!r}")
        self.bound = bound
        self.in_flight = 0
        """Slots held now; never above the bound."""
        self._window = min(max(2 * bound, SMALLEST_WINDOW), LARGEST_WINDOW)
        self._answers: deque[bool] = deque(maxlen=self._window)
        self._throttled = 0
        self._tickets = itertools.count()
        self._queue: list[tuple[int, float, asyncio.Future[None]]] = []
        self._timer: asyncio.TimerHandle | None = None
        self.pace = pace or Pace()
        self._shut = ""
        """Why no call gets a slot any more; empty while calls do."""

    @property
    def allowed(self) -> int:
        """Slots that may be held now, in 1..bound. Answers not yet seen count as not throttled."""
        return max(1, round(self.bound * (1 - self._throttled / self._window)))

    def ticket(self) -> int:
        """A place in the queue, to be kept for all tries of one call."""
        return next(self._tickets)

    async def acquire(self, ticket: int, tokens: float = 0.0) -> None:
        """Wait for a slot. Whoever returns from here owes one `release`; whoever is cancelled here owes nothing.

        `tokens` is what the call will take of the pace's allowance, as far as can be known. Raises StopRequested once
        it is shut.
        """
        if self._shut:
            raise StopRequested(self._shut)
        if self.pace.unlimited and not self._queue and self._timer is None and self.in_flight < self.allowed:
            self.in_flight += 1
            return
        turn = asyncio.get_running_loop().create_future()
        heapq.heappush(self._queue, (ticket, tokens, turn))
        self._wake()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # The slot was granted in the same step of the loop in which the wait was cancelled.
                self.release()
            raise

    def release(self) -> None:
        """Give a slot back, and hand it on to the lowest waiting ticket."""
        self.in_flight -= 1
        self._wake()

    def note_answer(self, *, throttled: bool, wait_s: float | None = None) -> None:
        """Take in one answer, before its slot is released. `wait_s` is what a throttled answer asked for."""
        if len(self._answers) == self._window:
            self._throttled -= self._answers[0]
        self._answers.append(throttled)
        self._throttled += throttled
        if self._throttled == self._window:
            self.pause(wait_s or PAUSE_WITHOUT_HINT_S)

    def pause(self, seconds: float) -> None:
        """No call starts for so long, at most LONGEST_PAUSE_S; a running pause is lengthened, never shortened."""
        if seconds > 0:
            self._wait(min(seconds, LONGEST_PAUSE_S))

    def shut(self, reason: str) -> None:
        """Let no call start any more: those that wait leave at once, those that hold a slot keep it."""
        self._shut = reason
        for _, _, turn in self._queue:
            if not turn.done():
                turn.set_exception(StopRequested(reason))
        self._queue.clear()

    def close(self) -> None:
        """Cancel the timer, so that nothing outlives the endpoint."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None

    def _wait(self, seconds: float) -> None:
        """No call starts for so long, or longer where more was asked for before."""
        loop = asyncio.get_running_loop()
        resume_at = loop.time() + seconds
        if self._timer is None or resume_at > self._timer.when():
            self.close()
            self._timer = loop.call_at(resume_at, self._resume)

    def _resume(self) -> None:
        self._timer = None
        self._wake()

    def _wake(self) -> None:
        while self._queue and self._timer is None and self.in_flight < self.allowed:
            _, tokens, turn = self._queue[0]
            if not turn.done():
                if not self._may_start(tokens):
                    return
                self.in_flight += 1
                turn.set_result(None)
            heapq.heappop(self._queue)

    def _may_start(self, tokens: float) -> bool:
        """Draws on the allowance, or comes back when it permits a start."""
        wait_s = self.pace.wait_s(asyncio.get_running_loop().time())
        if wait_s > 0:
            self._wait(wait_s)
            return False
        self.pace.start(tokens)
        return True
