"""A night over several prompts as a document, and as a message for a chat: which of them hold, and which do not."""

from collections import Counter
from collections.abc import Iterator, Sequence

from evaluation.nightly.night import NightState, worth_posting
from evaluation.nightly.round import NIGHTS_A_MONTH, PromptNight, Round, false_alarms_a_month
from evaluation.records import Json
from evaluation.reports.document import (
    Banner,
    Block,
    Bullet,
    Bullets,
    Column,
    Command,
    Document,
    Fields,
    Heading,
    Name,
    Paragraph,
    Tone,
    document,
    in_detail,
    in_short,
    table,
)
from evaluation.reports.junit import JunitCase
from evaluation.reports.markdown import ADDRESS
from evaluation.reports.night_message import MOST_LINES, SIGNS, chat_message, plain
from evaluation.reports.nightly import TITLES
from evaluation.reports.wording import REHEARSAL
from evaluation.text import numbers

WORDS: dict[NightState, str] = {
    "alarm": "in alarm",
    "failed": "failed",
    "no_baseline": "without a baseline",
    "refused": "without a comparable baseline",
    "judge_unfit": "with an unfit judge",
    "incomplete": "incomplete",
    "unmeasured": "not measured",
    "interrupted": "interrupted",
    "running": "running",
    "ok": "holding",
}
"""Said of one prompt or of several, the state that asks for most first."""
BROKEN = ("no_baseline", "refused", "judge_unfit", "failed", "incomplete", "interrupted", "running")
"""States in which nothing was measured that a test could fail."""


def describe_round(found: Round, watched: Sequence[PromptNight], *, files: Sequence[str] = ()) -> Document:
    """Each prompt with how its night stands; `files` say where more can be read."""
    waiting = [each for each in found.prompts if each not in found.nights]
    return document(
        _head(watched),
        [table(PROMPTS, watched, lambda each: "bad" if each.night.state == "alarm" else "")],
        [Bullets(tuple(_said(watched)))],
        [Bullets(tuple(Bullet((Name(each), " was not begun")) for each in waiting))],
        [Paragraph(false_alarms(found))],
        in_detail(Command("", file) for file in files),
        in_short([Command("", file) for file in files[:1]]),
    )


def round_headline(watched: Sequence[PromptNight]) -> str:
    """How many prompts hold and how many do not, in one sentence."""
    counted = Counter(each.night.state for each in watched)
    said = [f"{counted[state]} {words}" for state, words in WORDS.items() if counted[state]]
    return f"{numbers.times(len(watched), 'prompt')} watched: {', '.join(said)}"


def false_alarms(found: Round) -> str:
    """How often all that is watched raises an alarm where nothing changed."""
    each = "each prompt is" if found.watches == 1 else "scenarios and production's responses of each prompt are"
    return (
        f"{each} tested at the level of a night of its own: together at most "
        f"{false_alarms_a_month(found.tests):.2g} false alarms in {NIGHTS_A_MONTH} unchanged nights on average"
    )


def round_heading(watched: Sequence[PromptNight]) -> str:
    """The first line: the state that asks for most."""
    states = {each.night.state for each in watched}
    return TITLES[next((state for state in WORDS if state in states), "running")]


def _head(watched: Sequence[PromptNight]) -> Iterator[Block]:
    if any(each.night.rehearsal for each in watched):
        yield Banner(REHEARSAL)
    yield Heading(round_heading(watched), level=2, tone=_tone(watched))
    yield Paragraph(round_headline(watched))


def _tone(watched: Sequence[PromptNight]) -> Tone:
    states = {each.night.state for each in watched}
    return "bad" if "alarm" in states else "good" if states == {"ok"} else "warning"


def _said(watched: Sequence[PromptNight]) -> Iterator[Bullet]:
    """The night of each prompt in its own words; of one that does not hold with its reasons."""
    for each in watched:
        night = each.night
        yield Bullet(night.headline or WORDS[night.state], "bad" if night.state == "alarm" else "")
        if night.state != "ok":
            yield from (Bullet(reason, depth=1) for reason in night.reasons if reason not in night.headline)


PROMPTS: Fields[PromptNight] = [
    (Column("prompt"), lambda each: Name(each.night.prompt)),
    (Column("version"), lambda each: Name(each.night.version) if each.night.version else numbers.NONE),
    (Column("overall"), lambda each: numbers.score(each.night.overall)),
    (Column("difference"), lambda each: numbers.with_sign(each.night.difference)),
    (Column("", fluid=True), lambda each: WORDS[each.night.state]),
]


def round_cases(watched: Sequence[PromptNight]) -> list[JunitCase]:
    """A test case for each prompt."""
    return [_case(each) for each in watched]


def _case(each: PromptNight) -> JunitCase:
    night = each.night
    said = "" if night.state == "ok" else night.headline or WORDS[night.state]
    broken = night.state in BROKEN
    return JunitCase("nights", night.prompt, failure="" if broken else said, error=said if broken else "")


def round_message(found: Round, watched: Sequence[PromptNight], address: str = "") -> Json:
    """The body of the request for a chat's incoming webhook, in the form of that of one night."""
    states = {each.night.state for each in watched}
    sign = ":rotating_light:" if "alarm" in states else SIGNS["ok"] if states == {"ok"} else ":warning:"
    answer = f"{sign} {round_heading(watched)}: {plain(round_headline(watched), 500)}"
    heard = [each for each in watched if worth_posting(each.night, each.earlier)]
    lines = [f"• {plain(_in_a_line(each), 400)}" for each in heard[:MOST_LINES]]
    if (more := len(heard) - MOST_LINES) > 0:
        lines.append(f"• and {numbers.times(more, 'more prompt')}")
    if "alarm" in states:
        lines.append(plain(false_alarms(found), 300))
    if ADDRESS.fullmatch(address):
        lines.append(f"<{address}|this night>")
    banner = f"{plain(REHEARSAL, 200)}\n" if any(each.night.rehearsal for each in watched) else ""
    return chat_message(banner + answer, lines)


def _in_a_line(each: PromptNight) -> str:
    said = each.night.headline or f"{each.night.prompt}: {WORDS[each.night.state]}"
    again = "well again: " if each.night.state == "ok" else ""
    return f"{again}{said}"
