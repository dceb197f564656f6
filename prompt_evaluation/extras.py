"""The packages that some subcommands need on top of an installation, and the command that adds one."""

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

from prompt_evaluation.launcher import PACKAGE, started_as

EXTRAS = {"pandas": "tables", "scipy": "stats", "matplotlib": "plots"}
"""Package -> the extra that brings it."""


def missing(packages: tuple[str, ...]) -> list[str]:
    """Those that are not installed."""
    return [package for package in packages if find_spec(package) is None]


def how_to_add(packages: list[str]) -> str:
    """One line: what is needed, of which extra, and the command that installs it here."""
    extras = ",".join(EXTRAS[package] for package in packages)
    wanted = [_requirement(package) for package in packages]
    return f"this needs {' and '.join(packages)} ({PACKAGE}[{extras}]): {_installing(wanted)}"


def _requirement(package: str) -> str:
    """The package with the versions that fit, as this installation asks for it."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        asked = requires(PACKAGE) or []
    except PackageNotFoundError:
        asked = []
    found = (each.partition(";")[0].strip() for each in asked)
    return next((each for each in found if each.startswith(package)), package)


def _installing(wanted: list[str]) -> str:
    # uvx throws its environment away: the packages are named beside the command each time.
    if Path(sys.prefix).parent.name.startswith(("archive-v", "environments-v")):
        beside = shlex.join([word for each in wanted for word in ("--with", each)])
        return started_as().replace(" --from ", f" {beside} --from ", 1)
    if find_spec("pip") is not None:
        return shlex.join([sys.executable, "-m", "pip", "install", *wanted])
    return shlex.join(["uv", "pip", "install", "--python", sys.executable, *wanted])
