"""A collection of responses scored where it lies: planned in parts, done by an engine, added up, and reported.

Beside its parts it leaves the summary as JSON and Markdown, and the page.
"""

import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from evaluation.collected.tally import Tally
from evaluation.errors import UsageError
from evaluation.records import Json
from evaluation.reports.collected import describe_collection
from evaluation.reports.document import Document
from evaluation.reports.html.collection import collection_page
from evaluation.reports.html.page import Assets
from evaluation.reports.markdown import to_markdown
from evaluation.runspec import digest
from evaluation.suites.loaded import LoadedSuite
from evaluation.suites.own import INPUT
from evaluation.text.numbers import count, duration, times
from scripts.run.load import chosen_rubric, load_suite
from scripts.run.output import print_report
from scripts.scoring.judged import Judging, check_judge
from scripts.scoring.part import Job, by_engine, files_of, key_of, score_part
from scripts.shell import DONE, INCOMPLETE, note, notes_now_and_then, sigterm_interrupts
from services.collected.addresses import is_remote, kept, shown
from services.collected.output import OutputFolder
from services.collected.parts import Part, find_files, form_of, plan_parts
from services.provenance import scorer_digest
from services.run_folder import json_bytes, text_bytes
from services.settings import read_settings
from services.workspace import read_page_assets

MOST_FILES = 100
"""Files that the summary names; all of them stand in job.json."""
UNITS = {"parquet": "row"}
"""Form -> in what the place of a row is counted; in bytes where none is named."""
PLAN = "job.json"
"""What the folder is the output of."""


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


def score_collection(options: Any, suite: str) -> int:
    """Scores every row of the files; a part that is done already is not done again. Returns the exit code."""
    if not options.output:
        raise UsageError("--output: name a folder for the parts; with workers elsewhere one that all of them reach")
    settings = read_settings()
    rubric = chosen_rubric(suite, options.rubric, settings)
    loaded = load_suite(suite, rubric, profile=options.profile)
    if loaded.suite.rules != "heuristic" or not loaded.suite.metrics_of("heuristic"):
        raise UsageError(f"suite {loaded.suite.name!r} has no rule for a single response: name another with --suite")
    check_judge(options, loaded, settings)
    folder = _folder_of(options.output)
    files = _without_output(find_files(options.file), folder)
    job = _job(options, loaded, folder, options.form or form_of(files[0]))
    parts = plan_parts(files)
    for warning in warn_of_uncut(parts):
        note(warning)
    there = OutputFolder(folder).names()
    _refuse_other_output(job, parts, there)
    _remove_surplus(job, len(parts), there)
    left = [each for each in parts if not _is_done(job, each, there)]
    if len(left) < len(parts):
        note(f"{count(len(parts) - len(left))} of {count(len(parts))} parts are done already")
    with sigterm_interrupts():
        _do(left, job, options, len(parts))
    summary, metrics = _added_up(job, parts)
    leave = partial(leave_collection, OutputFolder(folder), summary, metrics, parts, job.form)
    leave()  # what is finished is there, whatever becomes of the judge
    judged = Judging(job, parts, loaded, (suite, rubric), options, settings, summary["digest"]).run()
    if judged is not None:
        summary["judge"] = judged[0]
    print_report(leave(), summary, as_json=options.json)
    code = INCOMPLETE if summary["errors"] else DONE
    return code if judged is None else judged[1] or code


def _folder_of(output: str) -> str:
    return output.rstrip("/") if is_remote(output) else str(Path(output).resolve())


def _is_done(job: Job, part: Part, there: frozenset[str]) -> bool:
    files = files_of(job, part)
    return {files.rows, files.record} <= there and files.done(key_of(job, part)) is not None


def _job(options: Any, loaded: LoadedSuite, folder: str, form: str) -> Job:
    if options.time and "week" in (options.by or ()):
        raise UsageError("--by week: the weeks of --time have this name too: leave one of the two out")
    kept = {INPUT: loaded.suite.kept} if loaded.suite.kept else {}
    return Job(
        suite=loaded.suite.name,
        inputs={"rubric": loaded.text, **kept},
        folder=folder,
        form=form,
        explanations=options.explanations,
        id_column=options.id,
        by=tuple(options.by or ()),
        time=options.time or "",
        cluster=options.cluster or "",
        scored_by=digest([loaded.text, scorer_digest(loaded.suite.scored_by)]),
    )


