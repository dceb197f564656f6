"""The origin of a run: the commit, the versions of the packages that matter, and the code that scores as one digest."""

import hashlib
import platform
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from importlib.util import find_spec
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


@cache
def scorer_digest(modules: tuple[str, ...]) -> str:
    """SHA-256 of the sources of these modules and of all that lies in these packages; of none, the empty text.

    File names and texts in the order of their paths: where a file lies and how its lines end make no difference.
    """
    if not modules:
        return ""
    hashed = hashlib.sha256()
    for name, path in sorted({entry for module in modules for entry in sources_of(module)}):
        hashed.update(f"{name}\n".encode())
        hashed.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return hashed.hexdigest()


def sources_of(module: str) -> Iterator[tuple[str, Path]]:
    """(name, file) of a module, or of every module in a package."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"a suite names {module!r} as code that scores, and there is no such module")
    if spec.submodule_search_locations is None:
        yield module, Path(spec.origin)
        return
    folder = Path(spec.origin).parent
    for path in folder.rglob("*.py"):
        yield ".".join((module, *path.relative_to(folder).with_suffix("").parts)), path
