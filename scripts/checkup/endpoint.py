"""The endpoint, the model under test and the judge: asked in at most three small calls, which are announced first."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches

from evaluation.errors import EvaluationError
from evaluation.estimate import CHARACTERS_PER_TOKEN, REPLY_TOKENS
from evaluation.judging.asking import FORMATS, VERDICT_TOKENS, JudgeRubric
from evaluation.judging.forms import choose_form
from evaluation.judging.judge import Judge
from evaluation.records import CallFailure, Cell, Reply, Request, Turn, Usage
from evaluation.request import EvaluationRequest
from evaluation.runspec import JudgePin
from evaluation.suites.loaded import LoadedSuite
from evaluation.text.numbers import times
from scripts.checkup.check import Check, ok, unchecked, wrong
from scripts.run.choices import EndpointChoice
from scripts.run.judge_format import PROBE, CallsSpent, find_judge_format
from scripts.run.judges import JUDGE_PARAMETERS
from scripts.shell import note
from services.kept_calls import reply_without_secrets
from services.model.endpoint import Endpoint, open_endpoint
from services.model.errors import ServerError, sentence_of
from services.model.pricing import Prices
from services.model.providers import recognise_owner
from services.named_endpoints import split_judge
from services.rehearsal.process import rehearsal_endpoint
from services.retrying import Backoff, Retries, TryAgain
from services.settings import Settings

ENDPOINT, MODEL, JUDGE = "endpoint", "model", "judge"
MOST_CALLS = 3
ONCE = Retries(Backoff(attempts=1, deadline_s=0))
LISTS_NOTHING = frozenset({403, 404, 405, 501})
"""Answers to the question for models after which the model itself may answer all the same."""
QUESTION = (Turn("user", "Answer with one word: ready"),)
ADDRESS = "set OPENAI_BASE_URL to the address under which it serves /chat/completions, often ending in /v1"
REMEDIES = {
    "rate_limited": "wait and try again; EVAL_RPM keeps runs below a limit",
    "timeout": "try again with a longer --timeout, or check the server",
    "server_error": "the server is at fault: try again later, or look into its log",
    "connection": "check OPENAI_BASE_URL, and that the server runs",
    "malformed": ADDRESS,
    "rejected": "change the model or its parameters (EVAL_MODEL, EVAL_TEMPERATURE, EVAL_MAX_TOKENS)",
    "content_filter": "the endpoint filters a harmless question: ask its operator",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """Who is asked, and how long is waited for each answer."""

    choice: EndpointChoice
    settings: Settings = field(repr=False)
    request: EvaluationRequest
    model: str | None
    """Under test; None where nothing names one."""
    judges: tuple[str, ...]
    prices: Prices
    timeout_s: float
    calls: bool
    """False: nothing that may cost anything is asked."""


async def check_models(asked: Asked, loaded: LoadedSuite | None) -> list[Check]:
    """Endpoint, model and judge, each once; what follows from something wrong is not tried."""
    rubric = None if loaded is None else loaded.suite.judge
    async with _open_usual(asked) as endpoint:
        reached, offered = await _list_models(endpoint, asked)
        if reached.state == "wrong":
            return [reached, *(unchecked(name, "the endpoint is wrong") for name in (MODEL, JUDGE))]
        if asked.model is None:
            listed = ", ".join(offered[:10]) or "one that it offers"
            named = wrong(MODEL, "none is named", f"set EVAL_MODEL to one of its models: {listed}")
            return [reached, named, unchecked(JUDGE, "no model is named")]
        if not asked.calls:
            return [reached, *(unchecked(name, "--no-calls: nothing was asked") for name in (MODEL, JUDGE))]
        if not asked.choice.rehearsal:
            note(announce(asked, rubric))
        answers = await _ask_model(endpoint, asked.model, offered, asked)
        if answers.state == "wrong":
            return [reached, answers, unchecked(JUDGE, "the model is wrong")]
        return [reached, answers, *await _ask_judges(endpoint, asked, rubric)]


def announce(asked: Asked, rubric: JudgeRubric | None) -> str:
    """The calls and what they cost at most, in one line, before the first of them."""
    assert asked.model is not None
    calls = [(asked.model, Usage(sum(len(turn.content) for turn in QUESTION) // CHARACTERS_PER_TOKEN, REPLY_TOKENS))]
    if rubric is not None and asked.judges:
        pin = JudgePin("", "", FORMATS[0], parameters=dict(JUDGE_PARAMETERS))
        messages = Judge(pin, rubric, seed=0).requests(PROBE)[0].messages
        question = sum(len(turn.content) for turn in messages) // CHARACTERS_PER_TOKEN
        models = [split_judge(name, asked.settings.endpoints)[0] for name in asked.judges]
        calls += [(model, Usage(question, VERDICT_TOKENS)) for model in (models * MOST_CALLS)[: MOST_CALLS - 1]]
    costs = [asked.prices.price_of(model, usage) for model, usage in calls]
    tokens = sum((usage.input_tokens or 0) + (usage.output_tokens or 0) for _, usage in calls)
    known = [cost for cost in costs if cost is not None]
    price = f"about {sum(known):.4f} USD" if len(known) == len(costs) else "a price that is not known here"
    names = ", ".join(dict.fromkeys(model for model, _ in calls))
    return f"asks {names} in at most {times(len(calls), 'small call')}: about {tokens:,} tokens, {price}"


@asynccontextmanager
async def _open_usual(asked: Asked) -> AsyncIterator[Endpoint]:
    """The endpoint of the settings; where none is set, the rehearsal model, started for this."""
    async with AsyncExitStack() as stack:
        base_url, api_key = asked.choice.base_url, asked.choice.api_key
        if asked.choice.rehearsal:
            base_url, api_key = stack.enter_context(rehearsal_endpoint()), "rehearsal"
        yield await stack.enter_async_context(open_once(base_url, api_key, asked, asked.choice.identity))


def open_once(
    base_url: str | None, api_key: str | None, asked: Asked, identity: str | None = None
) -> AbstractAsyncContextManager[Endpoint]:
    """An endpoint at which each call is tried once."""
    return open_endpoint(
        base_url=base_url,
        api_key=api_key,
        identity=identity,
        concurrency=1,
        timeout_s=asked.timeout_s,
        retries=ONCE,
    )


async def _list_models(endpoint: Endpoint, asked: Asked) -> tuple[Check, Sequence[str]]:
    """Whether anybody is there, and what is offered."""
    where = asked.choice.identity
    try:
        offered = await endpoint.offered_models(asked.timeout_s)
    except EvaluationError as error:
        return wrong(ENDPOINT, str(error)), ()
    except TryAgain as failure:
        return wrong(ENDPOINT, f"{where}: {failure.message}", REMEDIES.get(failure.kind, "")), ()
    except ServerError as error:
        if error.status in LISTS_NOTHING:
            named = "" if endpoint.provider is None else f" ({endpoint.provider.name})"
            return unchecked(
                ENDPOINT, f"{where}{named} lists no models ({error.text}): the model's own answer shows"
            ), ()
        return _explain(error, where), ()
    if asked.choice.rehearsal:
        real = "for a real model set OPENAI_API_KEY, or OPENAI_BASE_URL, and EVAL_MODEL"
        return ok(ENDPOINT, "none is set: the rehearsal model serves, a scripted stand-in", real), offered
    return ok(ENDPOINT, f"{_named(where, endpoint)} offers {times(len(offered), 'model')}"), offered


def _named(where: str, endpoint: Endpoint) -> str:
    """The address, with the provider's name where the address or the list of models gives it away."""
    provider = endpoint.provider or recognise_owner(endpoint.owners)
    return where if provider is None else f"{where} ({provider.name})"


