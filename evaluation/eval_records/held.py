"""The expectations of a response as its evaluation record holds them, and as people are asked about them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from evaluation.expectations.answering import due_items
from evaluation.expectations.human import Reach, Said, question_digest, reach_of, said_of
from evaluation.records import Expectation, Json, Outcome, Scenario

Kind: TypeAlias = Literal["ask", "never", "check"]


@dataclass(frozen=True, slots=True)
class HeldItem:
    """One expectation at one response, with what rule or judge answered where one of them did."""

    id: str
    kind: Kind
    question: str
    critical: bool = False
    reach: Reach = "response"
    check: str = ""
    """Name of the rule; empty where none decides."""
    settings: Mapping[str, Json] = field(default_factory=dict)
    source: str = ""
    """rule or judge; empty where neither answered."""
    outcome: Outcome | None = None
    quote: str = ""

    @property
    def question_sha256(self) -> str:
        """The digest that an answer is bound to."""
        return question_digest(self.kind, self.question)

    @property
    def said(self) -> Said | None:
        """What rule or judge answered to the question itself."""
        return None if self.outcome is None else said_of(self.kind, self.outcome)


def held_lines(scenario: Scenario, turn: int, answered: Sequence[Mapping[str, Json]]) -> list[dict[str, Json]]:
    """Every item that is due at a turn, once, with its answer out of a line of results.jsonl where that has one."""
    answers = {each["id"]: each for each in answered}
    due = {item.id: item for item in due_items(scenario, turn, "judge")}
    return [{**_line(item), **answers.get(item.id, {}), "scope": item.scope} for item in due.values()]


def _line(item: Expectation) -> dict[str, Json]:
    settings = {"settings": dict(item.settings)} if item.kind == "check" else {}
    return {"id": item.id, **item.asked(), **settings}


def read_held(record: Mapping[str, Any]) -> tuple[HeldItem, ...]:
    """The items in a record that fits the schema; of two with one id and question the first."""
    found: dict[tuple[str, str], HeldItem] = {}
    for item in _items(record):
        found.setdefault((item.id, item.question_sha256), item)
    return tuple(found.values())


def _items(record: Mapping[str, Any]) -> Iterator[HeldItem]:
    turn = int(record.get("turn") or 1)
    for each in record.get("expectations") or ():
        machine = each.get("source") in ("rule", "judge")
        yield HeldItem(
            id=each["id"],
            kind=each["kind"],
            question=each["question"],
            critical=bool(each.get("critical", False)),
            reach=reach_of(str(each.get("scope") or "response"), turn),
            check=str(each.get("check") or ""),
            settings=each.get("settings") or {},
            source=each["source"] if machine else "",
            outcome=each.get("outcome") if machine else None,
            quote=str(each.get("quote") or "") if machine else "",
        )


def read_answers(record: Mapping[str, Any]) -> Iterator[tuple[HeldItem, Said, str]]:
    """(item, answer, remark) for each answer of a person in a record to a question that the record holds.

    Those to another wording, or about other responses, are left out. An answer that names no digest is bound to the
    question of its id in the same record.
    """
    held = read_held(record)
    for given in record.get("item_answers") or ():
        for item in held:
            bound = (item.id, item.question_sha256, item.reach)
            if (given["id"], given.get("question_sha256", bound[1]), given.get("reach", bound[2])) == bound:
                yield item, given["answer"], str(given.get("remark") or "")
