"""The server's reading of a span's attributes."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tests.langfuse_double.store import Store, StoredSpan
from tests.langfuse_double.wire import JsonObject, from_nanoseconds

MAX_PROMPT_VERSION = 65_535
"""The server keeps a prompt version in 16 unsigned bits."""


@dataclass(frozen=True, slots=True)
class ExperimentPart:
    """The experiment attributes of one span."""

    id: str
    name: str
    description: str | None
    metadata: JsonObject | None
    dataset_id: str | None
    item_id: str
    item_version: str | None
    item_metadata: JsonObject | None
    expected_output: Any
    root_observation_id: str


def text(span: StoredSpan, name: str) -> str | None:
    value = span.attributes.get(name)
    return None if value is None else str(value)


def decoded(value: Any) -> Any:
    """A value that was sent as JSON text; text that is no JSON stays as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def below(span: StoredSpan, prefix: str) -> JsonObject | None:
    """A mapping sent whole under `prefix`, flattened as `prefix.key`, or both; none when there is nothing."""
    whole = decoded(span.attributes.get(prefix))
    found: JsonObject = dict(whole) if isinstance(whole, dict) else ({} if whole is None else {"value": whole})
    dot = prefix + "."
    found.update({key[len(dot) :]: decoded(value) for key, value in span.attributes.items() if key.startswith(dot)})
    return found or None


def observation_type(span: StoredSpan) -> str:
    return (text(span, "langfuse.observation.type") or "span").upper()


def level(span: StoredSpan) -> str:
    given = text(span, "langfuse.observation.level")
    return given or ("ERROR" if span.status == "ERROR" else "DEFAULT")


def environment(span: StoredSpan) -> str:
    name = "langfuse.environment"
    return str(span.attributes.get(name) or span.resource.get(name) or "default")


def is_root(span: StoredSpan) -> bool:
    marked = span.attributes.get("langfuse.internal.is_app_root") or span.attributes.get("langfuse.internal.as_root")
    return span.parent_id is None or marked in (True, "true")


def start(span: StoredSpan) -> datetime:
    return from_nanoseconds(span.start_ns)


def end(span: StoredSpan) -> datetime:
    return from_nanoseconds(span.end_ns)


def prompt_link(store: Store, span: StoredSpan) -> tuple[str, int] | None:
    """Name and version of the prompt that made this generation; only generations can be linked."""
    name = text(span, "langfuse.observation.prompt.name")
    version = span.attributes.get("langfuse.observation.prompt.version")
    if observation_type(span) != "GENERATION" or not name or not str(version).isdigit():
        return None
    number = int(str(version))
    if number > MAX_PROMPT_VERSION or (store.settings.link_requires_prompt and store.prompt(name, number) is None):
        return None
    return name, number


def experiment_part(span: StoredSpan) -> ExperimentPart | None:
    """None unless the span names its experiment, its item and the item's root observation."""
    prefix = "langfuse.experiment."
    identity = [text(span, prefix + name) for name in ("id", "item.id", "item.root_observation_id")]
    if not all(identity):
        return None
    experiment, item, root = (part or "" for part in identity)
    return ExperimentPart(
        id=experiment,
        name=text(span, prefix + "name") or "",
        description=text(span, prefix + "description"),
        metadata=below(span, prefix + "metadata"),
        dataset_id=text(span, prefix + "dataset.id"),
        item_id=item,
        item_version=text(span, prefix + "item.version"),
        item_metadata=below(span, prefix + "item.metadata"),
        expected_output=span.attributes.get(prefix + "item.expected_output"),
        root_observation_id=root,
    )
