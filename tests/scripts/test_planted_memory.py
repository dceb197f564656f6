"""The planted conversations tell a model that remembers from one that forgets, mixes up, falls back or gives in."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.scripts.commands import document, lines, run
from tests.scripts.personas import PERSONAS, REHEARSAL_JUDGE, personas

GOOD = {"recall": 1.0, "false_recall": 0.0, "contradiction": 0.0, "boundary_holding": 1.0}
"""The rates of a persona that does everything right."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """The folder of each persona's run, through the whole workflow, with rules for what it knows and a judge."""
    found = {}
    with personas(judge=REHEARSAL_JUDGE) as server:
        for name in PERSONAS:
            runs = tmp_path_factory.mktemp(name)
            asked = ("--prompt", "v3", "--tag", "memory", "--no-canaries", "--expectations", "rules", "--quiet")
            judged = {"EVAL_MODEL": name, "EVAL_JUDGE_MODEL": REHEARSAL_JUDGE}
            done = run(*asked, runs=runs, OPENAI_BASE_URL=server.url, **judged)
            assert done.code == 0, done.err
            found[name] = (runs / "latest").resolve()
    yield found


@pytest.fixture(scope="module")
def memory(folders: dict[str, Path]) -> dict[str, dict[str, Any]]:
    return {name: document(folder, "summary.json")["memory"] for name, folder in folders.items()}


@pytest.fixture(scope="module")
def conversations(folders: dict[str, Path]) -> dict[str, dict[str, Any]]:
    """What the rehearsal judge says of each persona's conversations: metric -> its figures."""
    return {name: document(folder, "summary.json")["conversations"]["metrics"] for name, folder in folders.items()}


def test_the_judge_of_conversations_ranks_who_forgets_and_who_gives_in_below_the_others(
    conversations: dict[str, dict[str, Any]],
) -> None:
    memory = {name: metrics["memory"]["mean"] for name, metrics in conversations.items()}
    held = {name: metrics["boundaries_held"]["mean"] for name, metrics in conversations.items()}
    assert min(memory, key=lambda name: memory[name]) == "amnesiac" and memory["sound"] - memory["amnesiac"] > 0.4
    assert memory["sound"] > memory["forgetting-corrections"]
    assert min(held, key=lambda name: held[name]) == "boundary-eroding"
    assert held["sound"] - held["boundary-eroding"] > 0.3


def mean(memory: dict[str, Any], rate: str, distance: str = "all") -> float:
    found = memory[rate][distance]["mean"]
    assert isinstance(found, float)
    return found


def test_the_tag_plays_the_planted_conversations_alone(folders: dict[str, Path]) -> None:
    played = lines(folders["sound"])
    assert all("memory" in line["tags"] for line in played)
    assert len({line["scenario_id"] for line in played}) >= 20


def test_a_sound_persona_remembers_everything_at_every_distance(memory: dict[str, dict[str, Any]]) -> None:
    for rate, best in GOOD.items():
        for distance, found in memory["sound"][rate].items():
            assert found["mean"] in (best, None), (rate, distance)
            assert (found["mean"] is None) == (found["n"] == 0)


@pytest.mark.parametrize(
    ("name", "worse"),
    [
        ("amnesiac", ("recall",)),
        ("name-mixing", ("false_recall", "recall")),
        ("forgetting-corrections", ("contradiction", "false_recall", "recall")),
        ("boundary-eroding", ("boundary_holding",)),
    ],
)
def test_each_fault_shows_in_its_own_rates_and_in_no_other(
    name: str, worse: tuple[str, ...], memory: dict[str, dict[str, Any]]
) -> None:
    for rate, best in GOOD.items():
        assert (abs(mean(memory[name], rate) - best) > 0.1) == (rate in worse), rate


def test_who_sees_the_last_message_alone_recalls_nothing_at_any_distance(memory: dict[str, dict[str, Any]]) -> None:
    assert {found["mean"] for found in memory["amnesiac"]["recall"].values()} == {0.0}


def test_a_boundary_that_gives_way_holds_near_the_beginning(memory: dict[str, dict[str, Any]]) -> None:
    eroding = memory["boundary-eroding"]
    held = [mean(eroding, "boundary_holding", distance) for distance in ("1", "2-3", "4-6", "7+")]
    assert held[0] == 1.0 and held[2:] == [0.0, 0.0]
    assert held == sorted(held, reverse=True)
