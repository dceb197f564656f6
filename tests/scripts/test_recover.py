"""A damaged journal mended by the command that the tool names, and the run gone on with: only what was lost is paid."""

import json
import random
import re
import shlex
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.scripts.commands import Finished, Server, lines, run, server

PAGE = 4096
GIVEN = ("--prompt", "v3", "--limit", "24", "--quiet")


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Server]:
    with server() as serving:
        yield serving


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, endpoint: Server) -> Path:
    """Two runs at an endpoint, both complete."""
    runs = tmp_path_factory.mktemp("runs")
    for seed in ("1", "2"):
        assert run(*GIVEN, "--seed", seed, runs=runs, **endpoint.settings).code == 0
    return runs


def manage(*arguments: str, runs: Path) -> Finished:
    return run(*arguments, runs=runs, module="scripts.manage_runs")


def cut(share: float) -> Callable[[bytes], bytes]:
    return lambda content: content[: int(len(content) * share)]


def overwritten(pages: int) -> Callable[[bytes], bytes]:
    def damage(content: bytes) -> bytes:
        noise, found = random.Random(pages), bytearray(content)
        for number in noise.sample(range(len(content) // PAGE), pages):
            found[number * PAGE : (number + 1) * PAGE] = noise.randbytes(PAGE)
        return bytes(found)

    return damage


DAMAGE = {
    "cut-25": cut(0.25),
    "cut-50": cut(0.5),
    "cut-75": cut(0.75),
    "cut-90": cut(0.9),
    "cut-in-mid-page": lambda content: content[: len(content) // PAGE * 6 // 10 * PAGE + 1777],
    "header-of-zeros": lambda content: bytes(100) + content[100:],
    "header-of-noise": lambda content: random.Random(1).randbytes(100) + content[100:],
    "first-page-lost": lambda content: bytes(PAGE) + content[PAGE:],
    "first-page-lost-and-cut": lambda content: bytes(PAGE) + content[PAGE : len(content) // 2],
    "five-pages": overwritten(5),
    "thirty-pages": overwritten(30),
}


def findings(folder: Path) -> list[tuple[object, ...]]:
    return [(line["scenario_id"], line["turn"], line["state"], line["response"]) for line in lines(folder)]


@pytest.mark.parametrize("kind", DAMAGE)
def test_only_what_was_lost_is_paid_for_again(kind: str, whole: Path, endpoint: Server, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(whole, runs, symlinks=True)
    (runs / "evals.db").write_bytes(DAMAGE[kind]((whole / "evals.db").read_bytes()))
    refused = manage("show", "last", runs=runs)
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert 'make runs ARGS="recover"' in refused.err

    done = manage("recover", runs=runs)
    assert "recover" not in done.out.replace(".recovered", "") + done.err
    assert max(map(len, done.out.replace(str(runs), "runs").splitlines())) <= 80
    saved = {
        what: (int(some.replace(",", "")), int(known.replace(",", "")))
        for some, known, what in re.findall(r"saved ([\d,]+) of (?:at least )?([\d,]+) (\w+)", done.out)
    }
    complete = "nothing is lost" in done.out
    assert done.code == (0 if complete else 3)
    assert kind not in ("header-of-zeros", "header-of-noise", "first-page-lost") or complete
    assert saved["runs"] == (2, 2) and saved["calls"][0] > 10

    with closing(sqlite3.connect(whole / "evals.db")) as journal:
        (calls,) = journal.execute("SELECT count(*) FROM calls").fetchone()
    before = endpoint.stats()["completions"]
    for command in re.findall(r'make eval ARGS="([^"]+)"', done.out):
        assert run(*shlex.split(command), "--quiet", runs=runs, **endpoint.settings).code == 0
    assert endpoint.stats()["completions"] - before <= calls - saved["calls"][0]
    assert complete or "cut" not in kind or endpoint.stats()["completions"] > before
    for folder in whole.glob("2*"):
        assert findings(runs / folder.name) == findings(folder)
    assert json.loads(manage("recover", "--json", runs=runs).out) == {"whole": True}


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0" * 100, b"no database at all\n" * 900, bytes(9 * PAGE)])
def test_where_nothing_can_be_saved_the_file_stays_and_the_advice_is_another(
    content: bytes, whole: Path, tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(whole, runs, symlinks=True)
    (runs / "evals.db").write_bytes(content)
    done = manage("recover", runs=runs)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "nothing of a journal can be read" in done.err and "restore a copy" in done.err
    assert 'ARGS="recover"' not in done.err
    assert (runs / "evals.db").read_bytes() == content
    assert {path.name for path in runs.glob("evals.db*")} == {"evals.db", "evals.db.lock"}


HOSTILE: tuple[dict[str, object], ...] = (
    {"spec": {}},
    {"spec": {"suite": {"a": 1}}},
    {"inputs": {}},
    {"inputs": {"rubric": [1], "scenarios": {}}},
    {"created_at": 7},
    {"group_id": {"a": []}},
    {"arguments": []},
)


@pytest.mark.parametrize("change", HOSTILE, ids=str)
def test_a_manifest_of_any_content_stops_no_recovery(change: dict[str, object], whole: Path, tmp_path: Path) -> None:
    """The row of the run is lost, and what its folder says in its place is nonsense: the other run is saved."""
    runs = tmp_path / "runs"
    shutil.copytree(whole, runs, symlinks=True)
    (runs / "evals.db").write_bytes(cut(0.5)((whole / "evals.db").read_bytes()))
    path = (runs / "latest").resolve() / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    done = manage("recover", runs=runs)
    assert (done.code, done.err) == (3, "")
    assert "saved 1 of " in done.out
