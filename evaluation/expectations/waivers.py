"""Waivers: critical items that a person takes out of account for a while, with the reason, visibly in every output."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated

from pydantic import Field

from evaluation.records import Expectation, Scenario, of_turn
from evaluation.text.forms import Form, SourceText

LONGEST = 300
"""Characters of a reason."""


@dataclass(frozen=True, slots=True)
class Waiver:
    """One item of one scenario, at one turn or at all, out of account to the end of a day."""

    scenario_id: str
    item: str
    reason: str
    who: str
    expiry: date
    turn: int = 0
    """Of the item; 0 takes out the item at every turn."""

    def __str__(self) -> str:
        return f"{self.item} in {self.scenario_id}{of_turn(self.turn)}"

    def covers(self, scenario_id: str, item: Expectation) -> bool:
        """True where it takes this item out of account."""
        return (scenario_id, item.id) == (self.scenario_id, self.item) and self.turn in (0, item.turn)


class _Waiver(Form):
    scenario: Annotated[str, Field(min_length=1)]
    item: Annotated[str, Field(min_length=1)]
    reason: Annotated[str, Field(min_length=1, max_length=LONGEST)]
    who: Annotated[str, Field(min_length=1, max_length=LONGEST)]
    turn: Annotated[int, Field(ge=1)] | None = None
    expiry: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]


class _File(Form):
    waivers: Annotated[tuple[_Waiver, ...], Field(strict=False)]


def parse_waivers(source: SourceText) -> tuple[Waiver, ...]:
    """The waivers of a file, in its order: {waivers: [{scenario, item, turn?, reason, who, expiry: "2027-01-31"}]}.

    Raises ParseError for what is none: a waiver without a reason, a name or a day would be a silent exception.
    """
    found: list[Waiver] = []
    for place, given in enumerate(source.read(_File, "'waivers:'").waivers):
        try:
            expiry = date.fromisoformat(given.expiry)
        except ValueError:
            raise source.error(("waivers", place, "expiry"), f"{given.expiry!r} is no day of the calendar") from None
        waiver = Waiver(given.scenario, given.item, given.reason.strip(), given.who.strip(), expiry, given.turn or 0)
        if any(_overlap(waiver, other) for other in found):
            raise source.error(("waivers", place), f"{waiver.item!r} of {waiver.scenario_id!r} is waived twice")
        found.append(waiver)
    return tuple(found)


def _overlap(one: Waiver, other: Waiver) -> bool:
    same = (one.scenario_id, one.item) == (other.scenario_id, other.item)
    return same and (one.turn == other.turn or not one.turn * other.turn)


def in_force(waivers: Sequence[Waiver], today: date) -> tuple[Waiver, ...]:
    """Those that have not expired: the last day counts."""
    return tuple(waiver for waiver in waivers if waiver.expiry >= today)


def notes_on(waivers: Sequence[Waiver], today: date) -> Iterator[str]:
    """A line on each waiver that has expired."""
    for waiver in waivers:
        if waiver.expiry < today:
            yield f"the waiver of {waiver} expired on {waiver.expiry}: it counts again"


def notes_on_idle(waivers: Sequence[Waiver], scenarios: Collection[Scenario], *, whole_set: bool) -> Iterator[str]:
    """A line on each waiver that takes nothing out of a run: a name in it is misspelt, or the item is not critical.

    `whole_set` says that the run plays all scenarios there are; otherwise a waiver may be for one that is left out.
    """
    critical = {scenario.id: [item for item in scenario.expect if item.critical] for scenario in scenarios}
    for waiver in waivers:
        if waiver.scenario_id not in critical and whole_set:
            yield f"the waiver of {waiver.item} takes nothing out: there is no scenario {waiver.scenario_id}"
            continue
        found = critical.get(waiver.scenario_id, ())
        if waiver.scenario_id in critical and not any(waiver.covers(waiver.scenario_id, item) for item in found):
            where = f"{waiver.scenario_id}{of_turn(waiver.turn)}"
            yield f"the waiver of {waiver.item} takes nothing out: it is not critical in {where}"
