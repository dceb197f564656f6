"""The endpoint that answers: the one in the settings, or the embedded rehearsal model when none is set."""

import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from evaluation.applications.mapping import APPLICATION, ConversationMapping
from evaluation.chat_flow.mapping import FieldMapping
from evaluation.errors import UsageError
from evaluation.plan import Models
from evaluation.ports import PriceOf
from evaluation.prompts import PromptVersion
from evaluation.records import Json, Usage
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.runspec import EmbeddingPin, digest
from evaluation.suites.suite import SuiteDefinition
from examples.recipe_assistant import VERSION as SAMPLE_VERSION
from scripts.run.endpoints import Endpoints, Place, open_endpoints
from services.application import (
    SAMPLE_NAME,
    Application,
    ApplicationAccess,
    function_server,
    open_application,
    sample_assistant,
)
from services.endpoint_url import OPENAI_URL, EndpointUrl, parse_endpoint_url
from services.journal import Journal
from services.model.endpoint import BATCH_SHARE, Endpoint
from services.model.pricing import Prices, load_prices
from services.named_endpoints import split_judge
from services.rehearsal import EMBEDDING_MODEL, GENERATION_MODEL, JUDGE_MODEL, MODERATION_MODEL
from services.rehearsal import VERSION as REHEARSAL_VERSION
from services.rehearsal.process import rehearsal_endpoint
from services.settings import Settings, read_sources
from services.text_files import read_text

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


REHEARSED = frozenset({GENERATION_MODEL, JUDGE_MODEL, MODERATION_MODEL, EMBEDDING_MODEL})


def free(_model: str, _usage: Usage) -> float:
    """The price of the rehearsal model, US dollars."""
    return 0.0


def _free_of(prices: Prices) -> PriceOf:
    """Nothing for what is embedded; a judge at a named endpoint costs what it costs."""
    return lambda model, usage: 0.0 if model in REHEARSED else prices.price_of(model, usage)


def _in_batches(price_of: PriceOf) -> PriceOf:
    """What the same calls cost in batches."""

    def price(model: str, usage: Usage) -> float | None:
        whole = price_of(model, usage)
        return None if whole is None else whole * BATCH_SHARE

    return price


EXAMPLE = "http://localhost:8000"
FUNCTION_MAPPING = '{path: /turn, body: {messages: "{messages}", conversation: "{scenario}-{repeat}"}}'
"""How a function of the workspace is asked."""
MAPPING = "mapping"
"""Input of a run of the recipe suite: its mapping file."""


@dataclass(frozen=True, slots=True)
class ApplicationChoice:
    """Where the flows will be played, before anything is started."""

    where: EndpointUrl | None = field(repr=False)
    """None for the embedded sample."""
    identity: str
    defects: tuple[str, ...]
    mapping: FieldMapping | ConversationMapping
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


@dataclass(frozen=True, slots=True)
class Wiring:
    """Opened once for a command, before anything is planned, and closed when its runs are finished."""

    request: EvaluationRequest
    settings: Settings
    journal: Journal
    choice: EndpointChoice
    endpoints: Endpoints
    prices: Prices
    price_of: PriceOf
    """Prices a call: by the table, or at nothing where the rehearsal model answers."""
    target: ApplicationChoice | None = None
    """The application that is evaluated, where no model is."""
    application: Application | None = None
    """The same, open for calls; None on a dry run."""

    @property
    def endpoint(self) -> Endpoint:
        """The usual one, which answers as the model under test."""
        return self.endpoints.usual

    @property
    def secrets(self) -> tuple[str, ...]:
        """The values that no output may contain."""
        return (*self.settings.secrets(), *(_secret_parts(self.target.variables) if self.target else ()))

    @property
    def concurrency(self) -> int:
        """Calls in flight at most."""
        return self.request.concurrency or self.settings.concurrency

    def calls_under_way(self) -> int:
        """Calls that wait for an answer."""
        flows = 0 if self.application is None else self.application.under_way.total()
        return self.endpoints.in_flight + flows


def _secret_parts(variables: Mapping[str, str]) -> tuple[str, ...]:
    """The values, and of one with a word before it ("Bearer abc") the secret proper; each as JSON writes it too."""
    parts = [part for value in variables.values() for part in (value, value.split()[-1])]
    return tuple(dict.fromkeys(form for part in parts for form in (part, json.dumps(part)[1:-1], quote(part, safe=""))))


