"""Two answers side by side as lines for a terminal. Every text passes through `safe_text`: all of it is hostile."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from evaluation.judging.material import NOTHING_BEFORE
from evaluation.review.pair_answers import Said
from evaluation.review.pair_items import PairItem
from evaluation.review.screen import key_lines, rule
from evaluation.text.names import in_words
from evaluation.text.page import Line
from evaluation.text.safe_text import clip, pad, wrap

TITLES = {"context": "Said before", "audience": "About the user", "message": "The user"}
"""Kinds of passages that both answers have in common -> how they are called; the note comes last."""
MOST_LINES = 200
"""Of one paragraph."""
BETWEEN = " │ "
HELP = (
    ("1, 2, t", "the first is better, the second is, or neither; a remark may follow: 2 it asks what happened"),
    ("s", "skip this pair for now; it comes again at the end"),
    ("b", "back to the pair before"),
    ("v", "view the pair again"),
    ("?", "these keys"),
    ("q", "stop; everything saved so far is kept, and the next session goes on here"),
)
PROMPT = "Which serves this user better? [1, 2, t tie] "
SHORT = "Which? [1/2/t] "
SAID: dict[Said, str] = {"first": "the first", "second": "the second", "tie": "a tie"}


def pair_lines(item: PairItem, columns: int, place: str) -> Iterator[Line]:
    """All that a blind reviewer may see of a pair: no version, no score, in the order that was drawn."""
    yield rule(columns, place, in_words(item.scenario.category))
    for passage in item.pair.shared:
        if passage.kind in TITLES and passage.text not in ("", NOTHING_BEFORE):
            yield Line(TITLES[passage.kind], "bold")
            style = "" if passage.kind == "message" else "dim"
            yield from (Line(f"  {part}", style) for part in _paragraphs(passage.text, columns - 2))
    yield Line("")
    width = (columns - len(BETWEEN)) // 2
    yield Line(f"{pad('1', width)}{BETWEEN}2", "bold")
    yield from _beside(*item.shown, width)
    yield Line("")
    if item.scenario.note:
        yield from (
            Line(part, "dim") for part in _paragraphs(f"What a good answer does: {item.scenario.note}", columns)
        )


def _beside(first: str, second: str, width: int) -> Iterator[Line]:
    """Turn by turn where both are conversations of equal parts, so that what answers the same stands abreast."""
    parts = _turns(first), _turns(second)
    if len(parts[0]) != len(parts[1]):
        parts = [first], [second]
    for left, right in zip(*parts, strict=True):
        sides = (list(_paragraphs(text, width)) for text in (left, right))
        for one, other in zip_longest(*sides, fillvalue=""):
            yield Line(f"{pad(one, width)}{BETWEEN}{other}".rstrip(), "cyan")


def _turns(text: str) -> list[str]:
    """A conversation by its turns; further lines of one are indented. An answer by itself is one."""
    turns: list[str] = []
    for line in text.split("\n"):
        if turns and not line.startswith("["):
            turns[-1] += f"\n{line}"
        else:
            turns.append(line)
    return turns


def _paragraphs(text: str, columns: int) -> Iterator[str]:
    for line in text.splitlines() or ["(empty)"]:
        yield from wrap(line, columns, MOST_LINES)


def pair_help(columns: int) -> list[Line]:
    """The keys."""
    return key_lines(HELP, 8, columns)


def saved_line(said: Said, remark: str, columns: int) -> Sequence[Line]:
    """What was saved."""
    return [Line(clip(f"Saved: {SAID[said]}{f', {remark}' if remark else ''}", columns), "green"), Line("")]
