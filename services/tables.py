"""CSV for notebooks and spreadsheets, through pandas: every such file is written here.

One row is one record for whoever reads it: a line break inside a cell is a line feed within quotes, whatever it was,
since readers do not agree on the others. No cell is a formula.
"""

import csv
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from evaluation.errors import UsageError

ROWS_AT_ONCE = 5_000
_BREAK = re.compile("\r\n|[\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
"""Everything that some reader takes for the end of a line, apart from the line feed."""
_BLANKS = ("\t", "\n")
"""Spreadsheets leave them out at the start of a cell."""
_SIGNS = "=+-@\u2212"
"""A cell that begins with one of these is worked out; wide, small and raised forms of them too, and a minus sign."""
_UNSEEN = "CZM"
"""Categories of characters that show nothing by themselves: controls, formats, blanks, marks."""
_FILLERS = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and symbols that show nothing either."""


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> int:
    """Writes rows as CSV in UTF-8, in blocks, under `columns`. Returns how many rows.

    Texts are written as `to_cell` has them, and quoted, so that no separator in one ends its cell. A new file is
    readable by its owner only: rows hold what models and users said. Raises UsageError when it cannot be written.
    """
    import pandas

    count = 0
    iterator = iter(rows)
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="", opener=_private) as file:
            csv.writer(file, lineterminator="\n").writerow([to_cell(name) for name in columns])
            while block := list(islice(iterator, ROWS_AT_ONCE)):
                cells = [{key: to_cell(value) for key, value in row.items()} for row in block]
                frame = pandas.DataFrame(cells, columns=list(columns))
                frame.to_csv(file, index=False, header=False, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
                count += len(block)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}): choose another file") from None
    return count


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def to_cell(value: Any) -> Any:
    """The value as it stands in a file: a text as `plain_text` has it, with an apostrophe before a formula.

    A text that already has apostrophes before a formula gets one more, so that `from_cell` is exact.
    """
    if not isinstance(value, str):
        return value
    text = plain_text(value)
    return "'" + text if _works_out(text) else text


def plain_text(text: str) -> str:
    """The text with one kind of line break and without NUL, which some readers refuse."""
    return _BREAK.sub("\n", text).replace("\0", "\ufffd")


def from_cell(text: str) -> str:
    """The text of a cell, without the apostrophe that guards it."""
    return text[1:] if text.startswith("'") and _works_out(text) else text


def _works_out(text: str) -> bool:
    """True when a spreadsheet may take the text, or what follows its apostrophes, for a formula."""
    bare = text.lstrip("'")
    if bare.lstrip(" ").startswith(_BLANKS):
        return True
    seen = next((char for char in bare if unicodedata.category(char)[0] not in _UNSEEN and char not in _FILLERS), " ")
    return unicodedata.normalize("NFKC", seen)[0] in _SIGNS