@asynccontextmanager
async def open_wiring(
    request: EvaluationRequest,
    settings: Settings,
    journal: Journal,
    choice: EndpointChoice,
    suite: SuiteDefinition | None = None,
    resumed: Run | None = None,
) -> AsyncIterator[Wiring]:
    """The endpoint, and the application that the suite evaluates, ready for calls.

    What is embedded is started, and ends with it. Without a suite nothing but the endpoint is asked.
    """
    evaluates = suite is not None and suite.target == "application"
    target = choose_application(request, settings, suite, resumed) if suite is not None and evaluates else None
    prices = load_prices(Path(request.prices) if request.prices else None)
    price_of = _free_of(prices) if choice.rehearsal else prices.price_of
    concurrency = request.concurrency or settings.concurrency
    async with AsyncExitStack() as stack:
        base_url, api_key = choice.base_url, choice.api_key
        if choice.rehearsal:
            base_url, api_key = stack.enter_context(rehearsal_endpoint()), "rehearsal"
        usual = Place(base_url, api_key, choice.identity, free if choice.rehearsal else price_of)
        endpoints = await stack.enter_async_context(open_endpoints(usual, request, settings, journal, prices.price_of))
        application = None
        if target is not None and not request.dry_run:
            access = ApplicationAccess(
                where=stack.enter_context(target.served()),
                identity=target.identity,
                headers=settings.chat_flow_headers,
                timeout_s=settings.chat_flow_timeout_seconds,
                mapping=target.mapping,
                concurrency=concurrency,
                rpm=request.rpm or settings.rpm,
                retry_429=request.retry_429,
                variables=target.variables,
                secrets=(*settings.secrets(), *_secret_parts(target.variables)),
            )
            application = await stack.enter_async_context(open_application(access))
        estimated = price_of if request.batch is None else _in_batches(price_of)
        yield Wiring(request, settings, journal, choice, endpoints, prices, estimated, target, application)


async def choose_models(prompt: PromptVersion | None, request: EvaluationRequest, wiring: Wiring) -> Models:
    """Raises UsageError, listing what is offered, when nothing names a model."""
    if wiring.target is not None:
        return await _application_models(wiring.target, request, wiring)
    settings, identity = wiring.settings, wiring.choice.identity
    moderation = request.moderation or settings.moderation_model
    embedding = embedding_pin(request.embedding_model, wiring)
    named = request.judge_models or settings.judge_models
    several = any(name == "model" and len(values) > 1 for name, values in request.vary)
    if several and wiring.choice.rehearsal:
        raise UsageError("the rehearsal model is the only one: set OPENAI_BASE_URL or OPENAI_API_KEY to play several")
    if several and request.judge and not named:
        raise UsageError(
            "several models are played and no judge is named, so that each would judge itself: name one for all with "
            "--judge-model or EVAL_JUDGE_MODEL"
        )
    if wiring.choice.rehearsal:
        judges = judges_for(named, wiring.choice, settings) if request.judge else ()
        return Models(identity, GENERATION_MODEL, judges, MODERATION_MODEL if moderation else None, embedding)
    model = named_model(prompt, request, settings)
    if model is None:
        raise UsageError(
            f"no model is named: set EVAL_MODEL or --model to one that {identity} offers: {await _list_offered(wiring)}"
        )
    judges = (named or (model,)) if request.judge else ()
    return Models(identity, model, judges, moderation, embedding)


def embedding_pin(named: str | None, wiring: Wiring) -> EmbeddingPin | None:
    """The model of embeddings that a flag or else the setting names, where it is asked; None where none is named.

    The rehearsal model stands in for one at the usual endpoint where that is the rehearsal's.
    """
    settings = wiring.settings.embedding
    name = named or settings.model
    if name is None:
        return None
    model, endpoint = wiring.endpoints.find(name)
    if endpoint is wiring.endpoint and wiring.choice.rehearsal:
        return EmbeddingPin(EMBEDDING_MODEL, endpoint.identity)
    return EmbeddingPin(model, endpoint.identity, settings.dimensions)


def named_model(prompt: PromptVersion | None, request: EvaluationRequest, settings: Settings) -> str | None:
    """The model under test: flag before prompt config before setting; None where nothing names one."""
    configured = None if prompt is None else prompt.config.get("model")
    return request.model or (configured if isinstance(configured, str) else None) or settings.model


def judges_for(named: Sequence[str], choice: EndpointChoice, settings: Settings) -> tuple[str, ...]:
    """The judges that can be asked of those that are named.

    Where the rehearsal model answers at the usual endpoint these are the ones at named endpoints, or its own judge.
    """
    if not choice.rehearsal:
        return tuple(named)
    return tuple(name for name in named if split_judge(name, settings.endpoints)[1]) or (JUDGE_MODEL,)


async def _application_models(target: ApplicationChoice, request: EvaluationRequest, wiring: Wiring) -> Models:
    """The application and its judge. The rehearsal judge judges the embedded sample alone."""
    settings, choice = wiring.settings, wiring.choice
    judges: tuple[str, ...] = ()
    if request.judge and choice.rehearsal:
        judges = judges_for(request.judge_models or settings.judge_models, choice, settings)
        judges = judges if target.embedded or judges != (JUDGE_MODEL,) else ()
    elif request.judge:
        judges = request.judge_models or settings.judge_models or ((settings.model,) if settings.model else ())
        if not judges:
            raise UsageError(
                f"no judge is named: set EVAL_JUDGE_MODEL or --judge-model to one that {choice.identity} offers "
                f"({await _list_offered(wiring)}), or leave it out with --no-judge"
            )
    inputs = {} if target.mapping_text is None else {MAPPING: target.mapping_text}
    if isinstance(target.mapping, ConversationMapping):
        inputs = {APPLICATION: target.mapping_text or ""}
    return Models(
        *(target.identity, "", judges, None, embedding_pin(request.embedding_model, wiring)),
        parameters=target.parameters,
        inputs=inputs,
    )


async def _list_offered(wiring: Wiring) -> str:
    return ", ".join(await wiring.endpoint.list_models()) or "nothing that it lists"
