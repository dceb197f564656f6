"""The application a suite evaluates over HTTP: the one in the settings, or the embedded sample when none is set."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.chat_flow.mapping import FieldMapping, parse_mapping
from evaluation.errors import UsageError
from evaluation.records import Json
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.runspec import digest
from examples.recipe_assistant import VERSION
from services.application.client import Application, ApplicationAccess, open_application
from services.application.sample import NAME, sample_assistant
from services.catalog import read_text
from services.endpoint_url import EndpointUrl, parse_endpoint_url
from services.settings import Settings

EXAMPLE = "http://localhost:8000"


@dataclass(frozen=True, slots=True)
class ApplicationChoice:
    """Where the flows will be played, before anything is started."""

    where: EndpointUrl | None = field(repr=False)
    """None for the embedded sample."""
    identity: str
    defects: tuple[str, ...]
    mapping: FieldMapping
    mapping_text: str | None
    """Kept with the run; None without a mapping file."""
    parameters: Mapping[str, Json]
    """Apart from the address, these decide what is measured: time limit, mapping, version as the user names it."""

    @property
    def embedded(self) -> bool:
        return self.where is None


def choose_application(request: EvaluationRequest, settings: Settings, resumed: Run | None = None) -> ApplicationChoice:
    """Flag before setting before the embedded sample; of a resumed run the mapping that it keeps.

    Raises UsageError for an address or a mapping that cannot be read, for defects of an application of one's own, and
    for settings that name another application than the one that a resumed run was made with.
    """
    text, place = _mapping_text(request, settings, resumed)
    where = _address(request, settings)
    if where is not None and request.defects:
        raise UsageError(
            f"--defect is for the embedded sample, and {where.identity} is evaluated: leave out one of them"
        )
    mapping = FieldMapping() if text is None else parse_mapping(text, place)
    timeout_s = settings.chat_flow_timeout_seconds
    parameters: dict[str, Json] = {"timeout_seconds": timeout_s}
    parameters |= {} if text is None else {"mapping": digest(text)[:12]}
    parameters |= {} if request.app_version is None else {"version": request.app_version}
    sample = "+".join([f"{NAME}@{VERSION}", *sorted(request.defects)])
    identity = sample if where is None else where.identity
    if resumed is not None and resumed.asked_application not in (None, identity):
        raise UsageError(
            f"run {resumed.run_id} was made with {resumed.asked_application} and the settings now name {identity}: "
            f"set CHAT_FLOW_URL as it was, or start a new run"
        )
    return ApplicationChoice(where, identity, request.defects, mapping, text, parameters)


@asynccontextmanager
async def opened_application(
    choice: ApplicationChoice | None, settings: Settings, request: EvaluationRequest
) -> AsyncIterator[Application | None]:
    """The application, ready for calls; the sample is started first and ends with it. None where none is evaluated."""
    if choice is None or request.dry_run:
        yield None
        return
    with nullcontext() if choice.where is not None else sample_assistant(choice.defects) as url:
        access = ApplicationAccess(
            where=choice.where or parse_endpoint_url(url or "", "the sample assistant"),
            identity=choice.identity,
            headers=settings.chat_flow_headers,
            timeout_s=settings.chat_flow_timeout_seconds,
            mapping=choice.mapping,
            concurrency=request.concurrency or settings.concurrency,
            secrets=settings.secrets(),
        )
        async with open_application(access) as application:
            yield application


def _address(request: EvaluationRequest, settings: Settings) -> EndpointUrl | None:
    if request.url is not None:
        where = parse_endpoint_url(request.url, "--url", EXAMPLE)
        if where.user_info is not None or where.query:
            raise UsageError("--url: arguments are kept with a run: put what is secret into CHAT_FLOW_URL")
        return where
    if settings.chat_flow_url is None or request.defects:
        return None
    return parse_endpoint_url(settings.chat_flow_url, "CHAT_FLOW_URL", EXAMPLE)


def _mapping_text(request: EvaluationRequest, settings: Settings, resumed: Run | None) -> tuple[str | None, str]:
    """The text of the mapping file and where it stands; None where the application bears the contract's own names."""
    if resumed is not None:
        return resumed.inputs.get("mapping"), f"mapping of run {resumed.run_id}"
    path = Path(request.mapping) if request.mapping is not None else settings.chat_flow_mapping
    if path is None or (request.mapping is None and request.defects):
        return None, ""
    file = read_text(path)
    return file.text, file.place
