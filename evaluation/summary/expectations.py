"""What responses were held to and kept to: the answers to expectations of a run, counted in one pass.

An item of a scenario is answered once in each repeat: it fails there when any of its answers does, and is not shown
when none fails and one is not shown or missing. Over the repeats it holds, fails in more than half, or fails sometimes.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TypeAlias

from evaluation.expectations.answering import Mode, is_planned
from evaluation.expectations.human import PeoplesAnswer
from evaluation.expectations.waivers import Waiver
from evaluation.records import Expectation, ItemAnswer, Json, Outcome, Result, Scenario
from evaluation.statistics.scenario_scores import MISSING, NOT_APPLICABLE
from evaluation.summary.columns import Plan
from evaluation.summary.item_standing import LONGEST_RESPONSE, AnsweredByPeople, ItemStanding, Place, Shown, Standing
from evaluation.summary.metric import MetricSummary

AnswersOf: TypeAlias = Callable[[Result], Sequence[ItemAnswer]]
"""The answers that count for a result: those of the run, or a person's in their place."""
_UNSEEN, _HOLDS, _NOT_SHOWN, _JUDGED_FAILURE, _CERTAIN_FAILURE = range(5)
_CODES: Mapping[Outcome, int] = {"holds": _HOLDS, "not_shown": _NOT_SHOWN, "fails": _CERTAIN_FAILURE}
MOST_SHOWN = 200
"""Items of a run whose response is kept to be shown; of more, the first in plan order."""


@dataclass(frozen=True, slots=True)
class Critical:
    """The critical items of a run that do not hold. Waived ones count as planned and as waived, and nowhere else."""

    of: int
    """Critical items that were planned, item by scenario."""
    items: tuple[ItemStanding, ...]
    """Those that do not hold and are not waived, in plan order."""
    waived: tuple[ItemStanding, ...] = ()
    holding: tuple[Place, ...] = ()
    """Those that hold, in plan order."""
    judged: Mapping[str, int] = field(default_factory=dict)
    """Kind -> how many a judge answers: `ask` and `never`."""
    overturned: tuple[ItemStanding, ...] = ()
    """Those that hold by the judge's word against a rule's, in plan order."""

    def those(self, *standings: Standing) -> tuple[ItemStanding, ...]:
        """The items that stand so."""
        return tuple(item for item in self.items if item.standing in standings)

    @property
    def failed(self) -> tuple[ItemStanding, ...]:
        """Failing in more than half of their repeats: they hold a version back."""
        return self.those("fails")

    @property
    def certain(self) -> tuple[ItemStanding, ...]:
        """Those of them that a rule or a person shows."""
        return tuple(item for item in self.failed if 2 * item.certain > item.repeats)

    def to_json(self) -> dict[str, Json]:
        return {
            "failed": len(self.failed),
            "sometimes": len(self.those("sometimes")),
            "not_shown": len(self.those("not_shown")),
            "of": self.of,
            "waived": len(self.waived),
            "overturned": [item.to_json() for item in self.overturned],
            "items": [item.to_json() for item in (*self.items, *self.waived)],
        }


@dataclass(frozen=True, slots=True)
class FailedGroup:
    """The scenarios in which one item fails."""

    item: Expectation
    scenarios: tuple[str, ...]
    """Those in which it fails, always or sometimes."""
    of: int
    """Scenarios that have it."""
    categories: Mapping[str, int]
    """Category -> how many of these scenarios; most first."""
    also: Mapping[str, int]
    """Another item -> in how many of these scenarios it fails as well; most first."""
    example: ItemStanding

    def to_json(self) -> dict[str, Json]:
        return {
            "id": self.item.id,
            "question": self.item.question,
            "kind": self.item.kind,
            "critical": self.item.critical,
            "failed": len(self.scenarios),
            "of": self.of,
            "scenarios": list(self.scenarios),
            "categories": dict(self.categories),
            "also": dict(self.also),
        }


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """Items of scenarios by how they stand over the repeats."""

    planned: int
    always: int
    """They hold in every repeat."""
    sometimes: int
    """They fail in some repeats and hold in others."""
    never: int
    """They hold in none."""
    not_shown: int
    """In no repeat they fail, and in some nobody can tell."""


