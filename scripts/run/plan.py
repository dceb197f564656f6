"""The plan of new runs: models chosen, judges pinned, and settled by one question before anything is played."""

import re
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from evaluation import plan
from evaluation.errors import UsageError
from evaluation.judging.asking import FORMATS, JudgeFormat, JudgeRubric
from evaluation.judging.judge import Judge
from evaluation.plan import Inputs, Occasion
from evaluation.prompts import PromptVersion
from evaluation.records import CallFailure, Cell, Exchange, Json, Reply, Request, Usage, Verdict
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.runspec import JudgePin
from evaluation.suites.loaded import LoadedSuite
from scripts.run.wiring import Wiring, choose_models
from services.journal import Journal, call_key
from services.journaled_calls import reply_without_secrets
from services.model.call_forms import FORMATS as REFUSED_FORMATS
from services.model.endpoint import Endpoint
from services.provenance import provenance, scorer_digest
from services.settings import PROJECT, Settings

WORKS = {"schema": "verdicts_by_json_schema", "json": "verdicts_by_json_object"}
"""Format -> the trait of models that gave a readable verdict in it."""

REFUSED = {"schema": REFUSED_FORMATS["json_schema"], "json": REFUSED_FORMATS["json_object"]}
"""Format -> the trait of models that refuse it."""

STRUCTURED: tuple[JudgeFormat, ...] = ("schema", "json")

PERHAPS_FOR_ITS_FORM = frozenset({"rejected", "server_error", "malformed"})
"""Kinds of failure behind which a refused form may hide: servers say it in many ways, or answer with a tool call."""

TRIES = 2
"""An answer that cannot be read may be bad luck once."""

JUDGE_PARAMETERS: Mapping[str, Json] = {"temperature": 0}
"""A judge that repeats itself: the least noise that an endpoint offers."""

SAMPLING_PARAMETERS: Mapping[str, Json] = {"temperature": 0.7}
"""Of several samples: at temperature 0 they would repeat one another and say nothing of the judge's noise."""

PROBE = Exchange(
    Cell("judge-format", 1),
    1,
    (),
    "Hi, I had a long day at work.",
    Reply("That sounds tiring. What made it so long?", "stop", "", {}, Usage(), 0.0, 0.0),
)

Keep: TypeAlias = Callable[[Request, Reply], Awaitable[None]]
"""Commits a question to the judge and its answer."""


async def plan_runs(inputs: Inputs, wiring: Wiring) -> list[Run]:
    """One run per leg under the loaded suite, in one group; its judge answers in the best form that may work.

    Nothing is asked but which models there are, where none is named. Raises UsageError for what would stop the runs
    halfway.
    """
    models = [await choose_models(leg.prompt, leg.request, wiring) for leg in inputs.legs]
    judges = [
        await pin_judge(chosen.judge, leg.request, inputs.loaded, wiring)
        for leg, chosen in zip(inputs.legs, models, strict=True)
    ]
    created_at = time.time()
    occasion = Occasion(
        created_at=created_at,
        identify=partial(run_identifier, created_at),
        defaults={"temperature": wiring.settings.temperature, "max_tokens": wiring.settings.max_tokens},
        scorer=scorer_digest(inputs.loaded.suite.scored_by),
        provenance={} if wiring.request.dry_run else provenance(PROJECT),
    )
    return plan.plan_runs(inputs, models, judges, occasion)


