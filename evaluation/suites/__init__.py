"""The suites by name. A new one is a file beside this and a line in the table."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from evaluation.suites.companion import companion
from evaluation.suites.suite import BuildSuite


@dataclass(frozen=True, slots=True)
class SuiteEntry:
    """How a suite is built, and which files it starts from unless others are named."""

    build: BuildSuite
    rubric: str
    """Name of its rubric file."""
    canaries: str = ""
    """Name of the exchanges that its judge is checked on; empty where there are none."""
    scenarios: tuple[str, ...] = ()
    """Names of its scenario files; empty means those of the rubric's categories."""


Suites: TypeAlias = Mapping[str, SuiteEntry]

SUITES: Suites = {
    "companion": SuiteEntry(companion, rubric="companion", canaries="canaries"),
}
