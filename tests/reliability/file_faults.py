"""Faults of the disk, of the journal and of who else works with it."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from functools import partial

from tests.reliability.bench import CONCURRENCY, LATEST, Bench, Seen, findings, line_with, undisturbed
from tests.reliability.case import IN_FLIGHT_AGAIN, Case
from tests.reliability.small_disk import small_disk, why_not
from tests.scripts.commands import Finished, only_run
from tests.services.scripted_endpoint import Answer

MANAGE = "scripts.manage_runs"


def _disk_full(bench: Bench) -> Seen:
    """The disk fills up in mid-run; with space, the run goes on."""
    with small_disk(bench.runs, 420) as disk:
        bench.prefix = disk.prefix
        done = bench.evaluate("--no-canaries")
        line = line_with("error: ", done)
        disk.remount("size=64m")
        bench.seen = disk.seen
        bench.finish(done, repeated=LATEST)
    return Seen(done.code, line)


def _disk_full_at_the_end(bench: Bench) -> Seen:
    """All is answered, and the files of the run do not fit any more: on the smallest disk that holds the journal."""
    for kilobytes in range(800, 4_000, 200):
        with bench.again() as fresh, small_disk(fresh.runs, kilobytes) as disk:
            fresh.prefix = disk.prefix
            done = fresh.evaluate("--no-canaries")
            line = line_with("error: " if done.code else "coverage: 100%", done)
            if "evals.db" in line:
                continue
            disk.remount("size=64m")
            fresh.seen = disk.seen
            fresh.finish(done)
            return Seen(done.code, line)
    raise AssertionError("no disk was large enough for the journal")


def _read_only(bench: Bench) -> Seen:
    """The folder of runs may not be written; when it may be, the same command works."""
    with small_disk(bench.runs, 20_000) as disk:
        bench.prefix = disk.prefix
        disk.remount("ro")
        done = bench.evaluate()
        assert bench.endpoint.calls == 0
        disk.remount("rw")
        bench.seen = disk.seen
        again = bench.evaluate()
        assert again.code == 0, again.err
        bench.check_whole()
    return Seen(done.code, line_with("error: ", done))


def _stopped(bench: Bench, calls: int = 20) -> Finished:
    """A run that was refused from that call on: something to go on with."""
    bench.endpoint.instead = lambda number: Answer(401, {"error": {"message": "no"}}) if number >= calls else None
    done = bench.evaluate("--no-canaries")
    assert done.code == 2, done.err
    bench.endpoint.heal()
    return done


def _resumed_twice_at_once(bench: Bench) -> Seen:
    """One plays; the other is named the one that does."""
    done = _stopped(bench, calls=8)
    before = bench.endpoint.calls
    with bench.started("--resume", "last", job=()) as process:
        bench.wait_for_calls(process, before + 2)
        other = bench.go_on(done)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err + out
    bench.check_whole(repeated=CONCURRENCY)
    return Seen(other.code, line_with("error: ", other))


def _two_runs_at_once(bench: Bench) -> Seen:
    """Two runs share the folder and the journal."""
    with bench.started() as first, bench.started() as second:
        ended = [process.communicate(timeout=60) for process in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), ended
    folders = [path for path in bench.runs.iterdir() if path.is_dir() and not path.is_symlink()]
    assert len(folders) == 2
    for folder in folders:
        assert findings(folder) == undisturbed()
    return Seen(first.returncode, line_with("coverage: 100%", Finished(0, *ended[0])))


def _locked(bench: Bench) -> Seen:
    """Another process keeps a transaction open for longer than anybody waits."""
    assert bench.evaluate("--limit", "1", "--no-judge").code == 0
    with sqlite3.connect(bench.runs / "evals.db", isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        done = bench.evaluate("--limit", "1", "--no-judge")
        other.execute("ROLLBACK")
    other.close()
    assert bench.evaluate("--limit", "1", "--no-judge").code == 0
    return Seen(done.code, line_with("error: ", done))


def _damage(bench: Bench) -> None:
    """Overwrites pages of the journal: leaves that hold messages and answers."""
    path = bench.runs / "evals.db"
    content = bytearray(path.read_bytes())
    size = int.from_bytes(content[16:18], "big")
    with sqlite3.connect(path) as connection:
        found = connection.execute("SELECT pageno FROM dbstat WHERE name = 'calls' AND pagetype = 'leaf'")
        pages = [page for (page,) in found]
    connection.close()
    for page in pages[::3]:
        content[(page - 1) * size : page * size] = b"\x5a" * size
    path.write_bytes(content)


def _cut_off(bench: Bench) -> None:
    """The second half of the journal is gone."""
    path = bench.runs / "evals.db"
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def _beginning_lost(bench: Bench) -> None:
    """The first page, which says how to read the rest."""
    path = bench.runs / "evals.db"
    content = path.read_bytes()
    path.write_bytes(bytes(4096) + content[4096:])


def _mended(bench: Bench, damage: Callable[[Bench], None], code: int) -> Seen:
    """All that can be read is saved into a new journal; what was lost with the pages is asked again."""
    _stopped(bench)
    before = bench.endpoint.calls
    damage(bench)
    done = bench.go_on(None)
    line = line_with("error: ", done)
    assert "Traceback" not in done.err
    saved = bench.command("recover", module=MANAGE)
    assert saved.code == code, saved.err
    again = bench.go_on(saved)
    assert again.code == 0, again.err
    assert findings(only_run(bench.runs)) == undisturbed()
    assert bench.endpoint.calls < 2 * before + 30
    return Seen(done.code, line)


def _not_a_journal(bench: Bench) -> Seen:
    bench.runs.mkdir()
    (bench.runs / "evals.db").write_text("something else")
    done = bench.evaluate()
    assert (bench.runs / "evals.db").read_text() == "something else"
    assert bench.endpoint.calls == 0
    return Seen(done.code, line_with("error: ", done))


def _newer_journal(bench: Bench) -> Seen:
    """A later version of the tool went on with the run; this one refuses, and changes nothing."""
    done = _stopped(bench)
    later = bench.injected({"migrations": 1}, "--resume", "last")
    assert later.code == 0, later.err
    bench.check_whole(repeated=CONCURRENCY)
    refused = bench.go_on(done)
    return Seen(refused.code, line_with("error: ", refused))


def _older_journal(bench: Bench) -> Seen:
    """A later version of the tool finds the journal of this one: it migrates it once, and goes on."""
    _stopped(bench)
    again = bench.injected({"migrations": 2}, "--resume", "last")
    bench.check_whole(repeated=CONCURRENCY)
    with sqlite3.connect(bench.runs / "evals.db") as connection:
        versions = [version for (version,) in connection.execute("SELECT version FROM migrations ORDER BY version")]
    connection.close()
    assert versions[-2:] == [len(versions) - 1, len(versions)]
    return Seen(again.code, line_with("coverage: 100%", again))


def _files_changed(bench: Bench) -> Seen:
    """Scenarios, rubric and prompt were edited after the run began: it goes on with what it began with."""
    from services.workspace import RUBRICS, read_named, read_scenarios

    names = {"rubric": bench.folder / "rubric.yaml", "scenarios": bench.folder / "scenarios.yaml"}
    names["rubric"].write_text(read_named("rubric", "companion", RUBRICS).text)
    names["scenarios"].write_text(next(file.text for file in read_scenarios() if "small_talk" in file.place))
    prompt = bench.folder / "prompt.md"
    prompt.write_text("You are a companion. Answer in one short sentence and ask a question.")
    given = ("--rubric", str(names["rubric"]), "--scenarios", str(names["scenarios"]), "--prompt", str(prompt))
    arguments = (*given, "--limit", "8", "--no-canaries", "--concurrency", "2")
    with bench.again() as other:
        assert other.command(*arguments).code == 0
        calm = findings(only_run(other.runs))
    bench.endpoint.instead = lambda number: Answer(401, {"error": {"message": "no"}}) if number >= 9 else None
    stopped = bench.command(*arguments)
    assert stopped.code == 2, stopped.err
    bench.endpoint.heal()
    for path in (*names.values(), prompt):
        path.write_text("no longer what it was")
    done = bench.go_on(stopped)
    assert findings(only_run(bench.runs)) == calm
    return Seen(done.code, line_with("coverage: 100%", done))


def _runs_deleted(bench: Bench) -> Seen:
    """Everything is deleted while calls are open: nothing is called kept, and nothing more is paid for."""

    def instead(number: int) -> Answer | None:
        if number == 20:
            shutil.rmtree(bench.runs)
        return None

    bench.endpoint.instead = instead
    done = bench.evaluate()
    assert bench.endpoint.calls <= 20 + LATEST
    assert "kept" not in done.err + done.out
    assert not list(bench.runs.glob("2*/summary.json"))
    return Seen(done.code, line_with("error: ", done))


def _manifest_lost(bench: Bench) -> Seen:
    """The folder of the run is gone; the journal has everything."""
    done = _stopped(bench)
    folder = only_run(bench.runs)
    for path in folder.iterdir():
        path.unlink()
    again = bench.go_on(done)
    bench.check_whole(repeated=CONCURRENCY)
    assert json.loads((folder / "summary.json").read_text())["counts"]["failed"] == 0
    return Seen(again.code, line_with("coverage: 100%", again))


FILE_CASES = (
    Case(
        *("disk-full", "the disk is full in mid-run", "a file system of 420 kB", 2, "disk is full", _disk_full),
        lost="nothing on disk; the answers that found no space are asked again",
        impossible=why_not,
    ),
    Case(
        *(
            "disk-full-files",
            "the disk is full when files are written",
            "a disk for the journal alone",
            2,
            "free space",
        ),
        _disk_full_at_the_end,
        impossible=why_not,
    ),
    Case(
        *("read-only", "the folder may not be written", "a file system mounted read-only", 2, "may not be written"),
        _read_only,
        impossible=why_not,
        quick=True,
    ),
    Case("locked", "the journal stays locked", "another process's transaction", 2, "keeps the journal locked", _locked),
    Case(
        *("damaged", "the journal is damaged", "a third of the pages with calls", 2, "recover"),
        partial(_mended, damage=_damage, code=3),
        lost="the answers on the damaged pages, which are asked again; the rest is saved",
        quick=True,
    ),
    Case(
        *("cut-off", "the journal is cut off", "half of its bytes", 2, "recover"),
        partial(_mended, damage=_cut_off, code=3),
        lost="the answers behind the cut, which are asked again; the rest is saved",
    ),
    Case(
        *("header-lost", "the beginning of the journal is lost", "its first page", 2, "recover"),
        partial(_mended, damage=_beginning_lost, code=0),
    ),
    Case("not-a-journal", "another file in its place", "runs/evals.db", 2, "not a journal", _not_a_journal),
    Case("folder-lost", "the files of a run are deleted", "runs/RUN_ID/", 0, "coverage: 100%", _manifest_lost),
    Case(
        *("runs-deleted", "the folder of runs is deleted in mid-run", "runs/, at call 20", 2, "deleted or moved"),
        _runs_deleted,
        0.05,
        lost="the run: its folder was deleted",
    ),
    Case("two-runs", "two runs at once in one folder", "two processes", 0, "coverage: 100%", _two_runs_at_once, 0.02),
    Case(
        *("two-resumes", "one run resumed twice at once", "two processes", 2, "is in use by process"),
        _resumed_twice_at_once,
        latency_s=1.0,
        lost=IN_FLIGHT_AGAIN,
    ),
    Case(
        "newer-journal", "a later version wrote the journal", "schema version", 2, "update the program", _newer_journal
    ),
    Case(
        "older-journal", "an earlier version wrote the journal", "schema version", 0, "coverage: 100%", _older_journal
    ),
    Case(
        *("files-changed", "prompt, rubric and scenarios changed since", "their files", 0, "coverage: 100%"),
        _files_changed,
    ),
)
