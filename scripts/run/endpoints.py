"""The endpoints of models that a command may ask: the usual one, and those that judges are named at."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from evaluation.errors import UsageError
from evaluation.ports import PriceOf
from evaluation.request import EvaluationRequest
from evaluation.runspec import JudgePin
from scripts.run.judge_format import still_holds, trait_value
from scripts.shell import note
from services.endpoint_url import parse_endpoint_url
from services.journal import Journal
from services.model.endpoint import Endpoint, open_endpoint
from services.named_endpoints import NamedEndpoint, split_judge
from services.settings import Settings


@dataclass(frozen=True, slots=True)
class Place:
    """One endpoint before it is opened."""

    base_url: str | None = field(repr=False)
    api_key: str | None = field(repr=False)
    identity: str
    price_of: PriceOf
    rpm: int | None = None
    tpm: int | None = None


@dataclass(frozen=True, slots=True)
class Endpoints:
    """The open ones, each with a limiter of its own."""

    usual: Endpoint
    named: Mapping[str, Endpoint] = field(default_factory=dict)
    """Name -> endpoint; several names of one address share it."""
    settings: Mapping[str, NamedEndpoint] = field(default_factory=dict, repr=False)

    @property
    def by_identity(self) -> dict[str, Endpoint]:
        """Identity -> endpoint."""
        return {each.identity: each for each in (*self.named.values(), self.usual)}

    @property
    def in_flight(self) -> int:
        """Calls that wait for an answer."""
        return sum(each.limiter.in_flight for each in self.by_identity.values())

    def shut(self, reason: str) -> None:
        """No call starts any more, at none of them."""
        for each in self.by_identity.values():
            each.limiter.shut(reason)
            if each.batches is not None:
                each.batches.shut(reason)

    def find(self, named: str) -> tuple[str, Endpoint]:
        """The model that a judge's name stands for, and where it is asked."""
        model, name = split_judge(named, self.settings)
        return model, self.named[name] if name else self.usual

    def variable_of(self, endpoint: Endpoint) -> str:
        """The variable that holds its address."""
        names = [name for name, each in self.named.items() if each is endpoint and each is not self.usual]
        return variable_of_url(names[0]) if names else "OPENAI_BASE_URL"

    def of(self, identity: str) -> Endpoint:
        """Raises UsageError where the settings know no endpoint of that identity."""
        found = self.by_identity.get(identity)
        if found is None:
            raise UsageError(
                f"a model was asked at {identity}, and no endpoint of the settings has that address: set "
                "OPENAI_BASE_URL or EVAL_ENDPOINT_NAME_URL as it was"
            )
        return found


@asynccontextmanager
async def open_endpoints(
    usual: Place, request: EvaluationRequest, settings: Settings, journal: Journal, price_of: PriceOf
) -> AsyncIterator[Endpoints]:
    """The usual endpoint and every named one; `price_of` prices the named ones.

    Raises UsageError for a named one at the address of another with another key: a journal could not tell their
    answers apart.
    """
    opened: dict[str, tuple[Endpoint, str | None]] = {}
    async with AsyncExitStack() as stack:
        open_one = partial(_open, stack=stack, request=request, settings=settings, journal=journal)
        opened[usual.identity] = await open_one(usual), usual.api_key
        named = {}
        for name, each in settings.endpoints.items():
            variable = variable_of_url(name)
            identity = parse_endpoint_url(each.url, variable).identity
            if identity not in opened:
                place = Place(each.url, each.key, identity, price_of, each.rpm, each.tpm)
                opened[identity] = await open_one(place), each.key
            endpoint, key = opened[identity]
            if each.key not in (None, key):
                raise UsageError(f"{variable} is the address of another endpoint, with another key: use one key for it")
            named[name] = endpoint
        yield Endpoints(opened[usual.identity][0], named, settings.endpoints)


def variable_of_url(name: str) -> str:
    """The variable with the address of a named endpoint."""
    return f"EVAL_ENDPOINT_{name.upper().replace('-', '_')}_URL"


def name_judges(pin: JudgePin | None, settings: Settings) -> dict[str, str]:
    """Model of each judge -> how a command names it: with its endpoint, where that has a name in the settings."""
    named = {parse_endpoint_url(each.url, name).identity: name for name, each in settings.endpoints.items()}
    judges = () if pin is None else pin.judges
    return {
        each.model: f"{each.model}@{named[each.endpoint]}" if each.endpoint in named else each.model for each in judges
    }


async def _open(
    place: Place, stack: AsyncExitStack, request: EvaluationRequest, settings: Settings, journal: Journal
) -> Endpoint:
    identity = place.identity
    endpoint = await stack.enter_async_context(
        open_endpoint(
            base_url=place.base_url,
            api_key=place.api_key,
            identity=identity,
            concurrency=request.concurrency or settings.concurrency,
            rpm=place.rpm or request.rpm or settings.rpm,
            tpm=place.tpm or request.tpm or settings.tpm,
            timeout_s=settings.call_timeout_seconds,
            traits={
                model: [trait for trait, value in known.items() if still_holds(trait, value)]
                for model, known in journal.traits(identity).items()
            },
            on_trait=lambda model, trait: journal.learn_trait(identity, model, trait, trait_value(trait)),
            price_of=place.price_of,
        )
    )
    stack.callback(_say_withheld, endpoint)
    return endpoint


def _say_withheld(endpoint: Endpoint) -> None:
    """Names once, when all is done, what decides an answer and was not sent: the settings alone would say otherwise."""
    for model, names in endpoint.withheld.items():
        note(f"{model} refuses {' and '.join(sorted(names))}: what was asked for it was played without")
