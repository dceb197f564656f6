"""The data of the suite that `eval` plays without a flag: its rubric, its scenarios."""

from evaluation.errors import EvaluationError
from evaluation.request import EvaluationRequest
from evaluation.rubrics.rubric import Rubric
from evaluation.suites import SUITES
from evaluation.suites.loaded import LoadedSuite, build_suite, parse_sets
from evaluation.text.numbers import times
from scripts.checkup.check import Check, ok, unchecked, wrong
from scripts.run.criteria import find_criteria
from scripts.run.suites import find_suite
from scripts.run.texts import chosen_rubric, read_sets, rubric_of
from services.settings import Settings


def check_rubric(request: EvaluationRequest, settings: Settings) -> tuple[Check, LoadedSuite | None]:
    """The rubric, with the suite as it is scored by it; without one where it cannot be read."""
    try:
        definition = find_suite(request.suite, SUITES, settings)
        loaded = build_suite(definition, rubric_of(definition, chosen_rubric(request.suite, request.rubric, settings)))
    except EvaluationError as error:
        return wrong("rubric", str(error)), None
    own = loaded.rubric
    judged = "with a judge" if loaded.suite.judge is not None else "without a judge"
    return ok("rubric", f"{own.name} {own.version}, {times(len(own.weights), 'metric')}, {judged}"), loaded


def check_scenarios(request: EvaluationRequest, rubric: Rubric | None, settings: Settings) -> Check:
    """Every file of the sets, read and parsed."""
    if rubric is None:
        return unchecked("scenarios", "they are read under the rubric, which is wrong")
    try:
        definition = find_suite(request.suite, SUITES, settings)
        files = read_sets(request, definition, settings)
        scenarios = parse_sets(files, rubric, definition.parse, find_criteria())
    except EvaluationError as error:
        return wrong("scenarios", str(error))
    expected = sum(len(scenario.expect) for scenario in scenarios)
    critical = sum(item.critical for scenario in scenarios for item in scenario.expect)
    held = f"{times(expected, 'expectation')}, {critical} critical"
    return ok("scenarios", f"{times(len(scenarios), 'scenario')} in {times(len(files), 'file')}, {held}")
