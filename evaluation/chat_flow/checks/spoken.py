"""The words of a flow, each with its place: what the assistant said, what stands in its recipes, what the user said."""

from collections.abc import Iterator
from dataclasses import dataclass

from evaluation.chat_flow.checks.outcome import CheckSubject
from evaluation.chat_flow.flow_run import MAX_DEPTH
from evaluation.chat_flow.judged import compact
from evaluation.food.tokens import fold
from evaluation.records import Json

NO_PROSE = frozenset(
    {"id", "url", "uri", "href", "link", "image", "img", "photo", "picture", "thumbnail", "slug", "key"}
)
"""Fields of a recipe whose text nobody reads as words."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Words of the application."""

    where: str
    """As evidence names it: reply 2, option 1, the selection."""
    text: str


def passages(subject: CheckSubject) -> Iterator[Passage]:
    """Replies, then options, then the selection, text by text."""
    run = subject.run
    for number, reply in enumerate(run.replies, start=1):
        yield Passage(f"reply {number}", reply)
    for number, option in enumerate(run.options or (), start=1):
        yield from (Passage(f"option {number}", text) for text in prose(option))
    yield from (Passage("the selection", text) for text in prose(run.selected))


def prose(value: Json, depth: int = 0) -> Iterator[str]:
    """The texts in a value that people read, however it is nested."""
    if isinstance(value, str):
        yield value
    elif depth < MAX_DEPTH and isinstance(value, list):
        for each in value:
            yield from prose(each, depth + 1)
    elif depth < MAX_DEPTH and isinstance(value, dict):
        for key, each in value.items():
            if str(key).lower() not in NO_PROSE:
                yield from prose(each, depth + 1)


def of_user(subject: CheckSubject) -> str:
    """All that the user said and sent, folded: what is quoted from there is nobody else's."""
    run = subject.run
    said = [turn.content for turn in run.messages if turn.role == "user"]
    return fold("\n".join([*said, "" if run.fridge_input is None else compact(run.fridge_input)]))
