"""The handler of each path below /api/public."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.langfuse_double import (
    annotation_queues,
    comments,
    datasets,
    experiments,
    observations,
    otlp,
    prompts,
    score_configs,
    score_reads,
    score_writes,
)
from tests.langfuse_double.store import Store
from tests.langfuse_double.wire import Answer, Call

Handler = Callable[[Store, Call], Answer]
PREFIX = ("api", "public")


def health(store: Store, call: Call) -> Answer:
    return Answer(200, {"status": "OK", "version": store.settings.version})


def projects(store: Store, call: Call) -> Answer:
    project = {
        "id": store.project_id,
        "name": "double",
        "organization": {"id": "organization-double", "name": "double"},
        "metadata": {},
    }
    return Answer(200, {"data": [project]})


ROUTES: dict[str, Handler] = {
    "GET health": health,
    "GET projects": projects,
    "POST otel/v1/traces": otlp.export,
    "GET v2/prompts": prompts.listing,
    "POST v2/prompts": prompts.create,
    "GET v2/prompts/{name}": prompts.fetch,
    "DELETE v2/prompts/{name}": prompts.delete,
    "PATCH v2/prompts/{name}/versions/{version}": prompts.move_labels,
    "GET comments": comments.listing,
    "POST comments": comments.create,
    "GET comments/{id}": comments.fetch,
    "GET v2/datasets": datasets.listing,
    "POST v2/datasets": datasets.create,
    "GET v2/datasets/{name}": datasets.fetch,
    "GET dataset-items": datasets.list_items,
    "POST dataset-items": datasets.create_item,
    "GET dataset-items/{id}": datasets.fetch_item,
    "DELETE dataset-items/{id}": datasets.delete_item,
    "POST scores": score_writes.create,
    "DELETE scores/{id}": score_writes.delete,
    "GET v3/scores": score_reads.listing,
    "GET v2/observations": observations.listing,
    "GET experiments": experiments.listing,
    "GET experiment-items": experiments.list_items,
    "GET score-configs": score_configs.listing,
    "POST score-configs": score_configs.create,
    "GET score-configs/{id}": score_configs.fetch,
    "PATCH score-configs/{id}": score_configs.update,
    "GET annotation-queues": annotation_queues.listing,
    "POST annotation-queues": annotation_queues.create,
    "GET annotation-queues/{queue}": annotation_queues.fetch,
    "GET annotation-queues/{queue}/items": annotation_queues.list_items,
    "POST annotation-queues/{queue}/items": annotation_queues.create_item,
    "GET annotation-queues/{queue}/items/{item}": annotation_queues.fetch_item,
    "PATCH annotation-queues/{queue}/items/{item}": annotation_queues.update_item,
    "DELETE annotation-queues/{queue}/items/{item}": annotation_queues.delete_item,
}


@dataclass(frozen=True, slots=True)
class Route:
    name: str
    """Its key in ROUTES."""
    handler: Handler
    parameters: dict[str, str]


def find(method: str, segments: tuple[str, ...]) -> Route | None:
    """The route of a path given as decoded segments; an encoded slash stays inside its segment."""
    if segments[: len(PREFIX)] != PREFIX:
        return None
    rest = segments[len(PREFIX) :]
    for name, handler in ROUTES.items():
        verb, pattern = name.split(" ")
        parts = pattern.split("/")
        if verb == method and len(parts) == len(rest):
            pairs = list(zip(parts, rest, strict=True))
            if all(part == given or part.startswith("{") for part, given in pairs):
                return Route(name, handler, {part[1:-1]: given for part, given in pairs if part.startswith("{")})
    return None
