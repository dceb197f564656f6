"""Kinds of edit: which bases they apply to, what they change, and the direction in which a metric should move."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from evaluation.errors import ParseError
from evaluation.mutations.base import Base, Part, Sentences, Text
from evaluation.mutations.changes import CHANGES, plain_reply
from evaluation.text.forms import Form, SourceText, did_you_mean

Direction: TypeAlias = Literal["up", "down"]
Wordings: TypeAlias = tuple[Text, ...]
HALF = 3
"""Wordings of a kind in each of its two halves, the open and the shut one."""


class _Changes(Form):
    """The wordings of a kind, as a file has them."""

    kind: Text
    before: Wordings = Field((), strict=False)
    after: Wordings = Field((), strict=False)
    reply: Wordings = Field((), strict=False)
    add: Wordings = Field((), strict=False)
    add_first: Wordings = Field((), strict=False)
    by: Wordings = Field((), strict=False)
    swap: dict[str, Annotated[Wordings, Field(strict=False)]] = Field(default_factory=dict)

    def lists(self) -> dict[str, Wordings]:
        """Key -> wordings, of all that the file gives."""
        keys = ("before", "after", "reply", "add", "add_first", "by")
        given: dict[str, Wordings] = {key: getattr(self, key) for key in keys}
        return {key: words for key, words in given.items() if words} | {f"swap {k}": w for k, w in self.swap.items()}


class EditKind(_Changes):
    """One kind of edit with one half of its wordings."""

    says: Text
    about: tuple[Text, ...] = Field(strict=False, min_length=1)
    not_about: tuple[Text, ...] = Field((), strict=False)
    part: Part | None = None
    names: Wordings = Field((), strict=False)
    """What the wordings are called; without them, by their numbers."""
    expect: dict[str, Direction] = Field(min_length=1)

    def name_of(self, number: int) -> str:
        """What the wording of that number (0 to `HALF` - 1) is called."""
        return self.names[number] if self.names else f"wording {number + 1}"

    def applies_to(self, base: Base) -> bool:
        """Whether the base is about the right thing and has what the edit changes."""
        tags = set(base.about)
        if not tags & set(self.about) or tags & set(self.not_about):
            return False
        if self.part is not None and self.part not in [part for part, _ in base.sentences()]:
            return False
        return not self.swap or (base.fact is not None and base.fact.kind in self.swap)

    def edit(self, base: Base, number: int, bases: Sequence[Base]) -> tuple[str, str]:
        """The reply before and after, by the wording of that number (0 to `HALF` - 1)."""
        plain = plain_reply(base)
        if self.part is not None:
            sentences = base.sentences()
            old = _with(sentences, self.part, self.before[number] if self.before else None, plain)
            return old, _with(sentences, self.part, self.after[number] if self.after else "", plain)
        if self.swap and base.fact is not None:
            return plain, plain.replace(base.fact.value, self.swap[base.fact.kind][number])
        if self.by:
            return plain, CHANGES[self.by[number]](base, [each for each in bases if self.applies_to(each)])
        if self.reply:
            return plain, self.reply[number]
        return plain, f"{plain} {self.add[number]}" if self.add else f"{self.add_first[number]} {plain}"


def _with(sentences: Sentences, part: Part, words: str | None, plain: str) -> str:
    """The reply with other words in the place of its first sentence of that part; empty words leave it out."""
    if words is None:
        return plain
    place = [each for each, _ in sentences].index(part)
    texts = [words if number == place else text for number, (_, text) in enumerate(sentences)]
    return " ".join(text for text in texts if text)


@dataclass(frozen=True, slots=True)
class Edited:
    """A base before and after one edit."""

    kind: EditKind
    base: Base
    wording: int
    """Counts from 0 within its half."""
    before: str
    after: str


def make_edits(kinds: Sequence[EditKind], bases: Sequence[Base]) -> Iterator[Edited]:
    """Every wording of every kind on every base that it applies to; an edit that changes nothing is left out."""
    for kind in kinds:
        for base in bases:
            for wording in range(HALF) if kind.applies_to(base) else ():
                before, after = kind.edit(base, wording, bases)
                if before != after:
                    yield Edited(kind, base, wording, before, after)


class _Kinds(Form):
    kinds: tuple[EditKind, ...] = Field(strict=False, min_length=1)


class _OtherHalf(Form):
    kinds: tuple[_Changes, ...] = Field(strict=False, min_length=1)


def parse_edits(text: str, place: str) -> tuple[EditKind, ...]:
    """The kinds of a file with their open wordings. Raises ParseError for whatever is no such file."""
    source = SourceText(text, place)
    kinds = source.read(_Kinds, "kinds:").kinds
    for number, kind in enumerate(kinds):
        _check(kind, ("kinds", number), source)
    return kinds


def parse_other_half(text: str, place: str, kinds: Sequence[EditKind]) -> tuple[EditKind, ...]:
    """The same kinds with the wordings of another file. Raises ParseError where its kinds are not the same."""
    source = SourceText(text, place)
    found = source.read(_OtherHalf, "kinds:").kinds
    if [each.kind for each in found] != [kind.kind for kind in kinds]:
        raise ParseError(place, f"its kinds are not those of the open half: give {', '.join(k.kind for k in kinds)}")
    halves = []
    for number, (kind, other) in enumerate(zip(kinds, found, strict=True)):
        half = kind.model_copy(update={key: getattr(other, key) for key in _Changes.model_fields})
        _check(half, ("kinds", number), source)
        if half.lists().keys() != kind.lists().keys():
            raise source.error(("kinds", number), f"gives {', '.join(half.lists())}, not {', '.join(kind.lists())}")
        halves.append(half)
    return tuple(halves)


def _check(kind: EditKind, path: tuple[str | int, ...], source: SourceText) -> None:
    lists = kind.lists()
    for key, words in lists.items():
        if len(words) != HALF:
            raise source.error(path, f"{kind.kind}: {key} has {len(words)} wordings: give {HALF}")
    if kind.names and len(kind.names) != HALF:
        raise source.error(path, f"{kind.kind}: names has {len(kind.names)} names: give {HALF} or none")
    for name in kind.by:
        if name not in CHANGES:
            raise source.error(path, f"{kind.kind}: unknown change {name!r}{did_you_mean(name, tuple(CHANGES))}")
    ways = [way for way in ("part", "reply", "add", "add_first", "by", "swap") if getattr(kind, way)]
    if len(ways) != 1:
        raise source.error(path, f"{kind.kind}: says {', '.join(ways) or 'nothing'} to change: give one of them")
    if kind.part is not None and not (kind.before or kind.after):
        raise source.error(path, f"{kind.kind}: gives no wording before or after")
