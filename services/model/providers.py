"""What is known of OpenAI-compatible endpoints before the first call: which one is it, and what does it not take?"""

import re
from collections.abc import Collection
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from evaluation.text.forms import SourceText
from services.endpoint_url import EndpointUrl
from services.model.call_forms import TRAITS
from services.model.pricing import Day
from services.text_files import read_text

TABLE = Path(__file__).with_name("providers.yaml")
BEGIN = "sources and, under providers, one provider each"
_STRICT = ConfigDict(strict=True, frozen=True, extra="forbid")


def _known(trait: str) -> str:
    if trait not in TRAITS:
        raise ValueError(f"is no trait: there are {', '.join(sorted(TRAITS))}")
    return trait


Trait = Annotated[str, AfterValidator(_known)]


class Source(BaseModel):
    """Where a fact was read."""

    model_config = _STRICT

    url: str
    date: Day
    """Of the text; where it bears none, of the day on which it was read."""


class Fact(BaseModel):
    """One thing that is known of a provider."""

    model_config = _STRICT

    about: Literal[
        "address", "key", "models", "parameters", "refusals", "seed", "formats", "several answers", "logprobs",
        "finish reasons", "usage", "empty content", "content filter", "system role", "errors", "rate limits",
    ]  # fmt: skip
    says: str
    source: str
    """Its name among the sources."""


class ModelTraits(BaseModel):
    """What some models of a provider do not take."""

    model_config = _STRICT

    names: str
    """A regular expression of their whole names."""
    traits: tuple[Trait, ...] = Field(strict=False)


class Provider(BaseModel):
    """One provider, or one server that many run."""

    model_config = _STRICT

    id: str
    name: str
    base_url: str
    """To call, with NAME for what is yours."""
    key: str
    """The variable in which its own documents keep the key, or what to know of it. This tool reads OPENAI_API_KEY."""
    facts: tuple[Fact, ...] = Field(strict=False)
    hosts: tuple[str, ...] = Field((), strict=False)
    """Patterns of its host; with a port where that is part of it. Empty where it may run anywhere."""
    path: str = ""
    """The beginning of its path."""
    owners: tuple[str, ...] = Field((), strict=False)
    """What its list of models says of who owns them, where it may run anywhere."""
    key_header: Literal["authorization", "api-key"] = "authorization"
    traits: tuple[Trait, ...] = Field((), strict=False)
    """Of all its models."""
    models: tuple[ModelTraits, ...] = Field((), strict=False)

    def traits_of(self, model: str) -> frozenset[str]:
        """What this model is known not to take."""
        own = (each.traits for each in self.models if re.fullmatch(each.names, model))
        return frozenset(self.traits).union(*own)

    def serves_at(self, where: EndpointUrl) -> bool:
        """True where the address is one of this provider's."""
        parts = urlsplit(where.identity)
        hosts = (parts.netloc, parts.hostname or "")
        named = any(fnmatchcase(host, pattern) for pattern in self.hosts for host in hosts)
        return named and f"{parts.path}/".startswith(f"{self.path}/")


class Providers(BaseModel):
    """The table."""

    model_config = _STRICT

    schema_version: Literal[1]
    sources: dict[str, Source]
    providers: tuple[Provider, ...] = Field(strict=False)


@cache
def load_providers() -> Providers:
    """The table, read once."""
    file = read_text(TABLE)
    return SourceText(file.text, file.place).read(Providers, BEGIN)


def recognise(where: EndpointUrl) -> Provider | None:
    """The provider at an address; None for one that the table does not know, which is most of those on this machine."""
    return next((each for each in load_providers().providers if each.serves_at(where)), None)


def recognise_owner(owners: Collection[str]) -> Provider | None:
    """The provider that its list of models gives away by who owns them."""
    return next((each for each in load_providers().providers if set(each.owners) & set(owners)), None)
