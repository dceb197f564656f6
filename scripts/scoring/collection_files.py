"""What a collection leaves beside its parts: the summary as JSON and Markdown, and the page."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.records import Json
from evaluation.reports.collected import describe_collection
from evaluation.reports.document import Document
from evaluation.reports.html.collection import collection_page
from evaluation.reports.html.page import Assets
from evaluation.reports.markdown import to_markdown
from evaluation.text.numbers import times
from services.collected.addresses import kept, shown
from services.collected.output import OutputFolder
from services.collected.parts import Part
from services.run_folder import json_bytes, text_bytes
from services.workspace import read_page_assets

MOST_FILES = 100
"""Files that the summary names; all of them stand in job.json."""
UNITS = {"parquet": "row"}
"""Form -> in what the place of a row is counted; in bytes where none is named."""


def leave_collection(
    folder: OutputFolder, summary: dict[str, Any], metrics: Sequence[str], parts: Sequence[Part], form: str
) -> Document:
    """Writes summary.json, summary.md and report.html; `summary` gains the files. Returns what they say.

    `form` is that of the output.
    """
    summary.update(form=form, **files_of_parts(parts))
    for row in (row for rows in summary["lowest"].values() for row in rows):
        part = parts[row["part"]]
        row.update(file=kept(part.file), unit=UNITS.get(part.form, "byte"))
    place = shown(folder.address)
    document = describe_collection(summary, metrics, place)
    page = collection_page(summary, metrics, Assets(*read_page_assets()), folder=place)
    folder.write("summary.json", json_bytes(summary))
    folder.write("summary.md", text_bytes(to_markdown(document)))
    folder.write("report.html", text_bytes(page))
    return document


def files_of_parts(parts: Sequence[Part]) -> dict[str, Json]:
    """The files with their first part and how many they have, how many there are, and why how many were not cut."""
    found: dict[str, dict[str, Any]] = {}
    for part in parts:
        entry = found.setdefault(
            part.file, {"file": kept(part.file), "name": part.file_name, "first": part.number, "parts": 0}
        )
        entry["parts"] += 1
    return {"files": list(found.values())[:MOST_FILES], "file_count": len(found), "uncut": uncut_files(parts)}


def uncut_files(parts: Sequence[Part]) -> dict[str, int]:
    """Why files stay one part -> how many of them do."""
    return dict(Counter(part.uncut for part in parts if part.uncut))


def warn_of_uncut(parts: Sequence[Part]) -> list[str]:
    """A line for each reason for which files stay one part, with the first of them."""
    first: Mapping[str, Part] = {part.uncut: part for part in reversed(parts) if part.uncut}
    return [
        f"{kept(first[why].file)}: {why}: it stays one part, which one process does alone"
        + (f"; so {'does' if number == 2 else 'do'} {times(number - 1, 'more file')}" if number > 1 else "")
        for why, number in uncut_files(parts).items()
    ]
