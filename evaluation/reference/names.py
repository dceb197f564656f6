"""Names in an English text: words with a capital where English writes none, and who or what bears each."""

import re
from collections.abc import Iterator

from evaluation.metrics.utterance import fold
from evaluation.reference.values import Name
from evaluation.reference.words import INSTITUTIONS, NOT_ROLES, PARTICLES, PLACES, TITLES
from evaluation.text.function_words import FUNCTION_WORDS
from evaluation.text.not_names import NOT_NAMES
from evaluation.text.stems import stem_of

_WORD = re.compile(r"[^\W\d_]+(?:[-\u2019'](?!s\b)[^\W\d_]+)*")
_STARTS = re.compile(
    r"(?:^|[.!?\u2026:;\n\"\u201c\u201d()\[\]*#\u2022>|]|(?<!\w)[-\u2013\u2014])\s*[\"'\u201c\u2018(*_#]*$"
)
_OWN = re.compile(r"\b(?:i'm|i am|my name is|name's|call me|this is|i go by)(?: just)? $")
_TITLED = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|Prof|St)\. $")
_CALLED = re.compile(
    r"(?P<role>[^\W\d_]+)(?:'s name)?,? (?:is|was|are|were)?\s?(?:called|named|is|was|by the name of)?,? ?$"
)
_BEARS = re.compile(
    r"^(?:,| is| was)? ?(?P<owner>your|my|the user's|his|her|their|the|a|an|[^\W\d_]+'s) (?P<role>[^\W\d_]+)\b"
)
_OWNER = re.compile(r"\b(?P<owner>your|my|our|the user's|his|her|their|the|[^\W\d_]+'s) $")
_YOU = frozenset({"your", "my", "our", "the user's"})
_ANYBODY = frozenset({"his", "her", "their", "the", "a", "an"})
_LOOKED_AT = 60


def names_in(text: str) -> Iterator[Name]:
    """The names of a text, in order. What begins a sentence is none by itself, nor is the speaker's own name."""
    folded = fold(text)
    own: set[str] = set()
    for words in _rows(text):
        low = tuple(folded[start:end] for start, end in words)
        start, end = words[0][0], words[-1][1]
        if _OWN.search(folded[max(0, start - 20) : start]):
            own.update(low)
        if own.issuperset(low) or any(word in INSTITUTIONS for word in low):
            continue
        role, owner = _role(folded, start, end)
        yield Name((start, end), low, role, owner, _preposition(folded, start))


def _rows(text: str) -> Iterator[list[tuple[int, int]]]:
    """The words of each name, without titles: neighbours with a capital, small words of names between them."""
    row: list[tuple[int, int]] = []
    particles: list[tuple[int, int]] = []
    for line in re.finditer(r"[^\n]+", text):
        if _is_heading(line[0]):
            continue
        for match in _WORD.finditer(text, line.start(), line.end()):
            last = (particles or row or [match.span()])[-1][1]
            apart = text[last : match.start()]
            if row and (apart not in (" ", ". ", "-") or (apart == ". " and last - row[-1][0] > 1)):
                yield row
                row, particles = [], []
            word = match[0]
            if _is_name(word, text, match.start(), bool(row)):
                row += [*particles, match.span()]
                particles = []
            elif row and word.lower() in PARTICLES:
                particles.append(match.span())
            elif row:
                yield row
                row, particles = [], []
        if row:
            yield row
        row, particles = [], []


def _is_heading(line: str) -> bool:
    """True for a line whose words have capitals because it is a title."""
    words = _WORD.findall(line)
    return line.lstrip().startswith("#") or (
        len(words) > 2
        and sum(word[0].isupper() for word in words) > 0.7 * len(words)
        and line.rstrip()[-1:] not in ".!?"
    )


def _is_name(word: str, text: str, start: int, inside: bool) -> bool:
    low = fold(word)
    if not word[0].isupper() or (word.isupper() and (len(word) > 1 or word == "I")):
        return False
    if low in NOT_NAMES or low in TITLES or low.split("'")[0] in FUNCTION_WORDS:
        return False
    before = text[max(0, start - 8) : start]
    if inside or _TITLED.search(before) or not _STARTS.search(before):
        return True
    # At the start of a sentence a word is a name only where the next one is, too, or where something is its own.
    behind = text[start + len(word) :]
    return re.match(r"['\u2019]s [a-z]", behind) is not None and low not in FUNCTION_WORDS


def _role(folded: str, start: int, end: int) -> tuple[str, str]:
    """The stem of who or what bears a name, and whose that is."""
    before = re.sub(r"(?:\b(?:mr|mrs|ms|dr|prof|miss)\b\.? ?)+$", "", folded[max(0, start - _LOOKED_AT) : start])
    found = _CALLED.search(before)
    if found is not None and found["role"] not in FUNCTION_WORDS and found["role"] not in NOT_ROLES:
        owner = _OWNER.search(before[: found.start()])
        if owner is not None:
            return stem_of(found["role"]), _owner(owner["owner"])
    behind = _BEARS.match(folded[end : end + _LOOKED_AT])
    if behind is not None and behind["role"] not in FUNCTION_WORDS:
        further = folded[end + behind.end() :]
        if not re.match(r" (?!and\b|but\b|or\b|who\b|is\b|was\b|so\b)[^\W\d_]+", further):
            return stem_of(behind["role"]), _owner(behind["owner"])
    return "", ""


def _owner(written: str) -> str:
    if written in _YOU:
        return "you"
    return "?" if written in _ANYBODY else written.removesuffix("'s")


def _preposition(folded: str, start: int) -> str:
    before = re.search(r"(?:^|[^\w])([a-z]+) (?:(?:mr|mrs|ms|dr|prof)\.? )?$", folded[max(0, start - 20) : start])
    return before[1] if before is not None and before[1] in PLACES else ""
