"""The end of a night, however it comes: written down, posted, and old runs removed."""

import asyncio
import os
import time
from dataclasses import dataclass, replace

from evaluation.nightly.night import NightReport, beyond_policy, worth_posting
from evaluation.records import Json
from evaluation.reports.nightly import headline, night_message
from scripts.night.files import write_report
from scripts.night.request import NightRequest
from scripts.runs.prune import existing, removable, remove
from scripts.shell import DONE, note
from services.journal import Journal
from services.settings import Settings
from services.webhook import post_webhook


@dataclass(frozen=True, slots=True)
class NightOutcome:
    """The result of the command: what is printed, and the exit code. Without a report the night was interrupted."""

    report: NightReport | None
    files: tuple[str, ...]
    exit_code: int


def end_night(report: NightReport, comparison: Json | None, asked: NightRequest, settings: Settings) -> NightOutcome:
    """Writes the night down, posts it where it should be heard, and lets old runs go."""
    report = replace(report, night=replace(report.night, headline=headline(report)))
    files = write_report(settings.runs_dir, report, comparison)
    _post(report, settings, always=asked.notify_always)
    _prune(report, settings)
    return NightOutcome(report, files, report.night.exit_code or DONE)


def _post(report: NightReport, settings: Settings, *, always: bool) -> None:
    """Posts what is not well, the first night that is well again, or with `always` every night.

    A message that cannot be delivered is noted and changes nothing else.
    """
    if settings.webhook_url is None or not (always or worth_posting(report.night, report.earlier)):
        return
    problem = asyncio.run(post_webhook(settings.webhook_url, night_message(report, _pipeline_address())))
    note(f"webhook: {problem}" if problem else "webhook: posted")


def _pipeline_address() -> str:
    """Where the job can be read that this process is part of; empty outside GitHub Actions."""
    parts = [os.environ.get(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")]
    return f"{parts[0]}/{parts[1]}/actions/runs/{parts[2]}" if all(parts) else ""


def _prune(report: NightReport, settings: Settings) -> None:
    """Removes the runs of nights beyond the policy; their records stay for the trend."""
    oldest = time.strftime("%Y-%m-%d", time.gmtime(time.time() - settings.keep_days * 86_400))
    old = beyond_policy([*report.earlier, report.night], settings.keep_nights, oldest)
    named = list(dict.fromkeys(run_id for night in old for run_id in night.runs.values()))
    if not named:
        return
    with Journal.in_folder(settings.runs_dir) as journal:
        found = removable(existing(named, journal), journal, settings)
        remove(found.run_ids, journal, settings)
    if found.run_ids:
        note(f"{len(found.run_ids)} runs of old nights removed")
