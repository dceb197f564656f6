"""Waivers: critical items that a person takes out of account for a while, with the reason, visibly in every output."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated

from pydantic import Field

from evaluation.records import Scenario
from evaluation.text.forms import Form, SourceText

LONGEST = 300
"""Characters of a reason."""


@dataclass(frozen=True, slots=True)
class Waiver:
    """One item of one scenario, out of account to the end of a day."""

    scenario_id: str
    item: str
    reason: str
    who: str
    expiry: date


class _Waiver(Form):
    scenario: Annotated[str, Field(min_length=1)]
    item: Annotated[str, Field(min_length=1)]
    reason: Annotated[str, Field(min_length=1, max_length=LONGEST)]
    who: Annotated[str, Field(min_length=1, max_length=LONGEST)]
    expiry: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]


class _File(Form):
    waivers: Annotated[tuple[_Waiver, ...], Field(strict=False)]


def parse_waivers(source: SourceText) -> tuple[Waiver, ...]:
    """The waivers of a file, in its order: {waivers: [{scenario, item, reason, who, expiry: "2027-01-31"}]}.

    Raises ParseError for what is none: a waiver without a reason, a name or a day would be a silent exception.
    """
    found: list[Waiver] = []
    for place, given in enumerate(source.read(_File, "'waivers:'").waivers):
        try:
            expiry = date.fromisoformat(given.expiry)
        except ValueError:
            raise source.error(("waivers", place, "expiry"), f"{given.expiry!r} is no day of the calendar") from None
        waiver = Waiver(given.scenario, given.item, given.reason.strip(), given.who.strip(), expiry)
        if any((other.scenario_id, other.item) == (waiver.scenario_id, waiver.item) for other in found):
            raise source.error(("waivers", place), f"{waiver.item!r} of {waiver.scenario_id!r} is waived twice")
        found.append(waiver)
    return tuple(found)


def in_force(waivers: Sequence[Waiver], today: date) -> tuple[Waiver, ...]:
    """Those that have not expired: the last day counts."""
    return tuple(waiver for waiver in waivers if waiver.expiry >= today)


def notes_on(waivers: Sequence[Waiver], today: date) -> Iterator[str]:
    """A line on each waiver that has expired."""
    for waiver in waivers:
        if waiver.expiry < today:
            yield f"the waiver of {waiver.item} in {waiver.scenario_id} expired on {waiver.expiry}: it counts again"


def notes_on_idle(waivers: Sequence[Waiver], scenarios: Collection[Scenario], *, whole_set: bool) -> Iterator[str]:
    """A line on each waiver that takes nothing out of a run: a name in it is misspelt, or the item is not critical.

    `whole_set` says that the run plays all scenarios there are; otherwise a waiver may be for one that is left out.
    """
    critical = {scenario.id: {item.id for item in scenario.expect if item.critical} for scenario in scenarios}
    for waiver in waivers:
        if waiver.scenario_id not in critical and whole_set:
            yield f"the waiver of {waiver.item} takes nothing out: there is no scenario {waiver.scenario_id}"
        elif waiver.scenario_id in critical and waiver.item not in critical[waiver.scenario_id]:
            yield f"the waiver of {waiver.item} takes nothing out: it is not critical in {waiver.scenario_id}"
