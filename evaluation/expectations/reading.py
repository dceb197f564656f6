"""From a judge's answers to outcomes: read as one JSON object, and believed where the quote stands in a response."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.expectations.asking import ANSWER, ANSWERS, QUOTE, Asked
from evaluation.expectations.quotes import Quote, Spoken, find_quote, nearest_sentence, sentences_around
from evaluation.judging.checking import signs_of_injection, squeeze
from evaluation.judging.reading import ECHO, read_object
from evaluation.messages import call_text, text_with_calls
from evaluation.records import Expectation, Json, Outcome

SHOWN = 120
"""Characters of a quote that a reason repeats."""
PRINTED = re.compile(r"\{[^{}]{0,2000}[\"'](?:answer|quote)[\"'][ \t\n]{0,8}:[^{}]{0,2000}\}", re.IGNORECASE)
"""An answer to the question, printed by a response: what it says there it says to the judge."""


@dataclass(frozen=True, slots=True)
class ItemReading:
    """One answer as read."""

    outcome: Outcome
    quote: Quote | None = None
    reason: str = ""
    members: Mapping[str, Outcome] = field(default_factory=dict)
    """Of a panel: what each member shows; empty for one judge."""


def read_answers(raw: str, asked: Asked) -> dict[str, ItemReading] | str:
    """Item id -> its answer, for every item of the question; or the problem with the answer as a whole. Never raises.

    An answer that is not among the three, or a yes whose quote stands in no response, is not shown: never a no.
    """
    value = read_object(raw)
    if isinstance(value, str):
        return value
    said = (asked.exchange.user_input, *map(text_with_calls, asked.exchange.context), asked.exchange.response)
    said += tuple(map(call_text, asked.exchange.tool_calls))
    answer = squeeze(raw[raw.find("{") : raw.rfind("}") + 1])
    if any(answer in squeeze(text) for text in said if "{" in text):
        return ECHO
    return {item.id: _read(item, value.get(str(number)), asked) for number, item in enumerate(asked.items, start=1)}


def can_be_read(raw: str, asked: Asked) -> bool:
    """True where the answer holds one of the three words for at least one item."""
    value = read_object(raw)
    return isinstance(value, dict) and any(
        _word(value.get(str(number))) in ANSWERS for number in range(1, len(asked.items) + 1)
    )


def given_answers(raw: str, asked: Asked) -> list[tuple[str, str]]:
    """(answer, quote) to each question as the judge gave them, whatever stands in the response; empty where unread."""
    value = read_object(raw)
    given = [] if isinstance(value, str) else [value.get(str(n)) for n in range(1, len(asked.items) + 1)]
    return [(_word(each), _quoted(each)) for each in given] if given else [("", "")] * len(asked.items)


def in_reach(item: Expectation, asked: Asked) -> list[Spoken]:
    """The responses that an item is about."""
    every = item.scope == "conversation"
    return [spoken for spoken in asked.responses if every or spoken.turn == asked.exchange.turn]


def _word(answer: Json) -> str:
    found = answer.get(ANSWER) if isinstance(answer, Mapping) else None
    return found.strip().lower().rstrip(".") if isinstance(found, str) else ""


def _quoted(answer: Json) -> str:
    found = answer.get(QUOTE) if isinstance(answer, Mapping) else None
    return found if isinstance(found, str) else ""


def _read(item: Expectation, answer: Json, asked: Asked) -> ItemReading:
    word = _word(answer)
    if word not in ANSWERS:
        return ItemReading("not_shown", reason="the judge did not answer it" if answer is None else "answer not read")
    if word == "cannot tell":
        return ItemReading("not_shown", reason="the judge cannot tell")
    responses = in_reach(item, asked)
    if item.kind != "never":  # an answer that a response prints shows no good deed, but it may show a bad one
        responses = [Spoken(spoken.turn, PRINTED.sub(" ", spoken.text)) for spoken in responses]
    if word == "no":
        if item.kind == "never":
            return ItemReading("holds")
        nearest = nearest_sentence(item.question, responses)
        return ItemReading("fails", reason=f"nearest: {nearest}" if nearest else "nothing comes near")
    return _read_yes(item, answer, responses)


def _read_yes(item: Expectation, answer: Mapping[str, Json], responses: list[Spoken]) -> ItemReading:
    quoted = _quoted(answer)
    found = find_quote(quoted, responses)
    if found is None:
        shown = quoted.strip()[:SHOWN]
        reason = f"the judge quotes what was not said: {shown}" if shown else "the judge says yes and quotes nothing"
        return ItemReading("not_shown", reason=reason)
    if item.kind != "never" and signs_of_injection(sentences_around(found, responses)):
        return ItemReading("not_shown", found, "the quoted words address the judge")
    return ItemReading("fails" if item.kind == "never" else "holds", found)
