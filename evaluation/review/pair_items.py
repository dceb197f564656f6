"""The pairs that people are asked about: dealt out, ordered and turned by seed, and read from what they type."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.judging.pair_asking import SIDES, Pair, Side
from evaluation.records import Json, Scenario
from evaluation.review.assignment import assign
from evaluation.review.pair_answers import PairAnswer, Said

KEYS: dict[str, Said] = {"1": "first", "2": "second", "t": "tie", "0": "tie"}
"""What is typed; a spreadsheet's user may type 0 for a tie."""


@dataclass(frozen=True, slots=True)
class PairItem:
    """A pair as one reviewer sees it."""

    scenario: Scenario
    pair: Pair
    first: Side
    """Which of both is shown first."""

    @property
    def id(self) -> str:
        return self.pair.identity

    @property
    def shown(self) -> tuple[str, str]:
        """The answers in the order in which they are shown."""
        return self.pair.shown if self.first == "base" else self.pair.shown[::-1]


@dataclass(frozen=True, slots=True)
class Compared:
    """The two runs whose pairs are reviewed."""

    suite: str
    base: str
    candidate: str
    """Their prompts, for people."""
    rehearsal: bool


def deal_pairs(
    pairs: Sequence[tuple[Scenario, Pair]], reviewer: str, team: Sequence[str], *, overlap: float, seed: int
) -> tuple[list[PairItem], int]:
    """The pairs of one reviewer in an order of their own, and how many every reviewer gets, as `assign` deals them.

    Equal answers are left out, for there is nothing to prefer; the same pair of answers comes once.
    """
    items = {pair.identity: PairItem(scenario, pair, side(pair, reviewer, seed)) for scenario, pair in pairs}
    return assign(
        [item for item in items.values() if not item.pair.identical], reviewer, team, overlap=overlap, seed=seed
    )


def side(pair: Pair, reviewer: str, seed: int) -> Side:
    """Which answer this reviewer sees first: drawn by hash, the same on every computer."""
    drawn = hashlib.sha256(f"{seed}|side|{reviewer}|{pair.identity}".encode("utf-8", "surrogatepass")).digest()
    return SIDES[drawn[0] % 2]


def read_preference(typed: str) -> tuple[Said, str]:
    """The preference and the remark behind it. Raises ValueError, which says what may be typed."""
    key, _, remark = typed.strip().partition(" ")
    said = KEYS.get(key.lower())
    if said is None:
        raise ValueError("type 1, 2 or t (tie); a remark may follow")
    return said, remark.strip()


def answer_record(
    item: PairItem, compared: Compared, said: Said, remark: str, *, reviewer: str, at: str, blind: bool = True
) -> dict[str, Json]:
    """The line that is stored: what was reviewed stands in it, so that nothing else is needed to use it."""
    scenario, pair = item.scenario, item.pair
    answer = PairAnswer(
        pair=pair.identity,
        reviewer=reviewer,
        reviewed_at=at,
        suite=compared.suite,
        scenario_id=scenario.id,
        situation=scenario.cluster,
        category=scenario.category,
        repeat=pair.cell.repeat,
        base=compared.base,
        candidate=compared.candidate,
        base_said=pair.said[0],
        candidate_said=pair.said[1],
        shown_first=item.first,
        answer=said,
        remark=remark,
        rehearsal=compared.rehearsal,
        blind=blind,
    )
    return answer.model_dump(mode="json")
