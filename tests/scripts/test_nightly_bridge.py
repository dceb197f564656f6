"""Nights whose judge is another than that of their baseline: a sample of the baseline is judged again."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.rehearsal.options import RehearsalOptions
from tests.langfuse_double import LangfuseDouble
from tests.scripts.commands import Finished
from tests.scripts.nights import Place, free_port

OTHER = ("--judge-samples", "2")
"""Another judge: two samples at a temperature in the place of one verdict."""


def words(done: Finished) -> str:
    return " ".join(done.out.split())


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """v3 in production, and a night of it approved."""
    with LangfuseDouble() as langfuse:
        place = Place(tmp_path_factory.mktemp("bridge") / "machine", langfuse, free_port())
        assert place.command("scripts.push_prompts", "--yes").code == 0
        place.move_label(3)
        place.settings["LANGFUSE_TRACING_ENABLED"] = "false"
        place.night()
        approved = place.command("scripts.approve_baseline", place.answer()["runs"]["production"])
        assert approved.code == 0, approved.err
        yield place


@pytest.fixture
def place(watched: Place, tmp_path: Path) -> Place:
    return watched.copied(tmp_path / "machine")


def sampled_runs(place: Place) -> list[dict[str, object]]:
    """The specifications of the runs that judged the baseline again."""
    found = [json.loads((path / "manifest.json").read_text()) for path in place.runs.glob("*-rescored-*")]
    return [each for each in found if each["parent_run_id"]]


def test_another_judge_is_bridged_once_and_the_night_says_so(place: Place) -> None:
    done = place.night(None, *OTHER)
    assert done.code == 0, done.err + done.out
    assert "PRODUCTION HOLDS" in done.out
    assert "the baseline is carried over to another judge" in words(done)
    assert len(sampled_runs(place)) == 1
    answer = place.answer()
    assert answer["state"] == "ok"
    overall = answer["gate"]["checks"][0]
    assert overall["ci95"] is not None and overall["ci95"][0] <= 0 <= overall["ci95"][1]
    again = place.night(None, *OTHER)
    assert again.code == 0 and len(sampled_runs(place)) == 1  # the same sample, which nobody is asked about again


def test_a_drift_raises_the_alarm_through_the_bridge(place: Place) -> None:
    done = place.night(RehearsalOptions(forgetful=1.0), *OTHER)
    assert done.code == 1, done.err + done.out
    answer = place.answer()
    assert answer["state"] == "alarm" and "ALARM" in done.out
    assert answer["gate"]["checks"][0]["raised"]


def test_without_the_baselines_run_another_judge_is_refused(place: Place) -> None:
    for path in place.runs.glob("evals.db*"):
        path.unlink()
    done = place.night(None, *OTHER)
    assert done.code == 2 and place.answer()["state"] == "refused"
    assert "the judge changed" in done.err and "cannot be carried over" in done.err


def test_what_else_changed_with_the_judge_is_refused(place: Place) -> None:
    done = place.night(None, *OTHER, "--seed", "5")
    assert done.code == 2 and "the judge and the seed changed" in done.err
    assert sampled_runs(place) == []


def test_a_sample_can_be_priced_before_it_is_judged(place: Place) -> None:
    run_id = json.loads(next((place.folder / "baselines").glob("*.json")).read_text())["run_id"]
    with place.model() as endpoint:
        arguments = (run_id, "--sample", "60", *OTHER, "--dry-run", "--no-canaries", "--expectations", "none")
        done = place.command("scripts.rescore_run", *arguments, **endpoint.settings)
    assert done.code == 0, done.err
    assert "0 to generate" in done.out and "to judge" in done.out
    assert sampled_runs(place) == []
