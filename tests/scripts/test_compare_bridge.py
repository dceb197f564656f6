"""Two versions that two judges scored, from the outside: refused, or carried over by a sample that is judged again."""

import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.scripts.commands import Finished, document, run
from tests.scripts.judges import verdict
from tests.services.scripted_endpoint import Answer, Call, ScriptedEndpoint, say, scripted_endpoint

ONE, TWO = "You are the first version.", "You are the second version."
SCENARIOS = 56
"""They have 88 exchanges; a bridge takes 60 in 20 situations."""
PRICES = (
    "as_of: 2026-01-01\nmodels:\n  model: {input: 0, output: 0}\n  old: {input: 0, output: 0}\n  new: {input: %s}\n"
)


def drawn(*texts: str) -> float:
    """From 0 to 1, by hash."""
    return int(hashlib.sha256("|".join(texts).encode()).hexdigest()[:8], 16) / 0xFFFFFFFF


@dataclass
class TwoJudges:
    """A model of two versions, and two judges: `old` sees the quality that a reply names, `new` less of it."""

    better: float = 0.0
    """By how much the second version is better."""
    asked: list[str] = field(default_factory=list)
    """The reply of each verdict of `new`."""

    def __call__(self, call: Call) -> Answer:
        messages = call.body["messages"]
        if call.body["model"] == "model":
            version = "two" if TWO in messages[0]["content"] else "one"
            user = messages[-1]["content"]
            worth = 0.4 + 0.2 * drawn(user) + 0.1 * drawn(version, user) + self.better * (version == "two")
            mark = drawn(version, json.dumps(messages))
            return say(f"Reply {version}, {mark:.6f}, worth {round(1000 * worth):04d}.")
        replies = re.findall(r"Reply \w+, [.\d]+, worth \d{4}\.", messages[-1]["content"])
        if not replies:
            return say(verdict(0.5))  # asked in which format it answers
        seen = int(replies[-1][-5:-1]) / 1000 + 0.05 * (drawn(call.body["model"], replies[-1]) - 0.5)
        if call.body["model"] == "new":
            self.asked.append(replies[-1])
            seen = 0.6 * seen + 0.05
        said = say(verdict(round(seen, 3)))
        usage = {"prompt_tokens": 1000, "completion_tokens": 0}
        return Answer(body={**said.body, "model": call.body["model"], "usage": usage})


class Bench:
    """A server, a folder of runs, and a run of the first version that the old judge scored."""

    def __init__(self, judges: TwoJudges, server: ScriptedEndpoint, folder: Path) -> None:
        self.judges, self.server, self.runs, self.folder = judges, server, folder / "runs", folder
        for name, text in (("one", ONE), ("two", TWO)):
            (folder / f"{name}.md").write_text(text)
        (folder / "prices.yaml").write_text(PRICES % "1000, output: 0")

    def started(self, *arguments: str, judge: str, module: str) -> Finished:
        plain = ("--expectations", "none", "--conversations", "none", "--no-canaries", "--quiet")
        place = {"OPENAI_BASE_URL": self.server.url, "EVAL_MODEL": "model", "EVAL_JUDGE_MODEL": judge}
        return run(*arguments, *plain, runs=self.runs, module=module, **place)

    def evaluate(self, name: str, judge: str = "old", limit: int = SCENARIOS) -> str:
        arguments = ("--prompt", str(self.folder / f"{name}.md"), "--limit", str(limit))
        done = self.started(*arguments, judge=judge, module="scripts.evaluate_prompts")
        assert done.code == 0, done.err
        return (self.runs / "latest").resolve().name

    def compare(self, base: str, *arguments: str, judge: str = "new", limit: int = SCENARIOS) -> Finished:
        sides = ("--base", base, "--prompt", str(self.folder / "two.md"), "--limit", str(limit))
        return self.started(*sides, *arguments, judge=judge, module="scripts.compare_prompts")

    def samples(self) -> list[Path]:
        return [path for path in self.runs.glob("*-rescored-*") if path.is_dir()]

    def found(self) -> dict[str, Any]:
        [path] = self.runs.glob("*Z-*/comparison.json")
        return document(path.parent, "comparison.json")


