"""One line of a checkup, and all of them as text and as JSON."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias

from evaluation.commands import split_commands
from evaluation.records import Json

SCHEMA_VERSION = 1
COLUMNS = 80
State: TypeAlias = Literal["ok", "wrong", "not checked"]


@dataclass(frozen=True, slots=True)
class Check:
    """What was found about one thing, without any secret."""

    name: str
    state: State
    found: str
    """One line."""
    remedy: str = ""
    """What to do: a command, or the name of a variable and what to set it to; empty where there is nothing to do."""


def ok(name: str, found: str, remedy: str = "") -> Check:
    """It was tried and works; `remedy` may still say what more there is."""
    return Check(name, "ok", found, remedy)


def wrong(name: str, found: str, remedy: str = "") -> Check:
    """It was tried and does not work. An error's one line may hold the remedy already."""
    return Check(name, "wrong", found, remedy)


def unchecked(name: str, found: str, remedy: str = "") -> Check:
    """It was not tried; `found` says why."""
    return Check(name, "not checked", found, remedy)


def all_work(checks: Iterable[Check]) -> bool:
    """True where nothing that was tried is wrong."""
    return all(check.state != "wrong" for check in checks)


def describe(checks: Sequence[Check]) -> Iterator[str]:
    """The lines for people: one a check, what to do below it, and a last one that sums up."""
    widest = max(len(check.name) for check in checks)
    for check in checks:
        yield from _fold(f"{check.state:11}  {check.name:{widest}}  ", check.found)
        if check.remedy:
            yield from _fold(f"{'':11}  {'':{widest}}  -> ", check.remedy)
    yield ""
    names = [check.name for check in checks if check.state == "wrong"]
    yield f"wrong: {', '.join(names)}" if names else "all that is set works"


def _fold(start: str, text: str) -> Iterator[str]:
    """The text behind `start`, in lines of the terminal's width; one that holds a command stays whole, to be pasted."""
    if any(is_command for _, is_command in split_commands(text)):
        yield f"{start}{text}"
        return
    width = max(COLUMNS - len(start), 1)
    lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]
    for number, line in enumerate(lines):
        yield f"{start if number == 0 else ' ' * len(start)}{line}".rstrip()


def to_json(checks: Sequence[Check]) -> dict[str, Json]:
    """The same for programs."""
    return {
        "schema_version": SCHEMA_VERSION,
        "works": all_work(checks),
        "checks": [asdict(check) for check in checks],
    }
