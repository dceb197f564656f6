"""Grading requests: recognising one, finding what is to be graded in it, and answering in the form asked for."""

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from services.rehearsal.flow_grading import flow_parts, read_flow
from services.rehearsal.options import JudgeMode
from services.rehearsal.reading import Reading, read_exchange
from services.rehearsal.scene import Message

ASKED = re.compile(r"\b(?:evaluat|grad(?:e|ing)|rat(?:e|ing)|judg|assess|scor(?:e|ing))", re.IGNORECASE)
OBJECT = re.compile(
    r"\b(?:assistant|ai|model|companion|candidate|system)(?:'s)?[ _-](?:response|reply|answer|message|turn)"
    r"|\bassistant's run\b|\bthis run\b",
    re.IGNORECASE,
)
RESULT = re.compile(r"\bscores?\b|\bverdict\b|\brating\b", re.IGNORECASE)
USER_LABEL = re.compile(r"^[ \t]*(?:the )?user[^\n:]{0,40}:[ \t]*", re.IGNORECASE | re.MULTILINE)
RESPONSE_LABEL = re.compile(
    r"^[ \t]*(?:the )?(?:(?:assistant|ai|companion|model)(?:'s)?[ _-])?(?:response|reply|answer)[^\n:]{0,20}:[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
SPEAKER = re.compile(r"^[ \t]*assistant:[ \t]*", re.IGNORECASE | re.MULTILINE)
AFTERWARDS = re.compile(
    r"^[ \t]*(?:(?:conversation|context)[^\n:]{0,40}:|(?:provide|format|return|respond|reply|give) )", re.I | re.M
)
TAG = re.compile(r"<([a-z_-]{0,40}(?:response|reply|answer)[\w-]{0,80})>", re.IGNORECASE)
ONE_TO_FIVE = re.compile(r"\b1(?:\.0)?\s*(?:-|–|to|\.\.)\s*5\b|\bfrom 1 .{0,20}5\b")
PRINTED_SCORE = re.compile(r"\"?\b(?:score|overall\w*)\"?\s*[:=]\s*\**([01](?:\.\d+)?)", re.IGNORECASE)
PRINTED_GRADE = re.compile(r"\"?\b(?:score|overall\w*)\"?\s*[:=]\s*\**([1-5](?:\.\d+)?)", re.IGNORECASE)
"""A printed score from 1 to 5."""
JSON_KEY = re.compile(r"\"([a-z][a-z0-9_]{1,40})\"\s*:")
EDGE = 40_000
"""Characters read at each end of a very long request."""

UNREADABLE = (
    "I would rather not put a number on this one.",
    "Score: high | Reasoning: a warm and fitting reply.",
    "Score: 7.5 | Reasoning: good in most respects.",
    "Score: 0.4 | Reasoning: first view.\nScore: 0.9 | Reasoning: second view.",
    "Score:",
    '{"score": 0.8, "reason',
)


@dataclass(frozen=True, slots=True)
class Judging:
    """How the judge is set."""

    mode: JudgeMode
    malformed: bool
    luck: random.Random


def is_grading_request(messages: Sequence[Message]) -> bool:
    """True when the instructions ask for a score of an assistant's response."""
    asked = "\n".join(message.content for message in messages if message.role == "system")
    last = next((message.content for message in reversed(messages) if message.role == "user"), "")
    text = _ends(f"{asked}\n{last}")
    return all(sign.search(text) for sign in (OBJECT, ASKED, RESULT))


def _ends(text: str) -> str:
    return text if len(text) <= 2 * EDGE else f"{text[:EDGE]}\n{text[-EDGE:]}"


def judged_exchange(text: str) -> tuple[str, str]:
    """(user message, assistant response) as the request labels them; without a label the response is the whole text.

    A quoted response ends where a closing quote meets the next part of the form, so that labels inside it are text.
    """
    user, start = USER_LABEL.search(text), _response_start(text)
    heard = _unquoted(text[user.end() : start[0] if start and start[0] > user.end() else len(text)]) if user else ""
    tag = TAG.search(text)
    closing = text.rfind(f"</{tag[1]}>") if tag else -1
    if tag and closing >= tag.end():
        return heard, text[tag.end() : closing].strip()
    if start is None:
        return heard, text.strip()
    ends = [mark.start() for mark in AFTERWARDS.finditer(text, start[1])]
    body = text[start[1] :]
    for end in ends:
        # What follows the closing quote belongs to the form again.
        if text[max(start[1], end - 9) : end].rstrip().endswith('"') or not body.startswith('"'):
            body = text[start[1] : end]
            break
    return heard, _unquoted(body)


def _response_start(text: str) -> tuple[int, int] | None:
    """(start, end) of the label that opens the judged response."""
    label = RESPONSE_LABEL.search(text) or next(reversed(list(SPEAKER.finditer(text))), None)
    return (label.start(), label.end()) if label else None


def _unquoted(body: str) -> str:
    stripped = body.strip()
    if stripped.startswith('"'):
        end = stripped.rfind('"')
        return stripped[1:end] if end > 0 else stripped[1:]
    return stripped


def grade(messages: Sequence[Message], response_format: Mapping[str, Any] | None, judging: Judging) -> str:
    """The verdict as text. What the judged text says about its own score counts only in obedient mode."""
    asked = _ends("\n".join(message.content for message in messages))
    if judging.malformed:
        return judging.luck.choice(UNREADABLE)
    flow = flow_parts(asked)
    user, response = ("", "\n".join(flow.values())) if flow else judged_exchange(asked)
    read = read_flow(flow, judging.luck) if flow else read_exchange(user, response, judging.luck)
    reading = _settled(read, _printed(response, of_flow=bool(flow)), judging)
    kind = (response_format or {}).get("type")
    if response_format is not None and kind == "json_schema":
        described = response_format.get("json_schema")
        schema = described.get("schema") if isinstance(described, dict) else None
        return json.dumps(_shaped(schema if isinstance(schema, dict) else {}, "", reading))
    form = asked
    for part in flow.values() if flow else (response,):
        form = form.replace(part, "") if part else form
    top = ONE_TO_FIVE.search(form) is not None
    if kind == "json_object":
        keys = list(dict.fromkeys(JSON_KEY.findall(form))) or ["reasoning", "score"]
        if {"rationale", "scores"} <= set(keys):
            named = [key for key in keys if key not in ("rationale", "scores", "overall")]
            texts = {key: reading.remark(key) for key in named}
            scores = {key: _number(reading, key, top) for key in named}
            return json.dumps({"rationale": texts, "scores": scores, "overall": _number(reading, "overall", top)})
        values = {key: reading.reasoning if _is_prose(key) else _number(reading, key, top) for key in keys}
        return json.dumps(values)
    return f"Score: {_number(reading, 'overall', top)} | Reasoning: {reading.reasoning}"


def _printed(response: str, *, of_flow: bool) -> float | None:
    """The score that the judged text gives itself, from 0 to 1; that of a flow stands there from 1 to 5."""
    found = (PRINTED_GRADE if of_flow else PRINTED_SCORE).search(response)
    if found is None:
        return None
    return min(1.0, (float(found[1]) - 1) / 4 if of_flow else float(found[1]))


def _settled(reading: Reading, printed: float | None, judging: Judging) -> Reading:
    if judging.mode == "lenient":
        return reading.moved(lambda value: 0.85 + 0.15 * value, "A lovely reply.")
    if judging.mode == "random":
        return reading.moved(lambda _: judging.luck.random(), "A mixed impression.")
    if judging.mode == "obedient" and printed is not None:
        return reading.moved(lambda _: printed, "As the reply itself says.")
    return reading


def _is_prose(key: str) -> bool:
    return any(part in key.lower() for part in ("reason", "explan", "comment", "rationale", "feedback", "justif"))


def _number(reading: Reading, key: str, one_to_five: bool) -> float | int:
    value = reading.value(key)
    return 1 + round(4 * value) if one_to_five else round(value, 2)


def _shaped(schema: Mapping[str, Any], key: str, reading: Reading) -> Any:
    """A value of the schema's shape: numbers from the reading, strings from its reasoning."""
    kind = schema.get("type")
    if isinstance(schema.get("enum"), list):
        options = schema["enum"]
        return options[round(reading.value(key) * (len(options) - 1))] if options else None
    if kind == "object" or "properties" in schema:
        properties = schema.get("properties")
        named = properties if isinstance(properties, dict) else {}
        return {
            name: _shaped(part, name if part.get("type") != "number" or _own(name) else f"{key} {name}", reading)
            for name, part in named.items()
            if isinstance(part, dict)
        }
    if kind in ("number", "integer"):
        low = float(schema.get("minimum", 0 if kind == "number" else 1))
        high = float(schema.get("maximum", 1 if kind == "number" else 5))
        value = low + (high - low) * reading.value(key)
        return round(value) if kind == "integer" else round(value, 2)
    return {"string": reading.remark(key), "boolean": reading.value(key) >= 0.5, "array": []}.get(str(kind))


def _own(name: str) -> bool:
    """False for a name that says nothing by itself, such as `score` inside `trust: {score}`."""
    return name.lower() not in {"score", "value", "rating", "points"}
