"""A loopback double of the Langfuse server for tests; it keeps what it gets and fails when asked to."""

from tests.langfuse_double.double import LangfuseDouble
from tests.langfuse_double.faults import Fault, Kind
from tests.langfuse_double.server import Request
from tests.langfuse_double.store import DroppedScore, PromptRow, StoredScore, StoredSpan
from tests.langfuse_double.views import Duplicates, ItemRow

__all__ = [
    "DroppedScore",
    "Duplicates",
    "Fault",
    "ItemRow",
    "Kind",
    "LangfuseDouble",
    "PromptRow",
    "Request",
    "StoredScore",
    "StoredSpan",
]
