"""What a person types before a subcommand, so that a command that is printed can be pasted where this one was typed."""

import os
import shlex
import sys
from pathlib import Path

NAME = "prompt-eval"
PACKAGE = "prompt-evaluation"


def started_as() -> str:
    """`prompt-eval`, or what stands for it: its path where PATH does not have it, or how uv, pipx or Python runs it."""
    program, environment = Path(sys.argv[0]), Path(sys.prefix)
    if program.name == "__main__.py":
        return shlex.join([_typed(Path(sys.executable)), "-m", __package__])
    # Both lie in a cache, on a PATH that ends with this process.
    if environment.parent.name.startswith(("archive-v", "environments-v")):
        return shlex.join([*_uvx(), "--from", _origin(), NAME])
    if environment.parent.name == "pipx" and environment.parent.parent.name in (".cache", "Caches"):
        return shlex.join(["pipx", "run", "--spec", _origin(), NAME])
    if os.environ.get("UV") and os.environ.get("VIRTUAL_ENV") == sys.prefix:
        return f"uv run {NAME}"
    return shlex.quote(_typed(program))


def _typed(program: Path) -> str:
    """The program's name where a shell finds it by that, else its whole path."""
    from shutil import which

    name = program.name.removesuffix(".exe")
    found = which(name)
    return name if found and Path(found).absolute() == program.absolute() else str(program.absolute())


def _uvx() -> list[str]:
    from shutil import which

    return ["uvx"] if which("uvx") else [os.environ.get("UV", "uv"), "tool", "run"]


def _origin() -> str:
    """What the package was installed from: a file, a folder, an address, or its name in an index."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import unquote, urlsplit

    try:
        text = distribution(PACKAGE).read_text("direct_url.json")
    except PackageNotFoundError:
        text = None
    if not text:
        return PACKAGE
    origin = json.loads(text)
    url, version = origin["url"], origin.get("vcs_info")
    if version:
        return f"{version['vcs']}+{url}@{version['commit_id']}"
    return unquote(urlsplit(url).path) if url.startswith("file://") else url
