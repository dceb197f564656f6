"""What a judge is shown of one exchange: texts by kind, made visible and bounded, under one key."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from evaluation.chat_flow.flow_run import FlowRun
from evaluation.chat_flow.judged import flow_texts
from evaluation.errors import ParseError
from evaluation.judging.data_block import block, content_key, shortened, spoken, visible
from evaluation.records import Exchange, Scenario, Turn
from evaluation.rubrics.rubric import JudgeRubric

TRANSCRIPT_CHARACTERS = 6000
"""How much of the conversation before the judged turn the judge sees; the oldest turns go first."""
OMITTED = "[{count} earlier turns left out]"
CUT = "[beginning left out] "
NOTHING_BEFORE = "(this is the first message)"
OWN = ("audience", "note")
"""Parts that come from the scenario's author."""


@dataclass(frozen=True, slots=True)
class Part:
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
    """The parts in the order in which things happened."""

    parts: Sequence[Part]

    @cached_property
    def key(self) -> str:
        """The key of the blocks."""
        return content_key([part.text for part in self.parts])

    def message(self) -> Turn:
        """All blocks that hold something, as one user message."""
        lines = [f"Key of the blocks: {self.key}"]
        for part in self.parts:
            if part.text:
                lines += ["", part.title, block(part.kind, self.key, part.text)]
        return Turn("user", "\n".join(lines))

    def text_of(self, kind: str) -> str:
        """The text of one part."""
        return next((part.text for part in self.parts if part.kind == kind), "")

    def recent(self) -> list[str]:
        """The texts in which somebody may have addressed the judge in this exchange."""
        return [part.said for part in self.parts if part.said]

    def foreign(self) -> str:
        """Everything in which a verdict may have been planted."""
        return "\n".join(part.text for part in self.parts if part.kind not in OWN)

    def fields(self) -> dict[str, str]:
        """What fills the rubric's template: a field for each part, under the names that a rubric may use."""
        blocks = {part.kind: block(part.kind, self.key, part.text) for part in self.parts}
        if "response" not in blocks:
            return blocks
        # In blocks of their own: inside that of the conversation a turn could pass for the note.
        context = [blocks["context"]]
        context += [f"{part.title}\n{blocks[part.kind]}" for part in self.parts if part.kind in OWN and part.text]
        return {
            "user_message": blocks["message"],
            "assistant_response": blocks["response"],
            "context_summary": "\n".join(context),
        }


def material(rubric: JudgeRubric, exchange: Exchange, scenario: Scenario | None = None) -> Material:
    """What a judge under this rubric is shown: of a flow where its template has a place for options, else of a reply.

    The audience and the note are those of the scenario, where it has any.
    """
    note = scenario.note if scenario is not None else ""
    if "options" in rubric.fields:
        return _of_flow(exchange, note)
    before = [Turn(turn.role, visible(turn.content)) for turn in exchange.context]
    audience = scenario.audience if scenario is not None else ""
    return Material(
        (
            Part("context", "Conversation so far:", transcript(before)),
            Part("audience", "About this user:", audience),
            _foreign("message", "User message:", exchange.user_input),
            _foreign("response", "Assistant response:", exchange.response),
            Part("note", "What a good response does here:", note),
        )
    )


def _of_flow(exchange: Exchange, note: str) -> Material:
    flow = _flow_of(exchange)
    texts = flow_texts(flow)
    # Without the roles that the rendering sets before each turn: in the words of a turn they are suspicious.
    said = "\n".join(turn.content for turn in flow.messages)
    return Material(
        (
            Part("messages", "The conversation:", shortened(visible(texts.messages)), said),
            _foreign("fridge_input", "Ingredients sent beside it (fridge_input):", texts.fridge_input),
            _foreign("options", "Options that the assistant offered:", texts.options),
            _foreign("selected", "Recipe that was selected:", texts.selected),
            _foreign("errors", "Errors of the application:", texts.errors),
            Part("note", "What a good run does here:", note),
        )
    )


def _foreign(kind: str, title: str, said: str) -> Part:
    return Part(kind, title, shortened(visible(said)), said)


def _flow_of(exchange: Exchange) -> FlowRun:
    """The flow in an exchange; of plain words, such as a question to try the judge with, a conversation alone."""
    try:
        return FlowRun.from_text(exchange.response)
    except ParseError:
        said = (*exchange.context, Turn("user", exchange.user_input), Turn("assistant", exchange.response))
        return FlowRun(said)


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
