"""One observation as a value, the attributes that Langfuse reads, and its form on the wire."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeAlias

from evaluation.records import Json
from evaluation.runspec import canonical_json
from services.langfuse.masking import Outgoing, fit_json

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

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


def as_json(value: Json, fit: Outgoing) -> str:
    """Canonical JSON with every text in it made fit to be sent."""
    return canonical_json(fit_json(value, fit))


def described(kind: str, asked: Json, answered: Json, metadata: Mapping[str, Json], fit: Outgoing) -> dict[str, Any]:
    """Type, input, output and metadata of an observation; None leaves a field out."""
    prefix = "langfuse.observation."
    attributes: dict[str, Any] = {f"{prefix}type": kind}
    for name, value in (("input", asked), ("output", answered)):
        if value is not None:
            attributes[prefix + name] = fit(value) if isinstance(value, str) else as_json(value, fit)
    for key, value in metadata.items():
        if value is not None:
            attributes[f"{prefix}metadata.{key}"] = as_json(value, fit)
    return attributes


def encoded(observations: Iterable[Observation]) -> bytes:
    """The spans as one OTLP request body, not yet compressed."""
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

    body: bytes = encode_spans([_span(observation) for observation in observations]).SerializeToString()
    return body


def nanoseconds(seconds: float) -> int:
    """Of a time since the epoch, exact to the microsecond; never negative, as the wire has no sign."""
    return max(0, round(seconds * 1_000_000)) * 1000


def _span(observation: Observation) -> "ReadableSpan":
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.trace import SpanContext, Status, StatusCode, TraceFlags

    resource, scope = _origin()
    trace, sampled = int(observation.trace_id, 16), TraceFlags(TraceFlags.SAMPLED)
    parent = None
    if observation.parent_id is not None:
        parent = SpanContext(trace, int(observation.parent_id, 16), is_remote=False, trace_flags=sampled)
    return ReadableSpan(
        name=observation.name,
        context=SpanContext(trace, int(observation.id, 16), is_remote=False, trace_flags=sampled),
        parent=parent,
        resource=resource,
        attributes=dict(observation.attributes),
        status=Status(StatusCode.ERROR, observation.error) if observation.error else Status(StatusCode.UNSET),
        start_time=observation.start_ns,
        end_time=max(observation.start_ns, observation.end_ns),
        instrumentation_scope=scope,
    )


@cache
def _origin() -> tuple[Any, Any]:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope

    return Resource({"service.name": "prompt-evaluation"}), InstrumentationScope(SCOPE, version("langfuse"))
