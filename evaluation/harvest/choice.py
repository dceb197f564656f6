"""Which messages become drafts, and why: the worst, those on which judge and rules disagree, critical ones, and
subjects that no scenario covers."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.errors import UsageError
from evaluation.harvest.candidate import Candidate
from evaluation.harvest.clusters import clusters
from evaluation.harvest.likeness import Known, first_of_each, sketch_of
from evaluation.scenarios.nearest import Guess

DANGER = "shows danger"


@dataclass(frozen=True, slots=True)
class Wanted:
    """How many of each kind; 0 for none."""

    worst: int = 0
    disagreed: int = 0
    critical: int = 0
    uncovered: int = 0


@dataclass(frozen=True, slots=True)
class Chosen:
    """A message that becomes a draft."""

    candidate: Candidate
    why: tuple[str, ...]
    """In words, the first reason first."""
    guess: Guess


@dataclass
class Choice:
    """What was chosen, and how many were passed over for which reason."""

    chosen: list[Chosen] = field(default_factory=list)
    repeated: int = 0
    """They repeat another message of the same source."""
    known: dict[str, int] = field(default_factory=dict)
    """What they repeat -> how many."""
    uncovered: float = 0.0
    """The share of messages, by weight, that no scenario covers."""


def choose(
    candidates: Sequence[Candidate],
    wanted: Wanted,
    guess: Callable[[str], Guess],
    known: Known,
    in_danger: Callable[[Candidate], bool],
    overall: str,
    drafted: Callable[[Candidate], str] = lambda _: "",
) -> Choice:
    """Chooses in the order of the kinds; a message that several kinds want is chosen once, with all of the reasons.

    Not proposed again is what repeats one of `known`, and what was `drafted` itself, which gives a name for it or
    nothing. Raises UsageError where a kind needs scores that nobody gave.
    """
    sketches = [sketch_of(each.message) for each in candidates]
    first = first_of_each(sketches)
    groups: dict[int, list[int]] = {}
    for place, leader in enumerate(first):
        groups.setdefault(leader, []).append(place)
    choice = Choice()
    guesses = {place: guess(candidates[place].message) for place in groups}
    whole = sum(each.weight for each in candidates)
    weights = {place: sum(candidates[member].weight for member in members) for place, members in groups.items()}
    bare = [place for place in groups if not guesses[place].is_covered]
    choice.uncovered = sum(weights[place] for place in bare) / whole if whole else 0.0
    ranked = _Ranked(candidates, overall, in_danger)
    kinds: tuple[tuple[int, Iterator[tuple[int, str]]], ...] = (
        (wanted.critical, ranked.critical()),
        (wanted.worst, ranked.worst() if wanted.worst else iter(())),
        (wanted.disagreed, ranked.disagreed() if wanted.disagreed else iter(())),
        (wanted.uncovered, _uncovered(candidates, bare, weights, whole) if wanted.uncovered else iter(())),
    )

    def like(place: int) -> str:
        return drafted(candidates[place]) or known.like(sketches[place])

    taken: dict[int, list[str]] = {}
    chosen_of: dict[int, int] = {}
    refused: set[int] = set()
    for number, ranking in kinds:
        _take(number, ranking, first, like, taken, chosen_of, refused, choice)
    choice.chosen = [Chosen(candidates[place], tuple(why), guesses[first[place]]) for place, why in taken.items()]
    return choice


def _take(
    number: int,
    ranking: Iterator[tuple[int, str]],
    first: Sequence[int],
    like: Callable[[int], str],
    taken: dict[int, list[str]],
    chosen_of: dict[int, int],
    refused: set[int],
    choice: Choice,
) -> None:
    """Takes up to `number` of a ranking, one of each group of repetitions, and notes why."""
    left, groups = number, set[int]()
    for place, why in ranking if number else ():
        if not left:
            return
        group = first[place]
        if group in groups:
            choice.repeated += 1
            continue
        groups.add(group)
        if group in refused:
            continue
        if group not in chosen_of:
            if repeated := like(place):
                choice.known[repeated] = choice.known.get(repeated, 0) + 1
                refused.add(group)
                continue
            chosen_of[group] = place
        taken.setdefault(chosen_of[group], []).append(why)
        left -= 1


@dataclass(frozen=True, slots=True)
class _Ranked:
    """Candidates in the order in which each kind wants them."""

    candidates: Sequence[Candidate]
    overall: str
    in_danger: Callable[[Candidate], bool]

    def critical(self) -> Iterator[tuple[int, str]]:
        """Failed critical expectations first, then danger; of either the lowest scores first."""
        order = sorted(range(len(self.candidates)), key=lambda place: (self._value(place), place))
        for place in order:
            if failed := self.candidates[place].failed:
                yield place, f"critical: {', '.join(failed)} failed"
        for place in order:
            if not self.candidates[place].failed and self.in_danger(self.candidates[place]):
                yield place, f"critical: the message {DANGER}"

    def _value(self, place: int) -> float:
        value, _ = _overall(self.candidates[place].scores, self.overall)
        return math.inf if value is None else value

    def worst(self) -> Iterator[tuple[int, str]]:
        """By the judge where it scored, else by rule; the lowest first."""
        scored = [(_overall(each.scores, self.overall), place) for place, each in enumerate(self.candidates)]
        known = sorted((value, place, source) for (value, source), place in scored if value is not None)
        if not known:
            raise UsageError(_unscored("--worst", "score"))
        for value, place, source in known:
            yield place, f"worst: {self.overall} {value:.2f} by {source}"

    def disagreed(self) -> Iterator[tuple[int, str]]:
        """By the distance between judge and rules; the widest first."""
        gaps = []
        for place, each in enumerate(self.candidates):
            judge, rules = (each.scores.get(name, {}).get(self.overall) for name in ("judge", "heuristic"))
            if judge is not None and rules is not None and judge != rules:
                gaps.append((-abs(judge - rules), place, judge, rules))
        if not gaps:
            raise UsageError(_unscored("--disagreed", "judge's score"))
        for _, place, judge, rules in sorted(gaps):
            yield place, f"disagreed: {self.overall} {judge:.2f} by the judge, {rules:.2f} by rule"


def _uncovered(
    candidates: Sequence[Candidate], places: Sequence[int], weights: Mapping[int, float], whole: float
) -> Iterator[tuple[int, str]]:
    for cluster in clusters([(candidates[place].message, weights[place]) for place in places]):
        share = cluster.weight / whole
        said = f"uncovered: no scenario is like it; such messages are {share:.1%} of all"
        yield places[cluster.leader], said


def _overall(scores: Mapping[str, Mapping[str, float]], overall: str) -> tuple[float | None, str]:
    for source in ("judge", "combined", "heuristic"):
        value = scores.get(source, {}).get(overall)
        if value is not None:
            return value, "rule" if source == "heuristic" else "the judge"
    return None, ""


def _unscored(flag: str, what: str) -> str:
    return f"{flag}: no message has a {what}: harvest a scored sample, or choose with --uncovered or --critical"
