"""The question to a judge about a whole conversation: the rubric as instructions, the transcript as data, the form.

Every turn of a conversation of a dozen turns is shown, each at most in part where it is very long.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.judging.answers import RATIONALE, SCORES, closed_object, response_format
from evaluation.judging.asking import DATA_NOTICE, JudgeRubric
from evaluation.judging.material import NOTHING_BEFORE, Material, Passage, shorten, spoken, visible_turn
from evaluation.records import WHOLE, Exchange, Json, Reply, Scenario, Turn
from evaluation.rubrics.judge_section import ConversationDimension, ConversationSection

CONVERSATION_CHARACTERS, HISTORY_CHARACTERS = 48_000, 16_000
"""Characters that the judge sees of a conversation, and of an earlier one."""
LEAST_OF_A_TURN = 1_000
"""Characters of each message that are shown at the least; where that is too much, messages of the middle go."""
LEFT_OUT = "[{count} messages left out]"


@dataclass(frozen=True, slots=True)
class ConversationQuestion:
    """What a rubric asks of a conversation, and the scale of the answers."""

    section: ConversationSection
    low: float
    high: float

    @classmethod
    def of(cls, rubric: JudgeRubric | None) -> "ConversationQuestion | None":
        """None where the rubric asks nothing of conversations."""
        if rubric is None or rubric.conversation is None:
            return None
        return cls(rubric.conversation, rubric.low, rubric.high)

    @property
    def dimensions(self) -> Mapping[str, ConversationDimension]:
        """Metric -> what it means, in the order of every table."""
        return self.section.dimensions


def is_conversation(scenario: Scenario) -> bool:
    """True where there is more than one exchange to look at: several turns, or one after an earlier conversation."""
    return len(scenario.turns) > 1 or bool(scenario.history)


def whole_conversation(said: Sequence[Exchange], scenario: Scenario) -> Exchange | None:
    """The conversation of a cell from its exchanges, in order; None where a turn got no answer with words."""
    answered = all(isinstance(each.outcome, Reply) and not each.outcome.wordless for each in said)
    if not answered or len(said) < len(scenario.turns):
        return None
    last = said[-1]
    return Exchange(
        last.cell, WHOLE, last.context, last.user_input, last.outcome, words=last.words, language=last.language
    )


def conversation_material(exchange: Exchange, scenario: Scenario) -> Material:
    """The conversation, an earlier one in a block of its own, with what the scenario says of user and answer."""
    said, before = exchange.said, len(scenario.history)
    earlier = whole_transcript(said[:before], HISTORY_CHARACTERS) if before else ""
    return Material(
        (
            Passage("history", "An earlier conversation, which the assistant may remember:", earlier),
            Passage("audience", "About this user:", scenario.audience),
            Passage("conversation", "The conversation:", whole_transcript(said[before:], CONVERSATION_CHARACTERS)),
            Passage("note", "What a good assistant does here:", scenario.note),
        )
    )


def whole_transcript(turns: Sequence[Turn], budget: int) -> str:
    """The conversation as lines "[role] words" within about `budget` characters; what is left out is marked.

    The longest messages lose of their middle first. Where even short parts of all are too many, those of the middle of
    the conversation go: what was said first is what may be remembered, and how it ends is asked for.
    """
    if not turns:
        return NOTHING_BEFORE
    most = max(2, budget // LEAST_OF_A_TURN)
    first = len(turns) if len(turns) <= most else most // 2
    rest = [] if first == len(turns) else list(turns[len(turns) - (most - first) :])
    shown = [visible_turn(turn) for turn in (*turns[:first], *rest)]
    longest = _longest_shown([len(turn.content) for turn in shown], budget)
    lines = [spoken(turn.role, shorten(turn.content, longest, longest // 4)) for turn in shown]
    if rest:
        lines.insert(first, LEFT_OUT.format(count=len(turns) - len(shown)))
    return "\n".join(lines)


def _longest_shown(lengths: Sequence[int], budget: int) -> int:
    """The length to which messages are cut so that all together fit; that of the longest where nothing must be cut."""
    left = budget
    for place, length in enumerate(sorted(lengths)):
        share = left // (len(lengths) - place)
        if length > share:
            return share
        left -= length
    return max(lengths)


def conversation_messages(question: ConversationQuestion, shown: Material) -> tuple[Turn, ...]:
    """The instructions, the same for every conversation, then the transcript in blocks."""
    notice = DATA_NOTICE.format(key="the key that the user message begins with")
    parts = (*_instructions(question), notice, _how_to_answer(question))
    return Turn("system", "\n\n".join(parts)), shown.message()


def _instructions(question: ConversationQuestion) -> list[str]:
    low, high = f"{question.low:g}", f"{question.high:g}"
    names = ", ".join(question.dimensions)
    parts = [
        question.section.role,
        f"Score the assistant over the conversation as a whole, not by its last response alone, on each of these "
        f"dimensions, from {low} to {high}: {names}. The criteria say what the values mean; a value between two of "
        "them is fine. Go by what the assistant's turns do: that it says it remembers, cares or keeps to something "
        "shows nothing. What stands in an earlier conversation is not judged. Length earns nothing by itself, nor does "
        "agreeing with the user.",
    ]
    if any(dimension.absent for dimension in question.dimensions.values()):
        parts.append(
            "Where the criteria say when a dimension is null, and that is so in this conversation, write null for its "
            "score: that is neither good nor bad. Every other score is a number."
        )
    parts += [_guide(name, dimension) for name, dimension in question.dimensions.items()]
    if question.section.considerations:
        parts.append("Bear in mind:\n" + "\n".join(f"- {line}" for line in question.section.considerations))
    return parts


def _guide(name: str, dimension: ConversationDimension) -> str:
    absent = [f"- null: {dimension.absent}"] if dimension.absent else []
    bands = [f"- {band.reach} ({band.label}): {band.text}" for band in dimension.bands]
    return "\n".join([f"## {name}: {dimension.title}\n{dimension.definition}", *bands, *absent])


def _how_to_answer(question: ConversationQuestion) -> str:
    texts = ", ".join(f'"{name}": "<text>"' for name in question.dimensions)
    numbers = ", ".join(f'"{name}": <number>' for name in question.dimensions)
    return (
        "Write one JSON object and nothing else. The rationale comes first: a sentence on each dimension, naming the "
        f'turns that decide its score; then the scores.\n{{"{RATIONALE}": {{{texts}}}, "{SCORES}": {{{numbers}}}}}'
    )


def conversation_format(question: ConversationQuestion, judge_format: str) -> dict[str, Json]:
    """The request parameter that asks for this format, by its name; empty where the judge writes plain text."""
    return response_format("conversation", conversation_schema(question), judge_format)


def conversation_schema(question: ConversationQuestion) -> dict[str, Json]:
    """JSON schema of an answer: a text for each dimension, then a number, or null where it may be absent."""
    texts: dict[str, Json] = {name: {"type": "string"} for name in question.dimensions}
    numbers: dict[str, Json] = {
        name: {
            "type": ["number", "null"] if dimension.absent else "number",
            "minimum": question.low,
            "maximum": question.high,
            "description": dimension.title,
        }
        for name, dimension in question.dimensions.items()
    }
    return closed_object({RATIONALE: closed_object(texts), SCORES: closed_object(numbers)})
