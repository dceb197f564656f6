"""Whatever the umask, what a run leaves is for its owner alone."""

import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.manage_runs import RECORDS
from tests.scripts.commands import ROOT, run


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("no_umask")
def test_files_of_runs_and_comparisons_are_their_owners_alone(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    compared = run("--base", "v2", "--prompt", "v3", "--limit", "3", runs=runs, module="scripts.compare_prompts")
    assert compared.code == 0, compared.err
    night = run(
        "--limit", "2", "--no-canaries", runs=runs, module="scripts.nightly", EVAL_BASELINES_DIR=str(runs / "b")
    )
    assert night.code in (0, 1, 2, 3), night.err
    table = runs / "exported.csv"
    assert run("export", "last", "--csv", str(table), runs=runs, module="scripts.manage_runs").code == 0
    found = [path for path in runs.rglob("*") if not path.is_symlink()]
    assert len(found) > 20
    open_to_others = [
        f"{path.relative_to(runs)} {stat.filemode(path.stat().st_mode)}"
        for path in (runs, *found)
        if path.stat().st_mode & 0o077
    ]
    assert open_to_others == []


@pytest.mark.parametrize("path", [RECORDS, f"{RECORDS}.rejected", "records.jsonl.rejected", "runs/evals.db", ".env"])
def test_git_ignores_what_holds_conversations_or_keys(tmp_path: Path, path: str) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    shutil.copy(ROOT / ".gitignore", tmp_path)
    assert subprocess.run(["git", "-C", str(tmp_path), "check-ignore", "-q", path], check=False).returncode == 0