def run_identifier(created_at: float, name: str) -> str:
    """A name for people that sorts by time and is unique: 20261120T140203Z-penpal-companion-v3-4f2a9c."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(created_at))
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60]
    return f"{stamp}-{slug}-{secrets.token_hex(3)}"


async def pin_judge(
    model: str | None, request: EvaluationRequest, loaded: LoadedSuite, wiring: Wiring
) -> JudgePin | None:
    """The judge of a run, in the best form in which it may answer; None without a judge. Nothing is asked."""
    rubric = loaded.suite.judge
    if model is None or rubric is None:
        return None
    form = await find_judge_format(request.judge_format, model, rubric, wiring.endpoint, dry=True)
    return judge_pin(model, wiring.endpoint.identity, form, request.judge_samples, loaded.judge_prompt)


async def settle_judge(run: Run, wiring: Wiring) -> Run:
    """The run with the form in which its judge really answers: asked where it is not known yet.

    The answers are journaled at once as calls of the run. To be called once, before the run is registered.
    """
    pin, rubric = run.spec.judge, run.suite.judge
    if pin is None or rubric is None:
        return run
    keep = keep_answers(run.run_id, wiring.journal, wiring.endpoint, wiring.settings)
    form = await find_judge_format(run.request.judge_format, pin.model, rubric, wiring.endpoint, keep=keep)
    return run if form == pin.format else replace(run, spec=replace(run.spec, judge=replace(pin, format=form)))


def judge_pin(model: str, endpoint: str, form: str, samples: int, prompt: PromptVersion | None = None) -> JudgePin:
    """A single verdict is asked for with the least noise; several show how much of it there is."""
    parameters = JUDGE_PARAMETERS if samples == 1 else SAMPLING_PARAMETERS
    return JudgePin(
        model, endpoint, form, samples, parameters=dict(parameters), prompt=None if prompt is None else prompt.pin
    )


async def find_judge_format(
    asked: str,
    model: str,
    rubric: JudgeRubric,
    endpoint: Endpoint,
    *,
    keep: Keep | None = None,
    dry: bool = False,
) -> JudgeFormat:
    """The format in which the judge will answer the whole run. Each answer that was paid for it is kept at once.

    `asked` is schema, json, text, or auto: the best one that the endpoint accepts and that the model answers readably.
    What is known of the model is not asked again; with `dry` nothing is asked, and the best that may work is named.
    Raises UsageError when the endpoint gives no answer at all.
    """
    if asked in FORMATS:
        return next(form for form in FORMATS if form == asked)
    if asked != "auto":
        raise UsageError(f"--judge-format {asked!r} is unknown: there are auto, {', '.join(FORMATS)}")
    return await _best_format(model, rubric, endpoint, keep, dry=dry)


async def _best_format(
    model: str, rubric: JudgeRubric, endpoint: Endpoint, keep: Keep | None, *, dry: bool
) -> JudgeFormat:
    doubtful: list[JudgeFormat] = []
    for form in STRUCTURED:
        if endpoint.knows(model, REFUSED[form]):
            continue
        if dry or endpoint.knows(model, WORKS[form]):
            return form
        outcome = await _try_form(form, model, rubric, endpoint, keep)
        if isinstance(outcome, Verdict) and outcome.parsed:
            endpoint.learn(model, WORKS[form])
            _refuses(doubtful, model, endpoint)
            return form
        if isinstance(outcome, CallFailure) and not endpoint.knows(model, REFUSED[form]):
            if outcome.kind not in PERHAPS_FOR_ITS_FORM:
                raise UsageError(_no_answer(model, outcome))
            doubtful.append(form)
    if doubtful:
        outcome = await _try_form("text", model, rubric, endpoint, keep)
        if isinstance(outcome, CallFailure):
            raise UsageError(_no_answer(model, outcome))
        _refuses(doubtful, model, endpoint)
    return "text"


async def _try_form(
    form: JudgeFormat, model: str, rubric: JudgeRubric, endpoint: Endpoint, keep: Keep | None
) -> Verdict | CallFailure:
    """The first verdict that can be read, of two at most; or the last one, or why there was none."""
    verdict: Verdict | None = None
    for number in range(TRIES):
        judge = Judge(JudgePin(model, endpoint.identity, form, parameters={"temperature": 0}), rubric, seed=number)
        [question] = judge.requests(PROBE, purpose="canary")
        outcome = await endpoint.complete(question)
        if isinstance(outcome, CallFailure):
            return outcome
        if keep is not None:
            await keep(question, outcome)
        verdict = judge.read([outcome], PROBE)
        if verdict.parsed:
            break
    assert verdict is not None
    return verdict


def _refuses(forms: Sequence[JudgeFormat], model: str, endpoint: Endpoint) -> None:
    """Keeps in mind that these forms were refused in words that did not say so: another one was answered."""
    for form in forms:
        endpoint.learn(model, REFUSED[form])


def _no_answer(model: str, failure: CallFailure) -> str:
    return (
        f"judge {model!r} gave no answer to the question in which format it can answer ({failure.kind}: "
        f"{failure.message}): try again, or name the format with --judge-format text"
    )


def keep_answers(run_id: str, journal: Journal, endpoint: Endpoint, settings: Settings) -> Keep:
    """Journals what was paid for finding the format as calls of the run: part of its cost and of its limit."""

    async def keep(question: Request, reply: Reply) -> None:
        key = call_key(endpoint.identity, question, reply.parameters)
        await journal.record_reply(run_id, key, question, reply_without_secrets(reply, settings.secrets()))

    return keep
