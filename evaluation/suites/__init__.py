"""The suites by name. A new one is a file beside this with its `SUITE`, and a line in the table."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias, cast

if TYPE_CHECKING:
    from evaluation.suites.suite import SuiteDefinition

Suites: TypeAlias = "Mapping[str, SuiteDefinition]"

DEFAULT_SUITE = "companion"
"""Evaluated where none is named: the replies of a model under a prompt."""
DEFAULT_OF_APPLICATIONS = "chat_flow"
"""Evaluated where an application is."""
DEFAULT_OF_SWEEPS = "text_quality"
"""Evaluated where parameters vary."""


class SuiteTable(Mapping[str, "SuiteDefinition"]):
    """Suite name -> definition, from the module that a line names. A module is loaded when its suite is asked for."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._modules = modules

    def __getitem__(self, name: str) -> "SuiteDefinition":
        return cast("SuiteDefinition", import_module(self._modules[name]).SUITE)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)

    def __contains__(self, name: object) -> bool:
        return name in self._modules


SUITES: Suites = SuiteTable(
    {
        "companion": "evaluation.suites.companion",
        "chat_flow": "evaluation.suites.chat_flow",
        "text_quality": "evaluation.suites.text_quality",
    }
)
