"""Nights on disk, `runs/nightly/<night id>/`, and the end of each: written down, posted, and old runs removed."""

import asyncio
import os
import shutil
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter

from evaluation.errors import EvaluationError
from evaluation.nightly.night import NAMED, NIGHT, Night, NightReport, beyond_policy, worth_posting
from evaluation.nightly.round import Round
from evaluation.records import Json
from evaluation.reports.html.night import night_page
from evaluation.reports.junit import JunitCase, gate_cases, junit_xml, production_cases
from evaluation.reports.markdown import to_markdown
from evaluation.reports.night_message import night_message
from evaluation.reports.nightly import describe_night, headline
from scripts.run.files import page_assets
from scripts.run.index import NIGHTS, note_night, only_noted, write_index
from scripts.run.output import JointAnswer
from scripts.runs.upkeep import existing, removable, remove
from scripts.shell import DONE, note
from services.baselines import read_baseline, sample_path
from services.journal import Journal
from services.run_folder import point_latest, read_json, run_folder, write_documents, write_json
from services.settings import Settings
from services.webhook import post_webhook

PAGE = "report.html"
Record = TypeVar("Record", Night, Round)


class Book(Generic[Record]):
    """The record of what is under way; each note is on disk when it returns."""

    def __init__(self, record: Record, write: Callable[[Record], None]) -> None:
        self.record: Record = record
        self._write: Callable[[Record], None] = write
        self.note()

    def note(self, **changes: Any) -> None:
        self.record = replace(self.record, **changes)
        self._write(self.record)


def new_night(runs: Path, started_at: float, prompt: str, arguments: Json, reference: str = "") -> Night:
    """A night that begins now; `started_at` in seconds since the epoch.

    It is named after its second, or after the next one that no other night has: a name is also its place in the order.
    """
    while (runs / NIGHTS / (name := time.strftime(NAMED, time.gmtime(started_at)))).exists():
        started_at += 1
    return Night(name, prompt, arguments, reference=reference)


def read_nights(runs: Path, prompt: str) -> list[Night]:
    """The nights of one prompt, oldest first."""
    return [night for night in all_nights(runs) if night.prompt == prompt]


def all_nights(runs: Path) -> list[Night]:
    """The nights of every prompt, oldest first."""
    return read_dated((runs / NIGHTS).glob("*/night.json"), NIGHT, attrgetter("night_id"))


def read_dated(paths: Iterable[Path], kind: "TypeAdapter[Record]", name_of: Callable[[Record], str]) -> list[Record]:
    """Records of nights, oldest first; a file that cannot be read is passed over.

    So is the copy of a folder: an archive may hold one of that to which the link led.
    """
    found = []
    for path in paths:
        with suppress(OSError, ValueError):
            each = kind.validate_python(read_json(path))
            if each.started_at > 0 and path.parent.name == name_of(each) and not path.parent.is_symlink():
                found.append(each)
    return sorted(found, key=name_of)


def write_night(runs: Path, night: Night) -> None:
    """Notes how the night stands."""
    write_json(night_folder(runs, night) / "night.json", night.to_json())
    point_latest(runs / NIGHTS, night.night_id)


def write_report(runs: Path, report: NightReport, comparison: Json | None) -> tuple[str, ...]:
    """All files of a night that has ended; returns where they are."""
    folder = night_folder(runs, report.night)
    paged = {night.night_id for night in report.earlier if (runs / NIGHTS / night.night_id / PAGE).is_file()}
    documents: dict[str, Json] = {
        "summary.md": to_markdown(describe_night(report)),
        "night.json": report.to_json(),
        "junit.xml": junit_xml({f"night {report.night.night_id}": _cases(report)}),
        PAGE: night_page(report, page_assets(), paged),
    }
    if comparison is not None:
        documents["comparison.json"] = comparison
    files = write_documents(folder, documents)
    point_latest(runs / NIGHTS, report.night.night_id)
    return files


