"""Messages in danger, look-alikes and pairs of replies to danger, and how many of them a rubric tells apart."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

from pydantic import Field

from evaluation.mutations.base import Message, Text
from evaluation.mutations.swaps import Spoken
from evaluation.mutations.tally import LEAST_MOVE, ScoreSpoken
from evaluation.statistics.clusters import clustered_mean
from evaluation.text.forms import Form, SourceText

Kind: TypeAlias = Literal["self_harm", "abuse", "violence", "eating", "medication", "emergency", "child"]
Register: TypeAlias = Literal["plain", "young", "formal", "older", "learner", "transcript", "dialect"]
"""The way in which somebody speaks; a transcript is of speech, without punctuation and capitals."""
Said: TypeAlias = Literal["outright", "hinted", "earlier"]
"""How the danger is said; earlier stands in a turn before the message."""
Bad: TypeAlias = Literal["evades", "cheers", "praises", "gives_means", "keeps_secret", "against_treatment"]
"""What a reply that is written to please does."""
Sees: TypeAlias = Callable[[Message], bool]
"""Whether a rubric takes a message for danger."""


class Danger(Message):
    """A message of somebody in danger, or of somebody who knows of a danger."""

    kind: Kind
    manner: Register = Field(alias="register")
    said: Said


class LookAlike(Message):
    """A message that only looks like danger."""

    about: Text
    manner: Register = Field(alias="register")


class Pair(Message):
    """Two replies to one message in danger."""

    kind: Kind
    bad: Bad
    helps: Text
    pleases: Text


class DangerSet(Form):
    """One half: the open or the shut one."""

    danger: tuple[Danger, ...] = Field(strict=False, min_length=1)
    look_alikes: tuple[LookAlike, ...] = Field(strict=False, min_length=1)
    pairs: tuple[Pair, ...] = Field(strict=False, min_length=1)


def parse_danger(text: str, place: str) -> DangerSet:
    """The half that a file holds.

    Raises ParseError for whatever is no such file, a message or reply that is given twice, and danger that is said
    earlier without a turn before it.
    """
    source = SourceText(text, place)
    found = source.read(DangerSet, "danger:, look_alikes: and pairs:")
    for number, message in enumerate(found.danger):
        if (message.said == "earlier") != bool(message.context):
            raise source.error(("danger", number), "says its danger earlier or has a context: give both or neither")
    given: set[tuple[object, ...]] = set()
    for key, messages in (("danger", found.danger), ("look_alikes", found.look_alikes), ("pairs", found.pairs)):
        for number, each in enumerate(messages):
            if (said := (each.user, *each.turns())) in given:
                raise source.error((key, number, "user"), f"{each.user!r} is given twice: change one of the two")
            given.add(said)
    return found


@dataclass(frozen=True, slots=True)
class Compared:
    """A pair as a rubric scores it."""

    pair: Pair
    margin: float
    """Overall of the reply that helps, minus that of the other."""
    seen: bool = False
    """Whether the message is seen as danger."""

    @property
    def won(self) -> bool:
        """Whether help scores above the other; a tie is not above."""
        return self.margin > LEAST_MOVE


@dataclass(frozen=True, slots=True)
class DangerFound:
    """What a rubric makes of one half."""

    danger: Sequence[tuple[Danger, bool]]
    """Each message and whether it is seen; empty where the rubric looks for no danger."""
    look_alikes: Sequence[tuple[LookAlike, bool]]
    pairs: Sequence[Compared]


def find_danger(material: DangerSet, sees: Sees | None, score: ScoreSpoken, overall: str) -> DangerFound:
    """Every message through `sees`, which is None where the rubric looks for no danger, and every pair scored."""
    return DangerFound(
        danger=[(each, sees(each)) for each in material.danger] if sees else [],
        look_alikes=[(each, sees(each)) for each in material.look_alikes] if sees else [],
        pairs=[
            Compared(each, _margin(each, score, overall), sees is not None and sees(each)) for each in material.pairs
        ],
    )


def _margin(pair: Pair, score: ScoreSpoken, overall: str) -> float:
    good, bad = (score(Spoken(pair.user, reply, pair.turns()))[overall] for reply in (pair.helps, pair.pleases))
    if good is None or bad is None:
        raise ValueError(f"no {overall} for {pair.user!r}")
    return good - bad


@dataclass(frozen=True, slots=True)
class Count:
    """Of the messages of a group, those that a rubric takes the wrong way."""

    group: str
    messages: int
    wrong: int

    @property
    def share(self) -> float:
        """0 to 1."""
        return self.wrong / self.messages

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's, of the share, with 95%; None for one message."""
        values = [1.0] * self.wrong + [0.0] * (self.messages - self.wrong)
        mean = clustered_mean((str(number), value) for number, value in enumerate(values))
        return mean.interval_within(0.0, 1.0) if mean is not None else None


Each = TypeVar("Each")


def count_by(
    messages: Iterable[tuple[Each, bool]], group_of: Callable[[Each], str], *, wrong: bool, total: str = "all"
) -> list[Count]:
    """One count for each group, in the order in which they occur, and one for all, named `total`, at the end.

    `wrong` is the answer that is wrong for these messages: unseen danger, or a look-alike that is seen.
    """
    counts: dict[str, list[bool]] = {}
    everything: list[bool] = []
    for message, seen in messages:
        counts.setdefault(group_of(message), []).append(seen == wrong)
        everything.append(seen == wrong)
    counts[total] = everything
    return [Count(group, len(answers), sum(answers)) for group, answers in counts.items() if answers]


@dataclass(frozen=True, slots=True)
class Margins:
    """The pairs of a group."""

    group: str
    pairs: int
    won: int
    """Pairs in which help scores above the other reply."""
    least: float
    """The smallest margin; negative where help scores below."""
    mean: float


def margins_by(
    compared: Sequence[Compared], group_of: Callable[[Compared], str], *, total: str = "all"
) -> list[Margins]:
    """One for each group, in the order in which they occur, and one for all pairs, named `total`, at the end."""
    groups: dict[str, list[Compared]] = {}
    for each in compared:
        groups.setdefault(group_of(each), []).append(each)
    groups[total] = list(compared)
    return [
        Margins(
            group,
            len(own),
            sum(each.won for each in own),
            min(each.margin for each in own),
            math.fsum(each.margin for each in own) / len(own),
        )
        for group, own in groups.items()
        if own
    ]
