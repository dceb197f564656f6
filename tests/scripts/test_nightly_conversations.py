"""A night whose judge is asked about whole conversations, through the real commands."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.scripts.commands import Finished, run
from tests.scripts.judges import Judging, settings
from tests.scripts.nights import chat
from tests.services.scripted_endpoint import scripted_endpoint

SCENARIOS = "category: continuity\nscenarios:\n" + "\n".join(
    f"- {{id: talk-{number}, turns: ['My dog number {number} is Biscuit.', 'Who is my dog?']}}" for number in range(3)
)
SHOWN = "conversations as a whole, by the judge"


class Machine:
    """One machine without Langfuse, a night of which is the baseline."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.url = folder, url
        (folder / "own.yaml").write_text(SCENARIOS, encoding="utf-8")
        self.night()
        approved = self.command("scripts.approve_baseline", "last", "--allow-rehearsal")
        assert approved.code == 0, approved.err

    def command(self, module: str, *arguments: str, **more: str) -> Finished:
        environment = {"EVAL_BASELINES_DIR": str(self.folder / "baselines"), **settings(self.url), **more}
        return run(*arguments, runs=self.folder, module=module, **environment)

    def night(self, *arguments: str, **more: str) -> Finished:
        own = ("--scenarios", str(self.folder / "own.yaml"), "--no-canaries", "--no-latest", "--notify-always")
        return self.command("scripts.nightly", *own, *arguments, **more)

    def answer(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "nightly" / "latest" / "night.json").read_text())
        return found


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    with scripted_endpoint(Judging(noise=0.0)) as server:
        yield Machine(tmp_path, server.url)


def test_a_night_pairs_conversations_with_those_of_its_baseline_wherever_it_is_read(machine: Machine) -> None:
    with chat() as hook:
        done = machine.night(EVAL_WEBHOOK_URL=hook.address)
    assert "conversations: memory 0.000" in done.out, done.err + done.out
    ending = machine.answer()["conversations"]["ending"]
    assert (ending["difference"], ending["role"], ending["scenarios"]) == (0.0, "descriptive", 3)
    summary = (machine.folder / "nightly" / "latest" / "summary.md").read_text(encoding="utf-8")
    assert SHOWN in summary
    assert "conversations: " in json.dumps(hook.bodies[0]) and "ending 0.000" in json.dumps(hook.bodies[0])


def test_a_baseline_of_an_earlier_version_says_that_no_conversation_is_compared(machine: Machine) -> None:
    (path,) = (machine.folder / "baselines").iterdir()
    value = json.loads(path.read_text(encoding="utf-8"))
    del value["conversations"]
    path.write_text(json.dumps(value), encoding="utf-8")
    done = machine.night()
    assert machine.answer()["conversations"] is None and "conversations: memory" not in done.out
    said = "the baseline holds no scores of whole conversations: none is compared until a new one is approved"
    assert said in " ".join(done.out.split())


def test_the_scores_of_another_judge_are_not_compared(machine: Machine) -> None:
    done = machine.night("--judge-samples", "2")
    assert machine.answer()["conversations"] is None
    said = "another judge scored the baseline's whole conversations: they are not compared"
    assert said in " ".join(done.out.split()), done.err
