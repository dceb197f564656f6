"""One part of a collection: its rows read, scored by rule, written and added up. Runs wherever an engine puts it."""

import argparse
import hashlib
import json
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from math import isfinite
from typing import Any, TypeVar

from evaluation.collected.places import Place
from evaluation.collected.tally import Group, Tally
from evaluation.errors import ParseError
from evaluation.moments import in_utc, week_of
from evaluation.records import Json
from evaluation.suites.loaded import build_suite
from evaluation.suites.suite import Suite
from evaluation.text.forms import SourceText
from scripts.run.load import definition_of
from scripts.run.own_cues import load_own_cues
from scripts.run.own_packs import load_own_packs
from scripts.scoring.responses import exchange_from
from scripts.shell import note
from services.collected.engines import DASK, do_here, do_on_dask
from services.collected.output import OutputFolder
from services.collected.parts import Part
from services.collected.reaching import at_work
from services.collected.reading import Row, read_rows
from services.collected.writing import PartFiles
from services.processes import cores

Task = TypeVar("Task")
Result = TypeVar("Result")
LONGEST_GROUP = 80
"""Characters of a value that names a group."""
NO_VALUE = "(none)"
ID = "id"
"""What names a row where nothing else is said."""
READ = ("user_input", "input", "response", "context", "moderation", "lang", "language")
"""Columns of the input that are scored."""
RECORD = 5
"""Version of the records of parts: one of another version is made once more."""


def by_engine(work: Callable[[Task], Result], tasks: Sequence[Task], options: argparse.Namespace) -> Iterator[Result]:
    """`work` of each task, in the order in which they are done."""
    jobs = options.jobs or cores()
    if options.engine == DASK or options.engine_address:
        return do_on_dask(work, tasks, jobs, options.engine_address, note)
    return do_here(work, tasks, jobs)


@dataclass(frozen=True, slots=True)
class Job:
    """What is done with every part."""

    suite: str
    inputs: Mapping[str, str]
    """The rubric's text, and the suite's own where it has no code: a worker elsewhere has not the files."""
    folder: str = field(repr=False)
    """Whole path or address of the output."""
    form: str
    """Of the output."""
    explanations: bool
    id_column: str
    by: tuple[str, ...]
    """Columns whose values have means of their own."""
    time: str
    """Column with the time of a row, for means by week; empty without."""
    cluster: str
    """Column that names whose responses tend to be alike; empty where each row stands alone."""
    scored_by: str
    """Digest of rubric and code."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Of the output, where it is a table."""
        metrics = suite_of(self).metrics_of(suite_of(self).rules)
        return ("id", *metrics, "error", *(("explanations",) if self.explanations else ()))

    @property
    def asked_for(self) -> tuple[str, ...]:
        """Columns of the input that only the command names: a slip of the pen names one that is not there."""
        named = (self.id_column if self.id_column != ID else "", *self.by, self.time, self.cluster)
        return tuple(dict.fromkeys(filter(None, named)))

    @property
    def columns_read(self) -> frozenset[str]:
        """Of the input; others may be there."""
        return frozenset({*READ, self.id_column, *self.by, self.time, self.cluster})


@lru_cache(maxsize=4)
def _suite(name: str, inputs: tuple[tuple[str, str], ...]) -> Suite:
    load_own_cues()
    load_own_packs()
    texts = dict(inputs)
    return build_suite(definition_of(name, texts), SourceText(texts["rubric"], "the rubric of the job")).suite


def suite_of(job: Job) -> Suite:
    """The suite, built once in each process."""
    return _suite(job.suite, tuple(sorted(job.inputs.items())))


def files_of(job: Job, part: Part) -> PartFiles:
    """Where the output of the part lies."""
    return PartFiles(OutputFolder(job.folder), part.number, job.form)


def key_of(job: Job, part: Part) -> str:
    """Names what was done to what."""
    asked = (RECORD, job.suite, job.scored_by, job.form, job.explanations, job.id_column, job.by, job.time, job.cluster)
    return hashlib.sha256(f"{part.key} {asked!r}".encode()).hexdigest()


