"""Slots of facts: what a fact says of what, and whether a clause of a response says something of the very same.

A clause fills a slot where it speaks of all that the fact speaks of, in the same unit, with a verb, and of nothing else
before its value. Whoever speaks of a part, a neighbour, another time or both of two speaks of something else.
"""

import re
from dataclasses import dataclass

from evaluation.reference.clauses import Clause
from evaluation.reference.reading import Reading
from evaluation.reference.values import Amount, Clock, Day, Name, Value, agree

_OTHER_AMOUNT = re.compile(
    r"^(?: [^\W\d_]+)? ?\b(?:off|more|less|cheaper|dearer|extra|discount|back|deposit|fee|fees|credit|bonus|later|"
    r"earlier|longer|shorter|higher|lower|ago|away|left|gone|once|upfront|each way|too)\b"
)
"""Behind a value: it is the size of a change, of a part or of something beside."""
_OF_WHAT = re.compile(r"^(?: (?:in|worth))? of (?:the |your |my |a |an )?(?P<what>[^\W\d_]+)")
_SHARED = re.compile(
    r"\b(?:both|together|combined|altogether|in total|there (?:is|are|was|were)|there's)\b|"
    r"\b(?:each|every)\b(?! (?:year|month|week|day|night|hour|person|piece))"
)
_PAST = re.compile(r"\b(?:was|were|had|been|used to|ago|before|originally|until|no longer|at first)\b")
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|be|been|costs?|takes?|took|lasts?|holds?|held|carr(?:y|ies|ied)|contains?|gets?|"
    r"pays?|lies|works?|makes?|\w+(?:s|ed|en))\b|'(?:s|re|ll)\b"
)


@dataclass(frozen=True, slots=True)
class Slot:
    """What a fact says, and of what."""

    value: Value
    subject: frozenset[str]
    """Stems of what the fact speaks of."""
    reading: Reading
    """Of the fact."""

    @property
    def fact(self) -> str:
        return self.reading.text

    @property
    def clause(self) -> Clause:
        return self.reading.clause_of(self.value)


def slots_of(reading: Reading) -> list[Slot]:
    """The slots of a fact, one for each of its values."""
    return [Slot(value, _subject(value, reading), reading) for value in reading.values]


def _subject(value: Value, reading: Reading) -> frozenset[str]:
    """What the clause of a value is about beside its values."""
    clause = reading.clause_of(value)
    subject = clause.subject(_inside(value, clause))
    for other in reading.values:
        measured = not isinstance(other, Amount) or other.measured
        if other is not value and measured and not isinstance(other, Name) and reading.clause_of(other) is clause:
            subject &= clause.subject(_inside(other, clause))
    return subject


def _inside(value: Value, clause: Clause) -> tuple[int, int]:
    """The place of a value within its clause."""
    return value.span[0] - clause.start, value.span[1] - clause.start


def fills(slot: Slot, value: Value, reading: Reading) -> bool:
    """True where a value of a response stands for the very thing that the fact says."""
    fact = slot.value
    if isinstance(fact, Name) and isinstance(value, Name):
        if value.role and value.role == fact.role:
            return value.owner == fact.owner or "?" in (value.owner, fact.owner)
        return bool(value.before) and value.before == fact.before and _says_the_same_thing(slot, value, reading)
    same_kind = (
        (isinstance(fact, Amount) and isinstance(value, Amount) and value.fills_slot_of(fact))
        or (isinstance(fact, Day) and isinstance(value, Day) and value.is_comparable(fact))
        or (isinstance(fact, Clock) and isinstance(value, Clock))
    )
    return same_kind and _says_the_same_thing(slot, value, reading)


def _says_the_same_thing(slot: Slot, value: Value, reading: Reading) -> bool:
    clause = reading.clause_of(value)
    start, end = _inside(value, clause)
    if not clause.is_about(slot.subject, (start, end)):
        return False
    behind = clause.folded[end:]
    what = _OF_WHAT.match(behind)
    return (
        (_VERB.search(clause.folded[:start]) is not None or clause.takes_over)
        and not _OTHER_AMOUNT.match(behind)
        and (what is None or clause.is_in(what["what"], slot.subject))
        and not _differs(_SHARED, clause, slot.clause)
        and not _differs(_PAST, clause, slot.clause)
        and not _has_values_of_its_own(value, slot, reading)
    )


def _differs(words: re.Pattern[str], clause: Clause, of_fact: Clause) -> bool:
    """True where the clause has such words and the fact has none."""
    return words.search(clause.folded) is not None and words.search(of_fact.folded) is None


def _has_values_of_its_own(value: Value, slot: Slot, reading: Reading) -> bool:
    """True where another value of the clause is none of the fact's: "on Sundays it opens at 9", "two tablets"."""
    clause = reading.clause_of(value)
    others = [each for each in reading.values if each is not value and reading.clause_of(each) is clause]
    known = slot.reading.values
    return any(
        isinstance(each, Day | Amount)
        and (isinstance(each, Day) or each.span[0] < value.span[0] or type(each) is type(value))
        and (not any(agree(each, one) for one in known) or agree(each, slot.value))
        for each in others
    )
