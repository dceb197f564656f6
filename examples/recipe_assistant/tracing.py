"""W3C trace context: the caller's trace goes on, or a new one begins."""

import re
import secrets

TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?")


def trace_id_of(traceparent: str | None) -> str:
    """The trace id of a valid `traceparent` header, else a new one: 32 hexadecimal digits."""
    found = TRACEPARENT.fullmatch(traceparent.strip()) if traceparent else None
    return found[1] if found else secrets.token_hex(16)


def traceparent_of(trace_id: str) -> str:
    """The header of an answer: the trace, and a span of its own."""
    return f"00-{trace_id}-{secrets.token_hex(8)}-01"
