"""junit.xml: a run, a comparison or a night as test cases, for whatever shows test results in a pipeline."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.comparison.gate import RegressionResult
from evaluation.decision.gate import GateResult
from evaluation.nightly.alarm import NightGate
from evaluation.nightly.production import NOT_WATCHED, ProductionWatch
from evaluation.records import Result, Scenario, Source, of_turn
from evaluation.statistics.clusters import average
from evaluation.suites.suite import Suite
from evaluation.summary.expectations import Critical
from evaluation.summary.item_standing import Place, Standing
from evaluation.text import numbers
from evaluation.text.safe_text import clip

LONGEST = 400
"""Columns of a name or message."""
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


@dataclass(frozen=True, slots=True)
class JunitCase:
    """One test case. At most one of `failure` (measured, and not good enough) and `error` (not measured) is given."""

    group: str
    name: str
    failure: str = ""
    error: str = ""
    seconds: float = 0.0


def junit_xml(cases: Mapping[str, Sequence[JunitCase]]) -> str:
    """The document: test suite -> its cases. Text from outside is one line, without what XML cannot hold."""
    return "".join(f"{line}\n" for line in _lines(cases))


def _lines(cases: Mapping[str, Sequence[JunitCase]]) -> Iterator[str]:
    """Line by line: a tree of elements would take ten times the text."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f"<testsuites{_attributes(_counts([case for part in cases.values() for case in part]))}>"
    for name, part in cases.items():
        yield f"  <testsuite{_attributes({'name': clip(name, LONGEST), **_counts(part)})}{'>' if part else ' />'}"
        for case in part:
            yield from _case_lines(case)
        if part:
            yield "  </testsuite>"
    yield "</testsuites>"


def _case_lines(case: JunitCase) -> Iterator[str]:
    shown = {"classname": clip(case.group, LONGEST), "name": clip(case.name, LONGEST), "time": f"{case.seconds:.3f}"}
    said = [(kind, text) for kind, text in (("failure", case.failure), ("error", case.error)) if text]
    yield f"    <testcase{_attributes(shown)}{'>' if said else ' />'}"
    for kind, message in said:
        yield f"      <{kind}{_attributes({'message': clip(message, LONGEST)})} />"
    if said:
        yield "    </testcase>"


def _attributes(values: Mapping[str, str]) -> str:
    return "".join(f' {name}="{value.translate(_ESCAPES)}"' for name, value in values.items())


def _counts(cases: Sequence[JunitCase]) -> dict[str, str]:
    return {
        "tests": str(len(cases)),
        "failures": str(sum(bool(case.failure) for case in cases)),
        "errors": str(sum(bool(case.error) for case in cases)),
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }


class ScenarioCases:
    """A case per scenario, made while the results of a run pass by in plan order: only one scenario's are kept."""

    def __init__(self, suite: Suite, source: Source, scenarios: Sequence[Scenario], repeats: int) -> None:
        self._suite = suite
        self._source = source
        self._repeats = repeats
        self._ahead = iter(scenarios)
        self._present = next(self._ahead, None)
        self._results = _ResultsOfOne()
        self._cases: list[JunitCase] = []
        self._groups = {each.category: f"{suite.name}.{each.category}" for each in scenarios}

    def watch(self, results: Iterable[Result]) -> Iterator[Result]:
        """The same results, noted."""
        for result in results:
            while self._present is not None and self._present.id != result.exchange.cell.scenario_id:
                self._conclude(self._present)
            self._results.add(result, result.values(self._source).get(self._suite.overall), self._suite.overall)
            yield result

    def cases(self) -> list[JunitCase]:
        """A case for each scenario.

        An error where an exchange has no score or a check cannot tell, a failure where a check fails or the overall is
        below the floor.

        They are handed over and not kept: asked for again, there are none.
        """
        while self._present is not None:
            self._conclude(self._present)
        made, self._cases = self._cases, []
        return made

    def _conclude(self, scenario: Scenario) -> None:
        """Makes the scenario's case and turns to the next one."""
        self._cases.append(self._case(scenario, self._results))
        self._present, self._results = next(self._ahead, None), _ResultsOfOne()

    def _case(self, scenario: Scenario, found: "_ResultsOfOne") -> JunitCase:
        problems = list(found.problems)
        planned = self._repeats * len(scenario.turns)
        if missing := planned - found.seen:
            problems.append(f"{missing} of {numbers.times(planned, 'exchange')} never played")
        error = "; ".join(problems)
        floor = None if self._suite.decision is None else self._suite.decision.floor
        cells = [average(values) for values in found.values.values()]
        failure = "" if error else "; ".join(found.failed)
        if not failure:
            error = "; ".join([*problems, *found.doubts])
        if not error and not failure and floor is not None and cells and average(cells) < floor:
            shown, bound = numbers.beside(average(cells), floor)
            failure = f"{self._source} {self._suite.overall} {shown} < {bound}, the floor of the rubric"
        return JunitCase(self._groups[scenario.category], scenario.id, failure, error, found.seconds)


