"""The judges of a run: named and pinned in the best format that may work, and settled by asking them.

They are settled before the run is written down. A member of a panel that fails on exchanges of known quality is left
out then. The panel that is left is another judge.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from evaluation.errors import JudgeUnfit, UsageError
from evaluation.expectations.canaries import errors_by_judge
from evaluation.judging.asking import FORMATS, questions
from evaluation.judging.fitness import CanaryReport
from evaluation.judging.forms import choose_form, form_called
from evaluation.judging.panel import panel_pin, with_formats
from evaluation.judging.panel_check import PanelCheck
from evaluation.prompts import PromptVersion
from evaluation.records import Json, Reply, Request
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.runspec import JudgePin, digest
from evaluation.suites.loaded import LoadedSuite
from scripts.run.endpoints import Endpoints
from scripts.run.judge_format import Keep, Say, find_judge_format
from scripts.run.stop import Budget, Stop
from scripts.run.wiring import Wiring
from scripts.shell import note
from services.journal import Journal, call_key
from services.kept_calls import reply_without_secrets
from services.model.endpoint import Endpoint
from services.named_endpoints import endpoint_hint
from services.settings import Settings

JUDGE_PARAMETERS: Mapping[str, Json] = {"temperature": 0}
"""A judge that repeats itself: the least noise that an endpoint offers."""
SAMPLING_PARAMETERS: Mapping[str, Json] = {"temperature": 0.7}
"""Of several samples: at temperature 0 they would repeat one another and say nothing of the judge's noise."""


async def pin_judges(
    names: Sequence[str], request: EvaluationRequest, loaded: LoadedSuite, endpoints: Endpoints, settings: Settings
) -> JudgePin | None:
    """The judge of that name, or the panel of several; None without one. Nothing is asked.

    Raises UsageError for a judge that is named twice, and for one who is to decide where there is no panel.
    """
    escalate = request.judge_escalate or settings.judge_escalate
    if len(names) < 2 and (request.judge_escalate or request.judge_apart is not None):
        raise UsageError("--judge-escalate and --judge-apart are for a panel: name two judges or more by --judge-model")
    found: list[JudgePin] = []
    for named in (*names, *([escalate] if escalate and len(names) > 1 else ())):
        if hint := endpoint_hint(named, settings.endpoints):
            note(hint)
        model, endpoint = endpoints.find(named)
        pin = await _pin_judge(model, request, loaded, endpoint, settings)
        if pin is None:
            return None
        if any(pin.model == other.model for other in found):
            raise UsageError(f"judge {model!r} is named twice: a panel is made of different models")
        found.append(pin)
    if not found:
        return None
    return panel_pin(found[: len(names)], found[len(names)] if len(found) > len(names) else None, request.judge_apart)


async def pin_again(
    before: JudgePin, request: EvaluationRequest, loaded: LoadedSuite, endpoints: Endpoints, settings: Settings
) -> JudgePin | None:
    """The same judges at the same endpoints, asked as the request says; None where the rubric has no judge."""
    found = [
        await _pin_judge(pin.model, request, loaded, endpoints.of(pin.endpoint), settings) for pin in before.judges
    ]
    pins = [pin for pin in found if pin is not None]
    if not pins:
        return None
    count = len(before.members) or 1
    return panel_pin(pins[:count], pins[count] if len(pins) > count else None, before.apart)


async def _pin_judge(
    model: str, request: EvaluationRequest, loaded: LoadedSuite, endpoint: Endpoint, settings: Settings
) -> JudgePin | None:
    """One judge, in the best format in which it may answer; None where the rubric has no judge. Nothing is asked."""
    rubric = loaded.suite.judge
    if rubric is None:
        return None
    form = choose_form(request.judge_form, settings.judge_form, rubric.form)
    questions(rubric, form_called(form), FORMATS[0])  # refuses a form that this rubric cannot be asked in
    found = await find_judge_format(request.judge_format, model, rubric, endpoint, form=form, dry=True)
    pin = judge_pin(model, endpoint.identity, found, request.judge_samples, loaded.judge_prompt)
    return replace(pin, form=form)


