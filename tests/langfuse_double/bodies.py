"""Request bodies against the SDK's own request models and against the server's published OpenAPI file."""

import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from tests.langfuse_double.store import Store
from tests.langfuse_double.wire import JsonObject, invalid

OPENAPI_FILE = Path(__file__).parents[2].parent / "shared" / "langfuse" / "openapi.yml"
SCHEMAS = {
    "POST v2/prompts": "CreatePromptRequest",
    "POST comments": "CreateCommentRequest",
    "POST v2/datasets": "CreateDatasetRequest",
    "POST dataset-items": "CreateDatasetItemRequest",
    "POST scores": "CreateScoreRequest",
    "POST score-configs": "CreateScoreConfigRequest",
    "PATCH score-configs/{id}": "UpdateScoreConfigRequest",
    "POST annotation-queues": "CreateAnnotationQueueRequest",
    "POST annotation-queues/{queue}/items": "CreateAnnotationQueueItemRequest",
    "PATCH annotation-queues/{queue}/items/{item}": "UpdateAnnotationQueueItemRequest",
}
"""The schema of a route's body; a list of scores is checked score by score."""


def checked(store: Store, model: str, body: Any) -> None:
    """Refused (400) when the SDK's model does not accept the body; unknown fields go to the store's problems.

    The server ignores unknown fields, so that a misspelt one would otherwise be lost without a word.
    """
    if not store.settings.check_bodies:
        return
    import pydantic
    from langfuse.api.core.pydantic_utilities import parse_obj_as

    kind, fields = _model(model)
    try:
        parse_obj_as(kind, body)
    except (pydantic.ValidationError, TypeError, AttributeError) as error:
        reason = " ".join(str(error).split())
        store.problems.append(f"{model}: {reason}")
        raise invalid(f"{model}: {reason}") from error
    unknown = sorted(body.keys() - fields)
    if unknown:
        store.problems.append(f"{model}: unknown field {unknown[0]!r}")


@cache
def _model(name: str) -> tuple[Any, frozenset[str]]:
    """The SDK's request model and the names its fields have on the wire."""
    from langfuse import api
    from langfuse.api.core.serialization import FieldMetadata

    kind = getattr(api, name)
    return kind, frozenset(
        next((str(part.alias) for part in field.metadata if isinstance(part, FieldMetadata)), attribute)
        for attribute, field in kind.model_fields.items()
    )


def openapi_file() -> Path | None:
    """Where the published OpenAPI file lies: LANGFUSE_OPENAPI, else beside the repository; none when it is absent."""
    path = Path(os.environ.get("LANGFUSE_OPENAPI") or OPENAPI_FILE)
    return path if path.is_file() else None


def openapi_problems(path: Path, bodies: Iterable[tuple[str, Any]]) -> list[str]:
    """The objections of the OpenAPI file to the bodies, each given with its route (`POST v2/prompts`)."""
    import jsonschema

    components = _components(path)
    problems: list[str] = []
    for route, body in bodies:
        schema = SCHEMAS.get(route)
        if schema is None:
            continue
        validator = jsonschema.Draft202012Validator({"$ref": f"#/components/schemas/{schema}", **components})
        for part in body if isinstance(body, list) else [body]:
            problems.extend(f"{route}: {error.message}" for error in validator.iter_errors(part))
    return problems


@cache
def _components(path: Path) -> JsonObject:
    import yaml

    document = yaml.load(path.read_text("utf-8"), Loader=yaml.CSafeLoader)
    return {"components": {"schemas": _plain_schema(document["components"]["schemas"])}}


def _plain_schema(node: Any) -> Any:
    """OpenAPI 3.0 in terms of JSON Schema: `nullable` becomes an alternative."""
    if isinstance(node, list):
        return [_plain_schema(part) for part in node]
    if not isinstance(node, dict):
        return node
    plain = {key: _plain_schema(value) for key, value in node.items() if key != "nullable"}
    if node.get("nullable") is True:
        return {"anyOf": [plain, {"type": "null"}]}
    return plain
