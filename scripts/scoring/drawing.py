"""The rows of a collection that a judge is given: counted and picked by the engine, part by part."""

import argparse
import hashlib
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from evaluation.collected.drawing import Candidate, Design, Drawn, DrawnRow, Picks, Survey, design, draw
from evaluation.records import Exchange
from scripts.scoring.part import Job, by_engine, cluster_of, files_of, groups_of, identity_of, moment_of, suite_of
from scripts.scoring.responses import exchange_from
from services.collected.addresses import kept
from services.collected.parts import Part
from services.collected.reading import Row, read_rows

SLACK = 1.0
"""Of the bounds below which places are kept; four times as much each time that too few lay below them."""
_TO_THE_END = 2**62


def survey(job: Job, parts: Sequence[Part], options: argparse.Namespace) -> Survey:
    """Counts the scored rows."""
    total = Survey()
    for found in by_engine(partial(survey_part, job), parts, options):
        total.join(found)
    return total


def survey_part(job: Job, part: Part) -> Survey:
    """Counts the scored rows of one part."""
    found, scale = Survey(), suite_of(job).scale(suite_of(job).rules)
    for row, score in _scored_rows(job, part):
        found.add(tuple(value for _, value in groups_of(row.record, job)), score, scale)
    return found


def draw_rows(
    job: Job, parts: Sequence[Part], counted: Survey, count: int, seed: int, options: argparse.Namespace
) -> tuple[Drawn, Sequence[Exchange]]:
    """At most `count` rows with their texts, in the order of their places; the same ones whoever does the parts."""
    of = design(counted, count, seed, suite_of(job).scale(suite_of(job).rules))
    files = {file: number for number, file in enumerate(sorted({kept(part.file) for part in parts}))}
    tasks = [(files[kept(part.file)], part) for part in parts]
    slack = SLACK
    while True:
        picks = Picks(of, slack)
        for found in by_engine(partial(pick_part, job, of, slack), tasks, options):
            picks.join(found)
        if (drawn := draw(of, picks)) is not None:
            return drawn
        slack *= 4


def pick_part(job: Job, of: Design, slack: float, task: tuple[int, Part]) -> Picks:
    """Picks what may be drawn of one part; the task has the number of its file before it."""
    picks, suite = Picks(of, slack), suite_of(job)
    number, part = task
    for row, score in _scored_rows(job, part):
        groups = tuple(groups_of(row.record, job))
        identity = identity_of(row, job, part)
        key, stratum = f"{number}|{row.place}", of.stratum_of(tuple(value for _, value in groups), score)
        # Without a column of clusters each row is one of its own, even where two have one id.
        cluster = _digest(cluster_of(row, job, identity) if job.cluster else key)
        if picks.see(key, stratum, cluster):
            found = moment_of(row.record.get(job.time)) if job.time else None
            at = 0.0 if found is None else found.timestamp()
            exchange = exchange_from({**row.record, "id": str(identity)}, needs_user_input=suite.needs_user_input)
            drawn = DrawnRow(key, str(identity), stratum, cluster, groups, score, at)
            picks.candidates.append(Candidate(drawn, exchange))
    return picks


def _scored_rows(job: Job, part: Part) -> Iterator[tuple[Row, float | None]]:
    """The rows that have scores, with their overall by the rules."""
    overall = suite_of(job).overall
    end = _TO_THE_END if job.form == "parquet" else 0
    written = read_rows(Part(0, f"{job.folder}/{files_of(job, part).rows}", job.form, end=end))
    for row, scored in zip(read_rows(part, job.columns_read), written, strict=True):
        if not scored.record.get("error"):
            yield row, _overall(scored.record, overall)


def _overall(record: dict[str, Any], overall: str) -> float | None:
    """Of a written row: JSON lines hold the scores in one object, a table in its columns, as text in CSV."""
    value = record.get("scores", record).get(overall)
    return None if value in (None, "") else float(value)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
