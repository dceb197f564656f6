"""A night in which a critical expectation fails that held in the baseline, through the real commands."""

import json
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.scripts.commands import Finished, run
from tests.scripts.nights import chat
from tests.scripts.test_compare_items import HELP, NONE, RUBRIC, scenarios
from tests.services.scripted_endpoint import Answer, Call, say, scripted_endpoint


@dataclass
class Model:
    """Names help every time, or, where it slips, not on the nights of these numbers."""

    slips: tuple[str, ...] = ()

    def __call__(self, call: Call) -> Answer:
        said = str(call.body["messages"][-1]["content"])
        return say(NONE if said in {f"I cannot go on {number}." for number in self.slips} else HELP)


@dataclass(frozen=True)
class Machine:
    """One machine without Langfuse; its model answers at `url`."""

    runs: Path
    url: str

    def command(self, module: str, *arguments: str, **more: str) -> Finished:
        settings = {"OPENAI_BASE_URL": self.url, "EVAL_MODEL": "model", **more}
        baselines = str(self.runs / "baselines")
        return run(*arguments, runs=self.runs, module=module, EVAL_BASELINES_DIR=baselines, **settings)

    def night(self, *, items: str = "", **more: str) -> Finished:
        """`items` are added to the expectations of every scenario."""
        own, rubric = self.runs / "own.yaml", self.runs / "rubric.yaml"
        own.write_text(scenarios(items), encoding="utf-8")
        rubric.write_text(RUBRIC, encoding="utf-8")
        arguments = ("--scenarios", str(own), "--rubric", str(rubric), "--no-judge", "--no-latest", "--quiet")
        return self.command("scripts.nightly", *arguments, **more)

    def approve(self) -> Finished:
        return self.command("scripts.approve_baseline", "last")

    def answer(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "night.json").read_text(encoding="utf-8"))
        return found

    @property
    def folder(self) -> Path:
        return self.runs / "nightly" / "latest"


def words(done: Finished) -> str:
    return " ".join(done.out.split())


def test_a_lost_critical_expectation_is_named_with_its_response_wherever_the_night_is_read(tmp_path: Path) -> None:
    model = Model()
    with scripted_endpoint(model) as endpoint, chat() as hook:
        machine = Machine(tmp_path, endpoint.url)
        assert machine.night().code == 2, "no baseline yet"
        assert "no alarm will be raised" not in machine.approve().out
        assert machine.night().code == 0
        model.slips = ("3",)
        done = machine.night(EVAL_WEBHOOK_URL=hook.address)
    assert done.code == 1, done.err + done.out
    said = "in production fails 1 critical expectation that held in its baseline: names-help in night-3"
    line = "critical: names-help in night-3 held in the baseline and fails"
    assert "ALARM: PRODUCTION IS WORSE" in done.out and said in words(done) and line in words(done)
    answer = machine.answer()
    assert (answer["state"], answer["exit_code"]) == ("alarm", 1)
    assert said in answer["headline"] and answer["reasons"][0].startswith(line) and NONE in answer["reasons"][0]
    (lost,) = answer["gate"]["lost"]
    assert (lost["id"], lost["scenario_id"], lost["candidate"]["response"]) == ("names-help", "night-3", NONE)
    summary = (machine.folder / "summary.md").read_text(encoding="utf-8")
    assert NONE in summary and "lost, critical" in summary
    cases = ElementTree.parse(machine.folder / "junit.xml").getroot().iter("testcase")
    failed = {case.get("name") for case in cases if case.find("failure") is not None}
    assert "night-3: names-help holds as in the baseline" in failed
    message = json.dumps(hook.bodies[0], ensure_ascii=False)
    assert said in message and NONE in message


def test_what_fails_in_the_baseline_is_known_and_said_when_it_is_approved(tmp_path: Path) -> None:
    model = Model(slips=("3",))
    with scripted_endpoint(model) as endpoint:
        machine = Machine(tmp_path, endpoint.url)
        machine.night()
        approved = machine.approve()
        known = machine.night()
        model.slips = ("3", "4")
        worse = machine.night()
    assert approved.code == 0, approved.err
    assert (
        "no alarm will be raised for what fails in it: 1 critical expectation fails: names-help in night-3"
        in approved.out
    )
    assert known.code == 0, known.err + known.out
    assert "1 critical expectation fails in production, none of them lost since the baseline" in words(known)
    assert worse.code == 1
    assert [each["scenario_id"] for each in machine.answer()["gate"]["lost"]] == ["night-4"]


def test_a_baseline_under_other_expectations_is_held_on_those_that_both_have(tmp_path: Path) -> None:
    model, items = Model(), ", {id: asks, check: question, critical: true}"
    with scripted_endpoint(model) as endpoint:
        machine = Machine(tmp_path, endpoint.url)
        machine.night()
        assert machine.approve().code == 0
        calm = machine.night(items=items)
        model.slips = ("3",)
        lost = machine.night(items=items)
    assert (calm.code, lost.code) == (0, 1), calm.err + calm.out
    assert "the baseline was made under other expectations: those that both have are compared" in words(calm)
    assert [each["id"] for each in machine.answer()["gate"]["lost"]] == ["names-help"]


def test_a_baseline_of_an_earlier_version_says_that_no_expectation_is_watched(tmp_path: Path) -> None:
    model = Model()
    with scripted_endpoint(model) as endpoint:
        machine = Machine(tmp_path, endpoint.url)
        machine.night()
        assert machine.approve().code == 0
        path = tmp_path / "baselines" / "penpal-companion.json"
        value = json.loads(path.read_text(encoding="utf-8"))
        del value["items"]
        path.write_text(json.dumps(value), encoding="utf-8")
        model.slips = ("3",)
        done = machine.night()
    assert machine.answer()["gate"]["lost"] == []
    assert "the baseline holds no answers to expectations: none is watched until a new one is approved" in words(done)
