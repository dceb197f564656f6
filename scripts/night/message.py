"""Telling a night to a chat, where one is configured."""

import asyncio
import os

from evaluation.nightly.night import worth_posting
from evaluation.nightly.report import NightReport
from evaluation.reports.nightly.message import night_message
from scripts.shell import note
from services.settings import Settings
from services.webhook import post_webhook


def tell(report: NightReport, settings: Settings, *, always: bool) -> None:
    """Posts what is not well, the first night that is well again, or with `always` every night.

    A message that cannot be delivered is noted and changes nothing else.
    """
    if settings.webhook_url is None or not (always or worth_posting(report.night, report.earlier)):
        return
    problem = asyncio.run(post_webhook(settings.webhook_url, night_message(report, pipeline_address())))
    note(f"webhook: {problem}" if problem else "webhook: posted")


def pipeline_address() -> str:
    """Where the job can be read that this process is part of; empty outside GitHub Actions."""
    parts = [os.environ.get(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")]
    return f"{parts[0]}/{parts[1]}/actions/runs/{parts[2]}" if all(parts) else ""
