"""Replies that are made for the score, held against the plain good reply of each base."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from evaluation.mutations.edit import Edited, EditKind
from evaluation.mutations.tally import LEAST_MOVE, ScoreSpoken, score_edits

PILED = "stuff-phrases"
"""The kind of edit that piles phrases up, by wordings that no rubric was asked for."""
REWARDED = "rewarded"
SOME = 10
"""Phrases of each cue in a reply that has some of them, from all of its list."""


def made_kinds(
    made: Sequence[EditKind], edits: Sequence[EditKind], phrases: Sequence[Sequence[str]]
) -> Iterator[EditKind]:
    """The kinds of made replies: those of the file, phrases piled up, and the phrases that a rubric rewards."""
    yield from made
    everywhere = {"about": made[0].about}
    yield from (kind.model_copy(update=everywhere) for kind in edits if kind.kind == PILED)
    if phrases:
        yield _rewarded(phrases, made[0])


def _rewarded(phrases: Sequence[Sequence[str]], like: EditKind) -> EditKind:
    """Every phrase in a row, and some or one of each cue as sentences."""
    every = tuple(dict.fromkeys(phrase for own in phrases for phrase in own))
    some = tuple(dict.fromkeys(phrase for own in phrases for phrase in own[:: max(1, len(own) // SOME)][:SOME]))
    one_each = tuple(dict.fromkeys(own[0] for own in phrases))
    return like.model_copy(
        update={
            "kind": REWARDED,
            "says": "Phrases that the rubric rewards, and nothing else.",
            "by": (),
            "reply": (f"{', '.join(every).rstrip('.!?')}.", _sentences(some), _sentences(one_each)),
            "names": ("all", "ten of each", "one of each"),
        }
    )


def _sentences(phrases: Iterable[str]) -> str:
    return " ".join(f"{phrase[:1].upper()}{phrase[1:].rstrip('.!?')}." for phrase in phrases)


@dataclass(frozen=True, slots=True)
class Made:
    """One made reply in the place of the plain one, over all bases."""

    kind: str
    wording: str
    bases: int
    below: int
    """Bases in which it scores below the plain reply; a tie is not below."""
    mean: float
    """Of made minus plain."""
    most: float
    """The largest difference: how far the made reply gets above the plain one, or else how near."""
    where: str
    """The id of the base in which it is largest."""

    @property
    def share(self) -> float:
        """Below the plain reply; 0 to 1."""
        return self.below / self.bases


def tally_made(edits: Iterable[Edited], score: ScoreSpoken, overall: str) -> list[Made]:
    """One for each made reply, in their order. Raises ValueError for an exchange without an overall."""
    differences: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for scored in score_edits(edits, score):
        before, after = scored.before[overall], scored.after[overall]
        if before is None or after is None:
            raise ValueError(f"no {overall} for {scored.edit.base.id!r}")
        edit = scored.edit
        key = (edit.kind.kind, edit.kind.name_of(edit.wording))
        differences.setdefault(key, []).append((after - before, edit.base.id))
    return [_made(kind, wording, found) for (kind, wording), found in differences.items()]


def _made(kind: str, wording: str, found: Sequence[tuple[float, str]]) -> Made:
    moves = [move for move, _ in found]
    most, where = max(found, key=lambda each: each[0])
    below = sum(move < -LEAST_MOVE for move in moves)
    return Made(kind, wording, len(found), below, math.fsum(moves) / len(moves), most, where)
