"""The origin of a run: the commit, whether the tree was changed, the versions of the packages that matter."""

import platform
from importlib import metadata
from pathlib import Path

from evaluation.records import Json
from services.git import head_commit

PACKAGES = ("langfuse", "openai", "pandas", "tenacity", "pydantic", "aiohttp", "httpx", "PyYAML")


def provenance(root: Path) -> dict[str, Json]:
    """JSON for the manifest; `git` is None outside a checkout."""
    return {
        "python": platform.python_version(),
        "platform": platform.system().lower(),
        "packages": {name: _version(name) for name in PACKAGES},
        "git": head_commit(root),
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