class ItemTally:
    """Takes in the answers of a run, result by result, in any order."""

    def __init__(
        self,
        scenarios: Sequence[Scenario],
        plan: Plan,
        mode: Mode,
        answers_of: AnswersOf = lambda result: result.expectations,
    ) -> None:
        self._scenarios = scenarios
        self._plan = plan
        self.mode = mode
        self._answers_of = answers_of
        self._repeats = plan.repeats
        self._states: dict[str, bytearray] = {}
        """Scenario id -> state of every planned item in every repeat."""
        self._heard: dict[str, array[int]] = {}
        """Scenario id -> how many answers each of these has."""
        self._places: dict[str, dict[tuple[str, int], int]] = {}
        self._shown: dict[Place, Shown] = {}
        self._overturned: dict[Place, Shown] = {}
        self.by_people: list[AnsweredByPeople] = []
        critical = [item for scenario in scenarios for item in scenario.expect if item.critical]
        self._critical = {item.id for item in critical}
        self._by_rule = {item.id for item in critical if item.kind == "check"}
        self.met = array("d", [NOT_APPLICABLE]) * plan.size if self.asks else array("d")
        """For each planned exchange the share of its answered items that hold, with the two marks of a column."""
        if self.asks:
            self._mark_planned()

    @property
    def asks(self) -> bool:
        """True where anything is expected and somebody answers."""
        return self.mode != "none" and any(self.planned(scenario) for scenario in self._scenarios)

    def planned(self, scenario: Scenario) -> list[Expectation]:
        """The items of a scenario that somebody answers."""
        return [item for item in scenario.expect if is_planned(item, self.mode)]

    def _mark_planned(self) -> None:
        spans = zip(self._scenarios, self._plan.spans, strict=True)
        for scenario, span in spans:
            due = {turn for item in self.planned(scenario) for turn in _turns(item, scenario)}
            for start in range(span.start, span.stop, span.turns):
                for turn in due:
                    self.met[start + turn - 1] = MISSING

    def add(self, result: Result, slot: int) -> None:
        """Takes in the answers of one result; `slot` is its exchange's place in the plan."""
        answers = self._answers_of(result) if self.mode != "none" else ()
        if not answers:
            return
        exchange = result.exchange
        cell = exchange.cell
        places, states, heard = self._of(cell.scenario_id)
        for answer in answers:
            turn = exchange.turn if (answer.id, exchange.turn) in places else 0
            at = places[answer.id, turn] * self._repeats + cell.repeat - 1
            states[at] = max(states[at], _code(answer))
            heard[at] += 1
            if isinstance(answer, PeoplesAnswer):
                self.by_people.append(AnsweredByPeople(cell.scenario_id, cell.repeat, exchange.turn, answer))
            place = (cell.scenario_id, answer.id, turn)
            if answer.outcome != "holds":
                self._keep(place, answer, result)
            elif answer.source == "judge" and answer.id in self._by_rule:
                self._overturned.setdefault(place, _shown(answer, result))
        holds = sum(answer.outcome == "holds" for answer in answers)
        answered = holds + sum(answer.outcome == "fails" for answer in answers)
        if answered:
            self.met[slot] = holds / answered

    def _of(self, scenario_id: str) -> tuple[dict[tuple[str, int], int], bytearray, "array[int]"]:
        if scenario_id not in self._states:
            if not self._places:
                self._places = {
                    scenario.id: {(item.id, item.turn): at for at, item in enumerate(self.planned(scenario))}
                    for scenario in self._scenarios
                }
            self._states[scenario_id] = bytearray(len(self._places[scenario_id]) * self._repeats)
            self._heard[scenario_id] = array("L", [0]) * len(self._states[scenario_id])
        return self._places[scenario_id], self._states[scenario_id], self._heard[scenario_id]

    def _keep(self, place: Place, answer: ItemAnswer, result: Result) -> None:
        """Keeps what shows how an item stands: a failure before what is not shown, an early repeat before a later."""
        known, exchange = self._shown.get(place), result.exchange
        rank = (answer.outcome != "fails", exchange.cell.repeat, exchange.turn)
        if known is not None and (known.answer.outcome != "fails", known.repeat, known.turn) <= rank:
            return
        if known is None and len(self._shown) >= MOST_SHOWN and answer.id not in self._critical:
            return
        self._shown[place] = _shown(answer, result)

    def standings(self) -> Iterator[ItemStanding]:
        """Every planned item, in plan order."""
        for scenario in self._scenarios:
            planned = self.planned(scenario)
            if not planned:
                continue
            _, states, heard = self._of(scenario.id)
            for at, item in enumerate(planned):
                own = slice(at * self._repeats, (at + 1) * self._repeats)
                part, due = states[own], len(_turns(item, scenario))
                # One response that keeps to it says nothing of those that nobody saw.
                missing = sum(code == _HOLDS and count < due for code, count in zip(part, heard[own], strict=True))
                yield ItemStanding(
                    scenario_id=scenario.id,
                    situation=scenario.cluster,
                    category=scenario.category,
                    groups=scenario.tags,
                    item=item,
                    repeats=self._repeats,
                    holds=part.count(_HOLDS) - missing,
                    fails=part.count(_JUDGED_FAILURE) + part.count(_CERTAIN_FAILURE),
                    not_shown=part.count(_NOT_SHOWN) + part.count(_UNSEEN) + missing,
                    certain=part.count(_CERTAIN_FAILURE),
                    shown=self._shown.get((scenario.id, item.id, item.turn)),
                    overturned=self._overturned.get((scenario.id, item.id, item.turn)),
                )


