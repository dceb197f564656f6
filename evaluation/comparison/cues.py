"""What responses do, as the rules saw it: how often each cue was found, and what that moved between two runs.

Scores keep their arithmetic as text alone, so cues and amounts are read from the explanations. All of it describes: a
test of one cue among dozens would have to be corrected for all of them, and nobody decides on it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.records import Json, Result, Source

MOST_READ = 4000
"""Characters of an explanation that are read."""
LEAST_SHARE = 0.1
"""A cue stands out when it is found in more of the responses, or fewer, by this share of them at least."""
LEAST_PART = 0.1
"""And when it moved the overall of the rules by this part of its difference at least."""
PART_OF_RULES: Mapping[Source, float] = {"heuristic": 1.0, "combined": 0.5}
"""Share of the rules' overall in a source's overall; none in that of a judge."""
NUMBER_OF = "number of "
"""Begins the name of a cue that the rubric names by nothing but what was measured."""
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_TERM = re.compile(r", ([+-]\d+(?:\.\d+)?) ((?:(?!, [+-]\d).)*)")
_BASE = re.compile(r"-?\d+(?:\.\d+)? base, ")
_MEASURED = re.compile(r"[\d.,]+ (\w+)")
_CLAMP = "clamped to "


@dataclass(frozen=True, slots=True)
class CueFigures:
    """One cue of the rules in one run."""

    share: float
    """Of the responses in which it was found."""
    amount: float
    """Its part in the rules' overall, on average of the responses."""


@dataclass(frozen=True, slots=True)
class MovedCue:
    """One cue that stands out between two runs."""

    name: str
    """As explanations name it: "asks a question", "formatting"."""
    before: float
    """Share of the responses in which it was found."""
    now: float
    moved: float
    """Its part in the difference of the deciding overall."""

    def to_json(self) -> dict[str, Json]:
        """The entry of `cues` in comparison.json."""
        return {"cue": self.name, "base": self.before, "candidate": self.now, "moved": self.moved}


@dataclass(slots=True)
class CueTally:
    """Counts the cues of a run, result by result; `weights` are the shares of the metrics in the overall."""

    weights: Mapping[str, float]
    responses: int = 0
    _found: Counter[str] = field(default_factory=Counter)
    _amounts: dict[str, float] = field(default_factory=dict)

    def add(self, result: Result) -> None:
        """Takes in the arithmetic of one response; one without a score by the rules is not counted."""
        found: set[str] = set()
        scored = False
        for score in result.scores:
            if score.source != "heuristic" or score.metric not in self.weights or score.value is None:
                continue
            scored = True
            for name, amount in read_terms(score.explanation):
                found.add(name)
                self._amounts[name] = self._amounts.get(name, 0.0) + self.weights[score.metric] * amount
        self.responses += scored
        self._found.update(found)

    def figures(self) -> dict[str, CueFigures]:
        """Name of each cue that was found -> its figures."""
        return {
            name: CueFigures(count / self.responses, self._amounts[name] / self.responses)
            for name, count in self._found.items()
        }


def read_terms(explanation: str) -> Iterator[tuple[str, float]]:
    """The name and the amount of each cue in the explanation of a metric made of adjustments; nothing in another.

    What the ends of the scale cut off is taken from the terms that reached beyond them, each in proportion.
    """
    # Evidence in quotation marks may look like arithmetic.
    text = _QUOTED.sub('""', explanation[:MOST_READ])
    if not _BASE.match(text):
        return
    terms = [(_name(said), float(amount)) for amount, said in _TERM.findall(text)]
    cut = sum(amount for name, amount in terms if name.startswith(_CLAMP))
    terms = [(name, amount) for name, amount in terms if not name.startswith(_CLAMP)]
    beyond = sum(amount for _, amount in terms if amount * cut < 0)
    kept = 1 + cut / beyond if beyond else 1.0
    yield from ((name, amount * kept if amount * cut < 0 else amount) for name, amount in terms)


def _name(said: str) -> str:
    """Of a term without its evidence, which stands in brackets or behind a colon."""
    if said.startswith(_CLAMP):
        return said
    measured = _MEASURED.fullmatch(said)
    return f"{NUMBER_OF}{measured[1]}" if measured else re.split(r" \(|:", said, maxsplit=1)[0]


def find_moved(
    base: Mapping[str, CueFigures], candidate: Mapping[str, CueFigures], source: Source
) -> tuple[MovedCue, ...]:
    """The cues that stand out between two runs, the one that moved the overall most first, either way.

    None where the overall of `source` is a judge's alone, and where one of the runs has no cue.
    """
    part = PART_OF_RULES.get(source, 0.0)
    if not base or not candidate or not part:
        return ()
    nothing = CueFigures(0.0, 0.0)
    sides = {name: (base.get(name, nothing), candidate.get(name, nothing)) for name in (*base, *candidate)}
    whole = abs(sum(now.amount - before.amount for before, now in sides.values()))
    moved = [
        MovedCue(name, before.share, now.share, part * (now.amount - before.amount))
        for name, (before, now) in sides.items()
        if abs(now.share - before.share) >= LEAST_SHARE and abs(now.amount - before.amount) >= LEAST_PART * whole
    ]
    return tuple(sorted(moved, key=lambda each: -abs(each.moved)))


def carry(moved: Sequence[MovedCue], difference: float) -> bool:
    """True where these cues together make up half of a difference or more."""
    return difference != 0 and sum(each.moved for each in moved) / difference >= 0.5
