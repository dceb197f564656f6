"""The table of providers as a document for people: what is known of each endpoint, and where it was read."""

from collections.abc import Iterator

from scripts.documents.markdown import Filters, fill
from services.model.providers import Provider, Providers

MEANINGS = {
    "max_completion_tokens": "`max_tokens` is sent as `max_completion_tokens`",
    "max_tokens": "`max_completion_tokens` is sent as `max_tokens`",
    "random_seed": "`seed` is sent as `random_seed`",
    "without_temperature": "`temperature` is not sent",
    "without_top_p": "`top_p` is not sent",
    "without_seed": "`seed` is not sent",
    "without_logprobs": "`logprobs` is not sent",
    "without_json_schema": "a judge is not asked in `json_schema`",
    "without_json_object": "a judge is not asked in `json_object`",
}
"""Trait -> what follows from it."""


def provider_document(table: Providers) -> str:
    """Markdown, the same text for the same table, ending in one line feed."""
    filters: Filters = {"consequences": lambda provider: list(consequences(provider)), "address": address}
    return fill("providers.md.j2", filters, table=table)


def consequences(provider: Provider) -> Iterator[str]:
    """What this tool does otherwise at this provider than at one that it does not know, a sentence each."""
    if provider.key_header != "authorization":
        yield f"The key is sent in the header `{provider.key_header}`; a token in `Authorization: Bearer`."
    for trait in provider.traits:
        yield f"To every model: {MEANINGS[trait]}."
    for each in provider.models:
        yield f"To models like `{each.names}`: {', '.join(MEANINGS[trait] for trait in each.traits)}."


def address(provider: Provider) -> str:
    """By what it is recognised."""
    hosts = ", ".join(f"`{host}{provider.path}`" for host in provider.hosts)
    owners = ", ".join(f"`owned_by: {owner}`" for owner in provider.owners)
    return " or ".join(part for part in (hosts, f"{owners} in its list of models" if owners else "") if part)
