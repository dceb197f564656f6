"""An application under test behind HTTP: its address, the calls to it, what it answers, and the sample of our own."""

from services.application.access import ApplicationAccess
from services.application.calls import MAX_BYTES
from services.application.client import Application, open_application
from services.application.reach import unreachable
from services.application.sample import SAMPLE_NAME, function_server, sample_assistant

__all__ = [
    "MAX_BYTES",
    "SAMPLE_NAME",
    "Application",
    "ApplicationAccess",
    "function_server",
    "open_application",
    "sample_assistant",
    "unreachable",
]
