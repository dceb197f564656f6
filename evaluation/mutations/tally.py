"""How many edits move a metric the right way, and how far swaps move what should stay where it is."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from evaluation.mutations.base import Base
from evaluation.mutations.edit import Direction, Edited
from evaluation.mutations.swaps import Spoken, Swapped

ScoreSpoken: TypeAlias = Callable[[Spoken], Mapping[str, float | None]]
"""From an exchange to metric -> value; None where the metric does not apply."""
LEAST_MOVE = 1e-9
"""A smaller difference is a tie."""
STILL = 0.05
"""The most that a swap may move a metric."""
MOST_KEPT = 1000
"""Edits of one kind that went wrong, kept to be shown."""


@dataclass(slots=True)
class Tally:
    """What the edits of one kind did to one metric."""

    kind: str
    says: str
    metric: str
    direction: Direction
    right: int = 0
    wrong: int = 0
    ties: int = 0
    """Edits that did not move the metric."""
    missed: list[Edited] = field(default_factory=list)
    """Edits that did not move it the right way, in order, up to `MOST_KEPT`."""

    @property
    def edits(self) -> int:
        return self.right + self.wrong + self.ties

    @property
    def share(self) -> float:
        """Moved the right way; 0 to 1. A tie is no move."""
        return self.right / self.edits


@dataclass(frozen=True, slots=True)
class Scored:
    """An edit with the scores of the reply before and after it."""

    edit: Edited
    before: Mapping[str, float | None]
    after: Mapping[str, float | None]


def score_edits(edits: Iterable[Edited], score: ScoreSpoken) -> Iterator[Scored]:
    """Every edit with its scores; a reply that several edits begin from is scored once."""
    plain: dict[tuple[str, str], Mapping[str, float | None]] = {}
    for edit in edits:
        before = plain.get((edit.base.id, edit.before))
        if before is None:
            before = plain[edit.base.id, edit.before] = score(_spoken(edit.base, edit.before))
        yield Scored(edit, before, score(_spoken(edit.base, edit.after)))


def tally_edits(edits: Iterable[Edited], score: ScoreSpoken) -> list[Tally]:
    """One tally for each kind and metric, in the order of the kinds; none for a metric that the rubric lacks."""
    found: dict[tuple[str, str], Tally] = {}
    for scored in score_edits(edits, score):
        edit, before, after = scored.edit, scored.before, scored.after
        for metric, direction in edit.kind.expect.items():
            old, new = before.get(metric), after.get(metric)
            if old is None or new is None:
                continue
            key = (edit.kind.kind, metric)
            tally = found.setdefault(key, Tally(edit.kind.kind, edit.kind.says, metric, direction))
            move = new - old if direction == "up" else old - new
            if move > LEAST_MOVE:
                tally.right += 1
                continue
            tally.ties += abs(move) <= LEAST_MOVE
            tally.wrong += move < -LEAST_MOVE
            if len(tally.missed) < MOST_KEPT:
                tally.missed.append(edit)
    return list(found.values())


def _spoken(base: Base, reply: str) -> Spoken:
    return Spoken(base.user, reply, base.turns())


@dataclass(frozen=True, slots=True)
class MetricShare:
    """The mutation score of one metric."""

    metric: str
    edits: int
    share: float
    """Of all edits that should move it, moved the right way; 0 to 1."""
    lowest: Tally
    """The kind with the smallest share."""


def share_by_metric(tallies: Sequence[Tally]) -> list[MetricShare]:
    """The mutation score of every metric, in the order in which the metrics occur."""
    shares = []
    for metric in dict.fromkeys(tally.metric for tally in tallies):
        own = [tally for tally in tallies if tally.metric == metric]
        edits = sum(tally.edits for tally in own)
        right = sum(tally.right for tally in own)
        shares.append(MetricShare(metric, edits, right / edits, min(own, key=lambda tally: tally.share)))
    return shares


@dataclass(frozen=True, slots=True)
class Shift:
    """How far the swaps of one group moved the scores."""

    group: str
    exchanges: int
    still: float
    """Share of the scores that moved by `STILL` at the most; 0 to 1."""
    largest: tuple[str, float]
    """Metric and largest move."""
    overall: float
    """Mean move of the overall, with its sign."""


def measure_swaps(swaps: Iterable[Swapped], score: ScoreSpoken, overall: str) -> list[Shift]:
    """One shift for each group, in their order."""
    moves: dict[str, list[tuple[str, float]]] = {}
    exchanges: dict[str, int] = {}
    for swap in swaps:
        before, after = score(swap.before), score(swap.after)
        exchanges[swap.group] = exchanges.get(swap.group, 0) + 1
        moves.setdefault(swap.group, []).extend(
            (metric, new - old)
            for metric, old in before.items()
            if old is not None and (new := after.get(metric)) is not None
        )
    return [_shift(group, exchanges[group], found, overall) for group, found in moves.items()]


def _shift(group: str, exchanges: int, moves: Sequence[tuple[str, float]], overall: str) -> Shift:
    of_overall = [move for metric, move in moves if metric == overall]
    return Shift(
        group,
        exchanges,
        sum(abs(move) <= STILL + LEAST_MOVE for _, move in moves) / len(moves),
        max(moves, key=lambda pair: abs(pair[1])),
        sum(of_overall) / len(of_overall) if of_overall else 0.0,
    )