def _shown(answer: ItemAnswer, result: Result) -> Shown:
    exchange = result.exchange
    response = exchange.response[:LONGEST_RESPONSE]
    return Shown(exchange.cell.repeat, exchange.turn, answer, exchange.user_input, response)


def _code(answer: ItemAnswer) -> int:
    by_judge = answer.outcome == "fails" and answer.source == "judge"
    return _JUDGED_FAILURE if by_judge else _CODES[answer.outcome]


def _turns(item: Expectation, scenario: Scenario) -> Sequence[int]:
    """The turns at which an item is answered."""
    if item.scope == "turn":
        return (item.turn,)
    last = len(scenario.turns)
    return range(1, last + 1) if item.scope == "response" else (last,)


@dataclass(frozen=True, slots=True)
class ItemSummary:
    """What a run says of its expectations."""

    mode: Mode
    counts: ItemCounts
    critical: Critical
    groups: tuple[FailedGroup, ...]
    """Items that fail anywhere, critical ones first."""
    met: MetricSummary
    """The share of answered items that hold: over the items due in an exchange, then as any mean."""
    by_people: tuple[AnsweredByPeople, ...] = ()
    """Answers of people that count in the place of the run's own."""

    def to_json(self) -> dict[str, Json]:
        """The entry `expectations` of summary.json."""
        return {
            "mode": self.mode,
            "counts": asdict(self.counts),
            "groups": [group.to_json() for group in self.groups],
            "people": [each.to_json() for each in self.by_people],
        }


def sum_up_items(
    tally: ItemTally, met: Callable[["array[float]"], MetricSummary], waivers: Sequence[Waiver] = ()
) -> ItemSummary | None:
    """The summary of a tally; None where nothing is expected. `met` averages a column of shares."""
    if not tally.asks:
        return None
    kinds: Counter[str] = Counter()
    having: Counter[str] = Counter()
    holding: list[Place] = []
    overturned: list[ItemStanding] = []
    judged: Counter[str] = Counter()
    failing: list[ItemStanding] = []
    against: list[ItemStanding] = []
    aside: list[ItemStanding] = []
    for each in tally.standings():
        kinds[_kind(each)] += 1
        waiver = _waiver_of(each, waivers) if each.item.critical else None
        if waiver is not None and each.standing != "holds":
            aside.append(replace(each, waiver=waiver))
            continue
        having[each.item.id] += 1
        if each.fails:
            failing.append(each)
        judged[each.item.kind] += each.item.critical and each.item.kind != "check"
        if each.item.critical and each.standing == "holds":
            holding.append(each.place)
            overturned += [each] if each.overturned is not None else []
        elif each.item.critical:
            against.append(each)
    return ItemSummary(
        mode=tally.mode,
        counts=ItemCounts(kinds.total(), kinds["always"], kinds["sometimes"], kinds["never"], kinds["not_shown"]),
        critical=Critical(
            of=len(holding) + len(against) + len(aside),
            holding=tuple(holding),
            judged=judged,
            items=tuple(against),
            waived=tuple(aside),
            overturned=tuple(overturned),
        ),
        groups=_group_failures(failing, having),
        met=met(tally.met),
        by_people=tuple(sorted(tally.by_people, key=lambda each: (each.scenario_id, each.repeat, each.turn))),
    )


def _waiver_of(each: ItemStanding, waivers: Sequence[Waiver]) -> Waiver | None:
    return next((waiver for waiver in waivers if waiver.covers(each.scenario_id, each.item)), None)


def _kind(each: ItemStanding) -> str:
    if each.fails:
        return "sometimes" if each.holds else "never"
    return "not_shown" if each.not_shown else "always"


def _group_failures(failing: Sequence[ItemStanding], having: Mapping[str, int]) -> tuple[FailedGroup, ...]:
    """Critical ones first, then those that fail in the most scenarios."""
    by_item: dict[str, list[ItemStanding]] = {}
    by_scenario: dict[str, set[str]] = {}
    for each in failing:
        by_item.setdefault(each.item.id, []).append(each)
        by_scenario.setdefault(each.scenario_id, set()).add(each.item.id)
    groups = [_group(name, found, having[name], by_scenario) for name, found in by_item.items()]
    return tuple(sorted(groups, key=lambda group: (not group.item.critical, -len(group.scenarios), group.item.id)))


def _group(name: str, found: Sequence[ItemStanding], of: int, by_scenario: Mapping[str, set[str]]) -> FailedGroup:
    scenarios = tuple(dict.fromkeys(each.scenario_id for each in found))
    also = Counter(other for scenario in scenarios for other in sorted(by_scenario[scenario]) if other != name)
    example = next((each for each in found if each.shown is not None), found[0])
    critical = any(each.item.critical for each in found)
    return FailedGroup(
        item=replace(example.item, critical=critical),
        scenarios=scenarios,
        of=of,
        categories=dict(Counter(each.category for each in found).most_common()),
        also=dict(also.most_common(3)),
        example=example,
    )