def _without_output(files: list[str], folder: str) -> list[str]:
    """The files that do not lie in the folder of the output, which may lie in that of the input.

    Of this machine with their whole paths: a worker elsewhere is at work in a folder of its own.
    """
    whole = [each if is_remote(each) else str(Path(each).resolve()) for each in files]
    found = [each for each in whole if not each.startswith(f"{folder}/")]
    if not found:
        raise UsageError(f"{shown(folder)}: holds all files that are named: choose another --output")
    return found


def _remove_surplus(job: Job, parts: int, there: frozenset[str]) -> None:
    """Removes what is behind the last part: a file of the input was longer before."""
    for name in there:
        number = Path(name).stem.removeprefix("part-")
        if number.isdecimal() and int(number) >= parts and Path(name).parent.name in ("", "done"):
            OutputFolder(job.folder).remove(name)


def _refuse_other_output(job: Job, parts: list[Part], there: frozenset[str]) -> None:
    """Raises UsageError where the folder holds what another job, or other files, left there."""
    folder = OutputFolder(job.folder)
    plan: dict[str, Json] = {
        "suite": job.suite,
        "form": job.form,
        "files": sorted({kept(part.file) for part in parts}),
        "scored_by": job.scored_by,
    }
    if PLAN in there:
        try:
            before = json.loads(folder.read(PLAN) or b"")
        except ValueError:
            before = None
        if before != plan:
            raise UsageError(
                f"{shown(job.folder)}: holds the output of other files, rules or forms: choose another --output"
            )
    elif there:
        raise UsageError(f"{shown(job.folder)}: is not empty: choose another --output")
    else:
        folder.write(PLAN, json_bytes(plan))


def _do(left: list[Part], job: Job, options: Any, whole: int) -> None:
    """Has the engine do the parts that are left, and says how far it is."""
    if not left:
        return
    done = by_engine(partial(score_part, job), left, options)
    began, say = time.monotonic(), notes_now_and_then(quiet=options.quiet)
    rows = 0
    for number, record in enumerate(done, start=1):
        rows += record["rows"]
        to_go = (time.monotonic() - began) / number * (len(left) - number)
        finished = whole - len(left) + number
        say(f"{count(finished)} of {count(whole)} parts, {count(rows)} rows, about {duration(to_go)} left")


def _added_up(job: Job, parts: list[Part]) -> tuple[dict[str, Any], Sequence[str]]:
    """The summary and its metrics: parts in their order, so that sums do not depend on who did them when."""
    total, digests, cpu_s = None, hashlib.sha256(), 0.0
    unseen = set(job.asked_for)
    for tally, record in _records(job, parts):
        unseen.intersection_update(record["unseen"])
        digests.update(record["digest"].encode())
        cpu_s += record["cpu_seconds"]
        if total is None:
            total = tally
        else:
            total.join(tally)
    if total is None or not total.rows:
        raise UsageError("the files hold no row")
    summary = {
        "schema_version": 1,
        "kind": "collection",
        "suite": job.suite,
        "parts": len(parts),
        "digest": digests.hexdigest(),
        "cpu_seconds": round(cpu_s, 3),
        "unseen_columns": [name for name in job.asked_for if name in unseen],
        **total.summary(),
    }
    return summary, total.metrics


def _records(job: Job, parts: Iterable[Part]) -> Iterator[tuple[Tally, dict[str, Any]]]:
    loaded = None
    for part in parts:
        record = files_of(job, part).done(key_of(job, part))
        if record is None:
            raise UsageError(
                f"{shown(job.folder)}: part {part.number} is not there any more: the same command makes it again"
            )
        if loaded is None:
            from scripts.scoring.part import suite_of

            suite = suite_of(job)
            loaded = (suite.metrics_of("heuristic"), suite.scale("heuristic"))
        yield Tally.from_json(record["tally"], *loaded), record
