"""Reads from git the commit of a work tree, which files differ from another one, and what they held there."""

import subprocess
import tarfile
from pathlib import Path

from evaluation.errors import UsageError
from evaluation.records import Json
from services.processes import child_environment

SECONDS = 60
_COMMIT = "# branch.oid "
_NONE_YET = "(initial)"
"""The word of git in the commit's place before the first one."""


def changed_files(folder: Path, commit: str, below: Path) -> list[Path]:
    """The files below a folder that were added or edited since the branch left `commit`; absolute, sorted.

    Raises UsageError for an unknown commit, and outside a git work tree.
    """
    root = Path(_git(folder, "rev-parse", "--show-toplevel").strip())
    base = _git(folder, "merge-base", _checked(commit), "HEAD").strip()
    names = _git(root, "diff", "--name-only", "-z", "--diff-filter=AM", base, "--", str(below))
    return sorted(root / name for name in names.split("\0") if name)


def export_folder(folder: Path, commit: str, below: Path, target: Path) -> Path:
    """Writes a folder as it was where the branch left `commit` into `target`; returns where it lies there."""
    root = Path(_git(folder, "rev-parse", "--show-toplevel").strip())
    base = _git(folder, "merge-base", _checked(commit), "HEAD").strip()
    relative = below.resolve().relative_to(root.resolve())
    if _git(root, "ls-tree", base, "--", str(relative)):
        archive = target / "folder.tar"
        _git(root, "archive", f"--output={archive}", base, "--", str(relative))
        with tarfile.open(archive) as file:
            file.extractall(target, filter="data")
    return target / relative


def _checked(commit: str) -> str:
    if not commit or commit.startswith("-") or not commit.isprintable():
        raise UsageError(f"commit {commit[:80]!r}: name a commit or a branch, such as main")
    return commit


def head_commit(folder: Path) -> dict[str, Json] | None:
    """{commit, dirty} of a work tree; None outside one and before its first commit."""
    try:
        lines = _git(folder, "status", "--porcelain=v2", "--branch", "--no-ahead-behind", seconds=5).splitlines()
    except UsageError:
        return None
    commit = next((line.removeprefix(_COMMIT) for line in lines if line.startswith(_COMMIT)), _NONE_YET)
    dirty = any(not line.startswith("# ") for line in lines)
    return None if commit == _NONE_YET else {"commit": commit, "dirty": dirty}


def _git(folder: Path, *words: str, seconds: float = SECONDS) -> str:
    try:
        done = subprocess.run(
            ["git", *words],
            cwd=folder,
            env=child_environment(GIT_OPTIONAL_LOCKS="0"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError) as error:
        raise UsageError(f"git {words[0]} cannot be run here ({type(error).__name__}): install git") from None
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise UsageError(f"git {words[0]}: {reason[:200]}: name a commit that this clone has, with its history")
    return done.stdout
