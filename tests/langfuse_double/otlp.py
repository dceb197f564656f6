"""OTLP trace export: protobuf in, spans with all their attributes out."""

import gzip
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.langfuse_double.store import Store, StoredSpan
from tests.langfuse_double.wire import Answer, Call, Refused, invalid

MAX_BYTES = 16 * 1024 * 1024
MAX_SPANS = 100_000
STATUS = {0: "UNSET", 1: "OK", 2: "ERROR"}


def export(store: Store, call: Call) -> Answer:
    """Stores every span that is sent, also one that is there already.

    The answer is JSON, as Langfuse gives it to protobuf too: `{}`, or `partialSuccess` when spans were refused.
    """
    if "x-protobuf" not in call.headers.get("content-type", ""):
        raise Refused(415, "only application/x-protobuf is understood", "UnsupportedMediaTypeError")
    spans = list(_spans(store, _parsed(_plain(call))))
    if len(spans) > MAX_SPANS:
        raise Refused(413, f"{len(spans)} spans in one request", "PayloadTooLargeError")
    kept = [span for span in spans if span.name not in call.rejected]
    store.add_spans(kept)
    if len(kept) == len(spans):
        return Answer(200, {})
    refused = {"rejectedSpans": str(len(spans) - len(kept)), "errorMessage": "some spans were refused"}
    return Answer(200, {"partialSuccess": refused})


def _plain(call: Call) -> bytes:
    encoding = call.headers.get("content-encoding", "identity")
    try:
        if encoding == "gzip":
            body = gzip.decompress(call.body)
        else:
            body = zlib.decompress(call.body) if encoding == "deflate" else call.body
    except (OSError, EOFError, zlib.error) as error:
        raise invalid(f"the body is not {encoding}") from error
    if len(body) > MAX_BYTES:
        raise Refused(413, f"{len(body)} bytes in one request", "PayloadTooLargeError")
    return body


def _parsed(body: bytes) -> Any:
    try:
        return ExportTraceServiceRequest.FromString(body)
    except Exception as error:  # the protobuf runtime's error class depends on its implementation
        raise invalid("the body is no ExportTraceServiceRequest") from error


def _spans(store: Store, request: Any) -> Iterator[StoredSpan]:
    mark, stored_at, first = store.mark(), store.now(), len(store.spans)
    found = (
        (group.resource, scoped.scope, span)
        for group in request.resource_spans
        for scoped in group.scope_spans
        for span in scoped.spans
    )
    for number, (resource, scope, span) in enumerate(found):
        yield StoredSpan(
            trace_id=span.trace_id.hex(),
            id=span.span_id.hex(),
            parent_id=span.parent_span_id.hex() or None,
            name=span.name,
            start_ns=span.start_time_unix_nano,
            end_ns=span.end_time_unix_nano,
            attributes=_attributes(span.attributes),
            resource=_attributes(resource.attributes),
            scope=scope.name,
            scope_version=scope.version,
            status=STATUS.get(span.status.code, "UNSET"),
            status_message=span.status.message,
            sequence=first + number,
            stored_at=stored_at,
            mark=mark,
        )


def _attributes(pairs: Iterable[Any]) -> dict[str, Any]:
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(part) for part in value.array_value.values]
    if kind == "kvlist_value":
        return _attributes(value.kvlist_value.values)
    return None if kind is None else getattr(value, kind)
