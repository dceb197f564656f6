"""What authors wrote for the weights: messages of people in danger and of others, replies that help and that fail,
wishes that do harm and others, who declines them, replies by which somebody feels understood or that play the doctor,
and contempt and who goes along with it."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from evaluation.mutations.base import Text
from evaluation.mutations.danger import Bad, Kind
from evaluation.text.forms import Form, SourceText

MESSAGES = Path(__file__).parent / "messages"
REPLIES = Path(__file__).parent / "replies"
WISHES = Path(__file__).parent / "wishes"
WISH_REPLIES = Path(__file__).parent / "wish_replies"
UNDERSTANDING = Path(__file__).parent / "understanding"
EXPERTISE = Path(__file__).parent / "expertise"
CONTEMPT = Path(__file__).parent / "contempt"
Harmless: TypeAlias = Literal["look_alike", "low", "everyday"]
"""Words of danger without a danger; an ordinary bad day; all else that people say."""
Harm: TypeAlias = Literal[
    "weapons", "violence", "drugs", "theft_and_fraud", "hacking", "privacy", "hate_and_abuse", "deceit"
]
Texts: TypeAlias = Annotated[tuple[Text, ...], Field(strict=False, min_length=1)]


class _Messages(Form):
    danger: dict[Kind, Texts]
    harmless: dict[Harmless, Texts]


class _Wishes(Form):
    harmful: dict[Harm, Texts]
    harmless: dict[Harmless, Texts]


class _Wished(Form):
    """A harmful wish and four replies: two that do not go along, and two that do."""

    user: Text
    declines: Text
    redirects: Text
    grants: Text
    grants_with_qualm: Text


class _WishedInPeace(Form):
    """A harmless wish that sounds like a harmful one, with two replies that help and one that refuses."""

    user: Text
    helps: Text
    helps_with_care: Text
    refuses: Text


class _WishReplies(Form):
    harmful: tuple[_Wished, ...] = Field(strict=False, min_length=1)
    harmless: tuple[_WishedInPeace, ...] = Field(strict=False, min_length=1)


class _Told(Form):
    """What somebody tells a companion, and six replies; a stock phrase of sympathy is of neither side."""

    user: Text
    understands: Text
    understands_briefly: Text
    matter_of_fact: Text
    generic: Text
    about_itself: Text
    misses: Text


class _Understanding(Form):
    items: tuple[_Told, ...] = Field(strict=False, min_length=1)


class _Matter(Form):
    """A question of body, mind, law or money, with three replies that overstep and three that do not."""

    user: Text
    diagnoses: Text
    prescribes: Text
    assures: Text
    refers: Text
    hedges: Text
    sympathises: Text


class _Ordinary(Form):
    """Any other message, answered with confidence and with talk."""

    user: Text
    answers: Text
    chats: Text


class _Expertise(Form):
    matters: tuple[_Matter, ...] = Field(strict=False, min_length=1)
    ordinary: tuple[_Ordinary, ...] = Field(strict=False, min_length=1)


class _Contemptuous(Form):
    """A message with contempt, three replies that go along and two that do not."""

    user: Text
    agrees: Text
    joins: Text
    laughs: Text
    disagrees: Text
    asks: Text


class _Strong(Form):
    """Strong words without contempt of people, with replies of the same kinds."""

    user: Text
    agrees: Text
    laughs: Text
    disagrees: Text


class _Contempt(Form):
    contempt: tuple[_Contemptuous, ...] = Field(strict=False, min_length=1)
    harmless: tuple[_Strong, ...] = Field(strict=False, min_length=1)


class _Answered(Form):
    """A message in danger and four replies, so that warmth says nothing of help."""

    kind: Kind
    bad: Bad
    user: Text
    helps_warm: Text
    helps_plain: Text
    fails_warm: Text
    fails_plain: Text


class _Replies(Form):
    replies: tuple[_Answered, ...] = Field(strict=False, min_length=1)


@dataclass(frozen=True, slots=True)
class Written:
    """One text of one author."""

    author: str
    group: str
    """A kind of danger or what a harmless message is; how a reply helps, or in what way it fails."""
    positive: bool
    """True for danger, help in it, a wish that does harm, a reply that declines one, one that oversteps, and so on."""
    text: str


def read_messages(messages: Path = MESSAGES, replies: Path = REPLIES) -> list[Written]:
    """The messages of all authors, each in a file, and those that replies were written to.

    Raises ParseError for what is no such file.
    """
    return [
        *(each for path in sorted(messages.glob("*.yaml")) for each in _messages_of(path)),
        *(
            Written(f"replies: {path.stem}", answered.kind, True, answered.user)
            for path in sorted(replies.glob("*.yaml"))
            for answered in _answered_of(path)
        ),
    ]


def _messages_of(path: Path) -> list[Written]:
    found = SourceText(path.read_text(encoding="utf-8"), path.name).read(_Messages, "danger: and harmless:")
    return [
        *(Written(path.stem, kind, True, each) for kind, texts in found.danger.items() for each in texts),
        *(Written(path.stem, group, False, each) for group, texts in found.harmless.items() for each in texts),
    ]


def read_wishes(wishes: Path = WISHES, replies: Path = WISH_REPLIES) -> list[Written]:
    """The wishes of all authors, each in a file, and those that replies were written to.

    Raises ParseError for what is no such file.
    """
    return [
        *(each for path in sorted(wishes.glob("*.yaml")) for each in _wishes_of(path)),
        *(each for path in sorted(replies.glob("*.yaml")) for each in _answered_wishes_of(path)),
    ]


def _answered_wishes_of(path: Path) -> list[Written]:
    found, author = _wish_replies_of(path), f"replies: {path.stem}"
    return [
        *(Written(author, "answered", True, each.user) for each in found.harmful),
        *(Written(author, "look_alike", False, each.user) for each in found.harmless),
    ]


def read_wish_replies(folder: Path = WISH_REPLIES) -> list[Written]:
    """The replies to wishes of all authors, each in a file. Raises ParseError for what is no such file."""
    return [each for path in sorted(folder.glob("*.yaml")) for each in _replies_to_wishes_of(path)]


def _replies_to_wishes_of(path: Path) -> list[Written]:
    found = _wish_replies_of(path)
    return [
        *(
            Written(path.stem, group, group in ("declines", "redirects"), getattr(each, group))
            for each in found.harmful
            for group in ("declines", "redirects", "grants", "grants_with_qualm")
        ),
        *(
            Written(path.stem, group, group == "refuses", getattr(each, group))
            for each in found.harmless
            for group in ("helps", "helps_with_care", "refuses")
        ),
    ]


def read_understanding(folder: Path = UNDERSTANDING) -> list[Written]:
    """The replies of all authors, each in a file, but for stock phrases. Raises ParseError for what is no such file."""
    return [each for path in sorted(folder.glob("*.yaml")) for each in _understanding_of(path)]


def _understanding_of(path: Path) -> list[Written]:
    found = SourceText(path.read_text(encoding="utf-8"), path.name).read(_Understanding, "items:")
    return [
        Written(path.stem, group, group.startswith("understands"), getattr(each, group))
        for each in found.items
        for group in ("understands", "understands_briefly", "matter_of_fact", "about_itself", "misses")
    ]


def read_expertise(folder: Path = EXPERTISE) -> list[Written]:
    """The replies of all authors, each in a file. Raises ParseError for what is no such file."""
    return [each for path in sorted(folder.glob("*.yaml")) for each in _expertise_of(path)]


def _expertise_of(path: Path) -> list[Written]:
    found = SourceText(path.read_text(encoding="utf-8"), path.name).read(_Expertise, "matters: and ordinary:")
    oversteps = ("diagnoses", "prescribes", "assures")
    return [
        *(
            Written(path.stem, group, group in oversteps, getattr(each, group))
            for each in found.matters
            for group in (*oversteps, "refers", "hedges", "sympathises")
        ),
        *(
            Written(path.stem, group, False, getattr(each, group))
            for each in found.ordinary
            for group in ("answers", "chats")
        ),
    ]


def read_contempt(folder: Path = CONTEMPT) -> list[Written]:
    """The messages of all authors, each in a file. Raises ParseError for what is no such file."""
    return [
        written
        for path in sorted(folder.glob("*.yaml"))
        for found in (_contempt_of(path),)
        for written in (
            *(Written(path.stem, "contempt", True, each.user) for each in found.contempt),
            *(Written(path.stem, "look_alike", False, each.user) for each in found.harmless),
        )
    ]


def read_contempt_replies(folder: Path = CONTEMPT) -> list[Written]:
    """Their replies to contempt. Raises ParseError for what is no such file."""
    goes_along = ("agrees", "joins", "laughs")
    return [
        Written(path.stem, group, group in goes_along, getattr(each, group))
        for path in sorted(folder.glob("*.yaml"))
        for each in _contempt_of(path).contempt
        for group in (*goes_along, "disagrees", "asks")
    ]


def _contempt_of(path: Path) -> _Contempt:
    return SourceText(path.read_text(encoding="utf-8"), path.name).read(_Contempt, "contempt: and harmless:")


def _wish_replies_of(path: Path) -> _WishReplies:
    return SourceText(path.read_text(encoding="utf-8"), path.name).read(_WishReplies, "harmful: and harmless:")


def _wishes_of(path: Path) -> list[Written]:
    found = SourceText(path.read_text(encoding="utf-8"), path.name).read(_Wishes, "harmful: and harmless:")
    return [
        *(Written(path.stem, kind, True, each) for kind, texts in found.harmful.items() for each in texts),
        *(Written(path.stem, group, False, each) for group, texts in found.harmless.items() for each in texts),
    ]


def read_replies(folder: Path = REPLIES) -> list[Written]:
    """The replies of all authors, each in a file. Raises ParseError for what is no such file."""
    return [each for path in sorted(folder.glob("*.yaml")) for each in _replies_of(path)]


def _answered_of(path: Path) -> tuple[_Answered, ...]:
    return SourceText(path.read_text(encoding="utf-8"), path.name).read(_Replies, "replies:").replies


def _replies_of(path: Path) -> list[Written]:
    return [
        each
        for answered in _answered_of(path)
        for each in (
            Written(path.stem, "helps_warm", True, answered.helps_warm),
            Written(path.stem, "helps_plain", True, answered.helps_plain),
            Written(path.stem, answered.bad, False, answered.fails_warm),
            Written(path.stem, answered.bad, False, answered.fails_plain),
        )
    ]


def written_digest(texts: Iterable[Written]) -> str:
    """SHA-256 of what was written by whom, in whatever order the files are read."""
    lines = sorted(json.dumps(asdict(each), sort_keys=True) for each in texts)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
