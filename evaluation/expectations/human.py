"""Answers of people to expectations: what each is bound to, and how it outranks the answers of rule and judge.

An answer is bound to the content of an exchange, to the item's id, to the digest of its question, and to the responses
that the question is about. It counts for the same content in any run, and for no other wording of the question.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from evaluation.expectations.answering import due_items
from evaluation.records import Exchange, Expectation, ItemAnswer, Json, Outcome, Reply, Result, Scenario
from evaluation.runspec import digest
from evaluation.text.names import in_words

Said: TypeAlias = Literal["yes", "no", "not_shown"]
"""An answer to the question itself: whether a yes is good follows from the kind of the item."""
Reach: TypeAlias = Literal["response", "conversation"]
"""One response, or all responses of the cell so far."""
OUTCOMES: Mapping[Said, Outcome] = {"yes": "holds", "no": "fails", "not_shown": "not_shown"}
WRONG_WAY_ROUND: Mapping[Said, Outcome] = {"yes": "fails", "no": "holds", "not_shown": "not_shown"}
"""Of a `never`."""


class Binding(NamedTuple):
    """What an answer belongs to."""

    content: str
    """Digest of the exchange."""
    item: str
    question: str
    """Digest of the question."""
    reach: Reach


@dataclass(frozen=True, slots=True)
class HumanAnswer:
    """One person's answer to one item at one exchange."""

    reviewer: str
    said: Said
    remark: str = ""


@dataclass(frozen=True, slots=True)
class PeoplesAnswer(ItemAnswer):
    """The answer of people to an item, with what it stands in the place of."""

    given: tuple[HumanAnswer, ...] = ()
    """By name."""
    run_answer: ItemAnswer | None = None
    """That of rule or judge."""

    def to_json(self) -> dict[str, Json]:
        """What people and the run say, side by side: a part of an entry of `expectations.people` in summary.json."""
        own = self.run_answer
        return {
            "outcome": self.outcome,
            "people": [asdict(each) for each in self.given],
            "run": None if own is None else asdict(own),
        }


HumanAnswers: TypeAlias = Mapping[Binding, Sequence[HumanAnswer]]
"""Binding -> the newest answer of each person, by name."""
Describe: TypeAlias = Callable[[Exchange], Mapping[str, Json]]
"""Request and response of an exchange as an evaluation record holds them: `describe` of a suite."""


def content_digest(described: Mapping[str, Json], audience: str) -> str:
    """Of everything that was shown of an exchange: what went in, what came back, and who was speaking."""
    return digest([described["request"], described["response"], audience])


def question_digest(kind: str, question: str) -> str:
    """Of a question with the meaning of its yes."""
    return digest([kind, question])


def reach_of(scope: str, turn: int) -> Reach:
    """The responses that an item is about at a turn: in a first one there is no other."""
    return "conversation" if scope == "conversation" and turn > 1 else "response"


def outcome_of(kind: str, said: Said) -> Outcome:
    """The outcome that an answer means for an item."""
    return (WRONG_WAY_ROUND if kind == "never" else OUTCOMES)[said]


def said_of(kind: str, outcome: Outcome) -> Said:
    """The answer to the question that an outcome stands for."""
    meaning = WRONG_WAY_ROUND if kind == "never" else OUTCOMES
    return next(said for said, found in meaning.items() if found == outcome)


def read_human_answers(records: Iterable[Mapping[str, Any]]) -> HumanAnswers:
    """The answers in the records of reviews, which fit their schema; of one person's several the newest."""
    newest: dict[tuple[Binding, str], tuple[str, HumanAnswer]] = {}
    for record in records:
        if record.get("source") != "human":
            continue
        at = str(record.get("reviewed_at") or record.get("timestamp") or "")
        for each in record.get("item_answers") or ():
            bound = Binding(record["content_sha256"], each["id"], each["question_sha256"], each["reach"])
            key, answer = (bound, record["reviewer"]), _human_answer(record, each)
            if key not in newest or newest[key][0] <= at:
                newest[key] = (at, answer)
    found: dict[Binding, list[HumanAnswer]] = {}
    for bound, reviewer in sorted(newest, key=lambda key: key[1]):
        found.setdefault(bound, []).append(newest[bound, reviewer][1])
    return found


def _human_answer(record: Mapping[str, Any], answer: Mapping[str, Any]) -> HumanAnswer:
    return HumanAnswer(record["reviewer"], answer["answer"], str(answer.get("remark") or ""))


def what_most_say(given: Sequence[Said]) -> Said:
    """The answer that more people give than any other; not shown where two are as frequent."""
    counts = sorted(((given.count(said), said) for said in set(given)), reverse=True)
    alone = len(counts) == 1 or counts[0][0] > counts[1][0]
    return counts[0][1] if counts and alone else "not_shown"


def outrank(result: Result, scenario: Scenario, human: HumanAnswers, describe: Describe) -> Result:
    """The result with the answers of people in the place of those that rule and judge gave to the same questions.

    An item that nobody else answered is not added: what a run plans for does not depend on who reviews it.
    """
    if not human or not result.expectations or not isinstance(result.exchange.outcome, Reply):
        return result
    exchange = result.exchange
    content = content_digest(describe(exchange), scenario.audience)
    due = {item.id: item for item in due_items(scenario, exchange.turn, "judge")}

    def effective(answer: ItemAnswer) -> ItemAnswer:
        item = due.get(answer.id)
        given = human.get(_binding(item, exchange, content), ()) if item is not None else ()
        return answer if item is None or not given else _human(answer, item, given)

    return replace(result, expectations=tuple(map(effective, result.expectations)))


def _binding(item: Expectation, exchange: Exchange, content: str) -> Binding:
    question = question_digest(item.kind, item.question)
    return Binding(content, item.id, question, reach_of(item.scope, exchange.turn))


def _human(answer: ItemAnswer, item: Expectation, given: Sequence[HumanAnswer]) -> PeoplesAnswer:
    """The people's answer; the quote stays where it shows what they say."""
    outcome = outcome_of(item.kind, what_most_say([each.said for each in given]))
    same = outcome == answer.outcome
    who = ", ".join(f"{each.reviewer}: {in_words(each.said)}{_behind(each.remark)}" for each in given)
    machine = f"by {answer.source} it {in_words(answer.outcome)}"
    return PeoplesAnswer(
        id=answer.id,
        outcome=outcome,
        source="human",
        quote=answer.quote if same else "",
        reason=who if same else f"{who}; {machine}",
        turn=answer.turn if same else 0,
        answers=answer.answers,
        given=tuple(given),
        run_answer=answer,
    )


def _behind(remark: str) -> str:
    return f" ({remark})" if remark else ""
