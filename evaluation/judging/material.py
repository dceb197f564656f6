"""The part of an exchange that a judge is shown: texts by kind, made visible and bounded, under one key."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from evaluation.messages import call_text, text_with_calls
from evaluation.records import Cell, Exchange, Reply, Scenario, Turn, Usage
from evaluation.runspec import digest

TRANSCRIPT_CHARACTERS = 6000
"""Characters of the conversation before the judged turn that the judge sees; the oldest turns go first."""
OMITTED = "[{count} earlier turns left out]"
CUT = "[beginning left out] "
NOTHING_BEFORE = "(this is the first message)"
OWN = ("audience", "note", "category", "group")
"""Passages that come from the authors of scenario and rubric."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One text that the judge is shown in a block of its own."""

    kind: str
    """Names the block."""
    title: str
    """Stands before the block."""
    text: str
    """As shown: visible and bounded."""
    said: str = ""
    """As it came, where somebody may have addressed the judge in it."""


@dataclass(frozen=True)
class Material:
    """The passages in the order in which things happened."""

    passages: Sequence[Passage]

    @cached_property
    def key(self) -> str:
        """The key of the blocks."""
        return content_key([passage.text for passage in self.passages])

    def message(self) -> Turn:
        """All blocks that hold something, as one user message."""
        lines = [f"Key of the blocks: {self.key}"]
        for passage in self.passages:
            if passage.text:
                lines += ["", passage.title, block(passage.kind, self.key, passage.text)]
        return Turn("user", "\n".join(lines))

    def recent(self) -> list[str]:
        """The texts in which somebody may have addressed the judge in this exchange."""
        return [passage.said for passage in self.passages if passage.said]

    def foreign(self) -> list[str]:
        """Everything in which a verdict may have been planted."""
        return [passage.text for passage in self.passages if passage.kind not in OWN]

    def fields(self) -> dict[str, str]:
        """The values for the rubric's template: a field for each passage, under the names that a rubric may use."""
        blocks = {passage.kind: block(passage.kind, self.key, passage.text) for passage in self.passages}
        if "response" not in blocks:
            return blocks
        # In blocks of their own: inside that of the conversation a turn could pass for the note.
        context = [blocks["context"]]
        context += [
            f"{passage.title}\n{blocks[passage.kind]}"
            for passage in self.passages
            if passage.kind in OWN and passage.text
        ]
        called = f"\n{blocks['tools']}" if "tools" in blocks else ""
        return {
            "user_message": blocks["message"] + called,
            "assistant_response": blocks["response"],
            "context_summary": "\n".join(context),
        }


ShowMaterial: TypeAlias = Callable[[Exchange, Scenario | None], Material]
"""Exchange and scenario, if any -> what a judge is shown of them."""
NOTHING_SAID = Exchange(Cell("", 1), 1, (), "", Reply("", "stop", "", {}, Usage(), 0.0, 0.0))


def reply_material(exchange: Exchange, scenario: Scenario | None = None) -> Material:
    """A reply and the conversation before it; the audience and the note are those of the scenario, where it has any."""
    before = list(map(visible_turn, exchange.context))
    return Material(
        (
            Passage("context", "Conversation so far:", transcript(before)),
            Passage("audience", "About this user:", scenario.audience if scenario is not None else ""),
            foreign_passage("message", "User message:", exchange.user_input),
            *called_passages(exchange),
            foreign_passage("response", "Assistant response:", exchange.response),
            Passage("note", "What a good response does here:", scenario.note if scenario is not None else ""),
        )
    )


def foreign_passage(kind: str, title: str, said: str) -> Passage:
    """A text in which somebody may address the judge."""
    return Passage(kind, title, shorten(visible(said)), said)


def called_passages(exchange: Exchange) -> tuple[Passage, ...]:
    """The calls of tools that a response took, with their results; nothing where it took none."""
    if not exchange.tool_calls:
        return ()
    said = "\n".join(map(call_text, exchange.tool_calls))
    return (foreign_passage("tools", "Tools that the assistant called, each with what it got back:", said),)


def visible_turn(turn: Turn) -> Turn:
    """A message as it is shown: what nobody would see spelled out, the calls of tools before the words."""
    return Turn(turn.role, visible(text_with_calls(turn)))


def transcript(turns: Sequence[Turn], budget: int = TRANSCRIPT_CHARACTERS) -> str:
    """The conversation as lines "[role] words", newest kept, within `budget` characters; what is left out is marked."""
    if not turns:
        return NOTHING_BEFORE
    lines: list[str] = []
    left = budget
    for turn in reversed(turns):
        line = spoken(turn.role, turn.content)
        if len(line) > left and lines:
            break
        if len(line) > left:
            # The newest turn is what the reply continues from: its end is kept.
            line = spoken(turn.role, f"{CUT}{turn.content[-left:]}")
        left -= len(line)
        lines.append(line)
    omitted = len(turns) - len(lines)
    if omitted:
        lines.append(OMITTED.format(count=omitted))
    return "\n".join(reversed(lines))


KEY_CHARACTERS = 24
"""Of the hash in a delimiter: a text that holds the hash of itself would take about 2 to the power of 96 tries."""
LONGEST_TEXT = 20_000
"""Characters of one message that the judge sees; of a longer one the beginning and the end."""
TAIL = 5_000
"""Characters of a longer message that are taken from its end."""

INVISIBLE = (
    "\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9a\x9c-\x9f\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e"
    "\u200f\u202a-\u202e\u2060-\u206f\u3164\ud800-\uf8ff\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000f0000-\U0010ffff"
)
"""What no reader sees or knows, as a set of a pattern: controls, formats, fillers, tags, private use, halves of pairs.
A terminal's own two, from which its sequences begin, are left to whoever reads these."""
HIDDEN = re.compile(
    f"[{INVISIBLE}\x1b\x9b]+"
    # One joiner or variation selector belongs to an emoji or a script; several in a row belong to nothing.
    "|[\u200c\u200d\ufe00-\ufe0f]{2,}"
    # Alone it leads back to the beginning of a line, to be written over.
    "|\r(?!\n)"
)
SOFT_HYPHEN = "\u00ad"


def content_key(parts: Sequence[str]) -> str:
    """The delimiter's key: a hash of everything that the blocks hold, so the same text always makes the same prompt."""
    return digest(list(parts))[:KEY_CHARACTERS]


def block(kind: str, key: str, text: str) -> str:
    """The text between two lines that only its own hash can close."""
    return f"<{kind}-{key}>\n{text}\n</{kind}-{key}>"


def visible(text: str) -> str:
    """The text with what a reader would not see spelled out: `[U+200B]`, or `[12 hidden characters]` for a run."""
    return HIDDEN.sub(_spell_out, text.replace(SOFT_HYPHEN, ""))


def spoken(role: str, text: str) -> str:
    """One turn of a conversation, "[role] words": further lines are indented, so that none passes for a turn."""
    return f"[{role}] " + "\n  ".join(text.splitlines() or [""])


def shorten(text: str, longest: int = LONGEST_TEXT, tail: int = TAIL) -> str:
    """At most about `longest` characters; what is left out of the middle is marked."""
    if len(text) <= longest:
        return text
    left_out = len(text) - longest
    return f"{text[: longest - tail]}\n[{left_out} characters left out]\n{text[-tail:]}"


def _spell_out(match: re.Match[str]) -> str:
    run = match.group()
    return f"[U+{ord(run):04X}]" if len(run) == 1 else f"[{len(run)} hidden characters]"
