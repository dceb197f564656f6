"""How reliably each case passes its checks when it is repeated: pass^k, case by case and on average."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import fsum

from evaluation.records import Json
from evaluation.statistics.pass_hat import pass_hat


@dataclass(frozen=True, slots=True)
class RepeatedCase:
    """One case over its repeats."""

    scenario_id: str
    repeats: int
    """Those in which a check applied."""
    passed: int
    """Those in which all that applied passed."""

    @property
    def pass_hat(self) -> Mapping[int, float]:
        """k -> the estimate of pass^k, for each k that there are repeats for."""
        return {k: pass_hat(self.repeats, self.passed, k) for k in range(1, self.repeats + 1)}


@dataclass(frozen=True, slots=True)
class RepeatedChecks:
    """The cases of a run, each played more than once."""

    cases: tuple[RepeatedCase, ...]

    @property
    def pass_hat(self) -> Mapping[int, float]:
        """k -> the mean of the cases with at least k repeats."""
        most = max(case.repeats for case in self.cases)
        return {k: _mean(case.pass_hat[k] for case in self.cases if case.repeats >= k) for k in range(1, most + 1)}

    @property
    def unsteady(self) -> tuple[RepeatedCase, ...]:
        """The cases that pass in some repeats and not in others."""
        return tuple(case for case in self.cases if 0 < case.passed < case.repeats)

    def to_json(self) -> dict[str, Json]:
        """As summary.json has it; k is a text there."""
        return {
            "pass_hat": _by_text(self.pass_hat),
            "cases": [
                {
                    "scenario_id": case.scenario_id,
                    "repeats": case.repeats,
                    "passed": case.passed,
                    "pass_hat": _by_text(case.pass_hat),
                }
                for case in self.cases
            ],
        }


def repeated_checks(outcomes: Mapping[str, list[bool]]) -> RepeatedChecks | None:
    """From the outcomes of each case, one per repeat; None where no case has two."""
    cases = tuple(RepeatedCase(name, len(passed), sum(passed)) for name, passed in outcomes.items())
    return RepeatedChecks(cases) if any(case.repeats > 1 for case in cases) else None


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return fsum(found) / len(found)


def _by_text(values: Mapping[int, float]) -> dict[str, Json]:
    return {str(k): value for k, value in values.items()}
