"""Where messages come from: a sample of production, a file of JSON lines, a CSV, or a dataset in Langfuse."""

import asyncio
import csv
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from evaluation.commands import write_command
from evaluation.errors import UsageError
from evaluation.harvest.candidate import Candidate, read_candidate
from evaluation.production.messages import NoChat
from evaluation.records import Json
from scripts.run.samples import LINES, is_sample, newest_sample
from services.json_text import from_json
from services.langfuse.asking import ask_langfuse, need_keys
from services.langfuse.datasets import dataset_items
from services.record_files import BrokenLine, numbered_records
from services.run_folder import RUN_ID, read_json
from services.settings import Settings
from services.tables import from_cell
from services.text_files import show_path

SUMMARY = "summary.json"
_TRACES = re.compile(r"(.{1,500}/project/[^/]{1,200}/traces/)")
_LARGEST_CELL = 8_000_000


@dataclass(frozen=True, slots=True)
class Source:
    """What was read."""

    shown: str
    """As people know it."""
    stem: str
    """Names the file of drafts."""
    candidates: list[Candidate]
    unread: Mapping[str, int] = field(default_factory=dict)
    """Why a line is no message of a user -> how many."""
    traces: str = ""
    """The address of traces, to which an id is added; empty where it is not known."""

    def url(self, candidate: Candidate) -> str:
        """The page of a candidate's trace; empty where it is not known."""
        if not self.traces or not candidate.trace_id:
            return ""
        observation = quote(candidate.observation_id, safe="")
        return (
            f"{self.traces}{quote(candidate.trace_id, safe='')}{f'?observation={observation}' if observation else ''}"
        )


def read_source(
    reference: str | None, dataset: str | None, settings: Settings, critical: Collection[str] = ()
) -> Source:
    """A sample by its id (the newest without a name), a file, or a dataset; `critical` are ids of critical items.

    Raises UsageError for what is none of them.
    """
    if dataset:
        return asyncio.run(_of_dataset(dataset, settings))
    if reference is None:
        return _of_sample(_newest(settings.runs_dir), critical)
    path = Path(reference)
    if RUN_ID.fullmatch(reference) and (settings.runs_dir / reference).is_dir():
        return _of_sample(settings.runs_dir / reference, critical)
    if path.is_dir():
        return _of_sample(path, critical)
    if not path.is_file():
        raise UsageError(
            f"{reference[:200]!r} is no sample in {settings.runs_dir} and no file: score one with "
            f"{write_command('score-traces')}, or name a file of JSON lines or CSV"
        )
    rows = _csv(path) if path.suffix.lower() == ".csv" else _json_lines(path)
    return _source(show_path(path), path.stem, rows)


def _newest(runs: Path) -> Path:
    """The folder of the sample that was begun last."""
    found = newest_sample(runs)
    if found is None:
        raise UsageError(
            f"{runs} holds no sample of production: score one with {write_command('score-traces')}, or name a file, "
            "or a dataset with --dataset"
        )
    return found


def _of_sample(folder: Path, critical: Collection[str]) -> Source:
    if not is_sample(folder) or not (folder / LINES).is_file():
        raise UsageError(
            f"{show_path(folder)}: is no finished sample of production: take one of {write_command('score-traces')}"
        )
    return _source(show_path(folder), folder.name, _json_lines(folder / LINES), _address(folder), critical)


def _address(folder: Path) -> str:
    """The address of traces, as the sample's summary has it."""
    try:
        worst = read_json(folder / SUMMARY).get("worst") or []
        urls = [each.get("url") for each in worst if isinstance(each, dict)]
    except (OSError, ValueError, AttributeError, TypeError):
        return ""
    found = next((match for url in urls if isinstance(url, str) and (match := _TRACES.match(url))), None)
    return found[1] if found else ""


async def _of_dataset(name: str, settings: Settings) -> Source:
    access = need_keys(settings.langfuse, "there is no dataset to read")
    async with ask_langfuse(access, check="its version and the keys", otherwise=": try again later") as rest:
        rows = [(f"item {item.get('id')}", item) async for item in dataset_items(rest, name)]
    return _source(f"dataset {name}", re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:60] or "dataset", rows)


def _source(
    shown: str,
    stem: str,
    rows: Iterable[tuple[str, Mapping[str, Any]]],
    traces: str = "",
    critical: Collection[str] = (),
) -> Source:
    found, unread = list[Candidate](), Counter[str]()
    for place, record in rows:
        try:
            found.append(read_candidate(record, place, critical))
        except NoChat as reason:
            unread[str(reason)] += 1
    return Source(shown, stem, found, unread, traces)


def _json_lines(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, record in numbered_records(path, checked=False):
        if isinstance(record, BrokenLine):
            yield f"{path.name}:{number}", {"state": "skipped", "reason": "is no JSON object"}
        else:
            yield f"{path.name}:{number}", record


def _csv(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The rows under their header; a cell that holds JSON of messages is read as such."""
    csv.field_size_limit(_LARGEST_CELL)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for row in (reader := csv.DictReader(file, strict=True)):
                cells = {key: from_cell(value) for key, value in row.items() if isinstance(key, str) and value}
                yield f"{path.name}:{reader.line_num}", {key: _cell(key, value) for key, value in cells.items()}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{show_path(path)}: cannot be read as CSV ({error}): save it as CSV in UTF-8") from None


def _cell(key: str, value: str) -> Json:
    """The value of a cell: JSON where a context or scores may be, a number as the weight, else the text."""
    if key in ("context", "scores", "expectations", "weight"):
        try:
            return from_json(value)
        except ValueError:
            return None
    return value
