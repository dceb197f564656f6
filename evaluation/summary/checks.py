"""The checks of a run: where one failed, where one cannot tell, and how steadily each case passes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from evaluation.records import Json, Result, Scenario
from evaluation.suites.suite import Suite
from evaluation.summary.repeated_checks import RepeatedChecks, repeated_checks


@dataclass(frozen=True, slots=True)
class CaseChecks:
    """One exchange and the checks that ended alike on it."""

    scenario_id: str
    repeat: int
    turn: int
    user_input: str
    checks: Mapping[str, str]
    """Check -> the evidence, in the order of every table."""

    def to_json(self) -> dict[str, Json]:
        """Without the message, which is the user's."""
        return {name: value for name, value in asdict(self).items() if name != "user_input"}


@dataclass(frozen=True, slots=True)
class CheckFigures:
    """What the checks of a run say; empty where nothing is checked."""

    cases: int = 0
    """Exchanges on which at least one check applied."""
    failed: tuple[CaseChecks, ...] = ()
    """Exchanges on which a check failed, in plan order."""
    open: tuple[CaseChecks, ...] = ()
    """Exchanges on which a check cannot tell, in plan order: they never count as passed."""
    repeated: RepeatedChecks | None = None
    """How reliably each case passes; None where nothing is checked more than once."""
    critical: tuple[str, ...] = ()
    """Checks of which one that fails holds a version back."""

    @property
    def critical_failures(self) -> tuple[CaseChecks, ...]:
        """The exchanges on which a critical check failed."""
        return self._critical_of(self.failed)

    @property
    def critical_doubts(self) -> tuple[CaseChecks, ...]:
        """The exchanges on which a critical check cannot tell."""
        return self._critical_of(self.open)

    def _critical_of(self, cases: Iterable[CaseChecks]) -> tuple[CaseChecks, ...]:
        return tuple(each for each in cases if not each.checks.keys().isdisjoint(self.critical))

    def to_json(self) -> dict[str, Json]:
        """The fields of summary.json on them."""
        return {
            "failed_checks": [each.to_json() for each in self.failed],
            "open_checks": [each.to_json() for each in self.open],
            "repeated_checks": None if self.repeated is None else self.repeated.to_json(),
            "checked": self.cases,
        }


NO_CHECKS = CheckFigures()


class CheckTally:
    """Takes in the checks of each result, in any order. The overall sums them up, and is no check of its own."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._cases = 0
        self._failed: list[tuple[int, CaseChecks]] = []
        self._open: list[tuple[int, CaseChecks]] = []
        self._passed: dict[str, list[bool]] = {}

    def add(self, result: Result, slot: int) -> None:
        """`slot` is the exchange's place in the plan."""
        checks = [each for each in result.scores if each.source == "check" and each.metric != self._suite.overall]
        applied = [each for each in checks if each.applicable and each.value is not None]
        failed = {each.metric: each.explanation for each in applied if each.value == 0}
        doubts = {each.metric: each.reason for each in checks if each.applicable and each.value is None}
        self._cases += bool(applied)
        exchange, cell = result.exchange, result.exchange.cell
        if applied:
            self._passed.setdefault(cell.scenario_id, []).append(not failed and not doubts)
        for found, kept in ((failed, self._failed), (doubts, self._open)):
            if found:
                case = CaseChecks(cell.scenario_id, cell.repeat, exchange.turn, exchange.user_input, found)
                kept.append((slot, case))

    def measure(self, scenarios: Iterable[Scenario]) -> CheckFigures:
        """The figures, cases in the order of these scenarios."""
        rule = self._suite.checks_rule
        return CheckFigures(
            cases=self._cases,
            failed=_in_plan_order(self._failed),
            open=_in_plan_order(self._open),
            repeated=repeated_checks({each.id: self._passed[each.id] for each in scenarios if each.id in self._passed}),
            critical=() if rule is None else rule.critical,
        )


def _in_plan_order(found: Sequence[tuple[int, CaseChecks]]) -> tuple[CaseChecks, ...]:
    return tuple(case for _, case in sorted(found, key=lambda entry: entry[0]))
