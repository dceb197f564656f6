"""A night as a message for a chat's incoming webhook: JSON with `text` and `blocks`, as Slack takes it.

Mattermost, Rocket.Chat and others read `text` alone. Nothing from outside can mention people or become a link.
"""

from evaluation.nightly.report import NightReport
from evaluation.records import Json
from evaluation.reports.markdown import ADDRESS
from evaluation.reports.nightly.document import banners, details, heading, reasons
from evaluation.text.safe_text import clip

LONGEST = 2_500
"""Characters of a block; Slack takes 3,000."""
MOST_LINES = 8
SIGNS = {"ok": ":white_check_mark:", "alarm": ":rotating_light:"}


def night_message(report: NightReport, address: str = "") -> Json:
    """The body of the request. `address` leads to where the night can be read, such as a job of a pipeline."""
    sign = SIGNS.get(report.night.state, ":warning:")
    title = f"{sign} {heading(report)}: {_plain(report.night.headline, 500)}"
    lines = [f"• {_plain(text, 300)}" for text in (*reasons(report), *details(report))][:MOST_LINES]
    links = [*report.links.items(), *([("this night", address)] if address else [])]
    lines += [f"<{url}|{_plain(title, 60)}>" for title, url in links[:MOST_LINES] if ADDRESS.fullmatch(url)]
    if report.next_command:
        lines.append(f"next: {_plain(report.next_command, 300)}")
    banner = "".join(f"{_plain(text, 200)}\n" for text in banners(report))
    blocks: list[Json] = [{"type": "section", "text": {"type": "mrkdwn", "text": (banner + title)[:LONGEST]}}]
    if lines:
        blocks.append({"type": "section", "text": {"type": "mrkdwn", "text": "\n".join(lines)[:LONGEST]}})
    return {"text": banner + title, "blocks": blocks}


def _plain(text: str, columns: int) -> str:
    """One line without what Slack takes for markup, mentions or links."""
    shown = clip(text, columns).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return shown.replace("*", "∗").replace("`", "ˋ").replace("~", "∼").replace("@", "＠")
