"""Expectations of two runs, item by item: what was gained and lost, and an exact test over situations.

Items are paired where both runs ask the same question of the same scenario under the same id. An item holds in a run
where it does in more than half of its repeats, and fails where it does in more than half; of an item between the two
nobody can tell. Gained is what fails in the base and holds in the candidate, lost the other way.

The test is on critical items: a situation is better, worse or even by the number of its items that hold. If both runs
are draws of one process, either direction is as likely among those that differ: a sign test, which for one item in
each situation is McNemar's exact test.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from evaluation.expectations.form import meaning_of
from evaluation.records import Json, Result, Scenario, of_turn
from evaluation.runspec import digest
from evaluation.statistics.significance import sign_test
from evaluation.summary.item_standing import LONGEST_RESPONSE, ItemStanding, Place, Shown
from evaluation.text import numbers

Position: TypeAlias = tuple[str, int, int]
"""Scenario id, repeat, turn."""
Change: TypeAlias = Literal["lost", "gained"]
MOST_BESIDE = 60
"""Changes whose two responses are read and kept; of more, the first."""
NAMED = 5
"""Items that a sentence names; the rest is counted."""


@dataclass(frozen=True, slots=True)
class HeldItem:
    """One item of one scenario in one run, over all repeats."""

    scenario_id: str
    situation: str
    id: str
    turn: int
    """0 where the item has none."""
    asked: str
    """Digest of all that makes the question: two items of one id are the same where it is equal."""
    critical: bool
    repeats: int
    holds: int
    fails: int
    found: ItemStanding | None = None
    """With the answers; None where the run is known by a baseline file alone."""

    @property
    def place(self) -> Place:
        return self.scenario_id, self.id, self.turn

    def __str__(self) -> str:
        return f"{self.id} in {self.scenario_id}{of_turn(self.turn)}"

    @property
    def holding(self) -> bool:
        return 2 * self.holds > self.repeats

    @property
    def failing(self) -> bool:
        return 2 * self.fails > self.repeats


def held_item(found: ItemStanding) -> HeldItem:
    """An item as a comparison reads it."""
    item = found.item
    return HeldItem(
        scenario_id=found.scenario_id,
        situation=found.situation,
        id=item.id,
        turn=item.turn,
        asked=digest([*meaning_of(item), item.scope])[:16],
        critical=item.critical,
        repeats=found.repeats,
        holds=found.holds,
        fails=found.fails,
        found=found,
    )


@dataclass(frozen=True, slots=True)
class ItemChange:
    """An item that fails in one run and holds in the other."""

    base: HeldItem
    candidate: HeldItem
    before: Shown | None = None
    """What the base said, and the answer about it; None where it was not read."""
    now: Shown | None = None

    @property
    def change(self) -> Change:
        return "lost" if self.candidate.failing else "gained"

    @property
    def critical(self) -> bool:
        """As the candidate has it: what is expected today counts."""
        return self.candidate.critical

    @property
    def question(self) -> str:
        found = self.candidate.found or self.base.found
        return "" if found is None else f"{'must not: ' * (found.item.kind == 'never')}{found.item.question}"

    @property
    def certain(self) -> bool:
        """True where a rule or a person answered in the run in which it fails, and not a judge alone."""
        found = (self.candidate if self.change == "lost" else self.base).found
        return found is not None and found.shown is not None and found.shown.answer.source != "judge"

    @property
    def failing_position(self) -> Position | None:
        """The exchange that shows the failure; None where it is not known."""
        found = (self.candidate if self.change == "lost" else self.base).found
        shown = None if found is None else found.shown
        return None if shown is None else (self.candidate.scenario_id, shown.repeat, shown.turn)

    def to_json(self) -> dict[str, Json]:
        """The entry of `changes` in comparison.json."""
        return {
            "change": self.change,
            "scenario_id": self.candidate.scenario_id,
            "id": self.candidate.id,
            "question": self.question,
            "turn": self.candidate.turn,
            "critical": self.critical,
            "base": _side_json(self.base, self.before),
            "candidate": _side_json(self.candidate, self.now),
        }


def _side_json(item: HeldItem, shown: Shown | None) -> dict[str, Json]:
    answer = None if shown is None else shown.answer
    return {
        "repeats": item.repeats,
        "holds": item.holds,
        "fails": item.fails,
        "repeat": None if shown is None else shown.repeat,
        "response": None if shown is None else shown.response,
        "source": None if answer is None else answer.source,
        "quote": None if answer is None else answer.quote,
        "reason": None if answer is None else answer.reason,
    }


@dataclass(frozen=True, slots=True)
class SituationTest:
    """Situations by the number of their critical items that hold, and the two-sided p-value of the sign test."""

    better: int
    worse: int
    even: int
    p: float | None
    """None without a situation."""


@dataclass(frozen=True, slots=True)
class ItemComparison:
    """The items of two runs. Waived ones count as new or missing in nothing: they are in no figure but their own."""

    paired: int
    critical: int
    """Of those that are paired."""
    undecided: int
    """Paired items of which in one of the runs nobody can tell."""
    changes: tuple[ItemChange, ...]
    """Critical ones first, lost before gained, in plan order."""
    not_shown: tuple[HeldItem, ...]
    """Critical items that the base held and of which in the candidate nobody can tell."""
    new: int
    missing: int
    rewritten: int
    """Items of the same id in the same scenario with another question."""
    waived: int
    situations: SituationTest

    def those(self, change: Change, *, critical: bool | None = None) -> tuple[ItemChange, ...]:
        """The changes of this kind; `critical` True or False for those alone."""
        return tuple(each for each in self.changes if each.change == change and critical in (None, each.critical))

    @property
    def lost_critical(self) -> tuple[ItemChange, ...]:
        """They keep the no-regression gate shut, and raise the alarm of a night."""
        return self.those("lost", critical=True)

    def to_json(self) -> dict[str, Json]:
        """The entry `expectations` of comparison.json."""
        test = self.situations
        return {
            "paired": self.paired,
            "critical": self.critical,
            "undecided": self.undecided,
            "new": self.new,
            "missing": self.missing,
            "rewritten": self.rewritten,
            "waived": self.waived,
            "gained": len(self.those("gained")),
            "lost": len(self.those("lost")),
            "critical_gained": len(self.those("gained", critical=True)),
            "critical_lost": len(self.lost_critical),
            "situations": {"better": test.better, "worse": test.worse, "even": test.even, "p": test.p},
            "changes": [each.to_json() for each in self.changes],
        }


def compare_items(
    base: Sequence[HeldItem] | None, candidate: Sequence[HeldItem] | None, waived: Iterable[Place] = ()
) -> ItemComparison | None:
    """Compares the items of two runs; None where nothing is known of one of them.

    `waived` names those that are out of account.
    """
    if base is None or candidate is None:
        return None
    before, out = {item.place: item for item in base}, set(waived)
    kept = [item for item in candidate if item.place not in out]
    shared = [(before[item.place], item) for item in kept if item.place in before]
    pairs = [(old, new) for old, new in shared if old.asked == new.asked]
    changes = [
        ItemChange(old, new) for old, new in pairs if (old.failing and new.holding) or (old.holding and new.failing)
    ]
    changes.sort(key=lambda each: (not each.critical, each.change == "gained"))
    known = {item.place for item in candidate}
    return ItemComparison(
        paired=len(pairs),
        critical=sum(new.critical for _, new in pairs),
        undecided=sum(not _is_decided(old, new) for old, new in pairs),
        changes=tuple(changes),
        not_shown=tuple(new for old, new in pairs if new.critical and old.holding and not _is_decided(new)),
        new=sum(item.place not in before for item in kept),
        missing=sum(item.place not in known for item in base),
        rewritten=len(shared) - len(pairs),
        waived=len(candidate) - len(kept),
        situations=_test_situations(pairs),
    )


def _is_decided(*items: HeldItem) -> bool:
    return all(item.holding or item.failing for item in items)


def _test_situations(pairs: Iterable[tuple[HeldItem, HeldItem]]) -> SituationTest:
    """Over critical items that are decided in both runs."""
    gains: Counter[str] = Counter()
    for old, new in pairs:
        if new.critical and _is_decided(old, new):
            gains[new.situation] += new.holding - old.holding
    better, worse = (sum(sign * gain > 0 for gain in gains.values()) for sign in (1, -1))
    return SituationTest(better, worse, len(gains) - better - worse, sign_test(better, worse) if gains else None)


def positions_to_read(items: ItemComparison) -> set[Position]:
    """The exchanges in which the first changes show, to be read from both runs."""
    found = (change.failing_position for change in items.changes[:MOST_BESIDE])
    return {position for position in found if position is not None}


def put_side_by_side(items: ItemComparison, base: Iterable[Result], candidate: Iterable[Result]) -> ItemComparison:
    """The comparison with what both runs said where a change shows; of each run the results that were wanted."""
    ours, theirs = (_by_position(results) for results in (base, candidate))
    return replace(items, changes=tuple(_with_responses(change, ours, theirs) for change in items.changes))


def _by_position(results: Iterable[Result]) -> dict[Position, Result]:
    found = {}
    for result in results:
        exchange = result.exchange
        found[exchange.cell.scenario_id, exchange.cell.repeat, exchange.turn] = result
    return found


def _with_responses(
    change: ItemChange, ours: Mapping[Position, Result], theirs: Mapping[Position, Result]
) -> ItemChange:
    position = change.failing_position
    if position is None:
        return change
    own = change.candidate.found if change.change == "lost" else change.base.found
    known = None if own is None else own.shown
    before, now = (_shown(results.get(position), change.candidate.id) for results in (ours, theirs))
    # What the failure stands on was kept when it was counted.
    lost = change.change == "lost"
    return replace(change, before=before if lost else known, now=known if lost else now)


def _shown(result: Result | None, item: str) -> Shown | None:
    answers = () if result is None else result.expectations
    answer = next((each for each in answers if each.id == item), None)
    if result is None or answer is None:
        return None
    exchange = result.exchange
    text = exchange.response[:LONGEST_RESPONSE]
    return Shown(exchange.cell.repeat, exchange.turn, answer, exchange.user_input, text)


def name_items(items: Sequence[HeldItem]) -> str:
    """Each item with its scenario, the first ones by name."""
    named = [str(item) for item in items[:NAMED]]
    return ", ".join([*named, *([f"{len(items) - NAMED} more"] if len(items) > NAMED else [])])


def describe_lost(items: ItemComparison | None, held_in: str) -> str:
    """The critical items that were lost, as a sentence; empty without any. `held_in` names the base."""
    lost = () if items is None else items.lost_critical
    if not lost:
        return ""
    fail = "fails" if len(lost) == 1 else "fail"
    named = name_items([change.candidate for change in lost])
    return f"{numbers.times(len(lost), 'critical expectation')} that held in {held_in} {fail}: {named}"


def item_faults(items: ItemComparison | None, base: str) -> Iterator[str]:
    """Why the no-regression gate is shut: critical items that were lost, or of which nobody can tell any more."""
    if lost := describe_lost(items, base):
        yield lost
    if items is not None and items.not_shown:
        count = numbers.times(len(items.not_shown), "critical expectation")
        verb = "is" if len(items.not_shown) == 1 else "are"
        yield f"{count} that held in {base} {verb} not shown: {name_items(items.not_shown)}"


def fault_of_not_asked(
    base: Sequence[HeldItem] | None, scenarios: Iterable[Scenario], candidate: Sequence[HeldItem] | None, held_in: str
) -> Iterator[str]:
    """Why the gate is shut where nobody answers what the base held: critical items that the candidate's scenarios have.

    `candidate` are the items that were asked there; `held_in` names the base.
    """
    asked = {item.place for item in candidate or ()}
    wanted = {(each.id, item.id, item.turn) for each in scenarios for item in each.expect if item.critical} - asked
    lacking = [item for item in base or () if item.holding and item.place in wanted]
    if lacking:
        were = "was" if len(lacking) == 1 else "were"
        count = numbers.times(len(lacking), "critical expectation")
        yield f"{count} that held in {held_in} {were} not asked: have both runs answer the same expectations"
