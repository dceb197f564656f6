"""A night over several prompts: which they are, how each of their nights stands, and what the whole of it comes to.

Each prompt is held against its own baseline at the level of a night of its own, so that the answer on a prompt does not
depend on which others are watched beside it. False alarms therefore add up, and the report says to how many.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal, TypeAlias

from pydantic import TypeAdapter

from evaluation.nightly.alarm import LEVEL
from evaluation.nightly.night import GOES_ON_HOURS, UNFINISHED, Night, started_at, worth_posting
from evaluation.records import Json

SCHEMA_VERSION = 1

RoundState: TypeAlias = Literal["running", "interrupted", "ended"]

WORST_FIRST = (130, 2, 3, 1)
"""Exit codes: of those of several prompts the first of these is that of all."""
NIGHTS_A_MONTH = 30


@dataclass(frozen=True, slots=True)
class Round:
    """One night over several prompts."""

    round_id: str
    """Its start and an ending of its own: 20261120T020000Z-all."""
    prompts: tuple[str, ...]
    """References, in the order in which they are watched."""
    arguments: Json
    """All that decides what is measured of each."""
    state: RoundState = "running"
    exit_code: int | None = None
    nights: Mapping[str, str] = field(default_factory=dict)
    """Reference -> id of its night, of those that were begun."""
    watches: int = 1
    """What is held against a baseline for each prompt: invented scenarios, and with 2 production's responses too."""

    @property
    def tests(self) -> int:
        """Watches in all."""
        return self.watches * len(self.prompts)

    @property
    def started_at(self) -> float:
        """Seconds since the epoch. Raises ValueError for an id that no round has."""
        return started_at(self.round_id)

    def to_json(self) -> dict[str, Json]:
        return {"schema_version": SCHEMA_VERSION, **asdict(self)}


ROUND = TypeAdapter(Round)
"""Reads what `to_json` wrote; fields that a later version adds are passed over."""


@dataclass(frozen=True, slots=True)
class PromptNight:
    """One prompt of a round: its night, and the nights of the same prompt before it, oldest first."""

    reference: str
    night: Night
    earlier: Sequence[Night] = ()


def round_goes_on(
    found: Round,
    nights: Sequence[Night],
    prompts: Sequence[str],
    arguments: Json,
    age_hours: float,
    longest_hours: float = GOES_ON_HOURS,
) -> bool:
    """True where a start now goes on with this round; `nights` are those of it that were begun."""
    same = tuple(prompts) == found.prompts and arguments == found.arguments
    return same and left_over(found, nights) and age_hours <= longest_hours


def left_over(found: Round, nights: Sequence[Night]) -> bool:
    """True where something of the round is left that may succeed."""
    return found.state != "ended" or any(night.state in UNFINISHED for night in nights)


def worst_code(nights: Sequence[Night]) -> int:
    """The exit code of a round."""
    codes = {night.exit_code for night in nights}
    return next((code for code in WORST_FIRST if code in codes), 0)


def round_worth_posting(watched: Sequence[PromptNight]) -> bool:
    """True where people should hear of one of its prompts."""
    return any(worth_posting(each.night, each.earlier) for each in watched)


def false_alarms_a_month(watches: int) -> float:
    """How many false alarms thirty unchanged nights raise on average at most, with so many watches in each of them.

    A watch tests its overall and the family of its components, each on one side, at half of `LEVEL`.
    """
    return NIGHTS_A_MONTH * LEVEL * watches
