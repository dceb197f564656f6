"""Calls to models behind an OpenAI-compatible endpoint: what is sent, how it is tried again, what it costs."""

__all__ = [
    "batch_api",
    "batches",
    "call_forms",
    "endpoint",
    "errors",
    "limiter",
    "pricing",
    "providers",
    "waves",
]
