"""Endpoints beside the usual one, each under a name that a judge can be given: `mistral-small@mistral`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from evaluation.errors import UsageError
from services import setting_values as read
from services.setting_sources import Sources
from services.setting_values import Variable, setting, variables_of

TABLE = "endpoints"
"""Of the workspace file: a table for each of them."""
EXAMPLE = "NAME"
"""Stands in the declared variables where a variable of the environment has the endpoint's name."""
_VARIABLE = re.compile(r"EVAL_ENDPOINT_([A-Z0-9](?:[A-Z0-9_]{0,39}[A-Z0-9])?)_(?:URL|KEY|RPM|TPM)")
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,39}[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True)
class NamedEndpoint:
    """One endpoint by its settings. `repr` shows no secret."""

    url: str = setting(
        "EVAL_ENDPOINT_NAME_URL",
        read.address,
        "",
        "Base URL of a further endpoint for judges; NAME is yours to choose, in capitals. --judge-model "
        "some-model@name asks there.",
        secret=True,
        heading="Further endpoints, for the judges of a panel: four variables each, with its own name for NAME",
        key="endpoints.*.url",
    )
    key: str | None = setting("EVAL_ENDPOINT_NAME_KEY", read.key, None, "Its key, where it asks for one.", secret=True)
    rpm: int | None = setting(
        "EVAL_ENDPOINT_NAME_RPM",
        read.requests_a_minute,
        None,
        "Requests that it permits a minute. Unset: as EVAL_RPM.",
        key="endpoints.*.rpm",
    )
    tpm: int | None = setting(
        "EVAL_ENDPOINT_NAME_TPM",
        read.tokens_a_minute,
        None,
        "Tokens that it permits a minute. Unset: as EVAL_TPM.",
        key="endpoints.*.tpm",
    )

    def secrets(self) -> tuple[str | None, ...]:
        """What no output may contain, where it is set."""
        return (self.key, urlsplit(self.url).password)


def named_endpoints(sources: Sources) -> dict[str, NamedEndpoint]:
    """Name, in small letters -> the endpoint. Raises UsageError that names what has to be changed."""
    return {name.lower(): _read(name, own, sources) for name, own in endpoint_variables(sources).items()}


def endpoint_variables(sources: Sources) -> dict[str, dict[str, Variable]]:
    """Name, in capitals -> field -> its setting, for every endpoint that a variable or a table names."""
    names = {match.group(1) for variable in sources.texts if (match := _VARIABLE.fullmatch(variable))}
    names |= {key.partition(".")[0].upper().replace("-", "_") for key in sources.keys_below(TABLE)}
    return {name: _own_variables(name, sources) for name in sorted(names)}


def _own_variables(name: str, sources: Sources) -> dict[str, Variable]:
    spelt = {key.partition(".")[0] for key in sources.keys_below(TABLE)}
    written = next((each for each in spelt if each.upper().replace("-", "_") == name), name.lower())
    return {
        field: replace(variable, name=variable.name.replace(EXAMPLE, name, 1), key=variable.key.replace("*", written))
        for field, variable in variables_of(NamedEndpoint)
    }


def _read(name: str, own: Mapping[str, Variable], sources: Sources) -> NamedEndpoint:
    found = NamedEndpoint(**sources.read(NamedEndpoint, own))
    if not found.url:
        raise UsageError(f"EVAL_ENDPOINT_{name}_URL is not set, and another variable of that endpoint is: set both")
    return found


def split_judge(named: str, known: Mapping[str, NamedEndpoint]) -> tuple[str, str]:
    """Model and endpoint of a judge as it is named; an empty endpoint is the usual one.

    A model's own name may hold "@": what stands behind the last one is an endpoint only where one of that name is set.
    """
    model, at, name = named.rpartition("@")
    key = name.lower().replace("-", "_")
    return (model, key) if at and model and key in known else (named, "")


def endpoint_hint(named: str, known: Mapping[str, NamedEndpoint]) -> str:
    """A sentence on a judge's name that may be meant to name an endpoint that is not set; empty where it does not."""
    _, at, name = named.rpartition("@")
    if not at or not _NAME.fullmatch(name) or split_judge(named, known)[1]:
        return ""
    variable = f"EVAL_ENDPOINT_{name.upper().replace('-', '_')}_URL"
    return f"{named[:80]!r} is taken for the whole name of a model at the usual endpoint, as {variable} is not set"
