"""In which form a judge answers, found out with one question before a run is planned, and remembered."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from evaluation.errors import UsageError
from evaluation.judging.answer_form import FORMATS, JudgeFormat
from evaluation.judging.judge import Judge
from evaluation.records import CallFailure, Cell, Exchange, Reply, Request, Usage, Verdict
from evaluation.rubrics.rubric import JudgeRubric
from evaluation.runspec import JudgePin
from scripts.run.plan import PlannedRun, Subject, stored_request
from services.journal import Journal, call_key
from services.journaled_calls import reply_without_secrets
from services.model.endpoint import Endpoint
from services.model.traits import FORMATS as FORMATS_REFUSED

WORKS = {"schema": "verdicts_by_json_schema", "json": "verdicts_by_json_object"}
"""Format -> the trait of models that gave a readable verdict in it."""
REFUSED = {"schema": "json_schema", "json": "json_object"}
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


Answered: TypeAlias = list[tuple[Request, Reply]]
"""What the judge was asked to find its format, and its answers: to be journaled with the run that they are for."""


async def find_judge_format(
    asked: str,
    model: str,
    rubric: JudgeRubric,
    endpoint: Endpoint,
    *,
    dry: bool = False,
    answered: Answered | None = None,
) -> JudgeFormat:
    """The format in which the judge will answer the whole run. What was paid for it is added to `answered`.

    `asked` is schema, json, text, or auto: the best one that the endpoint accepts and that the model answers readably.
    What is known of the model is not asked again; with `dry` nothing is asked, and the best that may work is named.
    Raises UsageError when the endpoint gives no answer at all.
    """
    if asked in FORMATS:
        return next(form for form in FORMATS if form == asked)
    if asked != "auto":
        raise UsageError(f"--judge-format {asked!r} is unknown: there are auto, {', '.join(FORMATS)}")
    return await _best_format(model, rubric, endpoint, dry=dry, answered=answered)


async def _best_format(
    model: str, rubric: JudgeRubric, endpoint: Endpoint, *, dry: bool, answered: Answered | None
) -> JudgeFormat:
    doubtful: list[JudgeFormat] = []
    for form in STRUCTURED:
        if endpoint.refuses_format(model, REFUSED[form]):
            continue
        if dry or endpoint.knows(model, WORKS[form]):
            return form
        outcome = await _tried(form, model, rubric, endpoint, answered)
        if isinstance(outcome, Verdict) and outcome.parsed:
            endpoint.learn(model, WORKS[form])
            _refuses(doubtful, model, endpoint)
            return form
        if isinstance(outcome, CallFailure) and not endpoint.refuses_format(model, REFUSED[form]):
            if outcome.kind not in PERHAPS_FOR_ITS_FORM:
                raise UsageError(_no_answer(model, outcome))
            doubtful.append(form)
    if doubtful:
        outcome = await _tried("text", model, rubric, endpoint, answered)
        if isinstance(outcome, CallFailure):
            raise UsageError(_no_answer(model, outcome))
        _refuses(doubtful, model, endpoint)
    return "text"


async def _tried(
    form: JudgeFormat, model: str, rubric: JudgeRubric, endpoint: Endpoint, answered: Answered | None
) -> Verdict | CallFailure:
    """The first verdict that can be read, of two at most; or the last one, or why there was none."""
    verdict: Verdict | None = None
    for number in range(TRIES):
        judge = Judge(JudgePin(model, endpoint.identity, form, parameters={"temperature": 0}), rubric, seed=number)
        question = judge.request(PROBE, purpose="canary")
        outcome = await endpoint.complete(question)
        if isinstance(outcome, CallFailure):
            return outcome
        if answered is not None:
            answered.append((question, outcome))
        verdict = judge.read([outcome], PROBE)
        if verdict.parsed:
            break
    assert verdict is not None
    return verdict


def _refuses(forms: Sequence[JudgeFormat], model: str, endpoint: Endpoint) -> None:
    """Keeps in mind that these forms were refused in words that did not say so: another one was answered."""
    for form in forms:
        endpoint.learn(model, FORMATS_REFUSED[REFUSED[form]])


def _no_answer(model: str, failure: CallFailure) -> str:
    return (
        f"judge {model!r} gave no answer to the question in which format it can answer ({failure.kind}: "
        f"{failure.message}): try again, or name the format with --judge-format text"
    )


async def with_judge_formats(
    subjects: Sequence[Subject], judge: JudgeRubric | None, endpoint: Endpoint
) -> list[Subject]:
    """The subjects, each with the format in which its judge will answer as far as is known; nothing is asked yet."""
    if judge is None:
        return list(subjects)
    found = []
    for subject in subjects:
        models = subject.models
        if models.judge is not None:
            asked = subject.request.judge_format
            form = await find_judge_format(asked, models.judge, judge, endpoint, dry=True)
            models = replace(models, judge_format=form)
        found.append(replace(subject, models=models))
    return found


async def with_found_format(run: PlannedRun, endpoint: Endpoint) -> tuple[PlannedRun, Answered]:
    """The run with the format in which its judge really answers; one call, where nothing is known of the judge."""
    pin, judge = run.spec.judge, run.suite.judge
    answered: Answered = []
    if pin is None or judge is None:
        return run, answered
    asked = stored_request(run).judge_format
    form = await find_judge_format(asked, pin.model, judge, endpoint, answered=answered)
    spec = replace(run.spec, judge=replace(pin, format=form))
    return replace(run, record=replace(run.record, spec=spec)), answered


async def journal_format_answers(
    run_id: str, answered: Answered, journal: Journal, endpoint: Endpoint, secrets: tuple[str, ...]
) -> None:
    """What was paid for finding the format, as calls of the run: part of its cost and of its limit."""
    for question, reply in answered:
        key = call_key(endpoint.identity, question, reply.parameters)
        await journal.record_reply(run_id, key, question, reply_without_secrets(reply, secrets))
