"""Canaries: exchanges of known quality in a rubric, on which its judge is checked before it is believed."""

import json
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, field_validator

from evaluation.records import Cell, Exchange, Json, Reply, Turn, Usage
from evaluation.rubrics.values import Items
from evaluation.text.forms import Form

PREFIX = "canary:"
"""Of the scenario ids under which canaries stand in the journal."""
FIRST, LAST = 1, 2
"""Repeats: asked beside the first verdicts of a run, and after its last one."""
MOST_CALLS = 60
"""The most calls that the canaries of a rubric may cost a run."""
MOST_ITEM_CALLS, MOST_ITEMS = 15, 12
"""The most calls for questions on canaries beside those, and the most questions of one call."""
LEAST_ITEMS = 10
"""Fewer questions with one right answer cannot tell a judge that is often wrong from bad luck."""
LEAST = {"asked twice": 10, "longer than another": 10, "below the middle": 10, "above the middle": 10, "injected": 3}
"""Fewer of a kind cannot tell a bad judge from bad luck."""
LEAST_GAP = 0.3
"""How far the levels of good and poor canaries must lie apart on average: the noise of an honest judge hides less."""


class _Said(Form):
    role: str
    content: str


class CanaryItem(Form):
    """A question on the response, in the form of those about expectations, and its right answer."""

    ask: str = Field(min_length=1, max_length=200, pattern=r"^[^\n]*\?$")
    answer: Literal["yes", "no"]
    shown_by: str = ""
    """Of a yes, the words of the response that show it."""

    @field_validator("answer", mode="before")
    @classmethod
    def _in_words(cls, value: object) -> object:
        return {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value


class Canary(Form):
    """One exchange and its quality."""

    id: str = Field(pattern=r"^[a-z][a-z0-9-]{0,63}$")
    before: Items[_Said] = ()
    user: str = Field(min_length=1)
    response: str | dict[str, Json]
    """A mapping for what is no plain text: it is judged as its JSON, such as that of a flow."""
    level: float = Field(ge=0, le=1)
    """The overall that it deserves, as a share of the scale."""
    longer_than: str = ""
    """The canary that says the same in fewer words, and deserves the same."""
    injected: bool = False
    """True where the response tries to steer the judge."""
    twice: bool = False
    """True where it is asked first and once more last, to see whether the judge moves in between."""
    expect: Annotated[Items[CanaryItem], Field(max_length=MOST_ITEMS)] = ()
    """Questions that yes or no answers, asked in one call where the judge answers expectations."""

    @property
    def text(self) -> str:
        """The response as the judge is shown it."""
        return self.response if isinstance(self.response, str) else json.dumps(self.response, ensure_ascii=False)

    @property
    def poor(self) -> bool:
        """True below the middle of the scale."""
        return self.level < 0.5

    def exchange(self, half: int) -> Exchange:
        """The exchange as the judge is shown it in the first or the last half."""
        said = Reply(self.text, "stop", "", {}, Usage(), 0.0, 0.0)
        context = tuple(Turn(turn.role, turn.content) for turn in self.before)
        return Exchange(Cell(PREFIX + self.id, half), 1, context, self.user, said)


Question: TypeAlias = tuple[Canary, int]
"""A canary, and the half in which it is asked: `FIRST` or `LAST`."""


def canary_questions(canaries: Sequence[Canary]) -> list[Question]:
    """Every question of a run, the first half first: those asked twice in both, the others by turns within a kind."""
    once = [canary for canary in canaries if not canary.twice]
    once.sort(key=lambda canary: (bool(canary.longer_than), canary.injected, canary.level))
    halves: list[Question] = [(canary, (FIRST, LAST)[place % 2]) for place, canary in enumerate(once)]
    halves += [(canary, half) for canary in canaries if canary.twice for half in (FIRST, LAST)]
    return sorted(halves, key=lambda question: question[1])


def canary_faults(canaries: Sequence[Canary]) -> Iterator[tuple[int | None, str]]:
    """(place in the list, problem) of what does not fit together; a place of None is the list as a whole."""
    by_id: dict[str, Canary] = {}
    for place, canary in enumerate(canaries):
        if canary.id in by_id:
            yield place, f"canary {canary.id!r} stands twice: give each a name of its own"
        by_id[canary.id] = canary
    for place, canary in enumerate(canaries):
        if canary.longer_than and (problem := _pair_fault(canary, by_id.get(canary.longer_than))):
            yield place, f"canary {canary.id!r} {problem}"
        for item in canary.expect:
            if bool(item.shown_by) != (item.answer == "yes") or item.shown_by not in canary.text:
                shown = f"{item.ask!r}: give a yes, and it alone, words of the response under shown_by"
                yield place, f"canary {canary.id!r} expects {shown}"
        if canary.injected and not canary.poor:
            yield place, f"canary {canary.id!r} is injected and deserves {canary.level:g}: give it a level below 0.5"
    if canaries:
        yield from ((None, problem) for problem in _faults_of_all(canaries))


def _pair_fault(canary: Canary, other: Canary | None) -> str:
    """Why a canary is not the same as another in more words; empty where it is."""
    if other is None:
        return f"is longer than {canary.longer_than!r}, and there is no such canary"
    if (other.level, other.user) != (canary.level, canary.user):
        return f"and {other.id!r} differ in length alone: give both one user and one level"
    if len(canary.text) <= len(other.text):
        return f"is no longer than {other.id!r}: let the one with more words name the other"
    return ""


def _faults_of_all(canaries: Sequence[Canary]) -> Iterator[str]:
    calls = len(canary_questions(canaries))
    if calls > MOST_CALLS:
        yield f"cost {calls} calls in each run: keep to {MOST_CALLS}"
    yield from _faults_of_items(canaries)
    few = [(kind, count) for kind, count in count_kinds(canaries).items() if count < LEAST[kind]]
    for kind, count in few:
        yield f"{count} are {kind}: at least {LEAST[kind]} are needed to tell a bad judge from bad luck"
    if not few and (gap := _gap(canaries)) < LEAST_GAP:
        yield f"good and poor ones lie {gap:.2f} apart on average: at least {LEAST_GAP:g} are needed"


def _faults_of_items(canaries: Sequence[Canary]) -> Iterator[str]:
    asked = [canary for canary in canaries if canary.expect]
    if len(asked) > MOST_ITEM_CALLS:
        yield f"hold questions in {len(asked)} places, a call each: keep to {MOST_ITEM_CALLS}"
    for answer in ("yes", "no") if asked else ():
        count = sum(item.answer == answer for canary in asked for item in canary.expect)
        if count < LEAST_ITEMS:
            yield f"hold {count} questions with the answer {answer}: at least {LEAST_ITEMS} are needed"


def without_items(canaries: Sequence[Canary]) -> tuple[Canary, ...]:
    """The canaries as a judge is asked for a verdict on them."""
    return tuple(canary.model_copy(update={"expect": ()}) for canary in canaries)


def _gap(canaries: Sequence[Canary]) -> float:
    """How far the levels of the good and the poor lie apart on average."""
    poor, good = (
        [each.level for each in canaries if not each.injected and each.poor is side] for side in (True, False)
    )
    return fmean(good) - fmean(poor)


def count_kinds(canaries: Sequence[Canary]) -> dict[str, int]:
    """Kind -> how many there are of it, under the names of `LEAST`."""
    honest = [canary for canary in canaries if not canary.injected]
    return {
        "asked twice": sum(canary.twice for canary in canaries),
        "longer than another": sum(bool(canary.longer_than) for canary in canaries),
        "below the middle": sum(canary.poor for canary in honest),
        "above the middle": sum(not canary.poor for canary in honest),
        "injected": sum(canary.injected for canary in canaries),
    }
