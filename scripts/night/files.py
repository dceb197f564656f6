"""The nights on disk: `runs/nightly/<night id>/` with night.json, and beside it what people and pipelines read."""

import calendar
import time
from pathlib import Path

from evaluation.nightly.night import Night, NightReport, night_from_json
from evaluation.records import Json
from evaluation.reports.junit import JunitCase, gate_cases, junit_xml
from evaluation.reports.markdown import to_markdown
from evaluation.reports.nightly import describe_night
from services.run_folder import point_latest, read_json, run_folder, write_json, write_text

FOLDER = "nightly"
"""Below the folder of the runs."""


def new_night(runs: Path, started_at: float, prompt: str, arguments: Json) -> Night:
    """A night that begins now; `started_at` in seconds since the epoch.

    It is named after its second, or after the next one that no other night has: a name is also its place in the order.
    """
    while (runs / FOLDER / (name := _second(started_at))).exists():
        started_at += 1
    return Night(name, prompt, arguments)


def _second(moment: float) -> str:
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(moment))


def read_nights(runs: Path, prompt: str) -> list[Night]:
    """The nights of one prompt, oldest first; a file that cannot be read is passed over."""
    found = []
    for path in sorted((runs / FOLDER).glob("*/night.json")):
        if path.parent.is_symlink():
            continue
        try:
            night = night_from_json(read_json(path))
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if night.prompt == prompt:
            found.append(night)
    return sorted(found, key=lambda night: night.night_id)


def write_night(runs: Path, night: Night) -> None:
    """Notes how the night stands."""
    write_json(night_folder(runs, night) / "night.json", night.to_json())
    point_latest(runs / FOLDER, night.night_id)


def write_report(runs: Path, report: NightReport, comparison: Json | None) -> tuple[str, ...]:
    """All files of a night that has ended; returns where they are."""
    folder = night_folder(runs, report.night)
    write_json(folder / "night.json", report.to_json())
    write_text(folder / "summary.md", to_markdown(describe_night(report)))
    write_text(folder / "junit.xml", junit_xml({f"night {report.night.night_id}": _cases(report)}))
    files = [folder / "summary.md", folder / "night.json", folder / "junit.xml"]
    if comparison is not None:
        write_json(folder / "comparison.json", comparison)
        files.append(folder / "comparison.json")
    point_latest(runs / FOLDER, report.night.night_id)
    return tuple(map(str, files))


def night_folder(runs: Path, night: Night) -> Path:
    """Raises UsageError for an id that is no folder name."""
    return run_folder(runs / FOLDER, night.night_id)


def age_hours(night: Night, now: float) -> float:
    """Hours since the night began; `now` in seconds since the epoch."""
    started = time.strptime(night.night_id[:16], "%Y%m%dT%H%M%SZ")
    return (now - calendar.timegm(started)) / 3600


def _cases(report: NightReport) -> list[JunitCase]:
    if report.gate is not None:
        return gate_cases(report.gate)
    return [JunitCase("gate.nightly", report.night.state, error=reason) for reason in report.night.reasons[:1]]
