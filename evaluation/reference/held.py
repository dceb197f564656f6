"""A response held against facts: what of its numbers, dates, times and names they contradict, and what nobody said.

A contradiction takes the fact's own slot: the same thing is spoken of, in the same unit, and something else is said. A
value that is nowhere among the facts or in the conversation and fills no such slot is unsupported. What claims nothing
(a question, a condition, a denial, a proposal) is neither.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Literal, TypeAlias

from evaluation.reference.clauses import Clause
from evaluation.reference.reading import Reading, read
from evaluation.reference.slots import Slot, fills, slots_of
from evaluation.reference.values import Amount, Clock, Day, Name, Value, agree
from evaluation.text.function_words import FUNCTION_WORDS

Kind: TypeAlias = Literal["contradicted", "unsupported"]
SMALL = 12
"""A number in words up to this, of nothing that is measured, is a way to speak: "two heads are better than one"."""
RECKONED_WITH = 40
"""Known amounts of which sums, differences and products are made."""
_TIMES = (*range(2, 13), 24, 30, 52, 60, 100, 365)
"""By which a known amount is multiplied or divided where a response reckons."""
_RECKONS = re.compile(
    r"\b(?:total|altogether|together|overall|in all|comes? to|adds? up|makes?|that's|that is|works? out|per|over|each|"
    r"a (?:year|month|week|day|night)|for (?:two|three|four|five|six|ten|twelve|both|\d+)|double|twice|half|left|"
    r"remaining|difference|more than|less than|save|saves|longer|shorter|later|earlier|minutes|equals?)\b"
)
_SAID_IN_PASSING = re.compile(
    r"\b(?:things?|ways?|steps?|tips?|ideas?|questions?|options?|reasons?|points?|parts?|sides?)\b"
)
_VAGUE = re.compile(r"one\b|(?:dozens|hundreds|thousands|millions|billions)\b")
_DIALLED = re.compile(r"\b(?:call|calls|text|texts|dial|ring|phone|calling|texting|dialling)(?: or \w+)? $")
_LIST_MARK = re.compile(r"(?:^|\n)\s*$")
_SENTENCES_OF_IDIOM = frozenset({"24/7", "100%", "50/50", "9-5", "101"})


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """One value of a response that is at odds with the facts, or that nobody said."""

    kind: Kind
    value: str
    """As the response writes it."""
    start: int
    """Of the value in the response."""
    sentence: str
    """In which it stands."""
    fact: str = ""
    """The fact that it contradicts; empty for what is unsupported."""


@dataclass(frozen=True, slots=True)
class _Known:
    """Facts and conversation, as a response is held against them."""

    slots: tuple[Slot, ...]
    facts: tuple[Reading, ...]
    said: tuple[Reading, ...]

    def values(self, kind: type[Value]) -> Iterator[Value]:
        """All known values of a kind."""
        return (value for each in (*self.facts, *self.said) for value in each.values if isinstance(value, kind))

    def said_values(self, kind: type[Value]) -> Iterator[Value]:
        """Those of the conversation alone."""
        return (value for each in self.said for value in each.values if isinstance(value, kind))


def discrepancies(response: str, facts: Sequence[str], said: Sequence[str] = ()) -> tuple[Discrepancy, ...]:
    """What of a response contradicts the facts, and what is neither among them nor in `said`, in its order.

    `said` holds every text that the speaker may have it from: the user's messages, earlier turns, results of tools.
    """
    known = _Known(_slots(tuple(facts)), tuple(map(read, facts)), tuple(map(read, said)))
    reading = read(response)
    found = chain.from_iterable(_at_odds(value, reading, known) for value in reading.values)
    return tuple(sorted(found, key=lambda each: each.start))


@lru_cache(maxsize=200)
def _slots(facts: tuple[str, ...]) -> tuple[Slot, ...]:
    return tuple(slot for fact in facts for slot in slots_of(read(fact)))


def _at_odds(value: Value, reading: Reading, known: _Known) -> Iterator[Discrepancy]:
    clause = reading.clause_of(value)
    slots = [each for each in known.slots if fills(each, value, reading)]
    if any(agree(each.value, value) for each in slots):
        return
    stands = not (clause.asks or clause.denies) if isinstance(value, Name) else clause.claims
    contradicts = bool(slots) and stands and not _is_said(value, known)
    if contradicts:
        yield _discrepancy("contradicted", value, reading, slots[0].fact)
    elif not _is_known(value, known) and _is_claim(value, clause, reading, known):
        yield _discrepancy("unsupported", value, reading)


def _discrepancy(kind: Kind, value: Value, reading: Reading, fact: str = "") -> Discrepancy:
    return Discrepancy(kind, reading.quote(value.span), value.span[0], reading.sentence_of(value), fact)


def _is_said(value: Value, known: _Known) -> bool:
    """True where the conversation says it; of a name, where it says it of the same person."""
    if isinstance(value, Name) and value.role:
        return any(
            isinstance(each, Name) and each.agrees(value) and each.role in ("", value.role)
            for each in known.said_values(Name)
        )
    return any(agree(each, value) for each in known.said_values(type(value)))


def _is_known(value: Value, known: _Known) -> bool:
    """True where facts or conversation say it, of whatever they say it."""
    if isinstance(value, Name):
        return any(word in each.tokens for each in (*known.facts, *known.said) for word in _tokens(value))
    return any(agree(each, value) for each in known.values(type(value)))


def _tokens(name: Name) -> Iterator[str]:
    for word in name.words:
        yield from re.findall(r"[^\W_]+", word)


def _is_claim(value: Value, clause: Clause, reading: Reading, known: _Known) -> bool:
    """True for a value that somebody could check, and that the response stands for."""
    if isinstance(value, Name):
        return not _is_variant(value, reading, known)
    if not clause.claims:
        return False
    if isinstance(value, Day):
        return value.claims
    if isinstance(value, Clock):
        return True
    before, inside = reading.text[: value.span[0]], reading.quote(value.span)
    behind = reading.text[value.span[1] :]
    return not (
        _is_way_to_speak(value, before, inside, behind)
        or (_RECKONS.search(clause.folded) and _follows(value, known))
        or _is_multiple(value, clause, reading, known)
    )


def _is_variant(name: Name, reading: Reading, known: _Known) -> bool:
    """True for the name of one kind of what facts speak of: "the Basic plan" beside a Premium plan."""
    behind = re.match(r" ([a-z]+)", reading.text[name.span[1] :])
    return (
        behind is not None and behind[1] not in FUNCTION_WORDS and any(behind[1] in each.tokens for each in known.facts)
    )


def _is_way_to_speak(value: Amount, before: str, inside: str, behind: str) -> bool:
    """True for a number that measures nothing: small ones in words, marks of a list, lines to call, idioms."""
    most = max(high for _, high in value.readings)
    small = not value.measured and most <= SMALL
    return (
        (small and (value.spelled or _SAID_IN_PASSING.search(inside + behind[:20].lower()) is not None))
        or (value.spelled and _VAGUE.match(inside.lower()) is not None)
        or (behind[:1] in (".", ")") and _LIST_MARK.search(before[-8:]) is not None)
        or (_DIALLED.search(before[-20:].lower()) is not None and most < 1000)
        or any(idiom in f"{before[-3:]}{inside}{behind[:2]}" for idiom in _SENTENCES_OF_IDIOM)
    )


def _single(values: Iterable[Value]) -> list[tuple[float, str]]:
    """The amounts among values that are one number, with their units."""
    amounts = [each for each in values if isinstance(each, Amount)]
    return [(low, each.unit) for each in amounts for low, high in each.readings if low == high][:RECKONED_WITH]


def _is_multiple(value: Amount, clause: Clause, reading: Reading, known: _Known) -> bool:
    """True where its clause says how many of a known amount it is: "two tablets contain 1,000 mg"."""
    counted = _single(each for each in reading.values if each is not value and reading.clause_of(each) is clause)
    reckoned = (
        number * times
        for number, unit in _single(known.values(Amount))
        for times, _ in counted
        if not value.measured or unit == value.unit
    )
    return any(value.agrees(Amount((0, 0), ((each, each),))) for each in reckoned)


def _follows(value: Amount, known: _Known) -> bool:
    """True where it is a sum, a difference, a multiple or a part of amounts that are known."""
    single = _single(known.values(Amount))
    reckoned: set[float] = set()
    for number, unit in single:
        if value.unit and unit and unit != value.unit:
            continue
        reckoned |= {number * times for times in _TIMES} | {number / times for times in _TIMES}
        for other, of_other in single:
            reckoned |= {number * other}
            if of_other == unit:
                reckoned |= {number + other, abs(number - other)}
    return any(value.agrees(Amount((0, 0), ((each, each),))) for each in reckoned)
