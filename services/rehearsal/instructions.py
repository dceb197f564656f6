"""Which of a dozen plain instructions a system prompt gives, read by meaning and in varied wording."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from services.rehearsal.vocabulary import NUMBER, figure
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
    r"\b(?:\w+n't|do not|never|no|not|nobody|nothing|nor|neither|none|cannot|without|avoid\w*|refrain\w*|skip|omit|drop"
    r"|spare|resist|steer clear|stay away|discourag\w*|leave out|free of|rather than|instead of|less(?! is)"
    r"|stop(?= \w+ing))\b"
)
NOT_NEGATIVE = re.compile(
    r"\b(?:(?:no|not|never) (?:more|longer|over) than|not only|not just|no matter|no longer than"
    r"|(?:don't|do not|never|not) (?:fail|hesitate|be afraid|be shy)(?: to)?)\b"
)
DO_NOT_FORGET = re.compile(r"\b(?:don't|do not|never) forget\b")
REJECTED_AFTER = re.compile(
    r"^\w*[^.;]{0,60}?(?:\b(?:is|are|be) (?:\w+ )?(?:prohibited|forbidden|banned|off[- ]limits|lost|unwanted|useless)"
    r"|\bha(?:s|ve) no place|\b(?:skip|drop|avoid|omit) (?:it|them|that|those|this)\b|\bn(?:o|ot) (?:thanks|welcome))"
)
LEFT_OUT = re.compile(r"\b(?:leave|keep|cut)\b.{1,60}?\bout\b(?! loud)")
FORBIDDING_HEAD = re.compile(r"^\W*(?:things to avoid|what not to do|do not|don't|avoid|never|no)\b[^.]{0,25}:\W*$")
BULLET = re.compile(r"^\s*(?:[-*•+–>☐✓]\s+)?(?:\[[ x]?\]|[-*•+–>☐✓]|\w{1,2}[.)])\s+")
CLAUSE_END = re.compile(
    r"(?<=[.;!?])(?<!max\.)\s+|\n+|(?:,|\s[-–—])\s+(?=but\b|instead\b|rather,|just\b|always\b)|\s+(?=instead,|but\b)"
)
NEW_START = re.compile(r"(?:,|\s[-–—]|—|:)\s*(?:(?:and|so|then|please|and then|and please|so please)\s+)?$")
LONGER = re.compile(r"\b(?:two or three|two to three|2-3|2 or 3|2 to 3|three|3|four|a few)(?: \w+)? sentences")
WORD_LIMIT = re.compile(rf"(?<![\w-])({NUMBER}) (?:spoken |short )?words\b")


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
    joined = re.sub(r"(?<=[^\n:.!?])\n(?!\s*(?:[-*•+#–>☐✓\[]|\w{1,2}[.)]\s|\n))", " ", text)
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
                yield prefix + NOT_NEGATIVE.sub("within", DO_NOT_FORGET.sub("remember", clause))[:600]


def _given(family: Family, clause: str) -> bool:
    if family.wanted is not None and any(
        not _negated(clause, match.start()) for match in family.wanted.finditer(clause)
    ):
        return True
    return family.unwanted is not None and any(_rejected(clause, match) for match in family.unwanted.finditer(clause))


def _rejected(clause: str, match: re.Match[str]) -> bool:
    """True when what was found is ruled out: "no lists", "lists have no place here", "leave the lists out"."""
    if NEGATION.search(clause, 0, match.start()) or REJECTED_AFTER.match(clause[match.end() :]):
        return True
    return any(left.start() < match.start() < left.end() for left in LEFT_OUT.finditer(clause))


def _negated(clause: str, start: int) -> bool:
    """True when a negation governs what begins at `start`: "no lists, and ask ..." sets the asking free."""
    before = clause[:start]
    return NEGATION.search(before) is not None and NEW_START.search(before) is None


def _words(text: str) -> int:
    limits = [limit for limit in map(figure, WORD_LIMIT.findall(text)) if limit >= 10]
    if limits:
        return min(limits)
    return LONGER_WORDS if LONGER.search(text) else DEFAULT_WORDS
