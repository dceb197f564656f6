"""Whoever can write into the folder of runs can neither steer a terminal nor lead a command to files elsewhere."""

import json
import shutil
from pathlib import Path

import pytest

from tests.scripts.commands import Finished, only_run, run

MANAGE = "scripts.manage_runs"
ESCAPES = "\x1b]0;owned\x07\x1b[2J\u202e"
HOSTILE = {
    "escape sequences": json.dumps({"verdict": ESCAPES, "overall": {"mean": 0.5}}),
    "other types": json.dumps({"verdict": {"a": 1}, "overall": {"mean": ESCAPES}}),
    "a list": "[1, 2]",
    "no object": '"text"',
    "a number": '{"verdict": 7, "overall": 7}',
    "nested": "[" * 100_000,
    "not JSON": "{",
    "not text": "\ud800",
    "huge": json.dumps({"verdict": "x" * 3_000_000, "overall": None}),
    "not finite": '{"verdict": "deploy", "overall": {"mean": NaN}}',
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one run."""
    runs = tmp_path_factory.mktemp("made")
    assert run("--prompt", "v3", "--limit", "2", "--no-canaries", "--quiet", runs=runs).code == 0
    return runs


@pytest.fixture
def runs(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "runs", symlinks=True)
    return tmp_path / "runs"


def assert_harmless(done: Finished) -> None:
    for text in (done.out, done.err):
        assert "Traceback" not in text
        assert not any(char in text for char in "\x1b\x07\u202e")
        assert len(text) < 100_000


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("name", ["decision.json", "summary.json", "manifest.json"])
def test_the_files_of_a_run_steer_nothing(runs: Path, name: str, content: str) -> None:
    (only_run(runs) / name).write_bytes(content.encode("utf-8", "surrogatepass"))
    assert_harmless(listed := run("list", runs=runs, module=MANAGE))
    assert listed.code == 0
    if name != "manifest.json":
        assert_harmless(run("report", "last", runs=runs, module=MANAGE))


@pytest.mark.parametrize("name", ["../../etc", "..", ".", "/etc/passwd", "a/b", "a\\b", "", "-x", "a\n", "a" * 300])
def test_a_run_id_is_no_path(runs: Path, name: str) -> None:
    for arguments in (("show", "--", name), ("export", "--csv", str(runs / "x.csv"), "--", name)):
        done = run(*arguments, runs=runs, module=MANAGE)
        assert done.code == 2
        assert_harmless(done)
    assert_harmless(resumed := run(f"--resume={name}", runs=runs))
    assert resumed.code == 2


def test_a_link_in_the_place_of_a_run_leads_nowhere(runs: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious").write_text("kept")
    folder = only_run(runs)
    shutil.rmtree(folder)
    folder.symlink_to(elsewhere)
    for done in (
        run("--resume", folder.name, runs=runs),
        run("report", "last", runs=runs, module=MANAGE),
        run("prune", "--keep", "1", "--older-than", "0", "--yes", runs=runs, module=MANAGE),
    ):
        assert_harmless(done)
    assert {path.name: path.read_text() for path in elsewhere.iterdir()} == {"precious": "kept"}


def test_removing_a_run_removes_a_link_and_not_what_it_leads_to(runs: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("kept")
    folder = only_run(runs)
    (folder / "link").symlink_to(precious)
    assert run("--prompt", "v3", "--limit", "1", "--no-judge", "--quiet", runs=runs).code == 0
    done = run("prune", "--keep", "1", "--older-than", "0", "--yes", runs=runs, module=MANAGE)
    assert done.code == 0, done.err
    assert not folder.exists()
    assert (precious / "file").read_text() == "kept"


@pytest.mark.parametrize("name", ["results.jsonl", "summary.json", "report.html", "lock"])
def test_a_link_in_the_place_of_a_file_is_not_written_through(runs: Path, tmp_path: Path, name: str) -> None:
    precious = tmp_path / "precious"
    precious.write_text("kept")
    path = only_run(runs) / name
    path.unlink(missing_ok=True)
    path.symlink_to(precious)
    assert_harmless(run("--resume", "last", "--quiet", runs=runs))
    assert precious.read_text() == "kept"


def test_the_newest_run_is_pointed_to_without_following_the_old_pointer(runs: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (runs / "latest").unlink()
    (runs / "latest").symlink_to(elsewhere)
    assert run("--prompt", "v3", "--limit", "1", "--no-judge", "--quiet", runs=runs).code == 0
    assert list(elsewhere.iterdir()) == []
    assert (runs / "latest").readlink() != elsewhere
