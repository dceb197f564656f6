"""The process ends in mid-run, or its clock does not run as clocks do."""

import calendar
import random
import signal
import time
from collections.abc import Callable
from typing import Any

from tests.langfuse_double.double import LangfuseDouble
from tests.reliability.bench import JOB, LATEST, Bench, Seen, line_with
from tests.reliability.case import IN_FLIGHT_AGAIN, Case
from tests.scripts.commands import Finished, only_run
from tests.scripts.test_with_langfuse import assert_all_there_once, keys, publish, synced_later
from tests.services.scripted_endpoint import Answer

SEED = 8
IN_FLIGHT, IN_COMMITS, IN_DELIVERY = 8, 8, 4
"""Of twenty points: while calls are open, inside commits of the journal, while Langfuse is sent to."""
KILLED = -signal.SIGKILL
NOTHING_TO_SEE = "(nothing: the process is gone)"


def _killed_in_flight(bench: Bench) -> Seen:
    """From outside, once the endpoint has seen so many calls."""
    points = random.Random(SEED).sample(range(6, 48), IN_FLIGHT)
    for count in points[:1] if bench.quick else points:
        with bench.again() as fresh:
            with fresh.started() as process:
                fresh.wait_for_calls(process, count)
                process.kill()
                assert process.wait() == KILLED, "it had ended before it was killed"
            _go_on_after_kill(fresh)
    return Seen(KILLED, NOTHING_TO_SEE)


