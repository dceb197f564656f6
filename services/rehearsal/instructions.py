"""Which of a dozen plain instructions a system prompt gives, read by meaning and in varied wording."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from services.rehearsal.wordings import FAMILIES, Family, Instruction

DEFAULT_WORDS = 30
"""What "keep it short" means without a figure."""
LONGER_WORDS = 45
"""What "two or three sentences" means."""


@dataclass(frozen=True, slots=True)
class Guidance:
    """What a system prompt asks for."""

    instructions: frozenset[Instruction]
    words: int | None
    """Most words of a reply; None without a wish for short ones."""

    def asks(self, instruction: Instruction) -> bool:
        return instruction in self.instructions


NEGATION = re.compile(
    r"\b(?:don't|do not|never|no|not|avoid\w*|without|refrain\w*|skip|steer clear|stay away|discourag\w*|leave out"
    r"|omit|free of|nothing like|isn't|aren't|cannot|can't|won't|mustn't|shouldn't|rather than|instead of"
    r"|stop|nor|neither|none)\b"
)
NOT_NEGATIVE = re.compile(
    r"\b(?:(?:no|not|never) (?:more|longer|over) than|not only|not just|no matter|no longer than"
    r"|(?:don't|do not|never|not) (?:forget|fail|hesitate|be afraid|be shy)(?: to)?)\b"
)
FORBIDDING_HEAD = re.compile(r"^\W*(?:things to avoid|what not to do|do not|don't|avoid|never|no)\b[^.]{0,25}:\W*$")
BULLET = re.compile(r"^\s*(?:[-*•+]|\d+[.)])\s+")
CLAUSE_END = re.compile(
    r"(?<=[.;!?])\s+|\n+|(?:,|\s[-–—])\s+(?=but\b|instead\b|rather,|just\b|always\b)|\s+(?=instead,|but\b)"
)
NEW_START = re.compile(r"(?:,|\s[-–—]|—|:)\s*(?:and\s+|then\s+|please\s+|and then\s+|and please\s+)?$")
LONGER = re.compile(r"\b(?:two or three|two to three|2-3|2 or 3|2 to 3|three|3|four|a few)(?: \w+)? sentences")
WORD_LIMIT = re.compile(r"\b(\d{1,3}) (?:spoken )?words")


@lru_cache(maxsize=256)
def read_guidance(system_prompt: str) -> Guidance:
    """The instructions of a system prompt. Text beyond the first 20,000 characters is not read."""
    text = system_prompt[:20_000].lower().replace("’", "'")
    found: set[Instruction] = set()
    for clause in _clauses(text):
        found.update(family.instruction for family in FAMILIES if _given(family, clause))
    return Guidance(frozenset(found), _words(text) if Instruction.SHORT in found else None)


def _clauses(text: str) -> Iterator[str]:
    forbidding = False
    # A wrapped line goes on with the sentence; a bullet, a heading and an empty line begin a new one.
    joined = re.sub(r"(?<=[^\n:.!?])\n(?!\s*(?:[-*•+#]|\d+[.)]\s|\n))", " ", text)
    for line in joined.split("\n"):
        if FORBIDDING_HEAD.match(line):
            forbidding = True
            continue
        bullet = BULLET.match(line)
        forbidding = forbidding and (bullet is not None or not line.strip())
        body = BULLET.sub("", line)
        prefix = "do not " if forbidding and bullet else ""
        for clause in CLAUSE_END.split(body):
            if clause.strip():
                yield prefix + NOT_NEGATIVE.sub("within", clause)[:600]


def _given(family: Family, clause: str) -> bool:
    if family.wanted is not None and any(
        not _negated(clause, match.start()) for match in family.wanted.finditer(clause)
    ):
        return True
    return family.unwanted is not None and any(
        NEGATION.search(clause, 0, match.start()) for match in family.unwanted.finditer(clause)
    )


def _negated(clause: str, start: int) -> bool:
    """True when a negation governs what begins at `start`: "no lists, and ask ..." sets the asking free."""
    before = clause[:start]
    return NEGATION.search(before) is not None and NEW_START.search(before) is None


def _words(text: str) -> int:
    limits = [int(figure) for figure in WORD_LIMIT.findall(text) if int(figure) >= 10]
    if limits:
        return min(limits)
    return LONGER_WORDS if LONGER.search(text) else DEFAULT_WORDS
