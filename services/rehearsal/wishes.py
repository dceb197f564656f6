"""What a writing task asks for besides its subject: a kind of text, and a length."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from services.rehearsal.vocabulary import NUMBER, figure

Kind: TypeAlias = Literal["essay", "list", "steps", "story", "short"]

STORY = re.compile(r"\b(?:story|tale of|narrate|piece about)\b")
STEPS = re.compile(r"\b(?:step by step|instructions?|steps|guide|how to)\b")
LIST = re.compile(r"\b(?:list|pros and cons)\b")
SHORT = re.compile(r"\b(?:define|briefly|slogan|without comment|summari[sz]e|answer in)\b")
SENTENCES = re.compile(rf"\bin ({NUMBER}) sentences?\b")
PARAGRAPHS = re.compile(rf"\bin ({NUMBER}) paragraphs?\b")
WORDS = re.compile(rf"\b({NUMBER}) words\b")
LIMIT = re.compile(rf"\b(?:at most|no more than|fewer than|under) {NUMBER} words\b")
ITEMS = re.compile(rf"\b(?:list|name|give) (?:the )?({NUMBER}) \w+")
MOST = 1_000
"""Of anything: a larger wish is not heard."""


@dataclass(frozen=True, slots=True)
class Wish:
    """None where the task does not say."""

    kind: Kind
    words: int | None = None
    at_most: bool = False
    """Whether `words` is a limit and no target."""
    sentences: int | None = None
    paragraphs: int | None = None
    items: int | None = None


def read_wish(task: str) -> Wish:
    """What is asked for; `task` in lower case. Where several numbers are given for one thing the first counts."""
    return Wish(
        kind=_kind(task),
        words=_number(WORDS, task),
        at_most=LIMIT.search(task) is not None,
        sentences=_number(SENTENCES, task),
        paragraphs=_number(PARAGRAPHS, task),
        items=_number(ITEMS, task),
    )


def _kind(task: str) -> Kind:
    kinds: tuple[tuple[re.Pattern[str], Kind], ...] = (
        (SENTENCES, "short"),
        (STORY, "story"),
        (SHORT, "short"),
        (LIST, "list"),
        (STEPS, "steps"),
    )
    return next((kind for pattern, kind in kinds if pattern.search(task)), "essay")


def _number(pattern: re.Pattern[str], task: str) -> int | None:
    found = pattern.search(task)
    number = figure(found[1]) if found else None
    return number if number is not None and 1 <= number <= MOST else None
