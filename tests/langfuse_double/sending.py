"""Spans and clients as tests of the double and of the integration need them; the real SDK and HTTP stack throughout."""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx

from tests.langfuse_double.double import LangfuseDouble

if TYPE_CHECKING:
    from langfuse.api.client import LangfuseAPI
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import ReadableSpan

START_NS = 1_790_000_000_000_000_000
"""2026-09-21 14:13:20 UTC."""
SECOND_NS = 1_000_000_000


@contextmanager
def api_client(double: LangfuseDouble, timeout: float = 10.0) -> Iterator["LangfuseAPI"]:
    """The SDK's generated client for a double, without the global client and its threads."""
    from langfuse.api.client import LangfuseAPI

    with httpx.Client(timeout=timeout) as connection:
        yield LangfuseAPI(
            base_url=double.base_url,
            username=double.public_key,
            password=double.secret_key,
            x_langfuse_public_key=double.public_key,
            httpx_client=connection,
        )


@contextmanager
def span_exporter(double: LangfuseDouble, timeout: float = 10.0) -> Iterator["OTLPSpanExporter"]:
    """OpenTelemetry's exporter, gzip, with the headers that Langfuse wants."""
    from opentelemetry.exporter.otlp.proto.http import Compression
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    pair = base64.b64encode(f"{double.public_key}:{double.secret_key}".encode()).decode()
    exporter = OTLPSpanExporter(
        endpoint=f"{double.base_url}/api/public/otel/v1/traces",
        headers={"Authorization": f"Basic {pair}", "x-langfuse-ingestion-version": "4"},
        timeout=timeout,
        compression=Compression.Gzip,
    )
    try:
        yield exporter
    finally:
        exporter.shutdown()  # type: ignore[no-untyped-call]


def trace_id(seed: str) -> str:
    return hashlib.sha256(seed.encode()).hexdigest()[:32]


def span_id(seed: str) -> str:
    return hashlib.sha256(seed.encode()).hexdigest()[:16]


def span(
    trace: str,
    name: str,
    attributes: Mapping[str, Any] | None = None,
    *,
    parent: str | None = None,
    start_ns: int = START_NS,
    seconds: float = 1.0,
    error: str | None = None,
) -> "ReadableSpan":
    """A finished span; its ids follow from the seeds `trace`, `trace/name` and `trace/parent`."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace import SpanContext, Status, StatusCode, TraceFlags

    def context(of: str) -> SpanContext:
        ids = int(trace_id(trace), 16), int(span_id(f"{trace}/{of}"), 16)
        return SpanContext(*ids, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))

    return ReadableSpan(
        name=name,
        context=context(name),
        parent=None if parent is None else context(parent),
        resource=Resource({"service.name": "tests"}),
        attributes=dict(attributes or {}),
        status=Status(StatusCode.UNSET) if error is None else Status(StatusCode.ERROR, error),
        start_time=start_ns,
        end_time=start_ns + int(seconds * SECOND_NS),
        instrumentation_scope=InstrumentationScope("langfuse-sdk", "5.0.4"),
    )


def generation(prompt: str | None = None, version: int | None = None, **more: Any) -> dict[str, Any]:
    """Attributes of a generation, linked to a prompt version when one is given."""
    attributes: dict[str, Any] = {
        "langfuse.observation.type": "generation",
        "langfuse.observation.model.name": "model-a",
        "langfuse.observation.usage_details": json.dumps({"input": 12, "output": 7}),
        **more,
    }
    if prompt is not None and version is not None:
        attributes["langfuse.observation.prompt.name"] = prompt
        attributes["langfuse.observation.prompt.version"] = version
    return attributes


def experiment(experiment_id: str, item_id: str, root: str, **more: Any) -> dict[str, Any]:
    """The attributes that make a span part of an experiment; `root` is the item's root span id."""
    return {
        "langfuse.experiment.id": experiment_id,
        "langfuse.experiment.name": f"experiment {experiment_id}",
        "langfuse.experiment.dataset.id": "dataset-1",
        "langfuse.experiment.item.id": item_id,
        "langfuse.experiment.item.root_observation_id": root,
        **more,
    }