@dataclass
class Evaluated:
    """A run of the first version that the old judge scored, and the server that answered; each test has a copy."""

    server: ScriptedEndpoint
    runs: Path
    run_id: str

    def copied(self, judges: TwoJudges, folder: Path) -> Bench:
        """The server answers as `judges` from here on."""
        self.server._script = judges
        place = Bench(judges, self.server, folder)
        shutil.copytree(self.runs, place.runs, symlinks=True)
        return place


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evaluated]:
    with scripted_endpoint(TwoJudges()) as server:
        first = Bench(TwoJudges(), server, tmp_path_factory.mktemp("first"))
        yield Evaluated(server, first.runs, first.evaluate("one"))


def words(text: str) -> str:
    return " ".join(text.split())


def test_without_the_flag_two_judges_are_refused_and_the_flag_is_named(evaluated: Evaluated, tmp_path: Path) -> None:
    place, base = evaluated.copied(TwoJudges(), tmp_path), evaluated.run_id
    calls = len(place.server.calls)
    done = place.compare(base)
    assert done.code == 2
    assert "judge.model" in done.err and "--bridge" in done.err
    assert len([call for call in place.server.calls[calls:] if call.method == "POST"]) == 0


def test_a_base_is_carried_over_and_the_report_says_how(evaluated: Evaluated, tmp_path: Path) -> None:
    place, base = evaluated.copied(TwoJudges(better=0.1), tmp_path), evaluated.run_id
    planned = place.compare(base, "--bridge", "--dry-run", "--json")
    assert planned.code == 0, planned.err
    sampled = json.loads(planned.out)["bridge_calls"]
    held = document(place.runs / base, "summary.json")["counts"]["planned"]
    assert 60 <= sampled < held and not place.judges.asked
    estimate = place.compare(base, "--bridge", "--dry-run")
    assert f"{sampled} to judge a sample of the base again" in estimate.out
    done = place.compare(base, "--bridge", "--gate", "no_regression")
    found = place.found()
    bridge = found["bridge"]
    assert len(place.judges.asked) == sampled + place_exchanges(found)
    assert (bridge["before"], bridge["now"], bridge["exchanges"]) == ("old", "new", sampled)
    assert bridge["situations"] >= 20 and bridge["base_run_id"] == base
    assert found["verdict"] == "better"
    row = found["metrics"]["judge"]["overall_quality"]
    assert row["difference"] == pytest.approx(0.6 * 0.1, abs=0.02)
    assert 0 < row["ci95"][0] < row["difference"] < row["ci95"][1]
    assert row["bound"] is None and row["clusters"] == bridge["situations"]
    said = words(done.out)
    assert f"is carried over to another judge: {sampled} exchanges of it" in said
    assert "no bridge is needed against a run in which all of it is judged again" in said and "make rescore" in said
    assert found["base"]["digests"]["judge"] != found["candidate"]["digests"]["judge"]
    # As in a night: no bound, so that the gate stays shut, and says why.
    assert done.code == 1 and "a bridge gives no bound" in said
    assert all(len(line) <= 80 for line in done.out.splitlines() if "make " not in line and line[:1] != "/")
    page = next(place.runs.glob("*Z-*/comparison.html")).read_text()
    assert "is carried over to another judge" in words(page)
    assert (place.runs / "latest").resolve().name == found["candidate"]["run_id"]


def place_exchanges(found: dict[str, Any]) -> int:
    count: int = found["candidate"]["counts"]["planned"]
    return count


def test_the_same_command_asks_nothing_twice_and_says_the_same(evaluated: Evaluated, tmp_path: Path) -> None:
    place, base = evaluated.copied(TwoJudges(), tmp_path), evaluated.run_id
    assert place.compare(base, "--bridge").code == 0
    asked, before = len(place.server.calls), place.found()
    assert place.compare(base, "--bridge").code == 0
    assert len(place.server.calls) == asked and len(place.samples()) == 1
    assert place.found()["metrics"] == before["metrics"]
    assert place.compare("last", "--bridge").code == 2, "last is the candidate, which is compared with itself"


