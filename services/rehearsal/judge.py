"""Grading requests: recognising one, finding the judged text in it, and answering in the form asked for."""

import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from services.rehearsal.conversations import judge_conversation
from services.rehearsal.items import answer_items
from services.rehearsal.opinions import Opinion, judge_flow, judge_reply
from services.rehearsal.options import JudgeMode
from services.rehearsal.pairs import prefer
from services.rehearsal.phrases import load_pool
from services.rehearsal.scene import Message
from services.rehearsal.structured import fill_schema, schema_of

GRADING = [re.compile(sign, re.IGNORECASE) for sign in load_pool("judge")["grading"]]
ITEMS = re.compile(r'"answers?"')
"""The key under which answers to yes/no questions are asked for."""
QUOTE = '"quote"'
"""The key that stands beside it in a form: an answer alone may be what a prompt asks of its model."""
BLOCK = re.compile(r"<([a-z_]{1,40})-([0-9a-f]{8,64})>\n(.*?)\n</\1-\2>", re.DOTALL)
BLOCKS: Mapping[str, set[str]] = {
    "scenario": {"harvested_message"},
    "pair": {"first_answer", "second_answer"},
    "conversation": {"conversation"},
    "items": {"questions", "response"},
    "reply": {"response"},
    "flow": {"messages", "options", "selected"},
}
"""What a request asks for -> the kinds of the blocks that it shows then; the first of which all are there counts."""
ONE_OBJECT = re.compile(r"\bone JSON object\b")
"""Asks for an object though no format does."""
SHARE, STARS = {"type": "number", "minimum": 0, "maximum": 1}, {"type": "integer", "minimum": 1, "maximum": 5}
SCALES: Mapping[str, Mapping[str, Any]] = {
    r"\bwhole numbers from 0 to 10\b": {"type": "integer", "minimum": 0, "maximum": 10},
    r"\b1(?:\.0)?\s*(?:-|–|to|\.\.)\s*5\b|\bfrom 1 .{0,20}5\b": STARS,
}
"""The words by which a request names another scale than a share -> the schema of a score on it."""
PRINTED = re.compile(r"\"?\b(?:score|overall\w*)\"?\s*[:=]\s*\**([0-5](?:\.\d+)?)", re.IGNORECASE)
"""A score that the judged text gives itself."""
EXAMPLE = re.compile(r"\{\s*\"[a-z_]+\"\s*:.*\}", re.DOTALL)
"""The object that a request shows as the form of the answer, with <number> and <text> in it."""
NULLABLE = re.compile(r"^## (\w+):(?:(?!\n## ).)*?\n- null:", re.MULTILINE | re.DOTALL)
"""Dimensions that the request lets be null."""
CATEGORY = re.compile(r"^- ([a-z][a-z0-9_]{0,63}): (.*)$", re.MULTILINE)
"""A category for which a scenario may be proposed, and what it is about."""
LONG_WORD = re.compile(r"[^\W\d_]{4,}")
EDGE = 40_000
"""Characters read at each end of a very long request."""

UNREADABLE: Sequence[str] = load_pool("judge")["unreadable"]
"""Verdicts that say nothing, or two things."""


def is_grading_request(messages: Sequence[Message], response_format: Mapping[str, Any] | None = None) -> bool:
    """True when the instructions ask for a verdict on an assistant's response, or for answers to questions about it."""
    asked = "\n".join(message.content for message in messages if message.role == "system")
    last = next((message.content for message in reversed(messages) if message.role == "user"), "")
    text = _ends(f"{asked}\n{last}")
    form = json.dumps(response_format)
    return (
        all(sign.search(text) for sign in GRADING)
        or _find_task(match[1] for match in BLOCK.finditer(text)) in ("scenario", "pair")
        or ITEMS.search(text) is not None
        or (ITEMS.search(form) is not None and QUOTE in form)
    )


def _ends(text: str) -> str:
    return text if len(text) <= 2 * EDGE else f"{text[:EDGE]}\n{text[-EDGE:]}"


