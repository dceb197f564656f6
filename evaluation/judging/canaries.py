"""Exchanges of known quality, and whether a judge puts them where they belong."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from pydantic import Field

from evaluation.judging.judge_rubric import JudgeRubric
from evaluation.records import Cell, Exchange, Json, Reply, Turn, Usage, Verdict
from evaluation.text.forms import Form, SourceText

PREFIX = "canary:"
"""Of the scenario ids under which canaries stand in the journal."""


@dataclass(frozen=True, slots=True)
class Canary:
    """One exchange and what is expected of its verdict."""

    id: str
    exchange: Exchange
    low: float
    """Share of the scale: the overall should be at least this, within the tolerance."""
    high: float
    above: tuple[str, ...]
    """Canaries whose overall must be lower."""
    strict: bool
    """True where no miss is tolerated."""


@dataclass(frozen=True, slots=True)
class CanarySet:
    """All canaries of a file."""

    canaries: tuple[Canary, ...]
    tolerance: float
    may_miss: int


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


class _TurnForm(Form):
    role: str
    content: str


class _CanaryForm(Form):
    id: str = Field(pattern=r"^[a-z][a-z0-9-]{0,63}$")
    before: list[_TurnForm] = Field(default_factory=list)
    user: str = Field(min_length=1)
    response: str | dict[str, Json]
    """A mapping for what is no plain text: it is judged as its JSON, such as that of a flow."""
    overall: list[float] = Field(min_length=2, max_length=2)
    above: list[str] = Field(default_factory=list)
    strict: bool = False


class _SetForm(Form):
    version: str
    tolerance: float = Field(ge=0, le=0.5)
    may_miss: int = Field(ge=0)
    canaries: list[_CanaryForm] = Field(min_length=1)


def parse_canaries(text: str, place: str) -> CanarySet:
    """Reads a file of canaries. Raises ParseError for a wrong form, a doubled id, or a name that does not exist."""
    source = SourceText(text, place)
    form = source.read(_SetForm, "'version:' and 'canaries:'")
    ids = [canary.id for canary in form.canaries]
    for number, canary in enumerate(form.canaries):
        for name in (canary.id, *canary.above):
            if ids.count(name) != 1:
                problem = "stands twice" if ids.count(name) else "is no canary"
                raise source.error(("canaries", number), f"canary {canary.id!r}: {name!r} {problem}")
    return CanarySet(tuple(map(_canary, form.canaries)), form.tolerance, form.may_miss)


def _canary(form: _CanaryForm) -> Canary:
    text = form.response if isinstance(form.response, str) else json.dumps(form.response, ensure_ascii=False)
    said = Reply(text, "stop", "", {}, Usage(), 0.0, 0.0)
    context = tuple(Turn(turn.role, turn.content) for turn in form.before)
    exchange = Exchange(Cell(PREFIX + form.id, 1), 1, context, form.user, said)
    return Canary(form.id, exchange, form.overall[0], form.overall[1], tuple(form.above), form.strict)


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
    if canary.low - tolerance - 1e-9 <= overall <= canary.high + tolerance + 1e-9:
        return ""
    return f"{canary.id} got {overall:.2f}, expected {canary.low:g} to {canary.high:g}"


def _order_miss(better: str, worse: str, overalls: Mapping[str, float | None]) -> str:
    high, low = overalls[better], overalls[worse]
    if high is None or low is None or high > low:
        # What has no verdict misses its level already.
        return ""
    return f"{better} ({high:.2f}) is not above {worse} ({low:.2f})"
