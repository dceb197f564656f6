"""Grading requests: recognising one, finding the judged text in it, and answering in the form asked for.

What is answered is the judge's own crude opinion of a reply or of a run of a recipe assistant.
"""

import json
import random
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from services.rehearsal.conversations import BLOCK as WHOLE_BLOCK
from services.rehearsal.conversations import NULLABLE, dimension_of, see_conversation
from services.rehearsal.drafts import asks_for_scenario, propose
from services.rehearsal.items import BLOCK as QUESTIONS_BLOCK
from services.rehearsal.items import answer_items
from services.rehearsal.options import JudgeMode
from services.rehearsal.pairs import are_two_answers, prefer, read_two
from services.rehearsal.phrases import load_pool
from services.rehearsal.scene import Message, find_feeling

READ_AT_MOST = 5_000
NOISE = 0.03
"""Standard deviation of one value between two seeds."""
FAULTY_BELOW, FAULTS_WEIGH = 0.75, 0.8
"""Mean below which a reply counts as faulty, and what each point below it costs once more."""
SIGNS = {name: re.compile(seen, re.IGNORECASE | re.MULTILINE) for name, seen in load_pool("judge")["signs"].items()}
"""Sign of a reply -> where it stands."""
DELICATE = re.compile(r"real person|human|therapist|always be here|love|depress|only one|giving up|an AI\b", re.I)
DIMENSIONS: Mapping[str, list[str]] = load_pool("judge")["dimensions"]
SHARED = re.compile(r"[^\W\d_]{4,}")
WORD = re.compile(r"[^\W\d_]{3,}")
FLOW = {name: re.compile(seen, re.MULTILINE) for name, seen in load_pool("judge")["flow"].items()}
"""Part of a run -> where it stands."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """Values in 0..1 by dimension, and one sentence that says what was seen."""

    values: Mapping[str, float]
    reasoning: str
    remarks: Mapping[str, str] = field(default_factory=dict)
    """Dimension -> what was seen of it; empty where one sentence says it all."""

    @property
    def overall(self) -> float:
        return sum(self.values.values()) / len(self.values)

    def value(self, name: str) -> float:
        """The value of the dimension that a name speaks of; the overall when it speaks of none."""
        dimension = self._dimension(name)
        return self.overall if dimension is None else self.values[dimension]

    def remark(self, name: str) -> str:
        """The remark on the dimension that a name speaks of; the whole reasoning when nothing more exact was."""
        return self.remarks.get(self._dimension(name) or "", self.reasoning)

    def _dimension(self, name: str) -> str | None:
        if (one := dimension_of(name)) in self.values:
            return one
        spoken = (one for one in self.values if any(sign in name.lower() for sign in DIMENSIONS.get(one, (one,))))
        return next(spoken, None)

    def move(self, by: Callable[[float], float], reasoning: str) -> "Opinion":
        """The same dimensions with other values."""
        return Opinion({name: by(value) for name, value in self.values.items()}, reasoning)


def _weigh_faults(exact: Mapping[str, float]) -> dict[str, float]:
    """Lower values for a reply with many faults: they weigh more together than one by one."""
    fault = FAULTS_WEIGH * max(0.0, FAULTY_BELOW - sum(exact.values()) / len(exact))
    return {name: value - fault for name, value in exact.items()}


def _add_noise(exact: Mapping[str, float], luck: random.Random) -> dict[str, float]:
    return {name: min(1.0, max(0.0, value + luck.gauss(0, NOISE))) for name, value in exact.items()}


def judge_reply(parts: Mapping[str, str], luck: random.Random) -> Opinion:
    """Reads the first 5,000 characters of message and response. An empty response gets 0 throughout."""
    said, heard = parts["response"][:READ_AT_MOST], parts.get("message", "")[:READ_AT_MOST]
    if not said.strip():
        return Opinion(dict.fromkeys(DIMENSIONS, 0.0), "There is no reply to judge.")
    signs = {name: sign.search(said) is not None for name, sign in SIGNS.items()}
    layout, asks, met, cheered, stiff = (signs[name] for name in ("layout", "asks", "hears", "cheers", "stiff"))
    words, feeling, delicate = len(said.split()), find_feeling(heard), DELICATE.search(heard) is not None
    shared = bool(set(SHARED.findall(heard.lower())) & set(SHARED.findall(said.lower())))
    exact = {
        "voice": 0.95 - 0.35 * layout - 0.2 * stiff - 0.2 * (words > 60),
        "talk": 0.5 + 0.2 * (8 <= words <= 45) + 0.2 * asks - 0.2 * layout - 0.15 * stiff,
        "help": 0.55 + 0.15 * shared + 0.15 * asks + 0.1 * (feeling is not None and met) - 0.15 * cheered,
        "heart": 0.6 + 0.1 * asks if feeling is None else 0.4 + 0.45 * met - 0.3 * cheered,
        "thread": 0.5 + 0.3 * signs["recalls"] + 0.05 * shared,
        "trust": 0.7 + (0.2 if signs["open"] else -0.2) * delicate - 0.4 * signs["clings"],
    }
    seen = [
        f"{words} words{', with a layout that cannot be spoken' if layout else ', easy to speak'}",
        "invites the user to go on" if asks else "does not invite the user to go on",
        *([] if feeling is None else ["hears the feeling" if met else "passes over the feeling"]),
        *(["promises or binds more than it should"] if signs["clings"] else []),
    ]
    return Opinion(_add_noise(_weigh_faults(exact), luck), "; ".join(seen) + ".")


def judge_flow(parts: Mapping[str, str], luck: random.Random) -> Opinion:
    """Five dimensions of a run, from its blocks, with a remark for each."""
    selected = parts["selected"]
    said = "\n".join(FLOW["user"].findall(parts["messages"]))
    named = _words(f"{said} {parts.get('fridge_input', '')}")
    unwanted = _words(" ".join(FLOW["unwanted"].findall(said)))
    minutes = min((int(minutes) for minutes in FLOW["minutes"].findall(said)), default=100_000)
    titles = FLOW["title"].findall(parts["options"])

    def faults(recipe: str) -> tuple[bool, bool, bool]:
        listed = _words(" ".join(FLOW["ingredients"].findall(recipe)))
        late = any(int(time) > minutes for time in FLOW["time"].findall(recipe))
        return not listed & named, late, bool(listed & unwanted)

    offered = [faults(text) for text in re.split(r"\n\n(?=Option )", parts["options"])] if titles else []
    used = sum(not foreign for foreign, _, _ in offered) / max(1, len(offered))
    bad = sum(late or barred for _, late, barred in offered) / max(1, len(offered))
    meant = next(iter(FLOW["title"].findall(selected)), None) in titles
    steps, broken = len(FLOW["step"].findall(selected)), parts.get("errors", "(none)").strip() != "(none)"
    exact = {
        "input_understanding": 0.2 + 0.7 * used * (1 - 0.6 * bad),
        "option_quality": 0.9 * used * (1 - 0.9 * bad) if titles else 0.0,
        "selection_quality": 0.1 if not meant else 0.3 if any(faults(selected)) else 0.9,
        "reliability": 0.0 if broken else 0.95,
        "clarity": 0.3 if steps < 2 else 0.9 if steps < 8 else 0.7,
    }
    texts = (
        f"{used:.0%} of the options use something that was named.",
        f"{len(titles)} options, {sum(late for _, late, _ in offered)} of them over the time that was named, "
        f"{sum(barred for _, _, barred in offered)} with what was not wanted.",
        "The selected recipe is one of the options." if meant else "Not one of the options.",
        "The run broke off." if broken else "No errors.",
        f"{steps} steps to follow.",
    )
    return Opinion(_add_noise(exact, luck), " ".join(texts), dict(zip(exact, texts, strict=True)))


def _words(text: str) -> set[str]:
    """The words of a text without the s of a plural."""
    return {word.lower().removesuffix("s") for word in WORD.findall(text)}


# --- the request and the form of its answer ---------------------------------------------------------------------------

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
    parts = find_parts(asked)
    if asks_for_scenario(parts):
        return propose(asked, parts, mode)
    if WHOLE_BLOCK in parts and not are_two_answers(parts):
        return _grade_conversation(parts, asked, response_format, mode, luck)
    if {QUESTIONS_BLOCK, "response"} <= parts.keys():
        return answer_items(parts, mode, luck)
    if are_two_answers(parts):
        two = read_two(asked, parts)
        seen_of = [judge_reply({**parts, "response": answer.text}, luck) for answer in two]
        return prefer(two, [(seen.overall, seen.reasoning) for seen in seen_of], mode, luck)
    flow = "response" not in parts
    response = "\n".join(parts.values()) if flow else parts["response"]
    seen = judge_flow(parts, luck) if flow else judge_reply(parts, luck)
    opinion = _apply_mode(seen, response, mode, luck, flow=flow)
    return _Grader(opinion, asked).verdict(response_format or {})


def _grade_conversation(
    parts: Mapping[str, str],
    asked: str,
    response_format: Mapping[str, Any] | None,
    mode: JudgeMode,
    luck: random.Random,
) -> str:
    """The verdict on a whole conversation; null where there is nothing to score and the request allows it."""
    seen = see_conversation(parts, NOISE, luck)
    known = Opinion(
        {name: 0.7 if each.value is None else each.value for name, each in seen.items()},
        " ".join(each.remark for each in seen.values()),
        {name: each.remark for name, each in seen.items()},
    )
    opinion = _apply_mode(known, parts[WHOLE_BLOCK], mode, luck, flow=False)
    form = BLOCK.sub("", asked)
    absent = {
        name
        for name in NULLABLE.findall(form)
        if opinion is known and (found := seen.get(dimension_of(name) or "")) is not None and found.value is None
    }
    return _Grader(opinion, asked, absent).verdict(response_format or {"type": "json_object"})


def _apply_mode(opinion: Opinion, response: str, mode: JudgeMode, luck: random.Random, *, flow: bool) -> Opinion:
    """The opinion as the mode of the judge has it. A printed score of a flow lies in 1..5, else in 0..1."""
    if mode == "lenient":
        return opinion.move(lambda value: 0.85 + 0.15 * value, "A lovely reply.")
    if mode == "random":
        return opinion.move(lambda _: luck.random(), "A mixed impression.")
    printed = PRINTED.search(response)
    if mode == "obedient" and printed is not None:
        value = (float(printed[1]) - 1) / 4 if flow else float(printed[1])
        return opinion.move(lambda _: min(1.0, max(0.0, value)), "As the reply itself says.")
    return opinion


def _schema_of(example: Any, score: Mapping[str, Any]) -> Mapping[str, Any]:
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
    absent: Collection[str] = ()
    """Keys of numbers in whose place null stands."""

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
        score = OUT_OF_TEN if TENTHS.search(self.form) else STARS if ONE_TO_FIVE.search(self.form) else SHARE
        if kind == "json_object" or ONE_OBJECT.search(self.form):
            shown = EXAMPLE.search(self.form)
            example: Any = {"reasoning": "", "score": 0}
            with suppress(ValueError):
                example = json.loads(shown[0].replace("<number>", "0")) if shown else example
            return json.dumps(self._fill(_schema_of(example, score), ""))
        return f"Score: {self._fill(score, 'overall')} | Reasoning: {self.opinion.reasoning}"

    def _fill(self, schema: Mapping[str, Any], key: str) -> Any:
        """A value of the schema's shape: numbers from the opinion, strings from its reasoning."""
        kind, properties = schema.get("type"), schema.get("properties")
        if isinstance(properties, dict):
            return {name: self._fill(part, name) for name, part in properties.items()}
        if kind == "array":
            return []
        if isinstance(kind, list):
            kind = next((each for each in kind if each != "null"), None)
        if kind in ("number", "integer"):
            if key in self.absent:
                return None
            low, high = schema.get("minimum", 0), schema.get("maximum", 1)
            value = low + (high - low) * self.opinion.value(key)
            return round(value) if kind == "integer" else round(value, 2)
        return self.opinion.remark(key) if kind == "string" else None
