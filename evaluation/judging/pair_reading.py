"""From a judge's answers on two responses to a preference: read strictly, by names that no text can know."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evaluation.judging.checking import signs_of_injection, squeeze
from evaluation.judging.reading import ECHO, read_object
from evaluation.judging.readings import readings
from evaluation.records import Json

FIRST, SECOND, BETTER = "first", "second", "better"
NAME, STRENGTHS, FAULTS = "name", "strengths", "faults"
TIE = "tie"
PLEAS = re.compile(
    r"[\"'](?:better|first|second|winner|preference|strengths|faults)[\"'][ \t]{0,8}:"
    r"|\banswer-[0-9a-f]{6}\b|\[\[[ABC12]\]\]|^[ \t>*#]{0,8}[AB12] is (?:\w{1,12} ){0,2}(?:better|best)\b"
    r"|\b(?:answer|response|reply|conversation|assistant) [AB12]\b[^.\n]{0,20}\b(?:is|was|wins|better|best)\b"
    r"|\b(?:this|my|the (?:first|second|other|above|following)) (?:answer|response|reply|conversation)\b[^.\n]{0,30}"
    r"\b(?:is|was) (?:\w{1,12} ){0,2}(?:better|best|superior|the winner|preferred)\b"
    r"|\b(?:prefer|choose|pick|select|vote for|name) (?:this|my|the (?:first|second|other|above)) "
    r"(?:answer|response|reply|conversation)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""Words by which a text asks to be preferred, or prints that it was; beside the signs of `checking`."""
QUOTED = 60
"""Characters of a wrong name that a problem quotes."""

Place: TypeAlias = Literal["first", "second", "tie"]
Winner: TypeAlias = Literal["base", "candidate", "tie"]
Kind: TypeAlias = Literal["agreed", "order", "partly", "withheld"]
"""Both orders alike; the same place preferred in both, whoever stood there; a tie in one order alone; a preference for
a text that addresses the judge, which counts as none."""


POINTS: Mapping[Winner, float] = {"candidate": 1.0, "tie": 0.5, "base": 0.0}
"""Of the candidate."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """What the judge said of one answer before it chose."""

    strengths: str
    faults: str


@dataclass(frozen=True, slots=True)
class PairReading:
    """One answer as read: the place of the better one, or None and the problem."""

    better: Place | None
    first: Assessment = Assessment("", "")
    second: Assessment = Assessment("", "")
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Preference:
    """What both orders come to."""

    winner: Winner
    kind: Kind
    first_shown: float
    """Share of the two orders in which the answer that stood first was preferred, ties counting half."""


def read_pair(raw: str, names: tuple[str, str], said: Sequence[str]) -> PairReading:
    """Reads an answer that is one JSON object, assesses each answer under its name, and names the better one or a tie.

    `said` is everything in which an answer may have been planted. Never raises.
    """
    value = read_object(raw)
    if isinstance(value, str):
        return PairReading(None, problem=value)
    found = squeeze(raw[raw.find("{") : raw.rfind("}") + 1])
    if any(found in squeeze(text) for text in said if "{" in text):
        return PairReading(None, problem=ECHO)
    first = _assessment(value.get(FIRST), FIRST, names)
    second = _assessment(value.get(SECOND), SECOND, names)
    if isinstance(first, str) or isinstance(second, str):
        return PairReading(None, problem=first if isinstance(first, str) else str(second))
    chosen = value.get(BETTER)
    place = _place(chosen, names)
    if place is None:
        shown = "is missing" if chosen is None else f"is {str(chosen)[:QUOTED]!r}, neither name nor {TIE}"
        return PairReading(None, first, second, f"{BETTER} {shown}")
    return PairReading(place, first, second)


def _assessment(value: Json, which: str, names: tuple[str, str]) -> Assessment | str:
    """The assessment of one answer, without the names, which say nothing to people; or what is wrong with it."""
    own, other = names if which == FIRST else names[::-1]
    if not isinstance(value, Mapping):
        return f"{which} is {'missing' if value is None else 'no object'}"
    if _plain(value.get(NAME)) != own:
        return f"{which} is assessed under another name"
    texts = (value.get(key) for key in (STRENGTHS, FAULTS))
    strengths, faults = (
        text.strip().replace(own, "this answer").replace(other, "the other answer") if isinstance(text, str) else ""
        for text in texts
    )
    return Assessment(strengths, faults) if strengths or faults else f"{which} is not assessed"


def _place(value: Json, names: tuple[str, str]) -> Place | None:
    chosen = _plain(value)
    if chosen == TIE:
        return "tie"
    return "first" if chosen == names[0] else "second" if chosen == names[1] else None


def _plain(value: Json) -> str:
    return value.strip().strip("\"'`*.").lower() if isinstance(value, str) else ""


def combine_orders(
    base_first: Place, candidate_first: Place, said: tuple[Sequence[str], Sequence[str]] = ((), ())
) -> Preference:
    """A win counts where both orders agree on it; anything else is a tie.

    `said` holds what base and candidate said: who addresses the judge does not win by it.
    """
    in_first: dict[Place, Winner] = {"first": "base", "second": "candidate", "tie": "tie"}
    in_second: dict[Place, Winner] = {"first": "candidate", "second": "base", "tie": "tie"}
    one, other = in_first[base_first], in_second[candidate_first]
    share = {"first": 1.0, "tie": 0.5, "second": 0.0}
    first_shown = (share[base_first] + share[candidate_first]) / 2
    if one != other:
        return Preference("tie", "partly" if "tie" in (one, other) else "order", first_shown)
    if one != "tie" and any(map(addresses_judge, said[0] if one == "base" else said[1])):
        return Preference("tie", "withheld", first_shown)
    return Preference(one, "agreed", first_shown)


def addresses_judge(text: str) -> bool:
    """True for an answer that speaks to the judge, or prints what a judge would say, in any reading of it."""
    return bool(signs_of_injection(text)) or any(PLEAS.search(reading) for reading in readings(text))
