"""What a run was made with: the commit, whether the tree was changed, the versions of the packages that matter."""

import platform
import subprocess
from importlib import metadata
from pathlib import Path

from evaluation.records import Json
from services.child_environment import child_environment

PACKAGES = ("langfuse", "openai", "pandas", "tenacity", "pydantic", "aiohttp", "httpx", "PyYAML")


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
    def ask(*arguments: str) -> str:
        command = ["git", "-C", str(root), *arguments]
        done = subprocess.run(command, env=child_environment(), capture_output=True, text=True, timeout=5, check=True)
        return done.stdout.strip()

    try:
        return {"commit": ask("rev-parse", "HEAD"), "dirty": bool(ask("status", "--porcelain"))}
    except (OSError, subprocess.SubprocessError):
        return None
