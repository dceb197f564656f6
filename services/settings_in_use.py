"""Each setting with its value and the place that it comes from, as it may be shown: a secret is never among them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from services import setting_values as read
from services.named_endpoints import NamedEndpoint, endpoint_variables
from services.setting_sources import Kind, Origin, Sources
from services.setting_values import Variable, variables_of
from services.settings import PARTS, Settings, settings_of

SET = "set"
"""Stands for the value of a secret."""
Shown: TypeAlias = str | int | float | bool | list[str] | None


@dataclass(frozen=True, slots=True)
class SettingInUse:
    """One setting as it is in use."""

    name: str
    """Of its environment variable; its key where only the workspace file may say it."""
    key: str
    """In the workspace file; empty where it has no place there."""
    value: Shown
    """None where it is unset; SET for a secret that somebody has set."""
    source: Kind
    place: str
    """The variable, the variable and `.env`, or the workspace file and line; empty for a default."""


def settings_in_use(sources: Sources) -> tuple[SettingInUse, ...]:
    """Every setting, in the order of the documents. Raises UsageError for one that cannot be used."""
    settings = settings_of(sources)
    secrets = settings.secrets()
    return tuple(
        SettingInUse(variable.title, variable.key, _shown(variable, value, origin, secrets), origin.kind, origin.place)
        for variable, value, origin in _traced(sources, settings)
    )


def _traced(sources: Sources, settings: Settings) -> Iterator[tuple[Variable, Any, Origin]]:
    for kind, declared in settings_classes(sources):
        for field, (value, origin) in sources.trace(kind, declared).items():
            # What is found where nobody says it (the prompt folder) is known to the settings alone.
            is_found = kind is Settings and origin.kind == "default"
            yield declared[field], getattr(settings, field) if is_found else value, origin


def settings_classes(sources: Sources) -> Iterator[tuple[type, Mapping[str, Variable]]]:
    """Each class of settings with its declarations by field; that of endpoints once for each that somebody names."""
    for each in (Settings, *PARTS.values()):
        yield each, dict(variables_of(each))
    for own in endpoint_variables(sources).values():
        yield NamedEndpoint, own


def _shown(variable: Variable, value: Any, origin: Origin, secrets: tuple[str, ...]) -> Shown:
    if value is None or (not isinstance(value, bool | int | float) and not value):
        return None
    if origin.kind != "default" and (variable.secret or variable.read is read.key):
        return SET
    if isinstance(value, bool | int | float):
        return value
    # A secret may also have been put where none belongs, such as a key in the name of a model.
    shown = list(map(str, value)) if isinstance(value, tuple) else str(value) if isinstance(value, Path) else value
    hidden = any(secret in text for secret in secrets for text in (shown if isinstance(shown, list) else [str(shown)]))
    return SET if hidden else shown
