"""Grading requests: recognising one, finding the judged text in it, and answering in the form asked for."""

import json
import random
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from services.rehearsal.conversations import BLOCK as WHOLE_BLOCK
from services.rehearsal.conversations import judge_conversation
from services.rehearsal.drafts import asks_for_scenario, propose
from services.rehearsal.items import BLOCK as QUESTIONS_BLOCK
from services.rehearsal.items import answer_items
from services.rehearsal.opinions import Opinion, judge_flow, judge_reply
from services.rehearsal.options import JudgeMode
from services.rehearsal.pairs import are_two_answers, prefer
from services.rehearsal.phrases import load_pool
from services.rehearsal.scene import Message
from services.rehearsal.structured import fill_schema, schema_of

GRADING = [re.compile(sign, re.IGNORECASE) for sign in load_pool("judge")["grading"]]
ITEMS = re.compile(r'"answers?"')
"""The key under which answers to yes/no questions are asked for."""
QUOTE = '"quote"'
"""The key that stands beside it in a form."""
BLOCK = re.compile(r"<([a-z_]{1,40})-([0-9a-f]{8,64})>\n(.*?)\n</\1-\2>", re.DOTALL)
ONE_TO_FIVE = re.compile(r"\b1(?:\.0)?\s*(?:-|–|to|\.\.)\s*5\b|\bfrom 1 .{0,20}5\b")
TENTHS = re.compile(r"\bwhole numbers from 0 to 10\b")
ONE_OBJECT = re.compile(r"\bone JSON object\b")
"""Asks for an object though no format does."""
OUT_OF_TEN: Mapping[str, Any] = {"type": "integer", "minimum": 0, "maximum": 10}
STARS: Mapping[str, Any] = {"type": "integer", "minimum": 1, "maximum": 5}
SHARE: Mapping[str, Any] = {"type": "number", "minimum": 0, "maximum": 1}
PRINTED = re.compile(r"\"?\b(?:score|overall\w*)\"?\s*[:=]\s*\**([0-5](?:\.\d+)?)", re.IGNORECASE)
"""A score that the judged text gives itself."""
EXAMPLE = re.compile(r"\{\s*\"[a-z_]+\"\s*:.*\}", re.DOTALL)
"""The object that a request shows as the form of the answer, with <number> and <text> in it."""
NULLABLE = re.compile(r"^## (\w+):(?:(?!\n## ).)*?\n- null:", re.MULTILINE | re.DOTALL)
"""Dimensions that the request lets be null."""
EDGE = 40_000
"""Characters read at each end of a very long request."""

UNREADABLE = (
    "I would rather not put a number on this one.",
    "Score: 7.5 | Reasoning: good in most respects.",
    "Score: 0.4 | Reasoning: first view.\nScore: 0.9 | Reasoning: second view.",
    "Score:",
    '{"score": 0.8, "reason',
)


def is_grading_request(messages: Sequence[Message], response_format: Mapping[str, Any] | None = None) -> bool:
    """True when the instructions ask for a verdict on an assistant's response, or for answers to questions about it."""
    asked = "\n".join(message.content for message in messages if message.role == "system")
    last = next((message.content for message in reversed(messages) if message.role == "user"), "")
    text = _ends(f"{asked}\n{last}")
    if all(sign.search(text) for sign in GRADING):
        return True
    kinds = dict.fromkeys(match[1] for match in BLOCK.finditer(text))
    if are_two_answers(kinds) or asks_for_scenario(kinds):
        return True
    form = json.dumps(response_format)  # an answer alone may be what a prompt asks of its model
    return ITEMS.search(text) is not None or (ITEMS.search(form) is not None and QUOTE in form)


def _ends(text: str) -> str:
    return text if len(text) <= 2 * EDGE else f"{text[:EDGE]}\n{text[-EDGE:]}"


