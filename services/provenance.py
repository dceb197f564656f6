"""What a run was made with: the commit, whether the tree was changed, the versions of the packages that matter."""

import platform
import subprocess
from importlib import metadata
from pathlib import Path

from evaluation.records import Json
from services.child_environment import child_environment

PACKAGES = ("langfuse", "openai", "pandas", "tenacity", "pydantic", "aiohttp", "httpx", "PyYAML")
_COMMIT = "# branch.oid "
_NONE_YET = "(initial)"
"""What git says in the commit's place before the first one."""


def provenance(root: Path) -> dict[str, Json]:
    """JSON for the manifest; `git` is None outside a checkout."""
    return {
        "python": platform.python_version(),
        "platform": platform.system().lower(),
        "packages": {name: _version(name) for name in PACKAGES},
        "git": _git(root),
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _git(root: Path) -> dict[str, Json] | None:
    command = ["git", "-C", str(root), "status", "--porcelain=v2", "--branch", "--no-ahead-behind"]
    try:
        done = subprocess.run(command, env=child_environment(), capture_output=True, text=True, timeout=5, check=True)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    lines = done.stdout.splitlines()
    commit = next((line.removeprefix(_COMMIT) for line in lines if line.startswith(_COMMIT)), _NONE_YET)
    return (
        None if commit == _NONE_YET else {"commit": commit, "dirty": any(not line.startswith("# ") for line in lines)}
    )
