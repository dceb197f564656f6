"""Nights over several prompts: each by itself, one answer over all; and nights that go on elsewhere from files."""

import json
import shutil
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from services.rehearsal.options import RehearsalOptions
from tests.scripts.commands import ROOT, Finished, Server, run, server, started
from tests.scripts.nights import chat, free_port
from tests.scripts.test_interruption import wait_for_calls

FEW = ("--limit", "12", "--no-judge", "--no-latest", "--quiet")
BOTH = ("--prompt", "penpal-companion@production", "--prompt", "coach@production")

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Machine:
    """A folder with prompts, baselines and runs, and the port on which the model answers."""

    folder: Path
    port: int

    @property
    def runs(self) -> Path:
        return self.folder / "runs"

    @property
    def settings(self) -> dict[str, str]:
        return {
            "EVAL_PROMPTS_DIR": str(self.folder / "prompts"),
            "EVAL_BASELINES_DIR": str(self.folder / "baselines"),
        }

    @contextmanager
    def model(self, **options: Any) -> Iterator[Server]:
        with server(replace(RehearsalOptions(**options), port=self.port)) as endpoint:
            yield endpoint

    def command(self, endpoint: Server, module: str, *arguments: str, **more: str) -> Finished:
        return run(*arguments, runs=self.runs, module=module, **self.settings, **endpoint.settings, **more)

    def night(self, *arguments: str, **more: str) -> Finished:
        with self.model() as endpoint:
            return self.command(endpoint, "scripts.nightly", *FEW, *arguments, **more)

    def label(self, prompt: str, version: int) -> None:
        (self.folder / "prompts" / prompt / "labels.yaml").write_text(f"production: {version}\n")

    def newest(self) -> dict[str, Any]:
        """nights.json of the newest night over several prompts."""
        path = max(self.runs.glob("nightly/2*-all/nights.json"))
        found: dict[str, Any] = json.loads(path.read_text())
        return found

    def measured(self) -> dict[str, Any]:
        """What was found of each prompt, without the names that differ from night to night."""
        found = {}
        for reference, night in self.newest()["of_prompts"].items():
            whole = json.loads((self.runs / "nightly" / night["night_id"] / "night.json").read_text())
            found[reference] = (
                whole["state"],
                whole["overall"],
                whole["difference"],
                whole["gate"],
                whole["exit_code"],
            )
        return found

    def elsewhere(self, folder: Path) -> "Machine":
        """Another machine with the same files."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Machine(folder, self.port)


@pytest.fixture(scope="module")
def approved(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """Two prompts with a baseline each, v3 of the shipped one under two names."""
    machine = Machine(tmp_path_factory.mktemp("several") / "machine", free_port())
    for name in ("penpal-companion", "coach", "tutor"):
        shutil.copytree(ROOT / "prompts" / "penpal-companion", machine.folder / "prompts" / name)
        machine.label(name, 3)
    for path in (machine.folder / "prompts" / "coach").glob("v*.md"):
        path.write_text(f"{path.read_text()}\nBe the coach.\n")  # so that no call of one is a call of the other
    with machine.model() as endpoint:
        asked = ("--no-judge", "--limit", "12", "--quiet", "--no-cache")
        assert machine.command(endpoint, "scripts.evaluate_prompts", *BOTH, *asked).code == 0
        for folder in sorted(machine.runs.glob("2*")):
            done = machine.command(endpoint, "scripts.approve_baseline", folder.name)
            assert done.code == 0, done.err
    assert {path.stem for path in (machine.folder / "baselines").iterdir()} == {"penpal-companion", "coach"}
    return machine


@pytest.fixture
def machine(approved: Machine, tmp_path: Path) -> Machine:
    return approved.elsewhere(tmp_path / "machine")


def words(done: Finished) -> str:
    return " ".join(done.out.split())


def test_each_is_held_against_its_own_baseline_and_one_answer_names_them_all(machine: Machine) -> None:
    machine.label("coach", 1)
    with chat() as hook:
        done = machine.night(
            *BOTH, "--prompt", "tutor@production", "--prompt", "gone@production", EVAL_WEBHOOK_URL=hook.address
        )
    assert done.code == 2, done.err + done.out
    found = machine.newest()
    states = {reference: night["state"] for reference, night in found["of_prompts"].items()}
    assert states == {
        "penpal-companion@production": "ok",
        "coach@production": "alarm",
        "tutor@production": "no_baseline",
        "gone@production": "failed",
    }
    assert found == json.loads((machine.runs / "nightly" / "latest" / "nights.json").read_text())
    assert found["exit_code"] == 2 and found["state"] == "ended"
    assert "4 prompts watched: 1 in alarm, 1 failed, 1 without a baseline, 1 holding" in words(done)
    assert "coach v1 in production is worse than its baseline" in words(done)
    assert "together at most 0.6 false alarms in 30 unchanged nights" in words(done)
    assert "error: gone@production: " in done.err
    folder = machine.runs / "nightly" / "latest"
    assert "## ALARM" in (folder / "summary.md").read_text()
    cases = ElementTree.parse(folder / "junit.xml").getroot()
    assert (cases.get("tests"), cases.get("failures"), cases.get("errors")) == ("4", "1", "2")
    for night in found["of_prompts"].values():
        assert (machine.runs / "nightly" / night["night_id"] / "summary.md").is_file()
    (message,) = hook.bodies
    assert "ALARM" in message["text"] and "4 prompts watched" in message["text"]
    said = message["blocks"][1]["text"]["text"]
    assert all(name in said for name in ("coach", "tutor", "gone")) and "penpal-companion v3" not in said


def test_the_setting_names_them_too_and_one_that_is_named_twice_is_refused(machine: Machine) -> None:
    done = machine.night(EVAL_NIGHTLY_PROMPTS="penpal-companion, coach@production")
    assert done.code == 0, done.err + done.out
    assert machine.newest()["prompts"] == ["penpal-companion@production", "coach@production"]
    assert "PRODUCTION HOLDS" in done.out
    twice = machine.night(*BOTH, "--prompt", "coach@v1")
    assert twice.code == 2 and "prompt 'coach' is named twice" in twice.err
    file = machine.night("--prompt", "./prompts/coach/v1.md")
    assert file.code == 2 and "name and label" in file.err


def test_one_cost_limit_holds_for_all(machine: Machine) -> None:
    prices = machine.folder / "prices.yaml"
    prices.write_text("as_of: 2026-11-01\nmodels:\n  rehearsal: {input: 0, output: 10000}\n")
    with machine.model() as endpoint:
        arguments = (*FEW, *BOTH, "--concurrency", "1", "--prices", str(prices), "--max-cost")
        nothing = machine.command(endpoint, "scripts.nightly", *arguments, "0.1")
        assert (
            nothing.code == 3
            and "coach@production: the cost limit of 0.1 USD is spent on the prompts before it" in nothing.err
        )
        done = machine.command(endpoint, "scripts.nightly", *arguments, "15")
        assert done.code != 0, done.err + done.out
        first, second = machine.newest()["of_prompts"].values()
        assert first["state"] == "ok" and second["state"] in ("incomplete", "unmeasured"), done.out
        assert 10 < sum(costs(machine, first, second)) <= 15
        report = (machine.runs / "nightly" / second["night_id"] / "summary.md").read_text()
        assert "the limit of 15 USD is one for the 2 prompts of this night" in report
        enough = machine.command(endpoint, "scripts.nightly", *arguments, "1000")
        assert enough.code == 0, enough.err + enough.out
        assert endpoint.stats()["repeated_after_answer"] == 0
    assert [night["night_id"] for night in machine.newest()["of_prompts"].values()] == [
        first["night_id"],
        second["night_id"],
    ]


def costs(machine: Machine, *nights: dict[str, Any]) -> list[float]:
    """Of each run of the nights, US dollars."""
    runs = [run_id for night in nights for run_id in night["runs"].values()]
    found = [json.loads((machine.runs / run_id / "summary.json").read_text()) for run_id in runs]
    return [summary["cost_usd"] for summary in found]


def killed(machine: Machine, endpoint: Server, calls: int, *arguments: str) -> None:
    """A night that is killed when the model was called so often."""
    settings = {**machine.settings, **endpoint.settings}
    with started(*FEW, *arguments, runs=machine.runs, module="scripts.nightly", **settings) as process:
        wait_for_calls(endpoint, process, calls)
        process.kill()
        process.wait()


def archived(machine: Machine, folder: Path) -> Machine:
    """Another machine that has the killed one's runs as an archive gives them back.

    Links are folders, hidden files are missing, the permissions are the usual ones, and the journal's log is torn.
    """
    shutil.copytree(machine.folder, folder, ignore=shutil.ignore_patterns(".*"), copy_function=shutil.copyfile)
    log = folder / "runs" / "evals.db-wal"
    assert log.stat().st_size > 0, "what was answered last is in the log alone"
    with log.open("ab") as file:
        file.write(log.read_bytes()[32:1000])
    return Machine(folder, machine.port)


def test_a_killed_night_goes_on_from_its_files_on_another_machine(machine: Machine, tmp_path: Path) -> None:
    with machine.model() as endpoint:
        undisturbed = machine.elsewhere(tmp_path / "undisturbed")
        assert undisturbed.command(endpoint, "scripts.nightly", *FEW, *BOTH).code == 0
        calls = endpoint.stats()["completions"]
    with machine.model(latency_ms=60) as endpoint:
        killed(machine, endpoint, calls * 3 // 4, *BOTH, "--concurrency", "4")
    (before,) = [json.loads(path.read_text()) for path in machine.runs.glob("nightly/2*-all/nights.json")]
    assert before["state"] == "running" and len(before["nights"]) == 2, "it died in the night of the second prompt"
    other = archived(machine, tmp_path / "elsewhere" / "job")
    shutil.rmtree(machine.folder)
    with other.model() as endpoint:
        done = other.command(endpoint, "scripts.nightly", "--quiet", "--resume", "last")
        assert done.code == 0, done.err + done.out
        asked = endpoint.stats()["completions"]
        again = other.command(endpoint, "scripts.nightly", "--quiet", "--resume", "last")
    # Those in flight when it died, and their answers on the way to the disk.
    assert asked <= calls - calls * 3 // 4 + 8
    assert other.newest()["nights"] == before["nights"]
    assert other.measured() == undisturbed.measured()
    assert again.code == 2 and "has ended, and nothing of it is left to do" in again.err


def test_a_night_of_one_prompt_is_gone_on_with_as_it_was_begun(machine: Machine, tmp_path: Path) -> None:
    with machine.model(latency_ms=60) as endpoint:
        killed(machine, endpoint, 10, "--prompt", "coach@production", "--concurrency", "2")
    (night,) = machine.runs.glob("nightly/2*/night.json")
    other = archived(machine, tmp_path / "elsewhere")
    with other.model() as endpoint:
        changed = other.command(endpoint, "scripts.nightly", "--resume", "last", "--limit", "3")
        assert changed.code == 2 and "limit: cannot change on --resume" in changed.err
        missing = other.command(endpoint, "scripts.nightly", "--resume", "20200101T000000Z")
        assert missing.code == 2 and "there is no such night" in missing.err
        done = other.command(endpoint, "scripts.nightly", "--quiet", "--resume", night.parent.name)
        assert done.code == 0, done.err + done.out
    assert "coach v3 in production holds" in words(done)
    for path in machine.runs.glob("evals.db*"):
        path.unlink()
    lost = machine.night("--resume", "last")
    assert lost.code == 2 and "lacks run" in lost.err and "put the runs folder of the night there" in lost.err
