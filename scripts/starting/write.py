"""Writing a workspace: the files of a template, none of them over a file that exists.

Its workflow says where another computer can install this tool from, as far as its own installation tells.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from textwrap import wrap

from evaluation.comparison.gate import parse_regression_rules
from evaluation.comparison.opening import Held, chance_unchanged
from evaluation.errors import UsageError
from evaluation.statistics.bound import situations_needed
from prompt_evaluation import __version__
from prompt_evaluation.launcher import PACKAGE, direct_url, without_password

TEMPLATES = Path(__file__).with_name("templates")
COMMON = "common"
"""The folder of what every template has."""
DOT = "dot-"
"""Begins, in the templates, the names of files and folders that begin with a dot."""
WORKSPACE_FILE, IGNORED = "prompt-eval.toml", ".gitignore"
"""The file that makes a folder a workspace, and the one that keeps keys and runs out of version control."""
WIDTH = 112
"""Of a comment in the workflow, behind its indentation."""
HERE = 30
"""Situations of every template."""
SITUATIONS, REPEATS = 150, 3
"""A set of which the comments say how often an unchanged version passes the no-regression gate."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a workflow installs."""

    requirement: str
    """As pip takes it; empty where nothing is known that another computer could reach."""
    said: str
    """A comment that stands above it."""


def find_source() -> Source:
    """The git commit, the address or the version of an index from which this tool was installed."""
    noted = direct_url()
    url, git = without_password(str(noted.get("url", ""))), noted.get("vcs_info")
    if url.startswith("file:") or not (noted or _is_installed()):
        return Source(
            "",
            "SAY BELOW WHAT IS INSTALLED: this file was written by a tool that lies on one computer, where no workflow "
            "can reach it. Write git+https://HOST/REPOSITORY@COMMIT, the address of a wheel, the path of a wheel that "
            f"you commit here (./prompt_evaluation-{__version__}-py3-none-any.whl), or, where an index has it, "
            f"{PACKAGE}==VERSION. Until then this workflow ends with a line that says so.",
        )
    if isinstance(git, dict):
        commit = f"{git['vcs']}+{url}@{git['commit_id']}"
        return Source(commit, "What is installed: the commit from which the tool was installed that wrote this file.")
    if url:
        return Source(url, "What is installed: the file from which the tool was installed that wrote this file.")
    said = "What is installed: the version that wrote this file. The index that pip asks must have it."
    return Source(f"{PACKAGE}=={__version__}", said)


def _is_installed() -> bool:
    try:
        return bool(version(PACKAGE))
    except PackageNotFoundError:
        return False


@dataclass(frozen=True, slots=True)
class Written:
    """The outcome, as paths below the workspace's folder."""

    files: tuple[str, ...] = ()
    """Written just now."""
    left: tuple[str, ...] = ()
    """There before, and left as they are."""
    unignored: tuple[str, ...] = field(default=())
    """Lines that a .gitignore of the folder's own lacks."""


def template_names() -> tuple[str, ...]:
    """The templates that there are."""
    return tuple(sorted(path.name for path in TEMPLATES.iterdir() if path.is_dir() and path.name != COMMON))


def write_workspace(folder: Path, template: str, rules: str, source: Source) -> Written:
    """Writes the files of a template that the folder lacks; the folder is made. `rules` are those of the gate, and
    `source` is what its workflow installs.

    Raises UsageError for a folder that is a workspace already, and for one that cannot be written.
    """
    if os.path.lexists(folder / WORKSPACE_FILE):
        raise UsageError(f"{folder / WORKSPACE_FILE}: exists, so this is a workspace already: name another folder")
    facts = {**_facts(rules), "template": template, "prompt": _prompt_name(template), **_installed(source)}
    files: list[str] = []
    left: list[str] = []
    for name, text in sorted(_texts(template)):
        for key, value in facts.items():
            text = text.replace(f"@{key}@", value)
        (files if _write_new(folder / name, text) else left).append(name)
    lacking = _lacking(folder / IGNORED, dict(_texts(template))[IGNORED]) if IGNORED in left else ()
    return Written(tuple(files), tuple(left), lacking)


def _texts(template: str) -> Iterator[tuple[str, str]]:
    """(path below the workspace, text) of each file; a template's own stands in the place of a common one."""
    found: dict[str, str] = {}
    for source in (TEMPLATES / COMMON, TEMPLATES / template):
        for path in sorted(path for path in source.rglob("*") if path.is_file()):
            parts = path.relative_to(source).parts
            name = "/".join(f".{part.removeprefix(DOT)}" if part.startswith(DOT) else part for part in parts)
            found[name] = path.read_text(encoding="utf-8")
    return iter(found.items())


def _prompt_name(template: str) -> str:
    return next(path.name for path in (TEMPLATES / template / "prompts").iterdir())


def _installed(source: Source) -> Mapping[str, str]:
    comment = "\n".join(f"      # {line}" for line in wrap(source.said, WIDTH))
    return {"installs": comment, "source": source.requirement}


def _facts(rules: str) -> Mapping[str, str]:
    """The figures that comments name, computed from the code that they speak of."""
    gate = parse_regression_rules(rules, "the rules of the gate")
    overall = gate.margin("overall"), gate.fall("overall", "combined")
    metric = gate.margin("any_metric"), gate.fall("any_metric", "combined")
    held = Held(overall, (metric, metric))
    chance, few = chance_unchanged([1] * SITUATIONS, REPEATS, held), chance_unchanged([1] * HERE, 1, held)
    return {
        "needed": str(max(situations_needed(*each) for each in (overall, metric))),
        "situations": str(SITUATIONS),
        "repeats": str(REPEATS),
        "chance": str(round(100 * chance)),
        "here": str(HERE),
        "few": str(round(100 * few)),
    }


def _write_new(path: Path, text: str) -> bool:
    """Writes the file; False where anything of that name is there. Raises UsageError where it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        if os.path.lexists(path):
            return False
        raise UsageError(f"{path.parent}: is a file where a folder is needed: name another folder") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}): name another folder") from None
    return True


def _lacking(path: Path, wanted: str) -> tuple[str, ...]:
    """The lines of a template's .gitignore that the folder's own lacks."""
    try:
        own = {line.strip().strip("/") for line in path.read_text(encoding="utf-8", errors="replace").splitlines()}
    except OSError:
        own = set()
    lines = [line.strip() for line in wanted.splitlines()]
    return tuple(line for line in lines if line and not line.startswith("#") and line.strip("/") not in own)
