"""Tables on a page, between two comments: what comes from data that the project does not hold is written there once."""

import re
from pathlib import Path

from evaluation.errors import UsageError
from services.text_files import read_text

END = "<!-- end -->"


def place_in(page: Path, rubric: str) -> re.Pattern[str]:
    """The place of a rubric's agreement with people on a page. Raises UsageError for a page that has none, or two."""
    begin = f"<!-- agreement: {rubric} -->"
    # What stands there holds no comment: past one that has no end, the pattern would reach into the next place.
    pattern = re.compile(rf"(?P<begin>{re.escape(begin)}\n)(?:(?!<!-- ).)*(?P<end>{re.escape(END)})", re.DOTALL)
    places = len(pattern.findall(read_text(page).text))
    if places != 1:
        how_many = "two places" if places else "no place"
        raise UsageError(
            f"--into {page}: has {how_many} for the tables: write {begin} and {END} once, on lines of their own"
        )
    return pattern


def write_between(page: Path, place: re.Pattern[str], tables: str) -> None:
    """Puts the tables there, in the place of what stood there. The page keeps its line ends and its permissions.

    Raises UsageError for a page that cannot be written.
    """
    text = place.sub(lambda found: f"{found['begin']}\n{tables}\n{found['end']}", read_text(page).text)
    try:
        newline = "\r\n" if b"\r\n" in page.read_bytes() else "\n"
        page.write_text(text, encoding="utf-8", newline=newline)
    except OSError as error:
        raise UsageError(f"--into {page}: cannot be written ({error.strerror}): check its permissions") from None
