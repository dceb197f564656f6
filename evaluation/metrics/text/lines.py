"""What the lines of a text show of its form: items, verse, turns of speech, greeting and close, code, JSON, a table."""

import json
import re
from collections.abc import Callable, Mapping, Sequence

from evaluation.metrics.text.prose import Prose, prose_of
from evaluation.metrics.utterance import Text, fold

LONGEST_LINE = 2_000
"""Characters of a line that are looked at."""
LONGEST_JSON = 1_000_000
"""Characters of a text that is tried as JSON."""
FEWEST_PIECES = 2
MOST_PIECE_WORDS = 5
"""Words between two commas of an enumeration at the most."""
MOST_GREETING_WORDS = 8
"""Words of a greeting or a close at the most."""
CLOSING_LINES = 4
"""Lines at the end among which a close stands: behind it come a name, a role and an address."""
LEAST_OF_CODE = 0.5
"""Share of the lines that look like code where it is not fenced."""
_FENCE = re.compile(r"^[ \t]{0,12}(`{3,}|~{3,})", re.MULTILINE)
_NUMBERED = re.compile(r"[ \t]*\d+[.)][ \t]")
_SPEAKER = re.compile(r"[*_ \t]{0,4}[^\W\d_][\w .'’-]{0,30}(?:\([^)\n]{0,40}\))?[*_]{0,3}:[*_]{0,3}[ \t]+\S")
_SPEECH = re.compile(r"[ \t]{0,8}(?:[\"“„«–—]|- )")
_OF_CODE = re.compile(r"(?: {4}|\t)\S|.*[;{}]$|.*\)\s*:$|[ \t]*(?:return|import|from|def|class|SELECT|FROM|#include)\b")
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*$")
_RULE = re.compile(r"[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$")
_PIECES = re.compile(r",| and | y | und | et | o | or ")
_BRACKETS = {")": "(", "]": "[", "}": "{"}


def lines_of(text: str) -> list[str]:
    """The lines that hold something, each cut to what is looked at."""
    return [line[:LONGEST_LINE] for line in text.splitlines() if line.strip()]


def listed(text: Text) -> int:
    """Things of a list: its items, else lines of their own without end marks, else what stands between commas."""
    prose: Prose = prose_of(text)
    if prose.items:
        return len(prose.items)
    lines = lines_of(text.original)
    if len(lines) > 1 and all(
        len(line.split()) <= MOST_PIECE_WORDS and line.strip()[-1] not in ".!?:" for line in lines
    ):
        return len(lines)
    if len(prose.lengths) == 1 and len(lines) == 1:
        pieces = [piece for piece in _PIECES.split(lines[0].rpartition(":")[2]) if piece.strip(" .")]
        if len(pieces) >= FEWEST_PIECES and all(len(piece.split()) <= MOST_PIECE_WORDS for piece in pieces):
            return len(pieces)
    return 0


def numbered_items(prose: Prose) -> int:
    """Items that begin with a number."""
    return sum(1 for item in prose.items if _NUMBERED.match(item))


def verse_lines(text: Text, most_words: int) -> float:
    """Lines of verse; where a part of the lines is longer than verse, so much less."""
    items = {item[:LONGEST_LINE] for item in prose_of(text).items}
    lines = [line for line in lines_of(text.original) if line not in items]
    short = sum(1 for line in lines if len(line.split()) <= most_words)
    return short * short / len(lines) if lines else 0.0


def turns(text: Text) -> int:
    """Turns of speech: lines behind a name and a colon, or else behind a quotation mark or a dash."""
    lines = lines_of(text.original)
    named = sum(1 for line in lines if _SPEAKER.match(line))
    return named if named > 1 else sum(1 for line in lines if _SPEECH.match(line))


def greets(text: Text, greetings: Sequence[str]) -> bool:
    """True where one of the first lines is a greeting: a subject line may stand before it."""
    return any(_begins_with(line, greetings) for line in lines_of(text.original)[:2])


def closes(text: Text, closings: Sequence[str]) -> bool:
    """True where one of the last lines is a close."""
    return any(_begins_with(line, closings) for line in lines_of(text.original)[1:][-CLOSING_LINES:])


def _begins_with(line: str, phrases: Sequence[str]) -> bool:
    said = " ".join(fold(line).split())
    return len(said.split()) <= MOST_GREETING_WORDS and any(
        said.startswith(phrase) and not said[len(phrase) : len(phrase) + 1].isalnum() for phrase in phrases
    )


def has_code(text: Text) -> bool:
    """True for a fenced block, and for lines most of which look like code."""
    if _FENCE.search(text.original):
        return True
    lines = lines_of(text.original)
    return len(lines) > 1 and sum(1 for line in lines if _OF_CODE.match(line)) >= LEAST_OF_CODE * len(lines)


def is_closed(text: str) -> bool:
    """True where every fence has its end, and no bracket within the code is left open at its end."""
    fences = list(_FENCE.finditer(text))
    if len(fences) % 2:
        return False
    code = [text[start.end() : end.start()] for start, end in zip(fences[::2], fences[1::2], strict=True)] or [text]
    return all(_balanced(block) for block in code)


def _balanced(code: str) -> bool:
    """True unless a bracket of some kind is opened more often than closed; strings are not looked into."""
    return all(code.count(opened) <= code.count(closed) for closed, opened in _BRACKETS.items())


def is_json(text: str) -> bool:
    """True where the whole text, or the one block in it, is JSON."""
    body = text.strip()[:LONGEST_JSON]
    fences = list(_FENCE.finditer(body))
    if len(fences) == 2:
        body = body[fences[0].end() : fences[1].start()].partition("\n")[2]
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def table_rows(text: Text) -> int:
    """Rows of a table of bars, the heading among them."""
    lines = lines_of(text.original)
    return sum(1 for line in lines if _ROW.match(line) and not _RULE.match(line))


Counted = Callable[[Text], float]
PLAIN: Mapping[str, Counted] = {
    "paragraphs": lambda text: prose_of(text).paragraphs,
    "items": listed,
    "numbered": lambda text: numbered_items(prose_of(text)),
    "bullets": lambda text: len(prose_of(text).items) - numbered_items(prose_of(text)),
    "headings": lambda text: len(prose_of(text).headings),
    "no_list": lambda text: not prose_of(text).items,
    "no_heading": lambda text: not prose_of(text).headings,
    "lines": lambda text: len(lines_of(text.original)),
    "turns": turns,
    "code": has_code,
    "json": lambda text: is_json(text.original),
    "table": table_rows,
}
"""What can be counted without a setting, by its name."""
