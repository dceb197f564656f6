"""The parts with which the runs of one command are planned, played and finished."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from evaluation.ports import PriceOf
from evaluation.request import EvaluationRequest
from scripts.run.application import ApplicationChoice, opened_application
from scripts.run.endpoint import EndpointChoice, free, opened
from services.application.client import Application
from services.journal import Journal
from services.model.endpoint import Endpoint
from services.model.pricing import Prices, load_prices
from services.settings import Settings


@dataclass(frozen=True, slots=True)
class Wiring:
    """Opened once for a command, before anything is planned, and closed when its runs are finished."""

    request: EvaluationRequest
    settings: Settings
    journal: Journal
    choice: EndpointChoice
    endpoint: Endpoint
    prices: Prices
    target: ApplicationChoice | None = None
    """The application that is evaluated, where no model is."""
    application: Application | None = None
    """The same, open for calls; None on a dry run."""

    @property
    def price_of(self) -> PriceOf:
        """Prices a call."""
        return free if self.choice.rehearsal else self.prices.price_of

    @property
    def concurrency(self) -> int:
        """Calls in flight at most."""
        return self.request.concurrency or self.settings.concurrency


@asynccontextmanager
async def open_wiring(
    request: EvaluationRequest,
    settings: Settings,
    journal: Journal,
    choice: EndpointChoice,
    target: ApplicationChoice | None = None,
) -> AsyncIterator[Wiring]:
    """Endpoint and application, ready for calls. What is embedded is started, and ends with it."""
    prices = load_prices(Path(request.prices) if request.prices else None)
    price_of = free if choice.rehearsal else prices.price_of
    async with (
        opened(choice, settings, request, journal, price_of) as endpoint,
        opened_application(target, settings, request) as application,
    ):
        yield Wiring(request, settings, journal, choice, endpoint, prices, target, application)
