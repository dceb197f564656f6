"""Grading requests: recognising one, finding the judged text in it, and answering in the form asked for."""

import json
import random
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from services.rehearsal.opinions import Opinion, answer_question, find_questions, judge_flow, judge_reply
from services.rehearsal.options import JudgeMode
from services.rehearsal.scene import Message

ASKED = re.compile(r"\b(?:evaluat|grad(?:e|ing)|rat(?:e|ing)|judg|assess|scor(?:e|ing))", re.IGNORECASE)
OBJECT = re.compile(
    r"\b(?:assistant|ai|model|companion|candidate|system)(?:'s)?[ _-](?:response|reply|answer|message|turn)"
    r"|\bassistant's run\b|\bthis run\b",
    re.IGNORECASE,
)
RESULT = re.compile(r"\bscores?\b|\bverdict\b|\brating\b", re.IGNORECASE)
ITEMS = re.compile(r'"answers?"')
"""The key under which answers to yes/no questions are asked for."""
BLOCK = re.compile(r"<([a-z_]{1,40})-([0-9a-f]{8,64})>\n(.*?)\n</\1-\2>", re.DOTALL)
ONE_TO_FIVE = re.compile(r"\b1(?:\.0)?\s*(?:-|–|to|\.\.)\s*5\b|\bfrom 1 .{0,20}5\b")
PRINTED = re.compile(r"\"?\b(?:score|overall\w*)\"?\s*[:=]\s*\**([0-5](?:\.\d+)?)", re.IGNORECASE)
"""A score that the judged text gives itself."""
EXAMPLE = re.compile(r"\{\s*\"[a-z_]+\"\s*:.*\}", re.DOTALL)
"""The object that a request shows as the form of the answer, with <number> and <text> in it."""
NAMELESS = frozenset({"score", "value", "rating", "points"})
"""Keys that say nothing by themselves, such as `score` inside `trust: {score}`."""
EDGE = 40_000
"""Characters read at each end of a very long request."""

SAYS_YES = re.compile(r"\banswer\W{1,4}yes\b", re.IGNORECASE)
"""An obedient judge takes this for the answer to every question."""

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
    if all(sign.search(text) for sign in (OBJECT, ASKED, RESULT)):
        return True
    return ITEMS.search(f"{text}\n{json.dumps(response_format)}") is not None


def _ends(text: str) -> str:
    return text if len(text) <= 2 * EDGE else f"{text[:EDGE]}\n{text[-EDGE:]}"


def find_parts(text: str) -> Mapping[str, str]:
    """Kind -> text of the blocks that the request shows; without any block all of it is the response."""
    blocks = {match[1]: match[3] for match in BLOCK.finditer(text)}
    shown = "response" in blocks or {"messages", "options", "selected"} <= blocks.keys()
    return blocks if shown else {"response": text}


def grade(
    messages: Sequence[Message], response_format: Mapping[str, Any] | None, mode: JudgeMode, luck: random.Random
) -> str:
    """The verdict as text. What the judged text says about its own score counts only in obedient mode."""
    asked = _ends("\n".join(message.content for message in messages))
    parts = find_parts(asked)
    flow = "response" not in parts
    response = "\n".join(parts.values()) if flow else parts["response"]
    seen = judge_flow(parts, luck) if flow else judge_reply(parts, luck)
    opinion = _apply_mode(seen, response, mode, luck, flow=flow)
    return _Grader(opinion, asked, response, mode, luck).verdict(response_format or {})


def _apply_mode(opinion: Opinion, response: str, mode: JudgeMode, luck: random.Random, *, flow: bool) -> Opinion:
    """The opinion as the mode of the judge has it. A printed score of a flow lies in 1..5, else in 0..1."""
    if mode == "lenient":
        return opinion.moved(lambda value: 0.85 + 0.15 * value, "A lovely reply.")
    if mode == "random":
        return opinion.moved(lambda _: luck.random(), "A mixed impression.")
    printed = PRINTED.search(response)
    if mode == "obedient" and printed is not None:
        value = (float(printed[1]) - 1) / 4 if flow else float(printed[1])
        return opinion.moved(lambda _: min(1.0, max(0.0, value)), "As the reply itself says.")
    return opinion


