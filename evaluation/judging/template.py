"""What the judge is sent."""

from collections.abc import Sequence

from evaluation.prompts import VARIABLE
from evaluation.records import Exchange, Turn
from evaluation.rubrics.rubric import JudgeRubric

TRANSCRIPT_CHARACTERS = 6000
"""How much of the conversation before the judged turn the judge sees; the oldest turns go first."""
OMITTED = "[{count} earlier turns left out]"
CUT = "[beginning left out] "
NOTHING_BEFORE = "(this is the first message)"


def judge_messages(rubric: JudgeRubric, exchange: Exchange) -> tuple[Turn, ...]:
    """The filled template as one user message. What is filled in is data: braces inside it are not filled again."""
    values = {
        "user_message": exchange.user_input,
        "assistant_response": exchange.response,
        "context_summary": transcript(exchange.context),
    }
    return (Turn("user", VARIABLE.sub(lambda match: values[match.group(1)], rubric.template)),)


def transcript(turns: Sequence[Turn], budget: int = TRANSCRIPT_CHARACTERS) -> str:
    """The conversation as lines "role: words", newest kept, within `budget` characters; what is left out is marked."""
    if not turns:
        return NOTHING_BEFORE
    lines: list[str] = []
    left = budget
    for turn in reversed(turns):
        line = f"{turn.role}: {turn.content}"
        if len(line) > left and lines:
            break
        if len(line) > left:
            # The newest turn is what the reply continues from: its end is kept.
            line = f"{turn.role}: {CUT}{turn.content[-left:]}"
        left -= len(line)
        lines.append(line)
    omitted = len(turns) - len(lines)
    if omitted:
        lines.append(OMITTED.format(count=omitted))
    return "\n".join(reversed(lines))