def _killed_in_commits(bench: Bench) -> Seen:
    """From inside: before, during or after a COMMIT of SQLite."""
    drawn = random.Random(SEED + 1)
    points = [
        {"commit": drawn.randint(3, 40), "when": when, "wait_s": drawn.random() * 0.001}
        for when in ("before", "during", "during", "after")
        for _ in range(IN_COMMITS // 4)
    ]
    for plan in points[2:3] if bench.quick else points:
        _kill_at_commit(bench, plan)
    return Seen(KILLED, NOTHING_TO_SEE)


def _kill_at_commit(bench: Bench, plan: dict[str, Any]) -> None:
    """At that commit, or at an earlier one where the run came through with fewer: how many there are varies."""
    for commit in (plan["commit"], max(1, plan["commit"] // 2), 1):
        with bench.again() as fresh:
            done = fresh.injected({"kill": {**plan, "commit": commit}})
            assert done.code in (KILLED, 0), done.err
            if done.code == KILLED:
                _go_on_after_kill(fresh)
                return
    raise AssertionError(f"no commit of the run was killed: {plan}")


def _go_on_after_kill(bench: Bench) -> None:
    """Resumes; where not even the run was written down there is nothing to go on with, and the run is started."""
    if "-v3-" in bench.command("list", module="scripts.manage_runs").out:
        bench.finish(None, repeated=LATEST)
    else:
        done = bench.evaluate()
        assert done.code == 0, done.err
        bench.check_whole(repeated=LATEST)


def _killed_in_delivery(bench: Bench) -> Seen:
    """From inside, at a commit that follows an answer of Langfuse, and from outside while Langfuse answers."""
    drawn = random.Random(SEED + 2)
    points = [drawn.randint(1, 6) for _ in range(IN_DELIVERY)]
    for number in points[:1] if bench.quick else points:
        with bench.again() as fresh, LangfuseDouble() as langfuse:
            _deliver_and_kill(fresh, langfuse, number)
    return Seen(KILLED, NOTHING_TO_SEE)


def _deliver_and_kill(bench: Bench, langfuse: LangfuseDouble, number: int) -> None:
    publish(langfuse, bench.folder / "publishing")
    stored = langfuse.spans if number % 2 else langfuse.scores
    with bench.started(**keys(langfuse)) as process:
        while len(stored()) < number and process.poll() is None:
            time.sleep(0.001)
        process.kill()
        assert process.wait() == KILLED, "it had ended before it was killed"
    resumed = bench.go_on(None, **keys(langfuse), EVAL_DELIVERY_SECONDS="2")
    # Spans of unknown outcome are looked up a minute later; the clock of this delivery jumps over it.
    assert resumed.code in (0, 3), resumed.err
    synced_later(langfuse, bench.runs)
    assert_all_there_once(langfuse, only_run(bench.runs))
    done = bench.go_on(None, **keys(langfuse))
    assert done.code == 0, done.err
    assert bench.endpoint.repeated <= LATEST


def _signalled(number: signal.Signals) -> Callable[[Bench], Seen]:
    def story(bench: Bench) -> Seen:
        with bench.started() as process:
            bench.wait_for_calls(process, 34)
            process.send_signal(number)
            out, err = process.communicate(timeout=30)
        done = Finished(process.returncode, out, err)
        assert "Traceback" not in err
        line = line_with("--resume", done)
        bench.finish(done)
        return Seen(done.code, line)

    return story


def _signalled_twice(bench: Bench) -> Seen:
    """The first signal waits for calls that hang; the second does not."""
    bench.endpoint.instead = lambda number: Answer(hang=True) if number >= 5 else None
    with bench.started("--no-canaries") as process:
        bench.wait_for_calls(process, 6)
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=8)
    done = Finished(process.returncode, out, err)
    assert "Traceback" not in err
    line = line_with("--resume", done)
    bench.finish(done, repeated=LATEST)
    return Seen(done.code, line)


def _clock(jumps: Callable[[], list[tuple[int, float]]]) -> Callable[[Bench], Seen]:
    """The run ends as ever; times in its files never run backwards."""

    def story(bench: Bench) -> Seen:
        done = bench.injected({"clock": jumps()}, *JOB, "--no-canaries")
        bench.check_whole()
        return Seen(done.code, line_with("coverage: 100%", done))

    return story


def _to_midnight() -> list[tuple[int, float]]:
    """The day ends while the run goes on."""
    now = time.time()
    today = time.gmtime(now)
    last_second = calendar.timegm((today.tm_year, today.tm_mon, today.tm_mday, 23, 59, 59))
    return [(1, last_second + 0.6 - now)]


PROCESS_CASES = (
    Case(
        *("kill-in-flight", f"kill -9 at {IN_FLIGHT} random points while calls are open", "from outside"),
        *(KILLED, "", _killed_in_flight),
        latency_s=0.02,
        quick=True,
        lost=IN_FLIGHT_AGAIN,
    ),
    Case(
        *("kill-in-commits", f"kill -9 at {IN_COMMITS} random commits of the journal", "before, during, after COMMIT"),
        *(KILLED, "", _killed_in_commits),
        quick=True,
        lost=IN_FLIGHT_AGAIN,
    ),
    Case(
        *("kill-in-delivery", f"kill -9 at {IN_DELIVERY} random points of the delivery", "while Langfuse is sent to"),
        *(KILLED, "", _killed_in_delivery),
        lost=IN_FLIGHT_AGAIN,
    ),
    Case("sigterm", "SIGTERM", "from outside, at call 34", 130, "--resume", _signalled(signal.SIGTERM), 0.03),
    Case("sigint", "Ctrl-C (SIGINT)", "from outside, at call 34", 130, "--resume", _signalled(signal.SIGINT), 0.03),
    Case(
        *("sigint-twice", "Ctrl-C twice, calls hanging", "from outside, at call 6", 130, "--resume", _signalled_twice),
        lost=IN_FLIGHT_AGAIN,
    ),
    Case(
        *("clock-forward", "the clock jumps a day ahead", "time.time(), 40th reading", 0, "coverage: 100%"),
        _clock(lambda: [(40, 86_400.0)]),
    ),
    Case(
        *("clock-backward", "the clock jumps an hour back", "time.time(), 40th reading", 0, "coverage: 100%"),
        _clock(lambda: [(40, -3_600.0)]),
    ),
    Case(
        *("midnight", "midnight UTC in mid-run", "time.time(), 0.4 s before midnight", 0, "coverage: 100%"),
        _clock(_to_midnight),
        latency_s=0.05,
    ),
)
