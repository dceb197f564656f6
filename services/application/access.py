"""Where an application answers, and in which manner it is called."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.applications.mapping import ConversationMapping
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
    mapping: FieldMapping | ConversationMapping
    concurrency: int
    rpm: int | None = None
    """Calls a minute at most; None for no limit."""
    retry_429: bool = False
    """Repeat a call that was answered 429: nothing was done then."""
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Of the environment, for the mapping's headers."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
