"""What a command calls: the model's endpoint and the application, opened once and closed together."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from evaluation.ports import PriceOf
from evaluation.records import Purpose, Usage
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.suites.suite import SuiteDefinition
from scripts.run.choices import ApplicationChoice, EndpointChoice, choose_application
from scripts.run.endpoints import Endpoints, Place, open_endpoints
from scripts.run.stop import Budget
from services.journal import Journal
from services.journaled_calls import JournaledCalls
from services.model.endpoint import BATCH_SHARE, Endpoint
from services.model.pricing import Prices, load_prices
from services.rehearsal import EMBEDDING_MODEL, GENERATION_MODEL, JUDGE_MODEL, MODERATION_MODEL
from services.rehearsal.process import rehearsal_endpoint
from services.settings import Settings

if TYPE_CHECKING:
    from services.application import Application

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
    application: "Application | None" = None
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

    def calls_of(self, run_id: str, budget: Budget, reuse: frozenset[Purpose] = frozenset()) -> JournaledCalls:
        """A run's calls within the budget, each in the journal before anybody sees its answer.

        What any run asked in the same words for a purpose of `reuse` is taken over.
        """
        return JournaledCalls(
            run_id=run_id,
            journal=self.journal,
            endpoint=self.endpoint,
            others=self.endpoints.by_identity,
            reuse=reuse,
            before_call=budget.before_call,
            after_call=budget.after_call,
            secrets=self.secrets,
            journal_gone=budget.stop.end_at_once,
        )

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
            from services.application import ApplicationAccess, open_application

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
