"""A document as a part of a page: what its blocks are, and their words in pieces; templates set them."""

from collections.abc import Iterator

from evaluation.commands import split_commands
from evaluation.reports.document import Block, Outside, TableCell, Words
from evaluation.text.safe_text import clip


def kind_of(block: Block) -> str:
    """The name of a block's form: "Heading", "Table", ..."""
    return type(block).__name__


def pieces(words: Words | TableCell) -> Iterator[tuple[str, str]]:
    """Each piece of the words, and how it is set: "own" (a sentence), "outside" (a text from outside) or "command"."""
    if isinstance(words, TableCell):
        yield from pieces(words.words)
        yield from [(f", {words.below}", "own")] if words.below else []
    elif isinstance(words, Outside):
        yield clip(words.text, words.columns), "outside"
    elif isinstance(words, str):
        yield from ((part, "command" if is_command else "own") for part, is_command in split_commands(words))
    else:
        for part in words:
            yield from pieces(part)