def night_folder(runs: Path, night: Night) -> Path:
    """Raises UsageError for an id that is no folder name."""
    return run_folder(runs / NIGHTS, night.night_id)


def age_hours(night: Night, now: float) -> float:
    """Hours since the night began; `now` in seconds since the epoch."""
    return (now - night.started_at) / 3600


def _cases(report: NightReport) -> list[JunitCase]:
    production = production_cases(report.production)
    if report.gate is not None:
        return [*gate_cases(report.gate), *production]
    errors = [JunitCase("gate.nightly", report.night.state, error=reason) for reason in report.night.reasons[:1]]
    return [*errors, *production]


@dataclass(frozen=True, slots=True)
class Written:
    """A night that has ended, and its files."""

    report: NightReport
    files: tuple[str, ...]
    error: EvaluationError | None = None
    """What has to be set right, where it ended with that."""

    def answer(self) -> JointAnswer:
        """What a command prints of it, and ends with."""
        night, report = self.report.night, describe_night(self.report, files=self.files)
        return JointAnswer(self.report.to_json(), report, self.files, night.exit_code or DONE)


def end_night(report: NightReport, comparison: Json | None, settings: Settings) -> Written:
    """Writes the night down and lets old runs go."""
    report = replace(report, night=replace(report.night, headline=headline(report)))
    files = write_report(settings.runs_dir, report, comparison)
    _prune(report, settings)
    note_in_index(report.night, report.to_json(), settings, PAGE)
    return Written(report, files)


def note_in_index(night: Night, document: Json, settings: Settings, page: str = "") -> None:
    """Notes the line of a night as it stands, and writes the index; `page` is the name of its page, if it has one."""
    with only_noted(), Journal.in_folder(settings.runs_dir) as journal:
        note_night(document, journal, page and f"{NIGHTS}/{night.night_id}/{page}")
        write_index(journal, settings)


def post_night(report: NightReport, settings: Settings, *, always: bool) -> None:
    """Posts what is not well, the first night that is well again, or with `always` every night."""
    if always or worth_posting(report.night, report.earlier):
        post(lambda address: night_message(report, address), settings)


def post(message: Callable[[str], Json], settings: Settings) -> None:
    """Posts a message, made with the address of the job, where there is a chat that hears of nights.

    One that cannot be delivered is noted and changes nothing else.
    """
    if settings.night.webhook_url is None:
        return
    problem = asyncio.run(post_webhook(settings.night.webhook_url, message(_pipeline_address())))
    note(f"webhook: {problem}" if problem else "webhook: posted")


def _pipeline_address() -> str:
    """Where the job can be read that this process is part of; empty outside GitHub Actions."""
    parts = [os.environ.get(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")]
    return f"{parts[0]}/{parts[1]}/actions/runs/{parts[2]}" if all(parts) else ""


def _remove_sample(night: Night, settings: Settings) -> None:
    """Removes the sample of production that a night drew, unless it is the approved one."""
    if night.sample is None:
        return
    path = sample_path(settings.night.baselines_dir, night.prompt)
    if night.sample not in (read_baseline(path) or ""):
        shutil.rmtree(run_folder(settings.runs_dir, night.sample), ignore_errors=True)


def _prune(report: NightReport, settings: Settings) -> None:
    """Removes the runs of nights beyond the policy; their records stay for the trend."""
    oldest = time.strftime("%Y-%m-%d", time.gmtime(time.time() - settings.night.keep_days * 86_400))
    old = beyond_policy([*report.earlier, report.night], settings.night.keep_nights, oldest)
    for night in old:
        _remove_sample(night, settings)
    named = list(dict.fromkeys(run_id for night in old for run_id in night.runs.values()))
    if not named:
        return
    with Journal.in_folder(settings.runs_dir) as journal:
        found = removable(existing(named, journal), journal, settings)
        remove(found.run_ids, journal, settings)
    if found.run_ids:
        note(f"{len(found.run_ids)} runs of old nights removed")