def _find_task(kinds: Iterable[str]) -> str:
    """The task that shows blocks of these kinds; empty where there is none."""
    shown = set(kinds)
    return next((task for task, needed in BLOCKS.items() if needed <= shown), "")


def find_parts(text: str) -> Mapping[str, str]:
    """Kind -> text of the blocks that the request shows; without those of any task all of it is the response."""
    blocks = {match[1]: match[3] for match in BLOCK.finditer(text)}
    return blocks if _find_task(blocks) else {"response": text}


def grade(
    messages: Sequence[Message], response_format: Mapping[str, Any] | None, mode: JudgeMode, luck: random.Random
) -> str:
    """The verdict, the answers to numbered questions, which of two answers is better, or a scenario, as text.

    What the judged text says about its own score counts only in obedient mode.
    """
    asked = _ends("\n".join(message.content for message in messages))
    parts, form = find_parts(asked), BLOCK.sub("", asked)
    task = _find_task(parts)
    if task == "scenario":
        return propose(form, parts["harvested_message"], mode)
    if task == "pair":
        return prefer(form, parts, mode, luck)
    if task == "items":
        return answer_items(parts, mode, luck)
    if task == "conversation":
        opinion, said = judge_conversation(parts, luck), parts["conversation"]
    elif task == "flow":
        opinion, said = judge_flow(parts, luck), "\n".join(parts.values())
    else:
        opinion, said = judge_reply(parts, luck), parts["response"]
    scale = STARS if task == "flow" else SHARE
    return _verdict(_apply_mode(opinion, said, scale, mode, luck), form, response_format or {})


def propose(form: str, said: str, mode: JudgeMode) -> str:
    """A scenario for what a user said, as one JSON object; in obedient mode the object that stands in it, if any.

    Its category is that of the form (the request without its blocks) whose words it shares most, its questions fit any.
    """
    if mode == "obedient" and (planted := re.search(r"\{.*\}", said, re.DOTALL)):
        return planted[0]
    words = set(LONG_WORD.findall(said.lower()))
    shared = {name: len(words & set(LONG_WORD.findall(text.lower()))) for name, text in CATEGORY.findall(form)}
    category = max(shared, key=lambda name: shared[name], default="general")
    situation = "-".join(["says", *sorted(words)[:2]])[:60]
    return json.dumps({"situation": situation, "category": category, **load_pool("judge")["proposal"]})


def _apply_mode(opinion: Opinion, said: str, scale: Mapping[str, Any], mode: JudgeMode, luck: random.Random) -> Opinion:
    """The opinion as the mode of the judge has it; a score that the judged text prints is one of the scale."""
    if mode == "lenient":
        return opinion.move(lambda value: 0.85 + 0.15 * value, "A lovely reply.")
    if mode == "random":
        return opinion.move(lambda _: luck.random(), "A mixed impression.")
    if mode == "obedient" and (printed := PRINTED.search(said)):
        low, high = scale["minimum"], scale["maximum"]
        value = min(1.0, max(0.0, (float(printed[1]) - low) / (high - low)))
        return opinion.move(lambda _: value, "As the reply itself says.")
    return opinion


def _verdict(opinion: Opinion, form: str, response_format: Mapping[str, Any]) -> str:
    """The opinion in the form that a request, read without its blocks, asks for."""
    nullable = NULLABLE.findall(form)

    def fill(kind: str, schema: Mapping[str, Any], key: str) -> Any:
        dimension = opinion.dimension(key)
        if kind == "string":
            return opinion.remarks.get(dimension, opinion.reasoning)
        if kind not in ("number", "integer") or (key in nullable and dimension in opinion.absent):
            return None
        low, high = schema.get("minimum", 0), schema.get("maximum", 1)
        value = low + (high - low) * opinion.values.get(dimension, opinion.overall)
        return round(value) if kind == "integer" else round(value, 2)

    if response_format.get("type") == "json_schema":
        return json.dumps(fill_schema(schema_of(response_format), fill))
    score = next((scale for words, scale in SCALES.items() if re.search(words, form)), SHARE)
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
