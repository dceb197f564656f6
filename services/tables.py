"""Tables for notebooks and spreadsheets, through pandas."""

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from evaluation.errors import UsageError

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Characters that make a spreadsheet take a cell for a formula, full-width forms included."""
ROWS_AT_ONCE = 5_000


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> int:
    """Writes rows as CSV in UTF-8, in blocks, under `columns`. Returns how many rows.

    A text that a spreadsheet would run as a formula gets an apostrophe before it. A new file is readable by its owner
    only, since rows hold what models and users said. Raises UsageError when the file
    cannot be written.
    """
    import pandas

    count = 0
    iterator = iter(rows)
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="", opener=_private) as file:
            while block := list(islice(iterator, ROWS_AT_ONCE)):
                cells = [{key: harmless(value) for key, value in row.items()} for row in block]
                frame = pandas.DataFrame(cells, columns=list(columns))
                frame.to_csv(file, index=False, header=not count, lineterminator="\n")
                count += len(block)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}): choose another file") from None
    return count


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def harmless(value: Any) -> Any:
    """The value, with an apostrophe before a text that begins like a formula."""
    if isinstance(value, str) and value.lstrip(" ").startswith(FORMULA_STARTS):
        return "'" + value
    return value


def unguard(text: str) -> str:
    """The inverse of `harmless` for a text: without the apostrophe that guards it."""
    return text[1:] if text.startswith("'") and text[1:].lstrip(" ").startswith(FORMULA_STARTS) else text
