"""A stored run scored or judged again, as a run of its own: its replies come from the journal, none is asked for."""

import asyncio
import time
from dataclasses import dataclass, replace

from evaluation.errors import UsageError
from evaluation.prompts import PromptVersion
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.runspec import JudgePin, TextPin
from evaluation.suites import SUITES, Suites
from scripts.run.canaries import INPUT as CANARIES
from scripts.run.endpoint import choose_endpoint
from scripts.run.judge_prompt import INPUT as JUDGE_PROMPT
from scripts.run.judge_prompt import pin_judge_prompt, with_judge_prompt
from scripts.run.load import LoadedSuite, build_suite, load_suite
from scripts.run.models import Models
from scripts.run.plan import check_cost_can_be_known, judge_inputs, pin_judge, run_identifier
from scripts.run.stored import stored_judge_prompt, stored_run
from scripts.run.wiring import Wiring, open_wiring
from scripts.workflow import Outcome, play_and_finish
from services.journal import Journal
from services.provenance import provenance
from services.rehearsal import JUDGE_MODEL
from services.scorer import scorer_digest
from services.settings import PROJECT, Settings, read_settings


@dataclass(frozen=True, slots=True)
class RescoreRequest:
    """What was asked for; None means: as in the run that is scored again."""

    run_id: str
    """Or `last`."""
    suite: str | None = None
    rubric: str | None = None
    judge: bool = True
    judge_model: str | None = None
    judge_format: str | None = None
    judge_samples: int | None = None
    judge_prompt: str | None = None
    """`rubric` for the rubric's own words."""
    canaries: bool = True
    cache: str = "judge"
    langfuse: bool = True
    concurrency: int | None = None
    rpm: int | None = None
    tpm: int | None = None
    max_cost: float | None = None
    prices: str | None = None
    strict: bool = False
    gate: str | None = None
    quiet: bool = False

    @property
    def names_a_judge(self) -> bool:
        given = (self.judge_model, self.judge_format, self.judge_samples, self.judge_prompt)
        return any(value is not None for value in given)


def rescore(asked: RescoreRequest, suites: Suites = SUITES) -> Outcome:
    """Plays the new run and finishes it. Raises EvaluationError for what the user must mend."""
    settings = read_settings()
    with Journal.in_folder(settings.runs_dir) as journal:
        return asyncio.run(_rescore(asked, suites, settings, journal))


async def _rescore(asked: RescoreRequest, suites: Suites, settings: Settings, journal: Journal) -> Outcome:
    choice = choose_endpoint(settings)
    parent = stored_run(journal, asked.run_id, suites)
    request = _request(asked, parent)
    loaded = with_judge_prompt(_loaded(asked, parent, suites), await _judge_prompt(asked, parent, settings))
    async with open_wiring(request, settings, journal, choice) as wiring:
        created_at = time.time()
        run_id = run_identifier(created_at, f"{_title(parent)}-rescored")
        pin = await _judge(asked, parent, loaded, run_id, wiring)
        # The same judge's verdicts lie in the journal, and so do its answers to the canaries, if it was asked them.
        known = pin != parent.spec.judge or CANARIES in parent.inputs
        request = replace(request, judge=pin is not None, canaries=asked.canaries and known)
        run = rescored(parent, loaded, pin, request, run_id, created_at)
        return await play_and_finish([run], replace(wiring, request=request), new=True)


def _request(asked: RescoreRequest, parent: Run) -> EvaluationRequest:
    own = ("cache", "langfuse", "concurrency", "rpm", "tpm", "max_cost", "prices", "strict", "gate", "quiet")
    changed = {name: getattr(asked, name) for name in own}
    named = ("rubric", "judge_model", "judge_format", "judge_samples", "judge_prompt", "suite")
    changed |= {name: getattr(asked, name) for name in named if getattr(asked, name) is not None}
    if asked.suite is not None:
        changed["rubric"] = asked.rubric  # the parent's rubric is of another suite
    return replace(parent.request, **{"resume": None, "dry_run": False, "reuse_days": None, "sweep": False, **changed})


def _loaded(asked: RescoreRequest, parent: Run, suites: Suites) -> LoadedSuite:
    if asked.suite is not None or asked.rubric is not None:
        return load_suite(asked.suite or parent.spec.suite, asked.rubric, suites)
    return build_suite(suites[parent.spec.suite], parent.inputs["rubric"], f"rubric of run {parent.run_id}")


async def _judge_prompt(asked: RescoreRequest, parent: Run, settings: Settings) -> PromptVersion | None:
    """The prompt of the new run's judge: that of the parent unless another is named."""
    if not asked.judge:
        return None
    if asked.judge_prompt is None and parent.spec.judge is not None:
        return stored_judge_prompt(parent)
    return await pin_judge_prompt(asked.judge_prompt, settings, use_langfuse=asked.langfuse, quiet=asked.quiet)


async def _judge(
    asked: RescoreRequest,
    parent: Run,
    loaded: LoadedSuite,
    run_id: str,
    wiring: Wiring,
) -> JudgePin | None:
    """The judge of the new run: that of the parent unless another is named."""
    rubric, before, choice = loaded.suite.judge, parent.spec.judge, wiring.choice
    if not asked.judge or rubric is None or (before is None and not asked.names_a_judge):
        return None
    if before is not None and not asked.names_a_judge:
        if before.endpoint != choice.identity:
            raise UsageError(
                f"run {parent.run_id} was judged at {before.endpoint} and the settings now name {choice.identity}: "
                "set OPENAI_BASE_URL as it was, name a judge with --judge-model, or leave it out with --no-judge"
            )
        return before
    model = asked.judge_model or (before.model if before is not None else None) or wiring.settings.judge_model
    model = JUDGE_MODEL if choice.rehearsal else model
    if model is None:
        raise UsageError("no judge is named: give --judge-model or set EVAL_JUDGE_MODEL")
    samples = asked.judge_samples or (before.samples if before is not None else 1)
    models = Models(parent.spec.endpoint, "", model, choice.identity)
    check_cost_can_be_known(models.paid, wiring)
    request = replace(wiring.request, judge_format=asked.judge_format or "auto", judge_samples=samples)
    return await pin_judge(run_id, request, models, loaded, wiring)


def rescored(
    parent: Run,
    loaded: LoadedSuite,
    judge: JudgePin | None,
    request: EvaluationRequest,
    run_id: str,
    created_at: float,
) -> Run:
    """The new run: the parent's specification and inputs, but for the rubric and the judge."""
    rubric = loaded.rubric
    pin = TextPin(rubric.name, rubric.version, rubric.sha256)
    kept = {name: text for name, text in parent.inputs.items() if name not in (CANARIES, JUDGE_PROMPT)}
    return replace(
        parent,
        run_id=run_id,
        group_id=run_id,
        parent_run_id=parent.run_id,
        created_at=created_at,
        spec=replace(
            parent.spec, suite=loaded.suite.name, judge=judge, rubric=pin, scorer=scorer_digest(loaded.suite.scored_by)
        ),
        suite=loaded.suite,
        request=request,
        inputs={**kept, "rubric": loaded.text, **judge_inputs(loaded, judge, request)},
        provenance=provenance(PROJECT),
    )


def _title(parent: Run) -> str:
    return parent.spec.suite if parent.spec.prompt is None else parent.spec.prompt.slug
