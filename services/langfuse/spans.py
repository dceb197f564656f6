"""Spans of a trace, and their form on the wire."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, TypeAlias

Attributes: TypeAlias = Mapping[str, Any]

SCOPE = "langfuse-sdk"
"""Instrumentation scope under which the server takes spans for Langfuse's own."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One span of a trace. Times are nanoseconds since the epoch."""

    trace_id: str
    id: str
    parent_id: str | None
    name: str
    start_ns: int
    end_ns: int
    attributes: Attributes
    error: str = ""
    """Why it failed; empty when it did not."""


def encode(observations: Iterable[Observation]) -> bytes:
    """The spans as one OTLP request body, not yet compressed.

    OpenTelemetry's messages are filled in place: the way through spans of its SDK takes four times as long.
    """
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    request = ExportTraceServiceRequest()
    of_resource = request.resource_spans.add()
    _fill(of_resource.resource.attributes, {"service.name": "prompt-evaluation"})
    of_scope = of_resource.scope_spans.add()
    of_scope.scope.name = SCOPE
    of_scope.scope.version = version("langfuse")
    for observation in observations:
        _add(of_scope.spans, observation)
    body: bytes = request.SerializeToString()
    return body


def _add(spans: Any, observation: Observation) -> None:
    from opentelemetry.proto.trace.v1.trace_pb2 import Span, SpanFlags, Status

    span = spans.add(
        trace_id=bytes.fromhex(observation.trace_id),
        span_id=bytes.fromhex(observation.id),
        parent_span_id=bytes.fromhex(observation.parent_id or ""),
        name=observation.name,
        kind=Span.SPAN_KIND_INTERNAL,
        start_time_unix_nano=observation.start_ns,
        end_time_unix_nano=max(observation.start_ns, observation.end_ns),
        flags=SpanFlags.SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK,
    )
    if observation.error:
        span.status.code = Status.STATUS_CODE_ERROR
        span.status.message = observation.error
    _fill(span.attributes, observation.attributes)


def _fill(attributes: Any, values: Attributes) -> None:
    """Texts, whole numbers and lists of texts: what the projection makes. Raises TypeError for anything else."""
    for key, value in values.items():
        entry = attributes.add()
        entry.key = key
        if isinstance(value, str):
            entry.value.string_value = value
        elif isinstance(value, list):
            for text in value:
                entry.value.array_value.values.add().string_value = text
        else:
            entry.value.int_value = value
