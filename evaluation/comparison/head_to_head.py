"""Two runs head to head: which of two answers is preferred, by a judge and by people, pair by pair.

It confirms or contradicts what the comparison says, and never makes a verdict. docs/statistics.md has the definitions.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from evaluation.judging.pair_check import NOT_CHECKED, PairCheck
from evaluation.judging.pair_reading import POINTS, Assessment, Kind, Winner
from evaluation.statistics.agreement import kappa_figure, krippendorff_alpha, mean_figure
from evaluation.statistics.clusters import average
from evaluation.statistics.equal_length import EqualLength, LengthPair, equal_length
from evaluation.statistics.resamples import Figure
from evaluation.statistics.scenario_scores import Estimate, Observation, estimate

MARGIN = 0.1
"""A win rate within this of one half says that neither is preferred."""
FEW_CLUSTERS = 20
"""Situations below which figures are called rough."""
SHARES = (0.0, 1.0)

Bearing: TypeAlias = Literal["confirms", "contradicts", "says nothing"]
"""What head to head says of the comparison's verdict."""
Favours: TypeAlias = Literal["base", "candidate", "neither"]
Asked: TypeAlias = Literal["identical", "read", "unread", "failed", "open"]
"""Both say the same and nobody was asked; an answer in both orders; one that cannot be read; a call without an answer;
not asked, as no new call could start."""


@dataclass(frozen=True, slots=True)
class PairPlace:
    """Where a pair stands, and how long its answers are."""

    identity: str
    """Hash of both answers and what they have in common: people's answers are known by it."""
    scenario_id: str
    cluster: str
    category: str
    repeat: int
    words: tuple[int, int]
    """Of base and candidate."""
    addresses_judge: bool = False
    """True where one of the answers addresses the judge."""
    answers: tuple[str, str] = ("", "")
    """Hashes of what base and candidate said."""

    @property
    def log_ratio(self) -> float:
        """log(words of the candidate) - log(words of the base)."""
        return math.log(self.words[1]) - math.log(self.words[0])


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A pair, and what the judge said of it."""

    place: PairPlace
    asked: Asked
    winner: Winner | None = None
    """None where nothing could be read."""
    kind: Kind = "agreed"
    first_shown: float = 0.5
    """Share of the orders in which the answer that stood first was preferred."""
    assessments: tuple[tuple[Assessment, Assessment], ...] = ()
    """Of base and candidate, order by order."""
    problem: str = ""
    """Why it could not be read."""
    message: str = ""
    """What both answer; empty where both are whole conversations."""
    shown: tuple[str, str] = ("", "")
    """The answers of base and candidate as the judge was shown them."""
    members: Mapping[str, float] = field(default_factory=dict)
    """Of a panel: member -> the points that it gives the candidate."""

    @property
    def points(self) -> float | None:
        """Of the candidate: 1 won, 0.5 tie, 0 lost; of a panel the mean of its members."""
        if self.members:
            return average(list(self.members.values()))
        return None if self.winner is None else POINTS[self.winner]


@dataclass(frozen=True, slots=True)
class Tally:
    """Wins and the win rate of the candidate over some pairs."""

    pairs: int
    wins: int
    ties: int
    """Those without a winner, for whatever reason."""
    losses: int
    rate: Estimate
    """Wins and half of the ties, as a share; clustered by situation, its interval within 0 to 1."""

    @property
    def favours(self) -> Favours:
        """The side on which the whole interval lies."""
        ends = self.rate.ci95
        if ends is None or ends[0] <= 0.5 <= ends[1]:
            return "neither"
        return "candidate" if ends[0] > 0.5 else "base"


@dataclass(frozen=True, slots=True)
class PeoplesPairs:
    """What people preferred on the same pairs."""

    people: int
    answers: int
    tally: Tally
    equal_length: EqualLength
    shared: int
    """Pairs that at least two people answered."""
    alpha: float | None
    """Krippendorff's, ordinal, of people among themselves."""
    with_judge: int
    """Pairs on which the judge has an answer, too."""
    kappa: Figure
    """Of judge and people on those, quadratic-weighted over lost, tie and won."""
    agreed: Figure
    """Share of those on which both say the same."""


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Candidate against base, answer by answer."""

    judge: str
    """Its model; empty where none was asked."""
    planned: int
    """Cells that both runs planned."""
    pairs: tuple[JudgedPair, ...]
    """Those that have an answer in both runs, in plan order."""
    check: PairCheck
    tally: Tally
    equal_length: EqualLength
    categories: Mapping[str, Tally]
    people: PeoplesPairs | None
    """None where nobody was asked."""
    calls: int
    """Answered, those of the check included; earlier answers too."""
    cost_usd: float | None
    """None as soon as the price of a call is unknown."""
    stopped: str = ""
    """Why not every pair was asked; empty where all were."""

    def count(self, *kinds: Kind) -> int:
        """Pairs that were read and are of one of these kinds."""
        return sum(pair.asked == "read" and pair.kind in kinds for pair in self.pairs)

    def asked(self, *ways: Asked) -> int:
        """Pairs of which this became."""
        return sum(pair.asked in ways for pair in self.pairs)

    @property
    def order_share(self) -> float | None:
        """Share of the pairs that were read in which the preference followed the place; None without any."""
        read = self.asked("read")
        return self.count("order") / read if read else None

    @property
    def first_shown(self) -> float | None:
        """How often the answer that stood first was preferred, ties counting half; 0.5 without position bias."""
        shares = [pair.first_shown for pair in self.pairs if pair.asked == "read"]
        return average(shares) if shares else None

    def worst_first(self) -> list[JudgedPair]:
        """The pairs that were read: those that the candidate lost, those without a winner, those that it won."""
        return sorted((pair for pair in self.pairs if pair.asked == "read"), key=lambda pair: pair.points or 0.0)

    @property
    def unfit(self) -> bool:
        return self.check.fit is False

    @property
    def favours(self) -> Favours:
        """The side that the judge prefers, whatever the length: neither where that hangs on the longer answers."""
        side, adjusted = self.tally.favours, self.equal_length.win_rate
        if side == "neither" or self.unfit:
            return "neither"
        if adjusted is not None and (adjusted.value > 0.5) != (side == "candidate"):
            return "neither"
        return side

    @property
    def by_length(self) -> bool:
        """True where one side is preferred, but not at equal length."""
        return not self.unfit and self.tally.favours != "neither" and self.favours == "neither"

    def bearing(self, verdict: str | None) -> Bearing:
        """What it says of the comparison's verdict: better, worse, equivalent, inconclusive or none."""
        return bearing(verdict, self.favours, None if self.unfit else self.tally.rate.ci95)


