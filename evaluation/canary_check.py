"""The judge put to the test beside its first verdicts of a run, and what the journal says of it afterwards."""

import asyncio
from collections.abc import Mapping

from evaluation.errors import StopRequested
from evaluation.judging.canaries import PREFIX, Canary, CanaryReport, CanarySet, check_canaries, parse_canaries
from evaluation.judging.judge import Judge
from evaluation.ports import Complete
from evaluation.records import CallFailure, Reply, Request, Verdict
from evaluation.run import Run

INPUT = "canaries"
"""Name of their text among a run's inputs; a run without it asks none."""


class CanaryCheck:
    """The canaries of one run, asked when its judge is first asked anything.

    A run that takes every verdict from earlier runs asks the judge nothing, so there is no judge to check: it takes
    the answers to the canaries from there too, and asks only for those that nobody has.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._asking: asyncio.Future[None] | None = None

    @property
    def begun(self) -> bool:
        """True once they were set off."""
        return self._asking is not None

    async def before(self, request: Request, complete: Complete) -> None:
        """To be awaited before each call that must be made: the first one to the judge sets the canaries off.

        It does not wait for them: what they say is said of the whole run.
        """
        if request.purpose == "judge":
            self._begin(complete)

    async def at_once(self, complete_or_reuse: Complete) -> None:
        """Returns when they are answered, or no new call may start; asks them if they were not asked yet."""
        await self._begin(complete_or_reuse)

    async def end(self, grace_s: float = 0.0) -> None:
        """Stops what is still asked after so many seconds."""
        if self._asking is None:
            return
        if grace_s:
            await asyncio.wait([self._asking], timeout=grace_s)
        self._asking.cancel()
        await asyncio.gather(self._asking, return_exceptions=True)

    def _begin(self, complete: Complete) -> "asyncio.Future[None]":
        if self._asking is None:
            self._asking = asyncio.ensure_future(ask_canaries(self._run, complete))
        return self._asking


def canaries_of(run: Run) -> CanarySet | None:
    """The canaries that the run was planned with."""
    text = run.inputs.get(INPUT)
    return None if text is None else parse_canaries(text, f"canaries of run {run.run_id}")


def canary_requests(judge: Judge, canary: Canary) -> list[Request]:
    """One question per sample."""
    return [
        judge.request(canary.exchange, sample=sample, purpose="canary") for sample in range(1, judge.pin.samples + 1)
    ]


async def ask_canaries(run: Run, complete: Complete) -> None:
    """Asks what this run has not asked yet; its answers lie in the journal when it returns.

    Ends quietly when no new call may start. Raises EndpointRefused and JournalError.
    """
    canaries, judge = canaries_of(run), run.judge
    if canaries is None or judge is None:
        return
    requests = [request for canary in canaries.canaries for request in canary_requests(judge, canary)]
    outcomes: list[Reply | CallFailure | BaseException] = await asyncio.gather(
        *map(complete, requests), return_exceptions=True
    )
    for outcome in outcomes:
        if isinstance(outcome, BaseException) and not isinstance(outcome, StopRequested):
            raise outcome


def canary_report(run: Run, replies: Mapping[tuple[str, int], Reply], *, heard: bool) -> CanaryReport | None:
    """The judge's results by its replies, each by place and sample.

    None for a run without canaries, and for one whose judge was not heard yet.
    """
    canaries, judge = canaries_of(run), run.judge
    if canaries is None or judge is None:
        return None
    asked = any(place.startswith(PREFIX) for place, _ in replies)
    if not asked and not heard:
        return None
    return check_canaries(canaries, _verdicts(canaries, judge, replies), judge.rubric)


def _verdicts(canaries: CanarySet, judge: Judge, replies: Mapping[tuple[str, int], Reply]) -> dict[str, Verdict]:
    found = {}
    for canary in canaries.canaries:
        place = canary.exchange.cell.scenario_id
        samples = [replies.get((place, sample)) for sample in range(1, judge.pin.samples + 1)]
        answered = [reply for reply in samples if reply is not None]
        if len(answered) == len(samples):
            found[canary.id] = judge.read(answered, canary.exchange)
    return found
