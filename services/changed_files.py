"""What git knows of a change: which files differ from a commit, and what they held there."""

import subprocess
from pathlib import Path

from evaluation.errors import UsageError
from services.child_environment import child_environment

SECONDS = 60


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
    for name in _git(root, "ls-tree", "-r", "-z", "--name-only", base, "--", str(relative)).split("\0"):
        if not name:
            continue
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_git(root, "show", f"{base}:{name}"), encoding="utf-8")
    return target / relative


def _checked(commit: str) -> str:
    if not commit or commit.startswith("-") or not commit.isprintable():
        raise UsageError(f"commit {commit[:80]!r}: name a commit or a branch, such as main")
    return commit


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", *words],
            cwd=folder,
            env=child_environment(GIT_OPTIONAL_LOCKS="0"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError) as error:
        raise UsageError(f"git {words[0]} cannot be run here ({type(error).__name__}): install git") from None
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise UsageError(f"git {words[0]}: {reason[:200]}: name a commit that this clone has, with its history")
    return done.stdout
