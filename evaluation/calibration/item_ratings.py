"""Answers of people to expectations in lines of ratings, and what rule and judge answer to the same questions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from evaluation.calibration.item_agreement import AnsweredItem
from evaluation.eval_records.held import HeldItem, read_answers, read_held
from evaluation.expectations.answering import AS_IT_IS, Heard, check_item
from evaluation.expectations.check import CueSettings
from evaluation.expectations.checks import CHECKS, prepare_check
from evaluation.expectations.form import ID, KINDS
from evaluation.expectations.human import Said, said_of
from evaluation.records import Exchange, Expectation, Json, Outcome, Result, Scenario, Turn

WORDS: Mapping[str, Said] = {
    "yes": "yes",
    "y": "yes",
    "no": "no",
    "n": "no",
    "not_shown": "not_shown",
    "?": "not_shown",
}
ItemPlace: TypeAlias = tuple[str, str]
"""Id of a line, and the place of the item in it."""
CATEGORY = "calibration"
"""Of the scenarios that rated lines are judged as."""


@dataclass(frozen=True, slots=True)
class RatedItem:
    """One item of a line, and the answers of those who gave one."""

    item: HeldItem
    people: tuple[Said, ...]


def rated_items(record: Mapping[str, Any], turn: int = 1) -> tuple[RatedItem, ...]:
    """The items of a line that somebody answered: those with raters. Raises ValueError naming the item or field."""
    value = record.get("expectations")
    listed = (
        [each for each in value if isinstance(each, dict) and each.get("raters")] if isinstance(value, list) else []
    )
    check_items(listed)
    people = {(each["id"], each["kind"], each["question"]): _people(each) for each in listed}
    held = read_held({"expectations": listed, "turn": turn})
    rated = (RatedItem(item, people[item.id, item.kind, item.question]) for item in held)
    return tuple(each for each in rated if each.people)


def check_items(listed: Any) -> None:
    """Raises ValueError for what is no list of items."""
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise ValueError('"expectations" must be a list of {"id", "kind", "question"}')
    for each in listed:
        name, kind, question = (each.get(key) for key in ("id", "kind", "question"))
        if not isinstance(name, str) or not ID.fullmatch(name):
            raise ValueError('"expectations": an "id" has small letters, digits and hyphens, at most 60')
        if not isinstance(question, str) or not question.strip() or kind not in KINDS:
            raise ValueError(f'item {name!r}: needs a "question", and a "kind" of {", ".join(KINDS)}')
        if kind == "check" and each.get("check"):
            _check_rule(name, each)


def _check_rule(name: str, item: Mapping[str, Any]) -> None:
    check, settings = item["check"], item.get("settings") or {}
    if check not in CHECKS or not isinstance(settings, dict):
        raise ValueError(f"item {name!r}: has no check of {', '.join(CHECKS)}")
    try:
        prepare_check(check, settings)
    except ValueError:
        raise ValueError(f"item {name!r}: its settings do not fit the check {check}") from None


def _people(item: Mapping[str, Any]) -> tuple[Said, ...]:
    raters = item.get("raters") or []
    if not isinstance(raters, list) or not all(word is None or _is_word(word) for word in raters):
        raise ValueError(f'item {item["id"]!r}: "raters" must be a list of yes, no, not_shown or null')
    return tuple(WORDS[word] for word in raters if word is not None)


def item_lines(answers: Mapping[str, Iterable[tuple[HeldItem, Said]]]) -> list[dict[str, Json]]:
    """The items of one response that several people reviewed, with everybody's answer; `answers` is by reviewer."""
    found: dict[tuple[str, str, str], tuple[HeldItem, list[Said]]] = {}
    for _, given in sorted(answers.items()):
        for item, said in given:
            found.setdefault((item.id, item.question_sha256, item.reach), (item, []))[1].append(said)
    return [{**_line(item), "raters": people} for item, people in found.values()]


def review_answers(record: Mapping[str, Any]) -> list[tuple[HeldItem, Said]]:
    """What one person answered in a review. Raises ValueError naming the item or field."""
    given = record.get("item_answers")
    if given is None:
        return []
    check_items(record.get("expectations"))
    if not isinstance(given, list) or not all(map(_is_answer, given)):
        raise ValueError('"item_answers" must be a list of {"id", "answer"}: yes, no or not_shown')
    turn = record.get("turn")
    known = {**record, "turn": turn if isinstance(turn, int) and turn > 0 else 1}
    return [(item, WORDS[said]) for item, said, _ in read_answers(known)]


def _is_answer(given: Any) -> bool:
    return isinstance(given, dict) and isinstance(given.get("id"), str) and _is_word(given.get("answer"))


def _is_word(word: Any) -> bool:
    return isinstance(word, str) and word in WORDS


def _line(item: HeldItem) -> dict[str, Json]:
    names = ("id", "kind", "question", "critical", "check", "settings")
    return {**{name: getattr(item, name) for name in names}, "scope": item.reach}


def turn_of(record: Mapping[str, Any], context: Sequence[Turn]) -> int:
    """The turn of the response, where the context holds all turns before it; else 1."""
    turn = record.get("turn")
    if not isinstance(turn, int) or isinstance(turn, bool) or not 1 < turn <= 1 + len(context) // 2:
        return 1
    roles = [each.role for each in context[len(context) - 2 * (turn - 1) :]]
    return turn if roles == ["user", "assistant"] * (turn - 1) else 1


def scenario_of(exchange: Exchange, audience: str, items: Sequence[RatedItem] = ()) -> Scenario:
    """A rated line as the scenario that a judge is asked about; items are known by their place in the line."""
    before = 2 * (exchange.turn - 1)
    own = exchange.context[len(exchange.context) - before :]
    return Scenario(
        exchange.cell.scenario_id,
        CATEGORY,
        (*(turn.content for turn in own if turn.role == "user"), exchange.user_input),
        audience=audience,
        history=exchange.context[: len(exchange.context) - before],
        expect=tuple(_expectation(number, each.item) for number, each in enumerate(items)),
    )


def for_judge(scenario: Scenario) -> Scenario:
    """The scenario without what a rule decides."""
    return replace(scenario, expect=tuple(item for item in scenario.expect if item.kind != "check"))


def _expectation(number: int, item: HeldItem) -> Expectation:
    return Expectation(
        id=str(number),
        kind=item.kind,
        question=item.question,
        check=item.check,
        settings=item.settings,
        critical=item.critical,
        scope=item.reach,
    )


def judge_outcomes(results: Iterable[Result]) -> dict[ItemPlace, Outcome]:
    """What the judge says of each item of each line."""
    return {
        (result.exchange.cell.scenario_id, answer.id): answer.outcome
        for result in results
        for answer in result.expectations
        if answer.source == "judge"
    }


def answered_items(
    scenario: Scenario,
    exchange: Exchange,
    cluster: str,
    items: Sequence[RatedItem],
    judged: Mapping[ItemPlace, Outcome],
    settings_of: CueSettings,
    heard: Heard = AS_IT_IS,
) -> Iterator[AnsweredItem]:
    """The items of one line with the answers of people, of the rule where one decides, and of the judge."""
    responses = heard.replies(exchange, scenario)
    for each, asked in zip(items, scenario.expect, strict=True):
        tools: dict[str, Said] = {}
        if asked.check:
            tools["rule"] = said_of(asked.kind, check_item(asked, exchange, responses, settings_of).outcome)
        place = (exchange.cell.scenario_id, asked.id)
        if place in judged:
            tools["judge"] = said_of(asked.kind, judged[place])
        item = each.item
        yield AnsweredItem(item.id, item.kind, item.question, cluster, each.people, tools)