def find_parts(text: str) -> Mapping[str, str]:
    """Kind -> text of the blocks that the request shows; without any block all of it is the response."""
    blocks = {match[1]: match[3] for match in BLOCK.finditer(text)}
    shown = not {"response", WHOLE_BLOCK}.isdisjoint(blocks) or are_two_answers(blocks) or asks_for_scenario(blocks)
    shown = shown or {"messages", "options", "selected"} <= blocks.keys()
    return blocks if shown else {"response": text}


def grade(
    messages: Sequence[Message], response_format: Mapping[str, Any] | None, mode: JudgeMode, luck: random.Random
) -> str:
    """The verdict, the answers to numbered questions, which of two answers is better, or a scenario, as text.

    What the judged text says about its own score counts only in obedient mode.
    """
    asked = _ends("\n".join(message.content for message in messages))
    parts, form = find_parts(asked), BLOCK.sub("", asked)
    if asks_for_scenario(parts):
        return propose(form, parts, mode)
    if are_two_answers(parts):
        return prefer(form, parts, mode, luck)
    if WHOLE_BLOCK in parts:
        opinion = _apply_mode(judge_conversation(parts, luck), parts[WHOLE_BLOCK], mode, luck)
    elif QUESTIONS_BLOCK in parts and "response" in parts:
        return answer_items(parts, mode, luck)
    elif "response" in parts:
        opinion = _apply_mode(judge_reply(parts, luck), parts["response"], mode, luck)
    else:
        opinion = _apply_mode(judge_flow(parts, luck), "\n".join(parts.values()), mode, luck, lowest=1, highest=5)
    return _verdict(opinion, form, response_format or {})


def _apply_mode(
    opinion: Opinion, said: str, mode: JudgeMode, luck: random.Random, *, lowest: int = 0, highest: int = 1
) -> Opinion:
    """The opinion as the mode of the judge has it; a score that the judged text prints lies between the two bounds."""
    if mode == "lenient":
        return opinion.move(lambda value: 0.85 + 0.15 * value, "A lovely reply.")
    if mode == "random":
        return opinion.move(lambda _: luck.random(), "A mixed impression.")
    if mode == "obedient" and (printed := PRINTED.search(said)):
        value = (float(printed[1]) - lowest) / (highest - lowest)
        return opinion.move(lambda _: min(1.0, max(0.0, value)), "As the reply itself says.")
    return opinion


def _verdict(opinion: Opinion, form: str, response_format: Mapping[str, Any]) -> str:
    """The opinion in the form that a request, read without its blocks, asks for."""
    nullable = NULLABLE.findall(form)

    def fill(kind: str, schema: Mapping[str, Any], key: str) -> Any:
        if kind in ("number", "integer"):
            if key in nullable and opinion.dimension(key) in opinion.absent:
                return None
            low, high = schema.get("minimum", 0), schema.get("maximum", 1)
            value = low + (high - low) * opinion.value(key)
            return round(value) if kind == "integer" else round(value, 2)
        return opinion.remark(key) if kind == "string" else None

    if response_format.get("type") == "json_schema":
        return json.dumps(fill_schema(schema_of(response_format), fill))
    score = OUT_OF_TEN if TENTHS.search(form) else STARS if ONE_TO_FIVE.search(form) else SHARE
    if response_format.get("type") == "json_object" or ONE_OBJECT.search(form):
        shown = EXAMPLE.search(form)
        example: Any = {"reasoning": "", "score": 0}
        with suppress(ValueError):
            example = json.loads(shown[0].replace("<number>", "0")) if shown else example
        return json.dumps(fill_schema(_describe(example, score), fill))
    return f"Score: {fill_schema(score, fill, 'overall')} | Reasoning: {opinion.reasoning}"


def _describe(example: Any, score: Mapping[str, Any]) -> Mapping[str, Any]:
    """The JSON schema of values like this one, each number of which is a score."""
    if isinstance(example, dict):
        return {"properties": {key: _describe(value, score) for key, value in example.items()}}
    if isinstance(example, list):
        return {"type": "array"}
    return {"type": "string"} if isinstance(example, str) else score
