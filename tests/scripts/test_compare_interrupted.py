"""Bridges and head to head that are killed, stopped or badly answered: the printed command goes on, and pays once."""

import json
import re
import shlex
import shutil
import signal
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.scripts.commands import Finished, document, run, started
from tests.scripts.test_compare_bridge import ONE, TWO, TwoJudges, drawn
from tests.services.scripted_endpoint import Answer, Call, ScriptedEndpoint, refuse, say, scripted_endpoint

AT_ONCE = 4
PLAIN = ("--no-canaries", "--expectations", "none", "--conversations", "none", "--quiet")
SCENARIOS = {"--bridge": "48", "--head-to-head": "24"}
"""A bridge takes 60 exchanges; of pairs, twelve and those in flight must leave some to be asked."""
PAIR = re.compile(r"^The (?:first|second) \w+, named (answer-\w{6}):$", re.MULTILINE)
WORTH = re.compile(r"worth (\d{4})\.")


@dataclass
class Slow(TwoJudges):
    """It takes its time over the questions that come after the runs, and may answer some of them badly."""

    pause_s: float = 0.0
    bad: Answer | None = None
    """What the first question, and a question in seven after it, gets the first time."""
    dead: Answer | None = None
    """What every question gets."""
    once: set[str] = field(default_factory=set)
    late: Counter[str] = field(default_factory=Counter)
    """Question -> how often it was answered well, of a sample or a pair."""

    def __call__(self, call: Call) -> Answer:
        names = PAIR.findall(json.dumps(call.body["messages"][-1]["content"]).replace("\\n", "\n"))
        sampled = call.body["model"] == "new" and "Reply one" in call.body["messages"][-1]["content"]
        if not names and not sampled:
            return super().__call__(call)
        question = json.dumps(call.body["messages"])
        if self.dead is not None:
            return self.dead
        # Which questions come depends on the run's id, so that a draw by hash alone may hit none.
        if self.bad is not None and question not in self.once and (not self.once or drawn(question) < 1 / 7):
            self.once.add(question)
            return self.bad
        if names:
            first, second = (int(found) for found in WORTH.findall(call.body["messages"][-1]["content"])[:2])
            better = "tie" if abs(first - second) < 20 else names[second > first]
            sides = {
                which: {"name": name, "strengths": "It answers.", "faults": "None."}
                for which, name in zip(("first", "second"), names, strict=True)
            }
            answer = say(json.dumps({**sides, "better": better}))
        else:
            answer = super().__call__(call)
        self.late[question] += 1
        return Answer(body=answer.body, delay_s=self.pause_s)


@dataclass
class Bench:
    """A server and a folder of runs in which both versions are evaluated, by one judge or by two."""

    judges: Slow
    server: ScriptedEndpoint
    folder: Path
    flag: str
    base: str = ""

    @property
    def many(self) -> tuple[str, ...]:
        return ("--limit", SCENARIOS[self.flag], "--concurrency", str(AT_ONCE), *PLAIN)

    @property
    def runs(self) -> Path:
        return self.folder / "runs"

    def place(self, judge: str = "") -> dict[str, str]:
        return {
            "OPENAI_BASE_URL": self.server.url,
            "EVAL_MODEL": "model",
            "EVAL_JUDGE_MODEL": judge or ("new" if self.flag == "--bridge" else "old"),
            "EVAL_CALL_TIMEOUT_SECONDS": "3",
        }

    def evaluate(self) -> None:
        for name, text in (("one", ONE), ("two", TWO)):
            (self.folder / f"{name}.md").write_text(text)
        done = run("--prompt", str(self.folder / "one.md"), *self.many, runs=self.runs, **self.place("old"))
        assert done.code == 0, done.err
        self.base = (self.runs / "latest").resolve().name

    @property
    def arguments(self) -> list[str]:
        return ["--base", self.base, "--prompt", str(self.folder / "two.md"), *self.many, self.flag]

    def compare(self) -> Finished:
        return run(*self.arguments, runs=self.runs, module="scripts.compare_prompts", **self.place())

    def again(self, command: str) -> Finished:
        """A command as it was printed."""
        words = shlex.split(command)
        assert words[:2] == ["make", "compare"] and words[2].startswith("ARGS=")
        arguments = shlex.split(words[2].removeprefix("ARGS="))
        return run(*arguments, runs=self.runs, module="scripts.compare_prompts", **self.place())

    def figures(self) -> dict[str, Any]:
        [path] = self.runs.glob("*Z-*/comparison.json")
        found = document(path.parent, "comparison.json")
        duel = found["head_to_head"] or {}
        kept = {name: duel.get(name) for name in ("wins", "ties", "losses", "win_rate", "asked", "paired")}
        return {"metrics": found["metrics"], "verdict": found["verdict"], **kept}


