"""The file of waivers: named by a flag, or `waivers.yaml` in the workspace or the working directory."""

from datetime import UTC, datetime
from pathlib import Path

from evaluation.expectations.waivers import Waiver, in_force, notes_on, parse_waivers
from evaluation.text.forms import SourceText
from services.text_files import read_text
from services.workspace import find_workspace


def read_waivers(named: str | None) -> tuple[tuple[Waiver, ...], tuple[str, ...]]:
    """The waivers in force today (UTC), and a line on each that expired; none without a file.

    Raises UsageError where the named file is missing, ParseError for one that is wrong.
    """
    path = find_workspace().waivers if named is None else Path(named)
    if named is None and not path.exists():
        return (), ()
    file = read_text(path)
    waivers = parse_waivers(SourceText(file.text, file.place))
    today = datetime.now(UTC).date()
    return in_force(waivers, today), tuple(notes_on(waivers, today))
