"""A night as a message for a chat, which says what its report says, in a few lines."""

from collections.abc import Sequence

from evaluation.nightly.night import NightReport
from evaluation.records import Json
from evaluation.reports.differences import conversations_in_short
from evaluation.reports.markdown import ADDRESS
from evaluation.reports.nightly import banners, details, heading, reasons
from evaluation.text.safe_text import clip

LONGEST = 2_500
"""Characters of a block; Slack takes 3,000."""
MOST_LINES = 8
SIGNS = {"ok": ":white_check_mark:", "alarm": ":rotating_light:"}


def night_message(report: NightReport, address: str = "") -> Json:
    """The body of the request for a chat's incoming webhook: `text` and `blocks`, as Slack takes them.

    Mattermost, Rocket.Chat and others read `text` alone. Nothing from outside can mention people or become a link.
    `address` leads to where the night can be read, such as a job of a pipeline.
    """
    sign = SIGNS.get(report.night.state, ":warning:")
    answer = f"{sign} {heading(report)}: {plain(report.night.headline, 500)}"
    lines = [f"• {plain(text, 300)}" for text in (*reasons(report), *details(report))][:MOST_LINES]
    talks = "" if report.comparison is None else conversations_in_short(report.comparison.conversations)
    lines += [f"• {plain(talks, 300)}, in no verdict"] if talks else []
    links = [*report.links.items(), *([("this night", address)] if address else [])]
    lines += [f"<{url}|{plain(words, 60)}>" for words, url in links[:MOST_LINES] if ADDRESS.fullmatch(url)]
    if report.next_command:
        lines.append(f"next: {plain(report.next_command, 300)}")
    banner = "".join(f"{plain(text, 200)}\n" for text in banners(report))
    return chat_message(banner + answer, lines)


def chat_message(answer: str, lines: Sequence[str]) -> Json:
    """The body of the request: the answer, and a block of lines behind it where there are any."""
    shown = [answer, *(["\n".join(lines)] if lines else [])]
    blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": text[:LONGEST]}} for text in shown]
    return {"text": answer, "blocks": blocks}


def plain(text: str, columns: int) -> str:
    """One line without what Slack takes for markup, mentions or links."""
    shown = clip(text, columns).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return shown.replace("*", "∗").replace("`", "ˋ").replace("~", "∼").replace("@", "＠")
