"""From one answer about a conversation to its scores: one JSON object, read strictly and held against what was said."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.judging.answers import RATIONALE, SCORES
from evaluation.judging.checking import object_stands_in
from evaluation.judging.conversations.asking import ConversationQuestion
from evaluation.judging.material import Material
from evaluation.judging.reading import ECHO, NUMBER, SHOWN, read_object
from evaluation.judging.readings import readings
from evaluation.records import Exchange, Json


@dataclass(frozen=True, slots=True)
class ConversationReading:
    """One answer as read: a value per dimension, or the problem."""

    scores: Mapping[str, float | None]
    """None where there is nothing of the dimension to score. Empty when not read."""
    rationale: Mapping[str, str] = field(default_factory=dict)
    """Dimension -> why."""
    problem: str = ""


def heard_in(exchange: Exchange, shown: Material) -> tuple[str, ...]:
    """Everything in which an answer may have been planted: as it came, as it is shown, and in every reading."""
    came = [turn.content for turn in exchange.said]
    read = [reading for text in came if NUMBER.search(text) for reading in readings(text)]
    return tuple(dict.fromkeys(["\n".join(came), *shown.foreign(), "\n".join(read)]))


def read_conversation(raw: str, question: ConversationQuestion, heard: Sequence[str]) -> ConversationReading:
    """Reads an answer; one that stands in a text of `heard` already is not read. Never raises.

    A dimension that is missing, doubled or not asked for, a text in the place of a number, a value outside the scale,
    and a null where the dimension always applies make all of it unread.
    """
    value = read_object(raw)
    if isinstance(value, str):
        return ConversationReading({}, problem=value)
    problem = _shape_problem(value, question)
    if problem:
        return ConversationReading({}, problem=problem)
    rationale = {name: value[RATIONALE][name].strip() for name in question.dimensions}
    scores: dict[str, float | None] = {}
    for name, dimension in question.dimensions.items():
        found = value[SCORES][name]
        if found is None and dimension.absent:
            scores[name] = None
            continue
        number = _number(found, question)
        if number is None:
            reach = f"{question.low:g} to {question.high:g}"
            return ConversationReading({}, problem=f"{name} is {repr(found)[:SHOWN]}, not a number from {reach}")
        scores[name] = number
    if _is_echo(raw, scores, heard):
        return ConversationReading({}, problem=ECHO)
    return ConversationReading(scores, rationale)


def _shape_problem(value: Mapping[str, Json], question: ConversationQuestion) -> str:
    """What is wrong with the keys and texts of an answer; empty where nothing is."""
    for part in (RATIONALE, SCORES):
        found = value.get(part)
        if not isinstance(found, dict):
            return f"{part} is {'missing' if found is None else 'no object'}"
        for name in question.dimensions:
            if name not in found:
                return f"{part} has no {name}"
        strange = next((name for name in found if name not in question.dimensions), None)
        if strange is not None:
            return f"{part} has the key {strange[:SHOWN]!r}, which was not asked for"
    texts = value[RATIONALE].items()
    silent = next((name for name, text in texts if not isinstance(text, str) or not text.strip()), "")
    if silent:
        return f"{RATIONALE} says nothing on {silent}"
    strange = next((name for name, found in value.items() if name not in (RATIONALE, SCORES)), None)
    return "" if strange is None else f"the key {strange[:SHOWN]!r} was not asked for"


def _number(value: Json, question: ConversationQuestion) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # A whole number may be too large for a float: it is compared as it is.
    if not question.low <= value <= question.high or not math.isfinite(value):
        return None
    return round(float(value), 10)


def _is_echo(raw: str, scores: Mapping[str, float | None], heard: Sequence[str]) -> bool:
    numbers = {name: value for name, value in scores.items() if value is not None}
    return any(object_stands_in(raw, numbers, text) for text in heard)