def bearing(verdict: str | None, favours: Favours, interval: tuple[float, float] | None) -> Bearing:
    """Better and worse are confirmed by a preference for the same side, and contradicted by one for the other.

    Equivalent is confirmed by an interval within `MARGIN` of one half, and contradicted by any preference beyond it.
    Where the comparison comes to no verdict there is nothing to confirm.
    """
    if verdict in ("better", "worse"):
        if favours == "neither":
            return "says nothing"
        return "confirms" if (favours == "candidate") == (verdict == "better") else "contradicts"
    if verdict == "equivalent" and interval is not None:
        low, high = interval
        if low >= 0.5 - MARGIN and high <= 0.5 + MARGIN:
            return "confirms"
        return "says nothing" if favours == "neither" else "contradicts"
    return "says nothing"


def head_to_head(
    pairs: Sequence[JudgedPair],
    *,
    planned: int,
    judge: str = "",
    check: PairCheck = NOT_CHECKED,
    people: Mapping[str, Mapping[str, float]] | None = None,
    calls: int = 0,
    cost_usd: float | None = 0.0,
    stopped: str = "",
    seed: int = 0,
) -> HeadToHead:
    """All figures. `people` holds person -> points of the candidate, by the identity of the pair."""
    points = [(pair.place, value) for pair in pairs if (value := pair.points) is not None]
    names = dict.fromkeys(place.category for place, _ in points)
    return HeadToHead(
        judge=judge,
        planned=planned,
        pairs=tuple(pairs),
        check=check,
        tally=tally(points),
        equal_length=at_equal_length(points),
        categories={name: tally([each for each in points if each[0].category == name]) for name in names},
        people=peoples_pairs(pairs, people or {}, seed),
        calls=calls,
        cost_usd=cost_usd,
        stopped=stopped,
    )


def tally(points: Sequence[tuple[PairPlace, float]]) -> Tally:
    """Counts and the win rate of pairs with their points; above one half is a win, below it a loss."""
    observations = [Observation(place.cluster, place.scenario_id, place.repeat, 1, value) for place, value in points]
    wins, losses = sum(value > 0.5 for _, value in points), sum(value < 0.5 for _, value in points)
    return Tally(len(points), wins, len(points) - wins - losses, losses, estimate(observations, SHARES))


def at_equal_length(points: Iterable[tuple[PairPlace, float]]) -> EqualLength:
    """The win rate with length as a covariate, over one value per scenario."""
    groups: dict[str, list[tuple[PairPlace, float]]] = {}
    for place, value in points:
        groups.setdefault(place.scenario_id, []).append((place, value))
    return equal_length(
        [
            LengthPair(
                group[0][0].cluster,
                average([value for _, value in group]),
                average([place.log_ratio for place, _ in group]),
            )
            for group in groups.values()
        ]
    )


def peoples_pairs(
    pairs: Sequence[JudgedPair], people: Mapping[str, Mapping[str, float]], seed: int
) -> PeoplesPairs | None:
    """What people say of these pairs, and how far the judge agrees; of several people the mean counts once."""
    answered = [(pair, people[pair.place.identity]) for pair in pairs if people.get(pair.place.identity)]
    if not answered:
        return None
    points = [(pair.place, average(list(given.values()))) for pair, given in answered]
    both = [
        (_rank(pair.points), _rank(mean), pair.place.cluster)
        for (pair, _), (_, mean) in zip(answered, points, strict=True)
        if pair.asked == "read" and pair.points is not None
    ]
    judged, human, clusters = [row[0] for row in both], [row[1] for row in both], [row[2] for row in both]
    several = [list(given.values()) for _, given in answered if len(given) > 1]
    return PeoplesPairs(
        people=len({person for _, given in answered for person in given}),
        answers=sum(len(given) for _, given in answered),
        tally=tally(points),
        equal_length=at_equal_length(points),
        shared=len(several),
        alpha=krippendorff_alpha(several, "ordinal"),
        with_judge=len(both),
        kappa=kappa_figure(judged, human, clusters, seed=seed),
        agreed=mean_figure([float(a == b) for a, b in zip(judged, human, strict=True)], clusters, seed=seed),
    )


def _rank(value: float) -> float:
    """0 lost, 1 tie, 2 won."""
    return float(value >= 0.5) + float(value > 0.5)
