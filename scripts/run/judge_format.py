"""The form in which a judge answers: found before a run by asking it, and kept in mind for later runs."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from evaluation.errors import UsageError
from evaluation.judging.asking import FORMATS, JudgeFormat, JudgeRubric
from evaluation.judging.judge import Judge
from evaluation.records import CallFailure, Cell, Exchange, Reply, Request, Usage, Verdict
from evaluation.runspec import JudgePin
from services.journal import Journal, call_key
from services.journaled_calls import reply_without_secrets
from services.model.call_forms import FORMATS as REFUSED_FORMATS
from services.model.endpoint import Endpoint
from services.settings import Settings

WORKS = {"schema": "verdicts_by_json_schema", "json": "verdicts_by_json_object"}
"""Format -> the trait of models that gave a readable verdict in it."""

REFUSED = {"schema": REFUSED_FORMATS["json_schema"], "json": REFUSED_FORMATS["json_object"]}
"""Format -> the trait of models that refuse it."""

STRUCTURED: tuple[JudgeFormat, ...] = ("schema", "json")

PERHAPS_FOR_ITS_FORM = frozenset({"rejected", "server_error", "malformed"})
"""Kinds of failure behind which a refused form may hide: servers say it in many ways, or answer with a tool call."""

TRIES = 2
"""An answer that cannot be read may be bad luck once."""

PROBE = Exchange(
    Cell("judge-format", 1),
    1,
    (),
    "Hi, I had a long day at work.",
    Reply("That sounds tiring. What made it so long?", "stop", "", {}, Usage(), 0.0, 0.0),
)

Keep: TypeAlias = Callable[[Request, Reply], Awaitable[None]]
"""Commits a question to the judge and its answer."""


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
