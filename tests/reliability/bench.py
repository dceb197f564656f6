"""The bench of a case: a folder of its own, the real commands, and what the same run gives undisturbed."""

import json
import re
import shlex
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from tests.reliability.gateway import Gateway
from tests.scripts.commands import Finished, lines, only_run, run, run_apart, started
from tests.scripts.forked import Forked

CONCURRENCY = 4
CANARIES = 20
LATEST = CONCURRENCY + (CONCURRENCY + CONCURRENCY // 4 + 1) + CANARIES
"""Calls that a sudden end may cost: those in flight, and one answer on its way to the disk for each open cell and each
canary, since these are asked beside the first cells."""
JOB = ("--prompt", "v3", "--limit", "10", "--concurrency", str(CONCURRENCY))
"""The run that is disturbed."""
MODULES = {"eval": "scripts.evaluate_prompts", "eval-chat": "scripts.evaluate_chat_flow"}
_GO_ON = re.compile(r'make (eval|eval-chat) ARGS="(--resume [^"]+)"')

Findings: TypeAlias = list[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Seen:
    """The fault as a user saw it."""

    code: int
    line: str


@dataclass(slots=True)
class Bench:
    """One case's own folder and endpoint."""

    folder: Path
    endpoint: Gateway
    quick: bool = False
    """True where one point in place of many will do."""
    prefix: Sequence[str] = ()
    """The words with which commands are started."""
    seen: Path | None = None
    """The folder of runs as this process sees it, where it is another."""

    @property
    def runs(self) -> Path:
        return self.folder / "runs"

    @contextmanager
    def again(self) -> Iterator["Bench"]:
        """Another bench of the same kind, for the next of several points."""
        with bench(self.endpoint.latency_s, quick=self.quick) as fresh:
            yield fresh

    def command(self, *arguments: str, module: str = "scripts.evaluate_prompts", **settings: str) -> Finished:
        """A command as its users start it, at the case's endpoint; in this process where quick is asked for."""
        given = {**self.endpoint.settings, **settings}
        if self.quick and not self.prefix:
            return run(*arguments, runs=self.runs, module=module, **given)
        return run_apart(*arguments, runs=self.runs, module=module, prefix=self.prefix, **given)

    def evaluate(self, *more: str, **settings: str) -> Finished:
        """The run that is disturbed, to its end."""
        return self.command(*JOB, *more, **settings)

    def injected(self, fault: Mapping[str, Any], *arguments: str, **settings: str) -> Finished:
        """An evaluation with a fault inside its own process."""
        given = {**self.endpoint.settings, "FAULT": json.dumps(fault), **settings}
        words = (MODULES["eval"], *(arguments or JOB))
        return run_apart(*words, runs=self.runs, module="tests.reliability.injected", prefix=self.prefix, **given)

    @contextmanager
    def started(
        self, *more: str, module: str = "scripts.evaluate_prompts", job: Sequence[str] = JOB, **settings: str
    ) -> Iterator[Forked]:
        """The run that is disturbed, in the background."""
        given = {**self.endpoint.settings, **settings}
        with started(*job, *more, runs=self.runs, module=module, **given) as process:
            yield process

    def wait_for_calls(self, process: Forked, count: int) -> None:
        """Until the endpoint has seen so many calls, or the process has ended."""
        while self.endpoint.calls < count and process.poll() is None:
            time.sleep(0.002)

    def results(self) -> int:
        """The number of results in the journal by now."""
        try:
            with closing(sqlite3.connect(f"file:{self.runs}/evals.db?mode=ro", uri=True)) as connection:
                found: int = connection.execute("SELECT count(*) FROM results").fetchone()[0]
                return found
        except sqlite3.Error:
            return 0

    def go_on(self, done: Finished | None, **settings: str) -> Finished:
        """Runs the command that was printed; `--resume last` where the process could print none."""
        arguments, module = ["--resume", "last"], MODULES["eval"]
        if done is not None:
            found = _GO_ON.search(" ".join((done.out + done.err).split()))
            assert found is not None, f"no command to go on with:\n{done.out}{done.err}"
            arguments, module = shlex.split(found[2]), MODULES[found[1]]
        return self.command(*arguments, module=module, **settings)

    def finish(self, done: Finished | None, *, repeated: int = 0, **settings: str) -> None:
        """Goes on to the end; nothing may be lost, doubled, or paid for twice beyond `repeated` calls."""
        self.endpoint.heal()
        again = self.go_on(done, **settings)
        assert again.code == 0, again.err + again.out
        self.check_whole(repeated=repeated)

    def check_whole(self, *, repeated: int = 0) -> None:
        """The one run says what it says undisturbed."""
        found = findings(only_run(self.seen or self.runs))
        assert found == undisturbed(), "the results differ from those of an undisturbed run"
        assert self.endpoint.repeated <= repeated, f"{self.endpoint.repeated} answered calls were asked again"


def findings(folder: Path) -> Findings:
    """The findings of a run, without ids and times."""
    return [
        (line["scenario_id"], line["repeat"], line["turn"], line["state"], line["response"], str(line["scores"]))
        for line in lines(folder)
    ]


@cache
def undisturbed() -> Findings:
    """The same run, with no fault."""
    with bench(quick=True) as quiet:
        done = quiet.evaluate("--quiet")
        assert done.code == 0, done.err
        assert quiet.endpoint.repeated == 0
        return findings(only_run(quiet.runs))


@contextmanager
def bench(latency_s: float = 0.0, *, quick: bool = False) -> Iterator[Bench]:
    """A folder and an endpoint that listens; both go when the block ends."""
    with tempfile.TemporaryDirectory() as folder, Gateway(latency_s).listening() as endpoint:
        yield Bench(Path(folder), endpoint, quick)


def line_with(words: str, done: Finished) -> str:
    """The line of the output that holds the words; lines that were wrapped are joined first."""
    texts = [re.sub(r"\s+", " ", part).strip() for part in _paragraphs((done.err + done.out).splitlines())]
    found = next((text for text in texts if words in text), None)
    assert found is not None, f"{words!r} is not in the output:\n{done.err}{done.out}"
    return found


def _paragraphs(given: Sequence[str]) -> list[str]:
    """Lines, each with the indented or wrapped ones that go on with it."""
    found: list[str] = []
    for line in given:
        if found and line.startswith("    ") and found[-1]:
            found[-1] += " " + line.strip()
        else:
            found.append(line)
    return found
