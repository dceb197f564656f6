"""The application that the chat flow suite evaluates dies in mid-run."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.reliability.bench import MODULES, Bench, Seen, findings, line_with
from tests.reliability.case import IN_FLIGHT_AGAIN, Case
from tests.scripts.commands import ROOT, Finished, only_run

FLOWS = ("--concurrency", "2", "--no-judge")
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)")


@contextmanager
def _assistant(port: int = 0) -> Iterator[tuple[int, "subprocess.Popen[str]"]]:
    """The sample assistant as a process of its own; gives its port."""
    command = [sys.executable, "-m", "examples.recipe_assistant", "--port", str(port), "--exit-with-stdin"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        found = ADDRESS.search(process.stdout.readline())
        assert found is not None
        try:
            yield int(found[1]), process
        finally:
            process.stdin.close()
            process.kill()


def _scored(bench: Bench) -> list[tuple[object, ...]]:
    """Without the responses, which hold the ids of their traces."""
    return [(*each[:4], each[-1]) for each in findings(only_run(bench.runs))]


def _dies(bench: Bench) -> Seen:
    """Killed while flows are open, and started again before going on."""
    module = MODULES["eval-chat"]
    with _assistant() as (port, assistant):
        url = {"CHAT_FLOW_URL": f"http://127.0.0.1:{port}", "OPENAI_BASE_URL": "", "EVAL_MODEL": ""}
        with bench.again() as calm:
            assert calm.command(*FLOWS, module=module, **url).code == 0
            expected = _scored(calm)
        with bench.started(job=FLOWS, module=module, **url) as process:
            while bench.results() < 5 and process.poll() is None:
                pass
            assistant.kill()
            assistant.wait()
            out, err = process.communicate(timeout=60)
    done = Finished(process.returncode, out, err)
    line = line_with("error: ", done)
    with _assistant(port):
        again = bench.go_on(done, **url)
    assert again.code == 0, again.err
    assert _scored(bench) == expected
    return Seen(done.code, line)


APPLICATION_CASES = (
    Case(
        *("application-dies", "the application of eval-chat dies in mid-run", "kill -9 of its process", 2),
        *("cannot be reached", _dies),
        lost=IN_FLIGHT_AGAIN,
    ),
)
