"""The tool and what a user has, side by side: neither imports the other's modules."""

import os
from pathlib import Path

import pytest

from tests.package.installation import Installation

pytestmark = pytest.mark.slow

NAMES = ("scripts", "services", "evaluation")
KINDS = ("packages", "folders", "files")
EVAL = ("--tag", "smoke", "--limit", "2", "--no-judge", "--quiet")
PLAN = ("--dry-run",)
AS_COMMAND = ("prompt-eval",)
AS_MODULE = ("python", "-m", "prompt_evaluation")
SPAWNING = """
import multiprocessing
import subprocess

from scripts.mine import twice


def main() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(twice, [21]) == [42]
    subprocess.run(["prompt-eval", "eval", "--limit", "1", "--quiet"], check=True)


if __name__ == "__main__":
    main()
"""


def users_folder(folder: Path, *kinds: str) -> Path:
    """A folder in which the program's names are the user's, and are never to be run by the tool.

    Each name is of its own kind where there are three.
    """
    own = folder / "own"
    own.mkdir()
    for name, kind in zip(NAMES, kinds if len(kinds) > 1 else kinds * len(NAMES), strict=True):
        if kind == "files":
            (own / f"{name}.py").write_text("raise RuntimeError('this is the module of the user')\n")
            continue
        (own / name).mkdir()
        (own / name / "mine.py").write_text("def twice(number: int) -> int:\n    return 2 * number\n")
        if kind == "packages":
            (own / name / "__init__.py").write_text("OF_THE_USER = True\n")
    return own


@pytest.mark.parametrize(
    ("first", "path", "started", "more"),
    [(0, "", AS_MODULE, ()), (1, "", AS_MODULE, PLAN), (2, ".", AS_MODULE, PLAN), (0, ".", AS_COMMAND, ())],
)
def test_the_tool_runs_its_own_modules(
    installed: Installation, tmp_path: Path, first: int, path: str, started: tuple[str, ...], more: tuple[str, ...]
) -> None:
    """Each of the names as each kind of module; as for the start, that of a module is the worse for the path.

    A plan imports all three as a run does, for a third of the time.
    """
    own = users_folder(tmp_path, *KINDS[first:], *KINDS[:first])
    done = installed.run(*started, "eval", *EVAL, *more, cwd=own, more={"PYTHONPATH": path})
    assert ("calls" if more else "REHEARSAL MODEL") in done.stdout
    assert (own / "runs" / "latest" / "report.html").is_file() == (not more)


@pytest.mark.parametrize("kind", ["packages", "folders"])
def test_a_user_imports_their_own_modules_after_the_install(installed: Installation, tmp_path: Path, kind: str) -> None:
    own = users_folder(tmp_path, kind)
    code = "import prompt_evaluation, scripts.mine, services.mine, evaluation.mine; print(scripts.mine.__file__)"
    assert installed.run("python", "-c", code, cwd=own).stdout == f"{own / 'scripts' / 'mine.py'}\n"


def test_processes_that_a_user_spawns_find_the_users_modules(installed: Installation, tmp_path: Path) -> None:
    own = users_folder(tmp_path, "folders")
    (own / "work.py").write_text(SPAWNING)
    installed.run("python", "work.py", cwd=own)


def test_nothing_is_written_beside_the_program(installed: Installation, tmp_path: Path) -> None:
    def entries() -> set[tuple[str, int]]:
        return {(str(path), path.stat().st_mtime_ns) for path in installed.packages.rglob("*")}

    own = tmp_path / "own"
    own.mkdir()
    before = entries()
    folders = [installed.packages, *(path for path in installed.packages.rglob("*") if path.is_dir())]
    modes = {folder: folder.stat().st_mode for folder in folders}
    try:
        for folder in folders:
            folder.chmod(0o555)
        done = installed.run("prompt-eval", "compare", "--base", "v2", "--prompt", "v3", *EVAL, cwd=own)
        installed.run("prompt-eval", "eval-chat", "--limit", "1", "--quiet", cwd=own)
    finally:
        for folder, mode in modes.items():
            folder.chmod(mode)
    assert done.stdout
    assert entries() == before, f"as user {os.getuid()}"


def test_a_printed_command_works_where_it_is_pasted(installed: Installation, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    printed = installed.run("prompt-eval", "eval", *EVAL, cwd=own).stdout.splitlines()[-1]
    assert printed.startswith("prompt-eval runs show ")
    assert "by category" in installed.run("bash", "-c", printed, cwd=own).stdout