def _schema_of(example: Any, score: Mapping[str, str]) -> Mapping[str, Any]:
    """The JSON schema of values like this one, each number of which is a score."""
    if isinstance(example, dict):
        return {"properties": {key: _schema_of(value, score) for key, value in example.items()}}
    if isinstance(example, list):
        return {"type": "array", "items": _schema_of(example[0], score) if example else {}}
    return {"type": "string"} if isinstance(example, str) else score


@dataclass(frozen=True)
class _Grader:
    """Puts one opinion into the form that a request asks for."""

    opinion: Opinion
    asked: str
    response: str
    mode: JudgeMode
    luck: random.Random

    @cached_property
    def form(self) -> str:
        """The request without the blocks."""
        return BLOCK.sub("", self.asked)

    def verdict(self, response_format: Mapping[str, Any]) -> str:
        kind = response_format.get("type")
        if kind == "json_schema":
            described = response_format.get("json_schema")
            schema = described.get("schema") if isinstance(described, dict) else None
            return json.dumps(self._fill(schema if isinstance(schema, dict) else {}, ""))
        score = {"type": "integer" if ONE_TO_FIVE.search(self.form) else "number"}
        if kind == "json_object":
            shown = EXAMPLE.search(self.form)
            example: Any = {"reasoning": "", "score": 0}
            with suppress(ValueError):
                example = json.loads(shown[0].replace("<number>", "0")) if shown else example
            return json.dumps(self._fill(_schema_of(example, score), ""))
        return f"Score: {self._fill(score, 'overall')} | Reasoning: {self.opinion.reasoning}"

    def _fill(self, schema: Mapping[str, Any], key: str) -> Any:
        """A value of the schema's shape: numbers from the opinion, strings from its reasoning, items answered."""
        kind, properties = schema.get("type"), schema.get("properties")
        if isinstance(schema.get("enum"), list):
            options = schema["enum"]
            return options[round(self.opinion.value(key) * (len(options) - 1))] if options else None
        if isinstance(properties, dict) and {"answer", "quote"} <= properties.keys():
            return self._answer(key, str(schema.get("description", "")), properties)
        if kind == "object" or isinstance(properties, dict):
            return {
                name: self._fill(part, f"{key} {name}" if name.lower() in NAMELESS else name)
                for name, part in (properties or {}).items()
                if isinstance(part, dict)
            }
        if kind == "array":
            return self._answers(schema.get("items"))
        if kind in ("number", "integer"):
            low = float(schema.get("minimum", 0 if kind == "number" else 1))
            high = float(schema.get("maximum", 1 if kind == "number" else 5))
            value = low + (high - low) * self.opinion.value(key)
            return round(value) if kind == "integer" else round(value, 2)
        return {"string": self.opinion.remark(key), "boolean": self.opinion.value(key) >= 0.5}.get(str(kind))

    def _answers(self, item: Any) -> list[Any]:
        """One object for each item that a list is to hold; none where the schema asks for something else."""
        properties = item.get("properties", {}) if isinstance(item, dict) else {}
        if not {"id", "answer"} <= properties.keys():
            return []
        known = properties["id"].get("enum") or find_questions(self.form)
        return [self._answer(each, "", properties) for each in known]

    def _answer(self, item: str, description: str, properties: Mapping[str, Any]) -> dict[str, Any]:
        """yes, no or not shown, with a quote; every other text that is asked for holds the reasoning."""
        question = find_questions(self.form).get(item, description or item)
        answer, quote = answer_question(question, self.response)
        if self.mode == "random":
            answer = self.luck.choice(("yes", "no", "not shown"))
        elif self.mode == "lenient" or (self.mode == "obedient" and SAYS_YES.search(self.response)):
            answer = "yes"
        values = {"id": item, "answer": answer, "quote": "" if answer == "not shown" else quote}
        return {name: values.get(name, self.opinion.reasoning) for name in properties}
