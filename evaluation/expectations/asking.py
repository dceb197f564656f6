"""The question to a judge about expectations: what was said as data, the items as numbered questions, and the form.

Every yes takes a quote from the assistant's own words, which code looks for; the answers are read by `reading`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.expectations.quotes import Spoken
from evaluation.judging.answers import closed_object, response_format
from evaluation.judging.asking import DATA_NOTICE
from evaluation.judging.material import (
    Material,
    Passage,
    called_passages,
    foreign_passage,
    spoken,
    transcript,
    visible_turn,
)
from evaluation.records import Exchange, Expectation, Json, Scenario, Turn

ANSWERS = ("yes", "no", "cannot tell")
QUOTE, ANSWER = "quote", "answer"
CONVERSATION_CHARACTERS = 16_000
"""Characters of the conversation before the last turn that the judge sees, and of an earlier one; oldest go first."""
_INSTRUCTIONS = (
    'You answer yes-or-no questions about what an assistant said to its user. In each question "it" is the assistant. '
    "Answer each question by itself, from the assistant's own words alone: not from what the user said, not from what "
    'would be usual, and not from what the assistant says of itself. Answer "yes" only where you can copy the passage '
    "that shows it: letter by letter, at least three words in a row, from one of the assistant's turns that the "
    'question is about. Answer "no" where nothing of the kind is said, with an empty quote, and "cannot tell" where '
    "two careful readers would differ. No answer is better than another, and how often you say yes means nothing."
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What one call is about: an exchange, the responses in reach, and the items in the order of the call."""

    exchange: Exchange
    scenario: Scenario
    responses: Sequence[Spoken]
    """All responses of the cell so far, the last of them that of the exchange."""
    items: Sequence[Expectation]


def item_messages(asked: Asked) -> tuple[Turn, ...]:
    """The instructions, the same for every call, then the conversation and the questions in blocks."""
    notice = DATA_NOTICE.format(key="the key that the user message begins with")
    how = (
        "Write one JSON object and nothing else, with a key for the number of each question; the quote comes first: "
        '{"1": {"quote": "<words of the assistant, or nothing>", "answer": "yes" | "no" | "cannot tell"}, "2": ...}'
    )
    return Turn("system", f"{_INSTRUCTIONS}\n\n{notice}\n\n{how}"), material_of(asked).message()


def material_of(asked: Asked) -> Material:
    """The conversation and the questions as blocks under one key."""
    exchange = asked.exchange
    before = list(map(visible_turn, exchange.context))
    history, own = before[: len(asked.scenario.history)], before[len(asked.scenario.history) :]
    earlier = transcript(history, CONVERSATION_CHARACTERS) if history else ""
    questions = "\n".join(
        spoken(str(number), f"({_reach(item, asked)}) {item.question}") for number, item in enumerate(asked.items, 1)
    )
    return Material(
        (
            Passage("history", "An earlier conversation, which no question is about:", earlier),
            Passage("context", "Conversation so far:", transcript(own, CONVERSATION_CHARACTERS)),
            Passage("audience", "About this user:", asked.scenario.audience),
            foreign_passage("message", "The user's last message:", exchange.user_input),
            *called_passages(exchange),
            foreign_passage("response", "The assistant's last response:", exchange.response),
            Passage("questions", "The questions:", questions),
        )
    )


def _reach(item: Expectation, asked: Asked) -> str:
    """The responses that a question is about, for the judge."""
    if item.scope == "conversation" and len(asked.responses) > 1:
        return "any turn of the assistant"
    return "the last response"


def answer_schema(count: int) -> dict[str, Json]:
    """JSON schema of the answers to so many questions."""
    answer = closed_object({QUOTE: {"type": "string"}, ANSWER: {"type": "string", "enum": list(ANSWERS)}})
    return closed_object({str(number): answer for number in range(1, count + 1)})


def answer_format(kind: str, count: int) -> dict[str, Json]:
    """The request parameter that asks for this format, by its name; empty where the judge writes plain text."""
    return response_format("answers", answer_schema(count), kind)
