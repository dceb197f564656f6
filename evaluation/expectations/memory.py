"""How well planted facts are remembered: rates over the answers of items, by how far back the fact was said.

What an item counts for follows from its check and data: `recalls` is a probe of a fact; beside it, at the same turn,
`does_not_confuse` holds a decoy against it and `omits` the value that it replaced; a scenario's own `omits` of every
response of a conversation is a boundary. Every other item counts for nothing here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias, get_args

from evaluation.records import Expectation, Json, Result, Scenario
from evaluation.statistics.scenario_scores import Estimate, Observation, estimate_scenarios, from_observations

Kind: TypeAlias = Literal["fact", "decoy", "former_value", "boundary"]
Rate: TypeAlias = Literal["recall", "false_recall", "contradiction", "boundary_holding"]
Distance: TypeAlias = Literal["1", "2-3", "4-6", "7+", "across sessions"]

RATES: tuple[Rate, ...] = get_args(Rate)
DISTANCES: tuple[Distance, ...] = get_args(Distance)
ALL = "all"
"""The row of all distances together."""
KINDS: Mapping[Rate, tuple[Kind, ...]] = {
    "recall": ("fact",),
    "false_recall": ("decoy", "former_value"),
    "contradiction": ("former_value",),
    "boundary_holding": ("boundary",),
}
"""Rate -> the kinds of probes that it is a share of."""
KIND_OF: Mapping[str, Kind] = {"recalls": "fact", "does_not_confuse": "decoy", "omits": "former_value"}
"""Check of one turn -> what it probes beside a fact that is asked for there."""
OF_FAILURES: tuple[Rate, ...] = ("false_recall", "contradiction")
"""Rates that count the probes that fail; the others count those that hold."""
SHARE = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Probe:
    """What an item asks of one response."""

    kind: Kind
    distance: Distance


@dataclass(frozen=True, slots=True)
class Memory:
    """The rates of a run."""

    rates: Mapping[Rate, Mapping[str, Estimate]]
    """Rate -> distance or ALL -> share from 0 to 1; every rate has every distance."""
    unanswered: int
    """Planned probes without an answer: no response came, or nobody could tell."""
    conversations: int
    """Scenarios of the run that probe anything."""
    scenarios: int
    """All scenarios of the run."""

    def rows(self) -> list[str]:
        """The distances at which anything was answered, and ALL."""
        return [each for each in (*DISTANCES, ALL) if any(self.rates[rate][each].n for rate in RATES)]

    def to_json(self) -> dict[str, Json]:
        """The content of `memory` in summary.json."""
        return {
            **{rate: {each: asdict(found) for each, found in self.rates[rate].items()} for rate in RATES},
            "unanswered": self.unanswered,
            "conversations": self.conversations,
        }


def probes_of(scenario: Scenario) -> dict[tuple[str, int], Probe]:
    """(Item id, turn) -> what is probed there; empty for a scenario that plants nothing and holds no boundary."""
    found: dict[tuple[str, int], Probe] = {}
    turns = len(scenario.turns)
    for item in scenario.expect:
        if _is_boundary(item) and turns > 1:
            found |= {(item.id, turn): Probe("boundary", distance_of(turn, 0)) for turn in range(1, turns + 1)}
        elif item.turn and (kind := KIND_OF.get(item.check)):
            planted = _planted_in(item, scenario.expect)
            if planted is not None:
                distance = distance_of(item.turn, planted) if planted else "across sessions"
                found[item.id, item.turn] = Probe(kind, distance)
    return found


def distance_of(turn: int, since: int) -> Distance:
    """How many turns lie between two, at least one."""
    turns = turn - since
    return "1" if turns <= 1 else "2-3" if turns <= 3 else "4-6" if turns <= 6 else "7+"


def _is_boundary(item: Expectation) -> bool:
    return item.check == "omits" and item.scope == "response" and item.origin == "scenario"


def _planted_in(item: Expectation, items: Sequence[Expectation]) -> int | None:
    """The turn in which the fact was said, 0 for an earlier session; None where no fact is asked for at that turn.

    Where several are, it is the one that has a wording in common with the item, or else the latest: what replaced
    another value was said after it.
    """
    beside = [other for other in items if other.check == "recalls" and other.turn == item.turn]
    same = [other for other in beside if _wordings(other) & _wordings(item)]
    return max((int(other.settings["from_turn"]) for other in same or beside), default=None)


def _wordings(item: Expectation) -> set[str]:
    return {item.settings.get("fact"), *item.settings.get("any", ())} - {None}


class MemoryTally:
    """Counts the answers of a run. What it says does not depend on the order in which they came."""

    def __init__(self, scenarios: Sequence[Scenario], repeats: int) -> None:
        self._all = len(scenarios)
        self._scenarios = {each.id: (each.cluster, probes) for each in scenarios if (probes := probes_of(each))}
        self._planned = repeats * sum(len(probes) for _, probes in self._scenarios.values())
        self._answered = 0
        self._values: dict[tuple[Rate, str], list[Observation]] = {}

    def add(self, result: Result) -> None:
        """One result; most bear no probe."""
        exchange, cell = result.exchange, result.exchange.cell
        if not result.expectations or cell.scenario_id not in self._scenarios:
            return
        situation, probes = self._scenarios[cell.scenario_id]
        for answer in result.expectations:
            probe = probes.get((answer.id, exchange.turn))
            if probe is None or answer.outcome == "not_shown":
                continue
            self._answered += 1
            for rate in RATES:
                if probe.kind in KINDS[rate]:
                    value = float((answer.outcome == "holds") != (rate in OF_FAILURES))
                    seen = Observation(situation, cell.scenario_id, cell.repeat, exchange.turn, value)
                    for row in (probe.distance, ALL):
                        self._values.setdefault((rate, row), []).append(seen)

    def measure(self) -> Memory | None:
        """The rates; None where no probe was answered."""
        if not self._answered:
            return None
        rates = {rate: {row: self._share(rate, row) for row in (*DISTANCES, ALL)} for rate in RATES}
        return Memory(rates, self._planned - self._answered, len(self._scenarios), self._all)

    def _share(self, rate: Rate, row: str) -> Estimate:
        scenarios = from_observations(self._values.get((rate, row), ()))
        return estimate_scenarios(list(scenarios.values()), SHARE, share=True)
