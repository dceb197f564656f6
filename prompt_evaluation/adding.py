"""The command that adds the packages that a subcommand lacks to an installation."""

import os
import shlex
import sys
from pathlib import Path

from prompt_evaluation.extras import EXTRAS, missing
from prompt_evaluation.launcher import (
    MODULE_FILE,
    NAME,
    PACKAGE,
    is_of_pipx_install,
    launcher_words,
    with_extras,
)
from prompt_evaluation.subcommands import STARTED_AS


def how_to_add(packages: list[str]) -> str:
    """One line: what is needed, of which extra, and the command that installs it here, or starts this again with it."""
    extras = list(dict.fromkeys(EXTRAS[package] for package in packages))
    needed = f"this needs {' and '.join(packages)} ({PACKAGE}[{','.join(extras)}])"
    wanted = [_requirement(package) for package in packages]
    return f"{needed}: {shlex.join(_started_with(extras, wanted) or _installing(wanted))}"


def _requirement(package: str) -> str:
    """The package with the versions that fit, as this installation asks for it."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        asked = requires(PACKAGE) or []
    except PackageNotFoundError:
        asked = []
    found = (each.partition(";")[0].strip() for each in asked)
    return next((each for each in found if each.startswith(package)), package)


def _started_with(extras: list[str], wanted: list[str]) -> list[str]:
    """This command with what it lacks, where uv or pipx makes an environment for it alone; else nothing."""
    said = os.environ.get(STARTED_AS)
    words = shlex.split(said) if said else launcher_words()
    if Path(words[0]).name == "uv" and words[1:2] == ["run"]:
        words[2:2] = [word for each in wanted for word in ("--with", each)]
    else:
        place = next((at for at, word in enumerate(words[:-1]) if word in ("--from", "--spec")), None)
        if place is None:
            return []
        words[place + 1] = with_extras(words[place + 1], extras)
    program = Path(sys.argv[0]).name
    return [*words, *(sys.argv[1:] if program in (NAME, MODULE_FILE) else ())]


def _installing(wanted: list[str]) -> list[str]:
    if is_of_pipx_install():
        return ["pipx", "inject", Path(sys.prefix).name, *wanted]
    if not missing(("pip",)):
        return [sys.executable, "-m", "pip", "install", *wanted]
    return ["uv", "pip", "install", "--python", sys.executable, *wanted]
