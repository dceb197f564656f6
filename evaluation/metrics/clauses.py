"""Clauses: where a text asks something."""

import re

LONGEST_CLAUSE = 200
"""Characters before a question mark that are read as its clause."""
_MARKS = re.compile(r"[?？؟]+")
_CLAUSE_ENDS = (". ", "! ", "\n", "… ", ': "', "。", "！")


def question_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Start and end of each question, its mark included: a clause with a letter or digit, closed by a question mark.

    A mark within a web address closes nothing. Each clause is read back over a bounded stretch, so the time is linear.
    """
    if "?" not in text and (text.isascii() or not _MARKS.search(text)):
        return ()
    spans: list[tuple[int, int]] = []
    previous = 0
    for mark in _MARKS.finditer(text):
        end = mark.end()
        if text[end - 1] == "?" and end < len(text) and (text[end].isalnum() or text[end] in "=&/%"):
            continue
        start = _clause_start(text, max(previous, mark.start() - LONGEST_CLAUSE), mark.start())
        previous = end
        if any(map(str.isalnum, text[start : mark.start()])):
            spans.append((start, end))
    return tuple(spans)


def _clause_start(text: str, floor: int, end: int) -> int:
    clause = text[floor:end]
    cut = 0
    for close in _CLAUSE_ENDS:
        if close in clause:
            cut = max(cut, clause.rfind(close) + len(close))
    return end - len(clause[cut:].lstrip())
