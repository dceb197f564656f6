"""Exchanges of known quality: a judge is asked about them beside its first verdicts, and fails or passes by them."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property

from pydantic import Field

from evaluation.errors import StopRequested
from evaluation.judging.asking import JudgeRubric
from evaluation.judging.judge import Judge
from evaluation.ports import Complete
from evaluation.records import CallFailure, Cell, Exchange, Json, Reply, Request, Turn, Usage, Verdict
from evaluation.text.forms import Form, SourceText

PREFIX = "canary:"
"""Of the scenario ids under which canaries stand in the journal."""
CANARIES = "canaries"
"""Name of their text among a run's inputs; a run without it asks none."""


class _Said(Form):
    role: str
    content: str


class Canary(Form):
    """One exchange and what is expected of its verdict."""

    id: str = Field(pattern=r"^[a-z][a-z0-9-]{0,63}$")
    before: list[_Said] = Field(default_factory=list)
    user: str = Field(min_length=1)
    response: str | dict[str, Json]
    """A mapping for what is no plain text: it is judged as its JSON, such as that of a flow."""
    overall: list[float] = Field(min_length=2, max_length=2)
    """Shares of the scale: the overall should lie between them, within the tolerance."""
    above: list[str] = Field(default_factory=list)
    """Canaries whose overall must be lower."""
    strict: bool = False
    """True where no miss is tolerated."""

    @cached_property
    def exchange(self) -> Exchange:
        """The exchange as the judge is shown it."""
        text = self.response if isinstance(self.response, str) else json.dumps(self.response, ensure_ascii=False)
        said = Reply(text, "stop", "", {}, Usage(), 0.0, 0.0)
        context = tuple(Turn(turn.role, turn.content) for turn in self.before)
        return Exchange(Cell(PREFIX + self.id, 1), 1, context, self.user, said)


class CanarySet(Form):
    """All canaries of a file."""

    version: str
    tolerance: float = Field(ge=0, le=0.5)
    may_miss: int = Field(ge=0)
    canaries: list[Canary] = Field(min_length=1)

    def requests(self, judge: Judge) -> list[Request]:
        """The questions to a judge, exchange by exchange."""
        return [request for canary in self.canaries for request in judge.requests(canary.exchange, purpose="canary")]


def parse_canaries(text: str, place: str) -> CanarySet:
    """Reads a file of canaries. Raises ParseError for a wrong form, a doubled id, or a name that does not exist."""
    source = SourceText(text, place)
    found = source.read(CanarySet, "'version:' and 'canaries:'")
    ids = [canary.id for canary in found.canaries]
    for number, canary in enumerate(found.canaries):
        for name in (canary.id, *canary.above):
            if ids.count(name) != 1:
                problem = "stands twice" if ids.count(name) else "is no canary"
                raise source.error(("canaries", number), f"canary {canary.id!r}: {name!r} {problem}")
    return found


@dataclass(frozen=True, slots=True)
class CanaryReport:
    """The outcome of the canaries of one run."""

    asked: int
    answered: int
    expectations: int
    missed: tuple[str, ...]
    """One line for each expectation that was not met."""
    passed: bool
    cost_usd: float | None
    """None when the price of a call is unknown."""
    overalls: Mapping[str, float | None]
    """Canary -> the judge's overall; None where it could not be read or was not answered."""
    reused: int = 0
    """Of those answered, how many in earlier runs: as all verdicts of this run were."""

    def to_json(self) -> dict[str, Json]:
        return asdict(self)

    def note(self) -> str:
        """A sentence for readers of the report; empty when the judge passed."""
        if self.passed:
            return ""
        shown = "; ".join(self.missed[:3])
        more = f" and {len(self.missed) - 3} more" if len(self.missed) > 3 else ""
        return (
            f"the judge failed {len(self.missed)} of {self.expectations} expectations on exchanges of known quality, "
            f"so its verdicts say little: {shown}{more}"
        )

    def faults(self) -> tuple[str, ...]:
        """The reasons why a gate cannot pass; none when the judge passed."""
        return () if self.passed else (self.note(),)


class CanaryCheck:
    """The canaries of one run, asked when its judge is first asked anything.

    A run that takes every verdict from earlier runs asks the judge nothing, so there is no judge to check: it takes
    the answers to the canaries from there too, and asks only for those that nobody has.
    """

    def __init__(self, canaries: CanarySet | None, judge: Judge | None) -> None:
        self._canaries = canaries
        self._judge = judge
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
            self._asking = asyncio.ensure_future(ask_canaries(self._canaries, self._judge, complete))
        return self._asking


async def ask_canaries(canaries: CanarySet | None, judge: Judge | None, complete: Complete) -> None:
    """Asks what this run has not asked yet; its answers lie in the journal when it returns.

    Ends quietly when no new call may start. Raises EndpointRefused and JournalError.
    """
    if canaries is None or judge is None:
        return
    outcomes: list[Reply | CallFailure | BaseException] = await asyncio.gather(
        *map(complete, canaries.requests(judge)), return_exceptions=True
    )
    for outcome in outcomes:
        if isinstance(outcome, BaseException) and not isinstance(outcome, StopRequested):
            raise outcome


def canary_report(
    canaries: CanarySet | None, judge: Judge | None, replies: Mapping[tuple[str, int], Reply], *, heard: bool
) -> CanaryReport | None:
    """The judge's results by its replies, each by place and sample.

    None for a run without canaries, and for one whose judge was not heard yet.
    """
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


def check_canaries(canaries: CanarySet, verdicts: Mapping[str, Verdict], rubric: JudgeRubric) -> CanaryReport:
    """Holds the verdicts (canary id -> verdict; without those that got none) against what is expected.

    A judge passes when it misses at most `may_miss` expectations, and none of a strict canary. A canary without a
    value misses its level.
    """
    overalls = {canary.id: _share(verdicts.get(canary.id), rubric) for canary in canaries.canaries}
    levels = [_level_miss(canary, overalls[canary.id], canaries.tolerance) for canary in canaries.canaries]
    orders = [_order_miss(canary.id, lower, overalls) for canary in canaries.canaries for lower in canary.above]
    missed = [miss for miss in (*levels, *orders) if miss]
    broken = any(miss for canary, miss in zip(canaries.canaries, levels, strict=True) if canary.strict)
    costs = [verdict.cost_usd for verdict in verdicts.values()]
    return CanaryReport(
        asked=len(canaries.canaries),
        answered=len(verdicts),
        expectations=len(levels) + len(orders),
        missed=tuple(missed),
        passed=not broken and len(missed) <= canaries.may_miss,
        cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
        overalls=overalls,
        reused=sum(verdict.cached for verdict in verdicts.values()),
    )


def _share(verdict: Verdict | None, rubric: JudgeRubric) -> float | None:
    """The overall as a share of the scale."""
    value = None if verdict is None else verdict.scores.get(rubric.overall)
    return None if value is None else round((value - rubric.low) / (rubric.high - rubric.low), 10)


def _level_miss(canary: Canary, overall: float | None, tolerance: float) -> str:
    if overall is None:
        return f"{canary.id} has no verdict"
    low, high = canary.overall
    if low - tolerance - 1e-9 <= overall <= high + tolerance + 1e-9:
        return ""
    return f"{canary.id} got {overall:.2f}, expected {low:g} to {high:g}"


def _order_miss(better: str, worse: str, overalls: Mapping[str, float | None]) -> str:
    high, low = overalls[better], overalls[worse]
    if high is None or low is None or high > low:
        # What has no verdict misses its level already.
        return ""
    return f"{better} ({high:.2f}) is not above {worse} ({low:.2f})"