def judge_pin(
    model: str, endpoint: str, answer_format: str, samples: int, prompt: PromptVersion | None = None
) -> JudgePin:
    """A single verdict is asked for with the least noise; several show how much of it there is."""
    parameters = JUDGE_PARAMETERS if samples == 1 else SAMPLING_PARAMETERS
    own = None if prompt is None else prompt.pin
    return JudgePin(model, endpoint, answer_format, samples, parameters=dict(parameters), prompt=own)


async def settle_judges(runs: Sequence[Run], wiring: Wiring) -> list[Run]:
    """The runs with the format in which their judges really answer, and with panels of those that may be believed.

    The answers are journaled at once as calls of the run. To be called once, before a run is registered. Runs of one
    panel are settled together, so that one judge judges them all.
    """
    settled = await _settle_formats(runs, wiring)
    left: dict[str, JudgePin | None] = {}
    opened = []
    for run in settled:
        judge = run.spec.judge
        if judge is None or not judge.members or not run.canaries:
            opened.append(run)
            continue
        key = digest([judge.part(), run.spec.rubric.sha256])
        if key not in left:
            left[key] = await _open_panel(run, judge, wiring)
        opened.append(replace(run, spec=replace(run.spec, judge=left[key])))
    return opened


async def _settle_formats(runs: Sequence[Run], wiring: Wiring) -> list[Run]:
    """The runs with the format in which their judges really answer: asked where it is not known yet.

    A form that is not taken because nobody can read it is noted once per judge.
    """
    heard: dict[str, str] = {}
    settled = [await _settle_format(run, wiring, heard.setdefault) for run in runs]
    for why in heard.values():
        note(why)
    return settled


async def _settle_format(run: Run, wiring: Wiring, say: Say) -> Run:
    judge, rubric = run.spec.judge, run.suite.judge
    if judge is None or rubric is None:
        return run
    found: dict[str, str] = {}
    for pin in judge.judges:
        endpoint = wiring.endpoints.of(pin.endpoint)
        keep = keep_answers(run.run_id, wiring.journal, endpoint, wiring.settings)
        found[pin.model] = await find_judge_format(
            run.request.judge_format, pin.model, rubric, endpoint, form=pin.form, keep=keep, say=say
        )
    settled = with_formats(judge, found)
    return run if settled == judge else replace(run, spec=replace(run.spec, judge=settled))


def keep_answers(run_id: str, journal: Journal, endpoint: Endpoint, settings: Settings) -> Keep:
    """Journals what was paid for finding the format as calls of the run: part of its cost and of its limit."""

    async def keep(question: Request, reply: Reply) -> Reply:
        key = call_key(endpoint.identity, question, reply.parameters)
        stored = reply_without_secrets(reply, settings.secrets())
        await journal.record_reply(run_id, key, question, stored)
        return stored

    return keep


async def _open_panel(run: Run, judge: JudgePin, wiring: Wiring) -> JudgePin:
    """The panel without those that fail on the first half of the canaries. Raises JudgeUnfit where none is left."""
    reports = await _ask_opening_canaries(run, judge, wiring)
    unfit = {model: report for model, report in reports.items() if report.fit is False}
    if not unfit:
        return judge
    members = [member for member in judge.members if member.model not in unfit]
    if not members:
        raise JudgeUnfit(f"no member of the panel may be believed: {next(iter(unfit.values())).explain()}")
    escalate = None if judge.escalate is None or judge.escalate.model in unfit else judge.escalate
    smaller = panel_pin(members, escalate if len(members) > 1 else None, judge.apart)
    for model, report in unfit.items():
        note(f"judge {model!r} is left out: {report.explain()}")
    note(f"who is left is another judge: {smaller.model}")
    return smaller


async def _ask_opening_canaries(run: Run, judge: JudgePin, wiring: Wiring) -> dict[str, CanaryReport]:
    journal = wiring.journal
    budget = Budget(wiring.request.max_cost, journal.cost_usd(run.run_id), Stop(wiring.endpoints.shut))
    calls = wiring.calls_of(run.run_id, budget)
    replies_of = partial(journal.answers, run.run_id, "canary")
    check = PanelCheck(run.judge, run.canaries, replies_of, lambda _: lambda _said: None, run.asked_beside)
    try:
        await check.begin(calls.complete)
    finally:
        await check.end()
    return check.reports(replies_of, errors_by_judge(run.item_checks, replies_of, judge.model))
