"""Base exchanges: good plain replies, sentence by sentence with what each does, that edits are made to."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Field

from evaluation.records import Turn
from evaluation.text.forms import Form, SourceText

Part: TypeAlias = Literal["hears", "helps", "recalls", "asks", "refers", "checks", "honest", "plain"]
"""What a sentence does: takes up the feeling, helps, uses an earlier fact, asks, names real help, asks whether the user
is safe, says what an AI is; plain is any other."""
Text: TypeAlias = Annotated[str, Field(min_length=1)]
Sentences: TypeAlias = tuple[tuple[Part, str], ...]


def _one_entry(value: Mapping[str, str]) -> Mapping[str, str]:
    if len(value) != 1:
        raise ValueError(f"holds {len(value)} keys: give one sentence an entry")
    return value


class Fact(Form):
    """What an earlier turn stated and the reply uses."""

    kind: Text
    value: Text
    """In the words of the reply."""


class Message(Form):
    """What a user says, and what was said before."""

    user: Text
    context: tuple[Annotated[dict[Literal["user", "assistant"], Text], AfterValidator(_one_entry)], ...] = Field(
        (), strict=False
    )

    def turns(self) -> tuple[Turn, ...]:
        """What was said before."""
        return tuple(Turn(role, text) for turn in self.context for role, text in turn.items())


class Base(Message):
    """One exchange and its good reply."""

    id: Text
    about: tuple[Text, ...] = Field(strict=False, min_length=1)
    reply: tuple[Annotated[dict[Part, Text], AfterValidator(_one_entry)], ...] = Field(strict=False, min_length=1)
    fact: Fact | None = None

    def sentences(self) -> Sentences:
        """The good reply in order."""
        return tuple((part, text) for sentence in self.reply for part, text in sentence.items())


class _Bases(Form):
    bases: tuple[Base, ...] = Field(strict=False, min_length=1)


def parse_bases(text: str, place: str) -> tuple[Base, ...]:
    """The bases of a file, in its order. Raises ParseError for a form that is wrong and an id that is given twice."""
    source = SourceText(text, place)
    bases = source.read(_Bases, "bases:").bases
    places: dict[str, int] = {}
    for number, base in enumerate(bases):
        if places.setdefault(base.id, number) != number:
            raise source.error(("bases", number, "id"), f"{base.id!r} is given twice: rename one of the two")
        if base.fact is not None and not any(base.fact.value in text for _, text in base.sentences()):
            raise source.error(("bases", number, "fact"), "the reply does not have the fact's value: write it as there")
    return bases