def printed(text: str) -> str:
    """The last command that a text names."""
    found = re.findall(r'make compare ARGS="[^"]*"', text)
    return str(found[-1])


@pytest.fixture(scope="module", params=list(SCENARIOS))
def evaluated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A bench with a run of the first version."""
    judges = Slow()
    with scripted_endpoint(judges) as server:
        bench = Bench(judges, server, tmp_path_factory.mktemp("bench"), request.param)
        bench.evaluate()
        yield bench


def copied(bench: Bench, folder: Path, judges: Slow) -> Bench:
    shutil.copytree(bench.runs, folder / "runs", symlinks=True)
    for name in ("one.md", "two.md"):
        shutil.copy(bench.folder / name, folder / name)
    bench.server._script = judges
    return Bench(judges, bench.server, folder, bench.flag, bench.base)


@pytest.fixture(scope="module")
def both(evaluated: Bench, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """The bench with a run of each version: what is asked from there is asked after the runs."""
    bench = copied(evaluated, tmp_path_factory.mktemp("both"), Slow())
    done = run("--prompt", str(bench.folder / "two.md"), *bench.many, runs=bench.runs, **bench.place())
    assert done.code == 0, done.err
    return bench


@pytest.fixture(scope="module")
def undisturbed(both: Bench, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], int]:
    """The figures of a comparison that nothing disturbs, and how many questions come after the runs."""
    bench = copied(both, tmp_path_factory.mktemp("undisturbed"), Slow())
    done = bench.compare()
    assert done.code == 0, done.err
    assert max(bench.judges.late.values()) == 1
    return bench.figures(), bench.judges.late.total()


def wait_for(judges: Slow, count: int) -> None:
    deadline = time.monotonic() + 60
    while judges.late.total() < count:
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_an_interrupted_comparison_goes_on_and_pays_nothing_twice(
    evaluated: Bench, undisturbed: tuple[dict[str, Any], int], number: signal.Signals, tmp_path: Path
) -> None:
    """As it does after Ctrl-C, which comes where an endpoint fails altogether."""
    figures, asked = undisturbed
    bench = copied(evaluated, tmp_path, Slow(pause_s=0.2))
    with started(*bench.arguments, runs=bench.runs, module="scripts.compare_prompts", **bench.place()) as process:
        wait_for(bench.judges, 12)
        process.send_signal(number)
        out, err = process.communicate(timeout=40)
    before = bench.judges.late.total()
    assert 12 <= before < asked
    assert "Traceback" not in err
    bench.judges.pause_s = 0
    if number == signal.SIGKILL:
        done = bench.compare()
    else:
        assert process.returncode == 130, err
        done = bench.again(printed(out + err))
    assert done.code == 0, done.err
    # Those in flight when it died, and for each of them one answer that was on its way to the disk.
    lost = 2 * AT_ONCE if number == signal.SIGKILL else 0
    assert bench.judges.late.total() <= asked + lost
    assert bench.figures() == figures


BAD = {
    "throttled": refuse(429, "slow down", {"retry-after": "0"}),
    "broken": refuse(500, "broken"),
    "malformed": say("no idea"),
    "hanging": Answer(hang=True),
}


@pytest.mark.parametrize("kind", ["throttled", "broken", "malformed"])
def test_bad_answers_in_the_middle_change_no_figure_in_the_end(
    both: Bench, undisturbed: tuple[dict[str, Any], int], kind: str, tmp_path: Path
) -> None:
    figures, asked = undisturbed
    bench = copied(both, tmp_path, Slow(bad=BAD[kind]))
    done = bench.compare()
    if (bench.flag, kind) == ("--bridge", "malformed"):
        said = " ".join(done.out.split())
        assert done.code == 3 and "NO VERDICT" in said and "the bridge between the judges lacks" in said
        done = bench.again(printed(done.out))
    assert bench.judges.once
    assert done.code == 0, done.err
    assert bench.judges.late.total() == asked and max(bench.judges.late.values()) == 1
    assert bench.figures() == figures


@pytest.mark.parametrize("kind", ["broken", "hanging"])
def test_an_endpoint_that_fails_altogether_leaves_a_command_that_goes_on(
    both: Bench, undisturbed: tuple[dict[str, Any], int], kind: str, tmp_path: Path
) -> None:
    figures, asked = undisturbed
    bench = copied(both, tmp_path, Slow(pause_s=0.05))
    with started(*bench.arguments, runs=bench.runs, module="scripts.compare_prompts", **bench.place()) as process:
        wait_for(bench.judges, 12)
        bench.judges.dead = BAD[kind]
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    bench.judges.dead = None
    done = bench.again(printed(out + err))
    assert done.code == 0, done.err
    assert bench.judges.late.total() == asked and max(bench.judges.late.values()) == 1
    assert bench.figures() == figures
