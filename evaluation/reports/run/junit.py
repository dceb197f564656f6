"""junit.xml: a run, a comparison or a night as test cases, for whatever shows test results in a pipeline."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from evaluation.comparison.gate import RegressionResult
from evaluation.decision.gate import GateResult
from evaluation.nightly.alarm import NightGate
from evaluation.records import Result, Scenario, Source
from evaluation.reports import numbers
from evaluation.reports.safe_text import clip
from evaluation.statistics.clusters import average
from evaluation.suites.suite import Suite

LONGEST = 400
"""Columns of a name or message."""


@dataclass(frozen=True, slots=True)
class Case:
    """One test case. At most one of `failure` (measured, and not good enough) and `error` (not measured) is given."""

    group: str
    name: str
    failure: str = ""
    error: str = ""
    seconds: float = 0.0


def junit_xml(cases: Mapping[str, Sequence[Case]]) -> str:
    """The document: test suite -> its cases. Text from outside is one line, without what XML cannot hold."""
    root = Element("testsuites", _counts([case for part in cases.values() for case in part]))
    for name, part in cases.items():
        suite = SubElement(root, "testsuite", {"name": clip(name, LONGEST), **_counts(part)})
        for case in part:
            shown = {"classname": clip(case.group, LONGEST), "name": clip(case.name, LONGEST)}
            element = SubElement(suite, "testcase", {**shown, "time": f"{case.seconds:.3f}"})
            for kind, message in (("failure", case.failure), ("error", case.error)):
                if message:
                    SubElement(element, kind, {"message": clip(message, LONGEST)})
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _counts(cases: Sequence[Case]) -> dict[str, str]:
    return {
        "tests": str(len(cases)),
        "failures": str(sum(bool(case.failure) for case in cases)),
        "errors": str(sum(bool(case.error) for case in cases)),
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }


class ScenarioCases:
    """A case per scenario, gathered while the results of a run pass by in plan order."""

    def __init__(self, suite: Suite, source: Source, scenarios: Sequence[Scenario], repeats: int) -> None:
        self._suite = suite
        self._source = source
        self._scenarios = scenarios
        self._repeats = repeats
        self._values: dict[str, dict[int, list[float]]] = {}
        self._problems: dict[str, list[str]] = {}
        self._seen: dict[str, int] = {}
        self._seconds: dict[str, float] = {}

    def watched(self, results: Iterable[Result]) -> Iterator[Result]:
        """The same results, noted."""
        for result in results:
            self._add(result)
            yield result

    def cases(self) -> list[Case]:
        """An error where an exchange has no score, a failure where the overall lies below the floor of the rubric."""
        return list(map(self._case, self._scenarios))

    def _add(self, result: Result) -> None:
        cell = result.exchange.cell
        name = cell.scenario_id
        outcome = result.exchange.outcome
        self._seen[name] = self._seen.get(name, 0) + 1
        self._seconds[name] = self._seconds.get(name, 0.0) + max(0.0, outcome.ended_at - outcome.started_at)
        value = result.values(self._source).get(self._suite.overall)
        if value is not None:
            self._values.setdefault(name, {}).setdefault(cell.repeat, []).append(value)
        elif result.state != "scored":
            why = "" if result.error is None else f": {result.error.kind}: {result.error.message}"
            self._problems.setdefault(name, []).append(
                f"repeat {cell.repeat} turn {result.exchange.turn} {result.state}{why}"
            )

    def _case(self, scenario: Scenario) -> Case:
        problems = list(self._problems.get(scenario.id, ()))
        planned = self._repeats * len(scenario.turns)
        missing = planned - self._seen.get(scenario.id, 0)
        if missing:
            problems.append(f"{missing} of {numbers.times(planned, 'exchange')} never played")
        error = "; ".join(problems)
        floor = None if self._suite.decision is None else self._suite.decision.floor
        cells = [average(values) for values in self._values.get(scenario.id, {}).values()]
        failure = ""
        if not error and floor is not None and cells and average(cells) < floor:
            shown, bound = numbers.beside(average(cells), floor)
            failure = f"{self._source} {self._suite.overall} {shown} < {bound}, the floor of the rubric"
        group = f"{self._suite.name}.{scenario.category}"
        return Case(group, scenario.id, failure, error, self._seconds.get(scenario.id, 0.0))


def gate_cases(result: GateResult | RegressionResult | NightGate | None) -> list[Case]:
    """A case per rule of a gate, and one for each further reason why it is shut; one that passes when it is open."""
    if result is None:
        return []
    if isinstance(result, GateResult):
        group = f"gate.{result.gate}"
        if result.passed:
            return [Case(group, reason) for reason in result.reasons]
        return [Case(group, reason.split(":")[0], failure=reason) for reason in result.reasons]
    if isinstance(result, NightGate):
        return _night_cases(result)
    return _regression_cases(result)


def _regression_cases(result: RegressionResult) -> list[Case]:
    group = "gate.no_regression"
    found = []
    told: set[str] = set()
    for check in result.checks:
        name = f"{check.metric} ({check.source})"
        reasons = [reason for reason in result.reasons if not check.passed and name in reason]
        told.update(reasons)
        failure = "" if check.passed else "; ".join(reasons) or f"{name} may be lower by more than {check.margin:g}"
        found.append(Case(group, f"{name} is not worse by {check.margin:g}", failure=failure))
    rest = [] if result.passed else [reason for reason in result.reasons if reason not in told]
    return [*found, *(Case(group, reason.split(":")[0], error=reason) for reason in rest)]


def _night_cases(result: NightGate) -> list[Case]:
    group = "gate.nightly"
    found = [Case(group, reason.split(":")[0], error=reason) for reason in result.reasons]
    for check in result.checks:
        name = f"{check.metric} ({check.source}) is not lower than the baseline"
        failure = f"lower by {-(check.difference or 0.0):.3f}, the margin is {check.margin:g}" if check.raised else ""
        found.append(Case(group, name, failure=failure))
    return found
