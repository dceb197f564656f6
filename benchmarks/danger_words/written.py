"""What authors wrote for the weights: messages of people in danger and of others, replies that help and that fail."""

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
Harmless: TypeAlias = Literal["look_alike", "low", "everyday"]
"""Words of danger without a danger; an ordinary bad day; all else that people say."""
Texts: TypeAlias = Annotated[tuple[Text, ...], Field(strict=False, min_length=1)]


class _Messages(Form):
    danger: dict[Kind, Texts]
    harmless: dict[Harmless, Texts]


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
    """True for danger, and for a reply that helps."""
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