def _explain(error: ServerError, where: str) -> Check:
    meaning = sentence_of(error, endpoint=where, model="", purpose="generation")
    if isinstance(meaning, EvaluationError):
        return wrong(ENDPOINT, str(meaning))
    return wrong(ENDPOINT, f"{where}: {error.text}", REMEDIES.get(meaning.kind, ""))


async def _ask_model(endpoint: Endpoint, model: str, offered: Sequence[str], asked: Asked) -> Check:
    """One answer of the model under test, with the parameters that the settings give every call."""
    settings = asked.settings
    parameters = {"temperature": settings.temperature, "max_tokens": settings.max_tokens}
    request = Request("generation", model, QUESTION, parameters, Cell("doctor", 1), 1)
    listed = not offered or model in offered
    near = [] if listed else get_close_matches(model, offered, 3)
    try:
        outcome = await endpoint.complete(request)
    except EvaluationError as error:
        return wrong(MODEL, str(error), f"it offers {', '.join(near)}" if near else "")
    if isinstance(outcome, CallFailure):
        return _no_answer(MODEL, model, outcome)
    note_on_list = "" if listed else ", though the endpoint does not list it"
    named = "" if outcome.model in ("", model) else f" (as {outcome.model})"
    return ok(MODEL, f"{model}{named} answers in {outcome.ended_at - outcome.started_at:.1f} s{note_on_list}")


def _no_answer(name: str, model: str, failure: CallFailure) -> Check:
    return wrong(name, f"{model} gave no answer ({failure.message})", REMEDIES.get(failure.kind, ""))


async def _ask_judges(endpoint: Endpoint, asked: Asked, rubric: JudgeRubric | None) -> list[Check]:
    """Each judge in the best format that it answers readably, as far as the calls go."""
    if rubric is None:
        return [unchecked(JUDGE, "the rubric has none, or cannot be read")]
    left, checks = MOST_CALLS - 1, []
    for place, named in enumerate(asked.judges):
        if not left:
            checks.append(unchecked(JUDGE, f"{named}: {MOST_CALLS} calls were made; a run asks it before it starts"))
            continue
        most = max(1, left - (len(asked.judges) - place - 1))
        check, used = await _ask_judge(endpoint, named, asked, rubric, most)
        checks.append(check)
        left -= used
    return checks


async def _ask_judge(endpoint: Endpoint, named: str, asked: Asked, rubric: JudgeRubric, most: int) -> tuple[Check, int]:
    """The judge's check, and how many calls it took."""
    settings, used = asked.settings, 0
    model, name = split_judge(named, settings.endpoints)

    async def keep(_question: Request, reply: Reply) -> Reply:
        nonlocal used
        used += 1
        return reply_without_secrets(reply, settings.secrets())

    form = choose_form(asked.request.judge_form, settings.judge_form, rubric.form)
    async with AsyncExitStack() as stack:
        if name:
            place = settings.endpoints[name]
            endpoint = await stack.enter_async_context(open_once(place.url, place.key, asked))
        try:
            found = await find_judge_format(
                asked.request.judge_format, model, rubric, endpoint, form=form, keep=keep, most_calls=most
            )
        except CallsSpent as spent:
            return unchecked(JUDGE, f"{spent}; a run asks it in the other formats"), most
        except EvaluationError as error:
            return wrong(JUDGE, str(error)), most
    itself = "; it judges its own words: set EVAL_JUDGE_MODEL" if model == asked.model else ""
    return ok(JUDGE, f"{named} answers readably in {found}{itself}"), max(used, 1)