def score_part(job: Job, part: Part) -> dict[str, Any]:
    """Scores the part, and writes it with its record: key, digest of what was written, and what it adds up to.

    Returns the number of its rows alone: the records of a million parts need not pass through one process.
    """
    began, cpu = time.time(), time.process_time()
    suite = suite_of(job)
    tally = Tally(suite.metrics_of(suite.rules), suite.scale(suite.rules))
    unseen = set(job.asked_for)
    out = []
    with at_work():
        for row in read_rows(part, job.columns_read):
            unseen.difference_update(row.record)
            out.append(_scored(row, job, suite, tally, part))
    lines = hashlib.sha256()
    for scored in out:
        lines.update(json.dumps(scored, sort_keys=True).encode())
    record = {
        "key": key_of(job, part),
        "part": part.to_json(),
        "digest": lines.hexdigest(),
        "tally": tally.to_json(),
        "unseen": sorted(unseen),
        "worker": f"{socket.gethostname()} {os.getpid()}",
        "seconds": round(time.time() - began, 3),
        "cpu_seconds": round(time.process_time() - cpu, 3),
    }
    with at_work():
        files_of(job, part).write(out, job.columns, record)
    return {"rows": tally.rows}


def _scored(row: Row, job: Job, suite: Suite, tally: Tally, part: Part) -> dict[str, Json]:
    """The row that goes out for one that came in; one that cannot be scored says why."""
    identity = identity_of(row, job, part)
    problem, place = row.problem, Place.of(identity, part.number, row.place)
    if not problem:
        try:
            exchange = exchange_from({**row.record, "id": str(identity)}, needs_user_input=suite.needs_user_input)
            scores = suite.score(exchange)
        except (ParseError, ValueError, RecursionError) as error:
            problem = str(error) or type(error).__name__
        else:
            rules = [score for score in scores if score.source == suite.rules]
            values = {score.metric: score.value for score in rules}
            counted = {score.metric: score.value for score in rules if score.applicable}
            spoken = suite.spoken_in(exchange)
            language = "" if spoken is None else spoken.scored
            tally.add(cluster_of(row, job, identity), groups_of(row.record, job), counted, place, language)
            texts = {score.metric: score.explanation or score.reason for score in rules}
            shown = _explanations(texts, job) if job.explanations else {}
            return {"id": identity, **_out(values, job), **shown}
    tally.add_error(problem, place)
    return {"id": identity, "error": problem}


def identity_of(row: Row, job: Job, part: Part) -> str | int | float:
    """What names a row: its column, else its place in its file."""
    found = _identity(row.record.get(job.id_column))
    return f"{part.file_name}:{row.place}" if found is None else found


def cluster_of(row: Row, job: Job, identity: str | int | float) -> str:
    """Whose row it is, else itself."""
    return str(row.record.get(job.cluster) or identity)


def _identity(value: Any) -> str | int | float | None:
    """What names a row, as JSON has it: a UUID, a date or a decimal of a table as text; None for what names none."""
    if isinstance(value, bytes):
        return value.hex()
    if value is None or isinstance(value, bool | list | tuple | dict) or value != value:
        return None
    return value if isinstance(value, str | int) or (isinstance(value, float) and isfinite(value)) else str(value)


def _out(values: Mapping[str, float | None], job: Job) -> dict[str, Json]:
    return {"scores": dict(values)} if job.form == "jsonl" else dict(values)


def _explanations(texts: Mapping[str, str], job: Job) -> dict[str, Json]:
    return {"explanations": dict(texts) if job.form == "jsonl" else json.dumps(texts, ensure_ascii=False)}


def groups_of(record: Mapping[str, Any], job: Job) -> list[Group]:
    """The groups of a row beside that of all rows: column and value, and the week as the last where it has a time."""
    groups = [(name, _named(record.get(name))) for name in job.by]
    return [*groups, ("week", week_named(record.get(job.time)))] if job.time else groups


def _named(value: Any) -> str:
    return NO_VALUE if value is None or value == "" else str(value)[:LONGEST_GROUP]


def week_named(value: Any) -> str:
    """2026-W47 of a time as `moment_of` reads it."""
    found = moment_of(value)
    return NO_VALUE if found is None else week_of(found)


def moment_of(value: Any) -> datetime | None:
    """A time in ISO 8601, a date, or seconds since the epoch, in UTC; None for anything else."""
    try:
        if isinstance(value, datetime):
            found = value
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found = datetime.fromtimestamp(value, UTC)
        else:
            found = datetime.fromisoformat(str(value))
        return in_utc(found)
    except (ValueError, OverflowError, OSError):
        return None
