"""What a stored run is held to when it is scored again: the expectations of today's scenario files and rubric."""

from collections.abc import Sequence
from dataclasses import replace

from evaluation.errors import EvaluationError
from evaluation.expectations.of_schema import expect_schema
from evaluation.records import Scenario
from evaluation.run import Run
from evaluation.suites import Suites
from evaluation.suites.loaded import LoadedSuite
from evaluation.text import numbers
from scripts.run.load import load_sets
from scripts.run.suites import find_suite
from scripts.shell import note
from services.settings import Settings


def with_items_of_today(
    run: Run, loaded: LoadedSuite, suites: Suites, settings: Settings, *, quiet: bool
) -> tuple[Scenario, ...]:
    """The scenarios that a run played, each with what is expected there today.

    One whose words are others by now, or that is gone, keeps what was expected when it was played, as all do whose
    files cannot be read, or under another suite. A line says so, and how many scenarios are held to something else.
    """
    if loaded.suite.name != run.spec.suite:
        return run.scenarios
    try:
        definition = find_suite(run.request.suite, suites, settings)
        today = load_sets(run.request, definition, loaded.rubric, settings)
    except EvaluationError as error:
        note(f"expectations are those that the run was played with, as today's cannot be read: {error}")
        return run.scenarios
    found, kept = _replace_items(run.scenarios, expect_schema(today, run.spec.parameters))
    others = sum(new.expect != old.expect for new, old in zip(found, run.scenarios, strict=True))
    if others and not quiet:
        note(f"expectations are those of today: others than were played with in {numbers.times(others, 'scenario')}")
    if kept and not quiet:
        were = "is not written as it was" if kept == 1 else "are not written as they were"
        note(f"{numbers.times(kept, 'scenario')} {were} played: the expectations of then stay")
    return found


def _replace_items(played: Sequence[Scenario], today: Sequence[Scenario]) -> tuple[tuple[Scenario, ...], int]:
    """The scenarios as played, with the items of the same words today; and how many have no such words."""
    by_id = {scenario.id: scenario for scenario in today}
    found = []
    kept = 0
    for scenario in played:
        now = by_id.get(scenario.id)
        same = now is not None and _words(now) == _words(scenario)
        kept += not same
        found.append(replace(scenario, expect=now.expect) if now is not None and same else scenario)
    return tuple(found), kept


def _words(scenario: Scenario) -> tuple[object, ...]:
    """All that a reply answers."""
    return scenario.turns, scenario.history, scenario.audience, scenario.data, scenario.tools
