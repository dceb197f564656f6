"""Expectations as a file writes them -> records, checked.

An item is {id, ask | never | check, critical?, turn?, scope?} with the settings of its check beside them. The same form
stands in a scenario, and in a rubric for all scenarios, for a category, and for a group of users.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from pydantic import ValidationError

from evaluation.expectations.check import OutputCheck
from evaluation.expectations.checks import CHECKS, prepare_check
from evaluation.records import Expectation, Json
from evaluation.text.forms import complaint, did_you_mean
from evaluation.text.yaml_text import ValuePath

ID = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
LONGEST_QUESTION = 300
MOST_ITEMS = 40
"""Items of one list."""
KINDS = ("ask", "never", "check")
KEYS = ("id", *KINDS, "critical", "turn", "scope")
Origin: TypeAlias = Literal["scenario", "category", "audience", "rubric", "prompt", "facts", "criteria"]
Scope: TypeAlias = Literal["response", "turn", "conversation"]
Kind: TypeAlias = Literal["ask", "never", "check"]
_LINE_END = re.compile(r"[\x00-\x1f\x7f\u0085\u2028\u2029]")


class ItemFault(ValueError):
    """What is wrong with a list of items, and where in it."""

    def __init__(self, path: ValuePath, problem: str) -> None:
        super().__init__(problem)
        self.path = path
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Clash:
    """An id that stands for two questions: in which list first, and in which list and where in it again."""

    id: str
    first: int
    number: int
    place: int


Fault: TypeAlias = Callable[[str, str], ItemFault]
"""(key, problem) -> what is wrong with an item."""


def read_items(value: Json, origin: Origin = "scenario", turns: int | None = None) -> tuple[Expectation, ...]:
    """The items of one list. `turns` is how many the scenario has; None where a list is for many scenarios.

    Raises ItemFault for the first thing that is wrong.
    """
    if value is None:
        return ()
    if not isinstance(value, list):
        raise ItemFault((), "expect is no list: put each item on a '- ' line")
    if len(value) > MOST_ITEMS:
        raise ItemFault((), f"expect has {len(value)} items: keep to {MOST_ITEMS}")
    items: list[Expectation] = []
    for place, given in enumerate(value):
        item = _item(given, place, origin, turns)
        if any(stand_in_one_place(other, item) for other in items):
            step = "remove one of the two, or give each a turn of its own"
            raise ItemFault((place, "id"), f"item {item.id!r} stands twice: {step}")
        items.append(item)
    return tuple(items)


def stand_in_one_place(one: Expectation, other: Expectation) -> bool:
    """True for two items of one id whose answers could not be distinguished: of one turn, or one of them without any.

    An item is its id and its turn, so that one question may be asked of several turns.
    """
    return one.id == other.id and (one.turn == other.turn or not one.turn * other.turn)


def before_own(others: Sequence[Expectation], own: Sequence[Expectation]) -> tuple[Expectation, ...]:
    """The others and then the own items, of which one takes the place of another that stands there."""
    kept = [item for item in others if not any(stand_in_one_place(item, each) for each in own)]
    return (*kept, *own)


def _item(given: Json, place: int, origin: Origin, turns: int | None) -> Expectation:
    if not isinstance(given, dict):
        raise ItemFault((place,), f"item {place + 1} is no mapping: give it id, and one of {', '.join(KINDS)}")
    name = given.get("id")
    if not isinstance(name, str) or not ID.fullmatch(name):
        problem = f"has the id {_clip(name)}: use small letters, digits and hyphens, at most 60, no hyphen first"
        raise ItemFault((place, "id"), f"item {place + 1} {problem}")

    def fault(key: str, problem: str) -> ItemFault:
        return ItemFault((place, key) if key in given else (place,), f"item {name!r} {problem}")

    kind = _kind(given, fault)
    settings, question = _check(given, fault) if kind == "check" else ({}, "")
    for key in ("ask", "never"):
        if key in given:
            question = _question(given[key], key, fault)
    critical = given.get("critical", False)
    if not isinstance(critical, bool):
        raise fault("critical", f"is critical: {_clip(critical)}: write true or false")
    one_by_one = kind == "check" and issubclass(CHECKS[given["check"]], OutputCheck)
    turn, scope = _reach(given, turns, fault, one_by_one=one_by_one)
    _check_source(settings.get("from_turn", 0), turn, turns, fault)
    return Expectation(
        id=name,
        kind=kind,
        question=question,
        check=given["check"] if kind == "check" else "",
        settings=settings,
        critical=critical,
        scope=scope,
        turn=turn,
        origin=origin,
    )


def _kind(given: Mapping[str, Json], fault: Fault) -> Kind:
    named: list[Any] = [kind for kind in KINDS if kind in given]
    if named not in (["ask"], ["never"], ["check"], ["ask", "check"]):
        said = f"has {' and '.join(named)}" if named else f"has none of {', '.join(KINDS)}"
        raise fault("id", f"{said}: give it one (a check may have ask beside it, as its question for people)")
    if "check" not in given:
        unknown = next((str(key) for key in given if key not in KEYS), None)
        if unknown is not None:
            raise fault(unknown, f"has the unknown key {_clip(unknown)}{did_you_mean(unknown, KEYS)}")
    kind: Kind = named[-1]
    return kind


def _reach(given: Mapping[str, Json], turns: int | None, fault: Fault, *, one_by_one: bool) -> tuple[int, Scope]:
    """The turn, or 0 without one, and the scope; `one_by_one` says that each response is looked at by itself."""
    turn, scope = given.get("turn", 0), given.get("scope")
    if "turn" in given and not _is_turn(turn, turns):
        known = "" if turns is None else f" up to {turns}"
        raise fault("turn", f"is about turn {_clip(turn)}: give a whole number from 1{known}")
    if scope is not None and (scope not in get_args(Scope) or (scope == "turn") != bool(turn)):
        raise fault("scope", f"has the scope {_clip(scope)}: write response or conversation, or give it a turn")
    if one_by_one and scope == "conversation":
        raise fault("scope", "looks at each response by itself: leave scope out, or give it a turn")
    found: Scope = "turn" if turn else scope or ("response" if one_by_one else "conversation")
    return turn, found


def _check_source(from_turn: int, turn: int, turns: int | None, fault: Fault) -> None:
    """Raises the fault of a fact that is said after the turn that asks for it, or never."""
    latest = turn or turns
    if latest is None or from_turn <= latest:
        return
    said = f"is after turn {turn}, which asks for it" if turn else f"is beyond the scenario's {latest}"
    step = f"give one up to {latest}, or 0 for the history"
    raise fault("from_turn", f"takes its fact from_turn {from_turn}, which {said}: {step}")


def _is_turn(turn: Json, turns: int | None) -> bool:
    whole = isinstance(turn, int) and not isinstance(turn, bool)
    return whole and turn >= 1 and (turns is None or turn <= turns)


def _check(given: Mapping[str, Json], fault: Fault) -> tuple[dict[str, Json], str]:
    """The settings of a check, and its question."""
    name = given["check"]
    if not isinstance(name, str) or name not in CHECKS:
        raise fault("check", f"has the check {_clip(name)}: choose one of {', '.join(CHECKS)}")
    settings = {key: value for key, value in given.items() if key not in KEYS}
    try:
        check = prepare_check(name, settings)
    except ValidationError as error:
        path, problem = complaint(error)
        where = ".".join(map(str, path))
        raise fault(str(path[0]) if path else "check", f"({name}): {where + ': ' if where else ''}{problem}") from None
    return settings, check.question()


def _question(text: Json, key: str, fault: Fault) -> str:
    if not isinstance(text, str) or not text.strip():
        raise fault(key, f"{key}s nothing: write a question that yes or no answers")
    question: str = text.strip()
    if len(question) > LONGEST_QUESTION:
        raise fault(key, f"has a question of {len(question)} characters: keep to {LONGEST_QUESTION}")
    if _LINE_END.search(question):
        raise fault(key, "has a question of several lines: write it on one")
    if not question.endswith("?"):
        raise fault(key, f"has the question {_clip(question)}: end it with a question mark")
    return question


def said_of(item: Expectation) -> str:
    """An item for people: its question, with what must never happen and what may stop a release said before it."""
    said = f"must not: {item.question}" if item.kind == "never" else item.question
    return f"{said} (critical)" if item.critical else said


def meaning_of(item: Expectation) -> tuple[str, str, str, str]:
    """What one id stands for in the whole set."""
    return item.kind, item.question, item.check, repr(sorted(item.settings.items()))


def _shared_meaning(item: Expectation) -> tuple[str, str, str, str]:
    """The same, and for an item that asks one thing of the facts of each scenario what it asks alone."""
    own = item.origin == "facts" and item.kind == "check"
    return (item.kind, "", item.check, "") if own else meaning_of(item)


def find_clash(lists: Iterable[Sequence[Expectation]]) -> Clash | None:
    """The first item whose id stands for another question than before; None where all agree."""
    known: dict[str, tuple[Expectation, int]] = {}
    for number, items in enumerate(lists):
        for place, item in enumerate(items):
            before, first = known.setdefault(item.id, (item, number))
            # Most lists share the items of the rubric, which are the same objects.
            if before is not item and _shared_meaning(before) != _shared_meaning(item):
                return Clash(item.id, first, number, place)
    return None


def _clip(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
