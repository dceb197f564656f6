"""The suites by name. A new one is a file beside this with its `SUITE`, and a line in the table."""

from collections import UserDict
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias, cast

if TYPE_CHECKING:
    from evaluation.suites.suite import SuiteDefinition

Suites: TypeAlias = "Mapping[str, SuiteDefinition]"

DEFAULT_SUITE = "companion"
"""Evaluated where none is named: the replies of a model under a prompt."""
DEFAULT_OF_APPLICATIONS = "chat_flow"
"""Evaluated where an application is."""
DEFAULT_OF_SWEEPS = "text_quality"
"""Evaluated where parameters vary."""


class SuiteTable(UserDict[str, Any]):
    """Suite name -> definition, from the module that a line names. A module is loaded when its suite is asked for."""

    def __getitem__(self, name: str) -> "SuiteDefinition":
        return cast("SuiteDefinition", import_module(self.data[name]).SUITE)


SUITES: Suites = SuiteTable(
    {
        "companion": "evaluation.suites.companion",
        "chat_flow": "evaluation.suites.chat_flow",
        "text_quality": "evaluation.suites.text_quality",
    }
)
