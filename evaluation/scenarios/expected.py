"""What a scenario is held to, gathered from all that its file says: facts, sets of criteria, and items of its own."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from evaluation.errors import ParseError, UsageError
from evaluation.expectations.criteria import CriteriaSet, FindSet, criteria_items
from evaluation.expectations.facts import check_facts
from evaluation.expectations.form import ItemFault, before_own, read_items
from evaluation.expectations.of_facts import fact_items
from evaluation.records import Expectation, Json, Turn

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Written:
    """The parts of a scenario that its items come from, as the file says them."""

    turns: Sequence[str]
    history: Sequence[Turn]
    known: Sequence[str]
    """What the assistant may say beside facts: who the user is, and what its tools answer."""
    expect: Json
    facts: Json
    criteria_sets: Sequence[str]
    stated: Mapping[str, str]


def expected_of(written: Written, of_file: Sequence[CriteriaSet], find_set: FindSet) -> tuple[Expectation, ...]:
    """The items: of facts, of the sets that the file and the scenario name, and its own, which take their places.

    Raises ItemFault, with the place in the scenario, for the first thing that is wrong.
    """
    own = _at("expect", lambda: read_items(written.expect, turns=len(written.turns)))
    _at("expect", lambda: check_facts(own, written.turns, [turn.content for turn in written.history]))
    of_facts = _at("facts", lambda: fact_items(written.facts, written.known))
    return before_own([*of_facts, *_of_criteria(written, of_file, find_set)], own)


def _at(key: str, read: Callable[[], Read]) -> Read:
    """What is read of the value of a key, whose faults are placed there."""
    try:
        return read()
    except ItemFault as fault:
        raise ItemFault((key, *fault.path), fault.problem) from None


def named_sets(names: Sequence[str], find_set: FindSet) -> list[CriteriaSet]:
    """The sets of these names. Raises ItemFault for one that does not exist; one that is wrong says so in its file."""
    found = []
    for place, name in enumerate(names):
        try:
            found.append(find_set(name))
        except ParseError:
            raise
        except UsageError as error:
            raise ItemFault(("criteria_sets", place), str(error)) from None
    return found


def _of_criteria(written: Written, of_file: Sequence[CriteriaSet], find_set: FindSet) -> tuple[Expectation, ...]:
    """The items of the named sets that are about what the user states."""
    own, stated = named_sets(written.criteria_sets, find_set), written.stated
    if own and not stated:
        known = ", ".join(dict.fromkeys(key for each in own for key in each.stated))
        problem = f"names a set of criteria, and nothing that the user states: quote it under stated, as one of {known}"
        raise ItemFault(("criteria_sets",), problem)
    if stated and not (own or of_file):
        problem = "says what the user states, and no set of criteria that asks for it: name one under criteria_sets"
        raise ItemFault(("stated",), problem)
    said = [*written.turns, *(turn.content for turn in written.history if turn.role == "user")]
    return criteria_items([*of_file, *own], stated, said)
