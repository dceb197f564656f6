"""The plain instructions that a system prompt gives, read by meaning and in varied wording."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from services.rehearsal.pools import load_pool

DEFAULT_WORDS = 30
"""The meaning of "keep it short" without a figure."""
LONGER_WORDS = 45
"""The meaning of "two or three sentences"."""
UNITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "dozen": 12, "twelve": 12, "fifteen": 15}


@dataclass(frozen=True, slots=True)
class Guidance:
    """The wishes of a system prompt."""

    instructions: frozenset[str]
    words: int | None
    """Most words of a reply; None without a wish for short ones."""

    def asks(self, instruction: str) -> bool:
        return instruction in self.instructions


NEGATION = re.compile(
    r"\b(?:\w+n't|never|no|not|nobody|nothing|nor|neither|none|cannot|without|avoid\w*|refrain\w*|skip|omit|drop|spare"
    r"|steer clear|discourag\w*|leave out|free of|rather than|instead of|less)\b"
)
NOT_NEGATIVE = re.compile(r"\b(?:do not|don't|never) (?:forget|hesitate|fail) to\b|\bno matter\b")
REJECTED = re.compile(r"\w*[^.;]{0,60}?\b(?:(?:is|are) (?:\w+ )?(?:forbidden|banned)|ha(?:s|ve) no place)")
FORBIDDING_HEAD = re.compile(r"^\W*(?:things to avoid|what not to do|do not|don't|avoid|never|no)\b[^.]{0,25}:\W*$")
BULLET = re.compile(r"^\s*(?:\[[ x]?\]|[-*•+]|\w{1,2}[.)])\s+")
WRAPPED = re.compile(r"(?<=[^\n:.!?])\n(?!\s*(?:[-*•+#\[]|\w{1,2}[.)]\s|\n))")
CLAUSE_END = re.compile(r"(?<=[.;!?])(?<!max\.)\s+|(?:,|\s[-–—])\s+(?=but\b|instead\b|just\b|always\b)|\s+(?=but\b)")
NEW_START = re.compile(r"(?:,|\s[-–—]|—|:)\s*(?:(?:and|so|then|please|and then)\s+)?$")
NOT_THE_MODEL = re.compile(r"\b(?:they|users?|people|someone|anyone|person|customers|may|might)(?: ask a)? $")
"""Stands before a wording that speaks of somebody else: "when they ask a question"."""
LONGER = re.compile(r"\b(?:two or three|two to three|2-3|2 or 3|2 to 3|three|3|four|a few)(?: \w+)? sentences")


def _is_meant(clause: str, found: re.Match[str]) -> bool:
    """False when a negation governs the wording, or somebody else does it: a comma sets "no lists, and ask" free."""
    before = clause[: found.start()]
    negated = NEGATION.search(before) is not None and NEW_START.search(before) is None
    return not negated and NOT_THE_MODEL.search(before) is None


def _is_ruled_out(clause: str, found: re.Match[str]) -> bool:
    """True for "no lists" and "lists have no place here"."""
    return NEGATION.search(clause, 0, found.start()) is not None or REJECTED.match(clause, found.end()) is not None


def read_figure(text: str) -> int:
    """The value of a number in digits or words: 25 for "25", "twenty-five" and "twenty five"."""
    if text.isdecimal():
        return int(text)
    values = TENS | {word: value for value, word in enumerate(UNITS)}
    return sum(values.get(word, 0) for word in re.split(r"[- ]", text))


@cache
def compile_wording(text: str) -> re.Pattern[str]:
    """The pattern with a class of words in place of each <name>."""
    classes = load_pool("instructions")["classes"]
    while (filled := re.sub(r"<(\w+)>", lambda match: classes[match[1]], text)) != text:
        text = filled
    return re.compile(text)


@cache
def _wordings() -> Sequence[tuple[str, re.Pattern[str], re.Pattern[str]]]:
    """(instruction, its wordings, wordings of its opposite)."""
    wanted, unwanted = load_pool("instructions")["wanted"], load_pool("instructions")["unwanted"]
    return [
        (name, compile_wording("|".join(wordings)), compile_wording("|".join(unwanted.get(name, ["(?!)"]))))
        for name, wordings in wanted.items()
    ]


def _read_clause(clause: str) -> Iterator[str]:
    """The instructions that one clause gives."""
    for name, wanted, unwanted in _wordings():
        if any(_is_meant(clause, found) for found in wanted.finditer(clause)) or any(
            _is_ruled_out(clause, found) for found in unwanted.finditer(clause)
        ):
            yield name


@lru_cache(maxsize=256)
def read_guidance(system_prompt: str) -> Guidance:
    """The instructions of a system prompt. Text beyond the first 20,000 characters is not read."""
    text = system_prompt[:20_000].lower().replace("’", "'")
    found = {name for clause in _clauses(text) for name in _read_clause(clause)}
    return Guidance(frozenset(found), _words(text) if "short" in found else None)


def _clauses(text: str) -> Iterator[str]:
    forbidding = False
    # A wrapped line goes on with the sentence; a bullet, a heading and an empty line begin a new one.
    for line in WRAPPED.sub(" ", text).split("\n"):
        if FORBIDDING_HEAD.match(line):
            forbidding = True
            continue
        bullet = BULLET.match(line)
        forbidding = forbidding and (bullet is not None or not line.strip())
        prefix = "do not " if forbidding and bullet else ""
        for clause in CLAUSE_END.split(BULLET.sub("", line)):
            if clause.strip():
                yield prefix + NOT_NEGATIVE.sub("", clause)[:600]


def _words(text: str) -> int:
    found = compile_wording(r"\b(<number>) (?:\w+ )?words\b").findall(text)
    limits = [limit for limit in map(read_figure, found) if limit >= 10]
    return min(limits) if limits else LONGER_WORDS if LONGER.search(text) else DEFAULT_WORDS