@dataclass(slots=True)
class _ResultsOfOne:
    """Notes on one scenario's results."""

    seen: int = 0
    seconds: float = 0.0
    values: dict[int, list[float]] = field(default_factory=dict)
    """Repeat -> the overall of each turn that has one."""
    problems: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    """Checks that failed, each with its evidence."""
    doubts: list[str] = field(default_factory=list)
    """Checks that cannot tell, each with the reason."""

    def add(self, result: Result, value: float | None, overall: str) -> None:
        outcome, repeat = result.exchange.outcome, result.exchange.cell.repeat
        self.seen += 1
        self.seconds += max(0.0, outcome.ended_at - outcome.started_at)
        checks = [score for score in result.scores if score.source == "check" and score.metric != overall]
        self.failed += [f"{score.metric}: {score.explanation}" for score in checks if score.value == 0]
        self.doubts += [
            f"{score.metric}: {score.reason}" for score in checks if score.value is None and score.applicable
        ]
        if value is not None:
            self.values.setdefault(repeat, []).append(value)
        elif result.state != "scored":
            why = "" if result.error is None else f": {result.error.kind}: {result.error.message}"
            self.problems.append(f"repeat {repeat} turn {result.exchange.turn} {result.state}{why}")


HOW: Mapping[Standing, str] = {"fails": "fails", "sometimes": "fails in some repeats", "not_shown": "is not shown"}


def critical_cases(suite: str, critical: Critical) -> list[JunitCase]:
    """A case per critical expectation of a scenario: a failure where it fails, an error where nobody can tell."""
    group = f"{suite}.critical"
    cases = [JunitCase(group, _name(place)) for place in critical.holding]
    for each in critical.items:
        shown = "" if each.shown is None else each.shown.answer.quote or each.shown.answer.reason
        said = f"{HOW[each.standing]}: {each.item.question} {shown}"
        failure, error = (said, "") if each.fails else ("", said)
        cases.append(JunitCase(group, _name(each.place), failure, error))
    waived = (f"{_name(each.place)} (waived)" for each in critical.waived)
    return [*cases, *(JunitCase(group, name) for name in waived)]


def _name(place: Place) -> str:
    """Scenario and item, with its turn where it is of one: two cases of a group have no name in common."""
    scenario, item, turn = place
    return f"{scenario}: {item}{of_turn(turn)}"


def gate_cases(result: GateResult | RegressionResult | NightGate | None) -> list[JunitCase]:
    """A case per rule of a gate, and one for each further reason why it is shut; one that passes when it is open."""
    if result is None:
        return []
    if isinstance(result, GateResult):
        group = f"gate.{result.gate}"
        if result.passed:
            return [JunitCase(group, reason) for reason in result.reasons]
        return [JunitCase(group, reason.split(":")[0], failure=reason) for reason in result.reasons]
    if isinstance(result, NightGate):
        return _night_cases(result)
    return _regression_cases(result)


def _regression_cases(result: RegressionResult) -> list[JunitCase]:
    group = "gate.no_regression"
    found = []
    said: set[str] = set()
    for check in result.checks:
        name = f"{check.metric} ({check.source})"
        reasons = [reason for reason in result.reasons if not check.passed and name in reason]
        said.update(reasons)
        failure = "" if check.passed else "; ".join(reasons) or f"{name} may be lower by more than {check.margin:g}"
        found.append(JunitCase(group, f"{name} is not worse by {check.margin:g}", failure=failure))
    critical = [JunitCase(group, reason.split(":")[0], failure=reason) for reason in result.critical]
    said.update(result.critical)
    rest = [] if result.passed else [reason for reason in result.reasons if reason not in said]
    return [*critical, *found, *(JunitCase(group, reason.split(":")[0], error=reason) for reason in rest)]


def production_cases(watch: ProductionWatch | None) -> list[JunitCase]:
    """A case per metric of production's responses, or one that says why they were not watched."""
    if watch is None:
        return []
    group = "production"
    if watch.state in NOT_WATCHED:
        return [JunitCase(group, watch.state, error=watch.reason)]
    return [
        JunitCase(
            group,
            f"{check.metric} has not fallen by {check.margin:g}",
            failure=f"{check.metric} changed by {numbers.with_sign(check.difference)}" if check.raised else "",
        )
        for check in watch.checks
    ]


def _night_cases(result: NightGate) -> list[JunitCase]:
    group = "gate.nightly"
    found = [JunitCase(group, reason.split(":")[0], error=reason) for reason in result.reasons]
    for change in result.lost:
        name = f"{_name(change.candidate.place)} holds as in the baseline"
        answer = None if change.now is None else change.now.answer
        shown = "" if answer is None else answer.quote or answer.reason
        found.append(JunitCase(group, name, failure=f"fails: {change.question} {shown}".rstrip()))
    if result.critical and not result.lost:
        found.append(JunitCase(group, "no critical expectation is lost"))
    for check in result.checks:
        name = f"{check.metric} ({check.source}) is not lower than the baseline"
        failure = f"lower by {-(check.difference or 0.0):.3f}, the margin is {check.margin:g}" if check.raised else ""
        found.append(JunitCase(group, name, failure=failure))
    return found