def test_the_command_that_needs_no_bridge_does_what_it_says(evaluated: Evaluated, tmp_path: Path) -> None:
    place, base = evaluated.copied(TwoJudges(better=0.1), tmp_path), evaluated.run_id
    assert place.compare(base, "--bridge").code == 0
    bridge, through = place.found()["bridge"], place.found()["overall"]
    command = bridge["instead"]["command"]
    assert command == f'make rescore RUN={base} ARGS="--judge-model new"'
    assert place.started(base, "--judge-model", "new", judge="new", module="scripts.rescore_run").code == 0
    [again] = [path.name for path in place.samples() if path.name != bridge["run_id"]]
    assert len(set(place.judges.asked)) == len(place.judges.asked), "what the sample holds is not judged twice"
    assert place.compare(again).code == 0
    whole = place.found()["overall"]
    assert place.found()["bridge"] is None
    assert whole["difference"] == pytest.approx(through["difference"], abs=0.02)


def test_too_little_for_a_bridge_is_said_before_any_call(tmp_path: Path) -> None:
    with scripted_endpoint(TwoJudges()) as server:
        place = Bench(TwoJudges(), server, tmp_path)
        base = place.evaluate("one", limit=12)
        calls = len(place.server.calls)
        done = place.compare(base, "--bridge", limit=12)
        assert done.code == 2
        summary = document(place.runs / base, "summary.json")
        missing = 60 - summary["counts"]["planned"]
        apart = 20 - summary["metrics"]["heuristic"]["overall_quality"]["clusters"]
        assert f"{missing} exchanges and {apart} situations of the 60 in 20 that it takes are missing" in words(
            done.err
        )
        assert "make rescore" in done.err
        assert not [call for call in place.server.calls[calls:] if call.method == "POST"]


def test_what_else_differs_is_refused_all_the_same(evaluated: Evaluated, tmp_path: Path) -> None:
    place, base = evaluated.copied(TwoJudges(), tmp_path), evaluated.run_id
    done = place.compare(base, "--bridge", "--seed", "5")
    assert done.code == 2 and "seed" in done.err and not place.judges.asked
    three = place.compare(base, "--bridge", "--prompt", str(tmp_path / "one.md"))
    assert three.code == 2 and "--bridge" in three.err
    turned = place.compare(str(tmp_path / "one.md"), "--bridge", "--prompt", base)
    assert turned.code == 2


def test_one_judge_needs_no_bridge(evaluated: Evaluated, tmp_path: Path) -> None:
    place, base = evaluated.copied(TwoJudges(), tmp_path), evaluated.run_id
    done = place.compare(base, "--bridge", judge="old")
    assert done.code == 0, done.err
    assert place.found()["bridge"] is None and not place.samples()


def test_a_form_of_its_own_is_another_judge(evaluated: Evaluated, tmp_path: Path) -> None:
    place, base = evaluated.copied(TwoJudges(), tmp_path), evaluated.run_id
    done = place.compare(base, "--bridge", "--judge-samples", "2", judge="old")
    assert done.code == 0, done.err
    bridge = place.found()["bridge"]
    assert (bridge["before"], bridge["now"]) == ("old (1 sample)", "old (2 samples)")
    page = next(place.runs.glob("*Z-*/comparison.html")).read_text()
    assert "judge old (1 sample)" in page and "judge old (2 samples)" in page
    assert "--judge-samples 2" in bridge["instead"]["command"]


def test_the_cost_limit_is_one_for_all_and_the_named_command_goes_on(evaluated: Evaluated, tmp_path: Path) -> None:
    place, base = evaluated.copied(TwoJudges(), tmp_path), evaluated.run_id
    prices = ("--prices", str(tmp_path / "prices.yaml"), "--bridge")
    held = document(place.runs / base, "summary.json")["counts"]["planned"]
    done = place.compare(base, *prices, "--max-cost", str(held + 30.5))
    assert done.code == 3, done.err
    assert "what was judged is kept" in done.err and f'make compare ARGS="--base {base} --prompt 20' in done.err
    assert held <= len(place.judges.asked) <= held + 30
    rest = place.compare(base, *prices)
    assert rest.code == 0, rest.err
    assert len(set(place.judges.asked)) == len(place.judges.asked) == held + place.found()["bridge"]["exchanges"]
    assert len(place.samples()) == 1
