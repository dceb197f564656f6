"""Where an application answers, and in which manner it is called."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.chat_flow.mapping import FieldMapping
from services.endpoint_url import EndpointUrl


@dataclass(frozen=True, slots=True)
class ApplicationAccess:
    """The application's address, and the manner of calling it. `repr` shows no secret."""

    where: EndpointUrl = field(repr=False)
    identity: str
    """Its name in runs and the journal: its address without user info, or name, version and defects."""
    headers: Mapping[str, str] = field(repr=False)
    timeout_s: float
    """Of one call, from connecting to the last byte."""
    mapping: FieldMapping
    concurrency: int
    secrets: tuple[str, ...] = field(default=(), repr=False)
