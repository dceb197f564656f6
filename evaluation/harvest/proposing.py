"""A judge's proposal for a draft: situation, category, audience, note and items, asked for once and read strictly.

The judge sees the masked texts, fenced as data. What it answers proposes and decides nothing: a person reads it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.expectations.form import ItemFault, find_clash, read_items
from evaluation.harvest.draft import Draft, Proposal
from evaluation.judging.answers import closed_object
from evaluation.judging.asking import DATA_NOTICE
from evaluation.judging.checking import squeeze
from evaluation.judging.material import Material, Passage, foreign_passage, transcript, visible_turn
from evaluation.judging.reading import ECHO, read_object
from evaluation.records import Cell, Expectation, Json, Reply, Request, Turn
from evaluation.runspec import JudgePin, call_seed

KEYS = ("situation", "category", "audience", "note", "expect")
ITEM_KEYS = ("id", "kind", "question", "critical")
KIND = "harvested_message"
"""Names the block of the message, so that such a question is known by it."""
MOST_ITEMS = 6
LONGEST = 400
"""Characters of a text of the proposal."""
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_LINES = re.compile(r"[\x00-\x1f\x7f\u0085\u2028\u2029]+")


@dataclass(frozen=True)
class Proposer:
    """Asks a judge about drafts under one rubric."""

    pin: JudgePin
    categories: Mapping[str, str]
    """Name -> what it is about; empty where any is allowed."""
    known: Sequence[Expectation] = field(default_factory=tuple)
    """Items of the scenario set: no id may stand for two questions."""
    seed: int = 0

    def request(self, draft: Draft) -> Request:
        """The one call about a draft."""
        cell = Cell(draft.id, 1)
        seed = call_seed(self.seed, draft.id, 1, 1, 1)
        return Request(
            purpose="drafts",
            model=self.pin.model,
            messages=(Turn("system", self._instructions()), material_of(draft).message()),
            parameters={"seed": seed, **self.pin.parameters, **_format(self.pin.format)},
            cell=cell,
            turn=1,
            sample=1,
            endpoint=self.pin.endpoint,
        )

    def read(self, reply: Reply, draft: Draft) -> Proposal | str:
        """The proposal, or what is wrong with the answer. Never raises."""
        value = read_object(reply.text)
        if isinstance(value, str):
            return value
        said = squeeze(reply.text[reply.text.find("{") : reply.text.rfind("}") + 1])
        if any(said in squeeze(passage.text) for passage in material_of(draft).passages if "{" in passage.text):
            return ECHO
        if problem := _wrong_keys(value, KEYS):
            return problem
        category = value["category"]
        if self.categories and category not in self.categories:
            return f"category {str(category)[:60]!r} is none of the rubric's"
        items = self._items(value["expect"])
        if isinstance(items, str):
            return items
        situation, audience, note = (value[key] for key in ("situation", "audience", "note"))
        if not all(isinstance(each, str) for each in (situation, audience, note)):
            return "situation, audience and note are not all texts"
        if not _NAME.fullmatch(situation):
            return f"situation {situation[:60]!r} is no name of small letters, digits and hyphens"
        if not note.strip() or max(len(note), len(audience)) > LONGEST:
            return f"note is blank, or a text is longer than {LONGEST} characters"
        return Proposal(situation, category, _one_line(audience), _one_line(note), items, f"judge {self.pin.model}")

    def _items(self, value: Json) -> tuple[Json, ...] | str:
        if not isinstance(value, list) or not 1 <= len(value) <= MOST_ITEMS:
            return f"expect is no list of 1 to {MOST_ITEMS} items"
        written = []
        for item in value:
            if not isinstance(item, dict) or (problem := _wrong_keys(item, ITEM_KEYS)):
                return "an item is no object" if not isinstance(item, dict) else f"an item: {problem}"
            if item["kind"] not in ("ask", "never"):
                return f"an item is of kind {str(item['kind'])[:20]!r}"
            form = {"id": item["id"], item["kind"]: item["question"]}
            written.append(form | ({"critical": True} if item["critical"] is True else {}))
        try:
            read_items(written, turns=1)
            return tuple(map(self._renamed, written))
        except ItemFault as fault:
            return fault.problem

    def _renamed(self, form: Mapping[str, Json]) -> dict[str, Json]:
        """The item under an id that stands for no other question."""
        found, number = dict(form), 1
        while find_clash([self.known, read_items([found])]) is not None:
            number += 1
            found["id"] = f"{str(form['id'])[:56]}-{number}"
        return found

    def _instructions(self) -> str:
        notice = DATA_NOTICE.format(key="the key that the user message begins with")
        listed = "\n".join(f"- {name}: {focus}" for name, focus in self.categories.items())
        parts = [
            "You help to write a test of a conversational assistant. You are shown what a user said to it, and perhaps "
            "what was said before and what it answered. Propose a test scenario: what a good answer to this user does, "
            "whether or not the answer that you see does it.",
            f"category is one of these names:\n{listed}" if listed else "category is one word in small letters.",
            "situation names what the user is in, in one to four words in small letters, joined by hyphens. audience "
            "says who is speaking as far as the words show it, else it is empty. note says in one or two sentences "
            f"what a good answer does. expect holds two to {MOST_ITEMS} items, each a question about the answer that "
            'yes or no answers; of kind "ask" a yes is wanted, of kind "never" a yes is a fault. critical is true only '
            "where one failure may do harm. Name no person, address or number.",
            notice,
            'Write one JSON object and nothing else: {"situation": "<name>", "category": "<name>", '
            '"audience": "<text>", "note": "<text>", "expect": [{"id": "<name-with-hyphens>", "kind": "ask", '
            '"question": "<question?>", "critical": false}]}',
        ]
        return "\n\n".join(parts)


def material_of(draft: Draft) -> Material:
    """What the judge is shown of a draft, masked and fenced."""
    return Material(
        (
            Passage("context", "Conversation so far:", transcript(list(map(visible_turn, draft.history)))),
            foreign_passage(KIND, "User message:", draft.turns[0]),
            foreign_passage("answered", "What the assistant answered, well or badly:", draft.response),
        )
    )


def _wrong_keys(value: Mapping[str, Json], keys: Sequence[str]) -> str:
    missing = [key for key in keys if key not in value]
    strange = [str(key)[:40] for key in value if key not in keys]
    return f"{missing[0]} is missing" if missing else f"{strange[0]!r} is no key of it" if strange else ""


def _one_line(text: str) -> str:
    return _LINES.sub(" ", text).strip()


def proposal_schema() -> dict[str, Json]:
    """JSON schema of an answer."""
    text = {"type": "string"}
    item = closed_object(
        {
            "id": text,
            "kind": {"type": "string", "enum": ["ask", "never"]},
            "question": text,
            "critical": {"type": "boolean"},
        }
    )
    return closed_object({**dict.fromkeys(KEYS[:-1], text), "expect": {"type": "array", "items": item}})


def _format(judge_format: str) -> dict[str, Json]:
    if judge_format == "schema":
        described = {"name": "scenario", "strict": True, "schema": proposal_schema()}
        return {"response_format": {"type": "json_schema", "json_schema": described}}
    return {"response_format": {"type": "json_object"}} if judge_format == "json" else {}
