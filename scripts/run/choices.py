"""Where calls will go, before anything is opened: an endpoint of the settings or the rehearsal, and an application."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.applications.mapping import APPLICATION, ConversationMapping
from evaluation.errors import UsageError
from evaluation.records import Json
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.runspec import digest
from evaluation.suites.suite import SuiteDefinition
from examples.recipe_assistant import VERSION as SAMPLE_VERSION
from services.endpoint_url import OPENAI_URL, EndpointUrl, parse_endpoint_url
from services.rehearsal import VERSION as REHEARSAL_VERSION
from services.settings import Settings, read_sources
from services.text_files import read_text

if TYPE_CHECKING:
    from evaluation.chat_flow.mapping import FieldMapping

REHEARSAL_IDENTITY = f"rehearsal@{REHEARSAL_VERSION}"


@dataclass(frozen=True, slots=True)
class EndpointChoice:
    """Where calls will go, before anything is started."""

    base_url: str | None
    api_key: str | None
    identity: str
    further: frozenset[str] = frozenset()
    """Identities of the named endpoints, where judges may be asked."""

    @property
    def known(self) -> frozenset[str]:
        """All identities."""
        return self.further | {self.identity}

    @property
    def rehearsal(self) -> bool:
        return self.identity == REHEARSAL_IDENTITY


def choose_endpoint(settings: Settings) -> EndpointChoice:
    """The endpoint of the settings; without key and base URL the rehearsal model."""
    further = frozenset(parse_endpoint_url(each.url).identity for each in settings.endpoints.values())
    if settings.openai_api_key is None and settings.openai_base_url is None:
        return EndpointChoice(None, None, REHEARSAL_IDENTITY, further)
    identity = parse_endpoint_url(settings.openai_base_url or OPENAI_URL).identity
    return EndpointChoice(settings.openai_base_url, settings.openai_api_key, identity, further)


MAPPING = "mapping"
"""Input of a run of the recipe suite: its mapping file."""
EXAMPLE = "http://localhost:8000"
FUNCTION_MAPPING = '{path: /turn, body: {messages: "{messages}", conversation: "{scenario}-{repeat}"}}'
"""How a function of the workspace is asked."""


@dataclass(frozen=True, slots=True)
class ApplicationChoice:
    """Where the flows will be played, before anything is started."""

    where: EndpointUrl | None = field(repr=False)
    """None for the embedded sample."""
    identity: str
    defects: tuple[str, ...]
    mapping: "FieldMapping | ConversationMapping"
    mapping_text: str | None
    """Kept with the run; None without a mapping file."""
    parameters: Mapping[str, Json]
    """Apart from the address, these decide what is measured: time limit, mapping, version as the user names it."""
    function: tuple[Path, str] | None = None
    """A Python file and the name of its function, in HTTP's place."""
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Of the environment, those that the mapping's headers name."""

    @property
    def embedded(self) -> bool:
        """True for the sample assistant."""
        return self.where is None and self.function is None

    @contextmanager
    def served(self) -> Iterator[EndpointUrl]:
        """Its address; what is no server of its own is one while the block runs."""
        from services.application import function_server, sample_assistant

        if self.where is not None:
            yield self.where
            return
        with sample_assistant(self.defects) if self.function is None else function_server(*self.function) as url:
            yield parse_endpoint_url(url, "the sample assistant")


def choose_application(
    request: EvaluationRequest, settings: Settings, suite: SuiteDefinition, resumed: Run | None
) -> ApplicationChoice:
    """Flag before setting before the embedded sample; of a resumed run the mapping that it keeps.

    Raises UsageError for an address or a mapping that cannot be read, for defects of an application of one's own, and
    for settings that name another application than the one that a resumed run was made with.
    """
    from services.application import SAMPLE_NAME

    text, place = _mapping_text(request, settings, resumed)
    where = _address(request, settings)
    if where is not None and request.defects:
        raise UsageError(
            f"--defect is for the embedded sample, and {where.identity} is evaluated: leave out one of them"
        )
    mapping = suite.read_mapping("{}" if text is None else text, place)
    function = _function(settings) if where is None and isinstance(mapping, ConversationMapping) else None
    if function is not None:
        text = FUNCTION_MAPPING
        mapping = suite.read_mapping(text, "the application")
    if where is None and function is None and isinstance(mapping, ConversationMapping):
        raise UsageError(
            f"suite {suite.name!r} is played on an application, and none is named: give its address with --url, or "
            "application.url or application.call in the workspace file"
        )
    timeout_s = settings.chat_flow_timeout_seconds
    parameters: dict[str, Json] = {"timeout_seconds": timeout_s}
    parameters |= {} if text is None else {"mapping": digest(text)[:12]}
    parameters |= {} if request.app_version is None else {"version": request.app_version}
    sample = "+".join([f"{SAMPLE_NAME}@{SAMPLE_VERSION}", *sorted(request.defects)])
    identity = sample if where is None else where.identity
    if function is not None:
        path, name = function
        identity = f"{path.name}:{name}"
        parameters["code"] = digest(read_text(path).text)[:12]
    if resumed is not None and resumed.asked_application not in (None, identity):
        raise UsageError(
            f"run {resumed.run_id} was made with {resumed.asked_application} and the settings now name {identity}: "
            f"set CHAT_FLOW_URL as it was, or start a new run"
        )
    calling = mapping if isinstance(mapping, ConversationMapping) else mapping.calling()
    variables = _variables(calling, place)
    return ApplicationChoice(where, identity, request.defects, mapping, text, parameters, function, variables)


def _function(settings: Settings) -> tuple[Path, str] | None:
    """The file and the name of the function that answers in HTTP's place; None where the workspace names none."""
    if settings.application_call is None:
        return None
    file, _, name = settings.application_call.rpartition(":")
    return settings.workspace.folder / file, name


def _variables(mapping: ConversationMapping, place: str) -> dict[str, str]:
    """The variables that the mapping's headers name. Raises UsageError for one that is not set."""
    known = read_sources().texts
    found = {name: known.get(name, "").strip() for name in mapping.variables}
    if missing := [name for name, value in found.items() if not value]:
        raise UsageError(
            f"{place}: headers name {', '.join(f'${{{name}}}' for name in missing)}, which the environment does not "
            "have: export it, or set it in .env"
        )
    if strange := [name for name, value in found.items() if not (value.isascii() and value.isprintable())]:
        raise UsageError(f"{place}: ${{{strange[0]}}} has a character that no header can hold: set it again")
    return found


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
        return resumed.inputs.get(MAPPING, resumed.inputs.get(APPLICATION)), f"mapping of run {resumed.run_id}"
    path = Path(request.mapping) if request.mapping is not None else settings.chat_flow_mapping
    if path is None or (request.mapping is None and request.defects):
        return None, ""
    file = read_text(path)
    return file.text, file.place
