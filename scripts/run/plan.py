"""The plan of new runs: models chosen, judges pinned, and settled by one question before anything is played."""

import re
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from evaluation import plan
from evaluation.plan import Inputs, Occasion
from evaluation.prompts import PromptVersion
from evaluation.records import Json
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.runspec import JudgePin
from evaluation.suites.loaded import LoadedSuite
from scripts.run.judge_format import Say, find_judge_format, keep_answers
from scripts.run.wiring import Wiring, choose_models
from scripts.shell import note
from services.provenance import provenance, scorer_digest
from services.settings import PROJECT

JUDGE_PARAMETERS: Mapping[str, Json] = {"temperature": 0}
"""A judge that repeats itself: the least noise that an endpoint offers."""

SAMPLING_PARAMETERS: Mapping[str, Json] = {"temperature": 0.7}
"""Of several samples: at temperature 0 they would repeat one another and say nothing of the judge's noise."""


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


async def settle_judges(runs: Sequence[Run], wiring: Wiring) -> list[Run]:
    """The runs with the form in which their judge really answers: asked where it is not known yet.

    The answers are journaled at once as calls of the run. To be called once, before a run is registered. A form that
    is not taken because nobody can read it is noted once per judge.
    """
    heard: dict[str, str] = {}
    settled = [await _settle_judge(run, wiring, heard.setdefault) for run in runs]
    for why in heard.values():
        note(why)
    return settled


async def _settle_judge(run: Run, wiring: Wiring, say: Say) -> Run:
    pin, rubric = run.spec.judge, run.suite.judge
    if pin is None or rubric is None:
        return run
    keep = keep_answers(run.run_id, wiring.journal, wiring.endpoint, wiring.settings)
    form = await find_judge_format(run.request.judge_format, pin.model, rubric, wiring.endpoint, keep=keep, say=say)
    return run if form == pin.format else replace(run, spec=replace(run.spec, judge=replace(pin, format=form)))


def judge_pin(model: str, endpoint: str, form: str, samples: int, prompt: PromptVersion | None = None) -> JudgePin:
    """A single verdict is asked for with the least noise; several show how much of it there is."""
    parameters = JUDGE_PARAMETERS if samples == 1 else SAMPLING_PARAMETERS
    return JudgePin(
        model, endpoint, form, samples, parameters=dict(parameters), prompt=None if prompt is None else prompt.pin
    )
