"""The origin of a run: commit and changed files, the code that scores, the versions of the packages that matter."""

import hashlib
import platform
import subprocess
import tarfile
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from evaluation.errors import UsageError
from evaluation.records import Json
from services.processes import child_environment
from services.text_files import show_path

SECONDS = 60
_COMMIT = "# branch.oid "
_NONE_YET = "(initial)"
"""The word of git in the commit's place before the first one."""


def changed_files(folder: Path, commit: str, below: Path) -> list[Path]:
    """The files below a folder that were added or edited since the branch left `commit`; absolute, sorted.

    Raises UsageError for an unknown commit, and outside a git work tree.
    """
    root = _root_of(folder)
    base = _git(folder, "merge-base", _check_commit(commit), "HEAD").strip()
    names = _git(root, "diff", "--name-only", "-z", "--diff-filter=AM", base, "--", str(below))
    return sorted(root / name for name in names.split("\0") if name)


def export_folder(folder: Path, commit: str, below: Path, target: Path) -> Path:
    """Writes a folder as it was where the branch left `commit` into `target`; returns where it lies there."""
    root = _root_of(folder)
    base = _git(folder, "merge-base", _check_commit(commit), "HEAD").strip()
    relative = below.resolve().relative_to(root.resolve())
    if _git(root, "ls-tree", base, "--", str(relative)):
        archive = target / "folder.tar"
        _git(root, "archive", f"--output={archive}", base, "--", str(relative))
        with tarfile.open(archive) as file:
            # Python before 3.11.4 has no filters, and takes no argument for one.
            file.extraction_filter = getattr(tarfile, "data_filter", None)
            file.extractall(target)
    return target / relative


def _root_of(folder: Path) -> Path:
    """The top folder of the repository that a folder lies in. Raises UsageError outside of one."""
    try:
        return Path(_git(folder, "rev-parse", "--show-toplevel").strip())
    except UsageError as error:
        if "not a git repository" not in str(error):
            raise
        raise UsageError(
            f"{show_path(folder)} lies in no git repository, and a change is what differs from a commit: start the "
            "command in your repository, or compare two versions by their names"
        ) from None


def _check_commit(commit: str) -> str:
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


PACKAGES = ("langfuse", "openai", "pandas", "tenacity", "pydantic", "aiohttp", "httpx", "PyYAML")


def provenance(root: Path) -> dict[str, Json]:
    """JSON for the manifest; `git` is None outside a checkout."""
    return {
        "python": platform.python_version(),
        "platform": platform.system().lower(),
        "packages": {name: _version(name) for name in PACKAGES},
        "git": head_commit(root),
    }


@cache
def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


@cache
def scorer_digest(modules: tuple[str, ...]) -> str:
    """SHA-256 of the sources of these modules and of all code and tables in these packages; of none, the empty text.

    What has a blank in it is no module and stands for itself: the line on a language pack of a team's own. File names
    and texts in the order of their paths: where a file lies and how its lines end make no difference.
    """
    if not modules:
        return ""
    hashed = hashlib.sha256("\n".join(each for each in modules if " " in each).encode())
    named = [module for module in modules if " " not in module]
    for name, path in sorted({entry for module in named for entry in sources_of(module)}):
        hashed.update(f"{name}\n".encode())
        hashed.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return hashed.hexdigest()


def sources_of(module: str) -> Iterator[tuple[str, Path]]:
    """(name, file) of a module, or of every module in a package and every table that lies there."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"a suite names {module!r} as code that scores, and there is no such module")
    if spec.submodule_search_locations is None:
        yield module, Path(spec.origin)
        return
    folder = Path(spec.origin).parent
    for path in folder.rglob("*.py"):
        yield ".".join((module, *path.relative_to(folder).with_suffix("").parts)), path
    for path in folder.rglob("*.yaml"):
        yield ".".join((module, *path.relative_to(folder).parts)), path
