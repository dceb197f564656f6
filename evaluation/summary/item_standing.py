"""How one item of one scenario stands over all repeats of a run, and what shows it."""

from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias

from evaluation.expectations.human import PeoplesAnswer
from evaluation.expectations.waivers import Waiver
from evaluation.records import Expectation, ItemAnswer, Json, of_turn

Standing: TypeAlias = Literal["holds", "fails", "sometimes", "not_shown"]
Place: TypeAlias = tuple[str, str, int]
"""Scenario id, item id, turn (0 where the item has none)."""
LONGEST_RESPONSE = 2_000
"""Characters of a response that is kept to be shown."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The first answer that says how an item stands, with what it is about."""

    repeat: int
    turn: int
    answer: ItemAnswer
    user_input: str
    response: str


@dataclass(frozen=True, slots=True)
class AnsweredByPeople:
    """One answer that people gave in the place of rule or judge, and where: what a figure that counts it leads to."""

    scenario_id: str
    repeat: int
    turn: int
    answer: PeoplesAnswer

    def to_json(self) -> dict[str, Json]:
        """The entry of `expectations.people` in summary.json."""
        where = {"scenario_id": self.scenario_id, "repeat": self.repeat, "turn": self.turn, "id": self.answer.id}
        return {**where, **self.answer.to_json()}


@dataclass(frozen=True, slots=True)
class ItemStanding:
    """One item of one scenario, over all repeats."""

    scenario_id: str
    situation: str
    category: str
    groups: tuple[str, ...]
    """Tags of the scenario."""
    item: Expectation
    repeats: int
    holds: int
    fails: int
    not_shown: int
    """Repeats without an answer that shows anything."""
    certain: int = 0
    """Repeats in which a rule or a person shows the failure."""
    shown: Shown | None = None
    """What it stands on, where it does not hold."""
    waiver: Waiver | None = None
    overturned: Shown | None = None
    """The judge's answer that stands in the place of a rule's failure, where there is one."""

    @property
    def place(self) -> Place:
        return self.scenario_id, self.item.id, self.item.turn

    def __str__(self) -> str:
        return f"{self.item.id} in {self.scenario_id}{of_turn(self.item.turn)}"

    @property
    def standing(self) -> Standing:
        """Fails where it does in more than half of the repeats, sometimes where it does in fewer."""
        if 2 * self.fails > self.repeats:
            return "fails"
        return "sometimes" if self.fails else "not_shown" if self.not_shown else "holds"

    def to_json(self) -> dict[str, Json]:
        """The entry of `items` and of `overturned` in summary.json and decision.json."""
        shown = self.overturned if self.standing == "holds" else self.shown
        return {
            "scenario_id": self.scenario_id,
            "id": self.item.id,
            "question": self.item.question,
            "kind": self.item.kind,
            "turn": self.item.turn,
            "origin": self.item.origin,
            "standing": self.standing,
            "repeats": self.repeats,
            "fails": self.fails,
            "not_shown": self.not_shown,
            "source": None if shown is None else shown.answer.source,
            "repeat": None if shown is None else shown.repeat,
            "quote": None if shown is None else shown.answer.quote,
            "reason": None if shown is None else shown.answer.reason,
            "waiver": None if self.waiver is None else {**asdict(self.waiver), "expiry": str(self.waiver.expiry)},
        }
