"""A stored run scored once more, as a run of its own: its replies come from the journal, none is asked for.

By the code of today its verdicts are kept too, and nobody is asked. By another rubric or judge, the judge may be.
"""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from evaluation.commands import write_command
from evaluation.comparison.bridge import sampled_scenarios
from evaluation.errors import UsageError
from evaluation.estimate import estimate_runs
from evaluation.expectations.pin import expectations_pin
from evaluation.judging.canaries import OF_JUDGE
from evaluation.judging.panel import AnyJudge, judges_of
from evaluation.plan import chosen_mode, judge_inputs, suite_inputs
from evaluation.ports import Complete
from evaluation.prompts import PromptVersion
from evaluation.records import CallFailure, Cell, Position, Purpose, Reply, Request, Result, Scenario
from evaluation.request import EvaluationRequest
from evaluation.rubrics.extension import with_profile
from evaluation.run import JUDGE_PROMPT, Run, judge_prompt_of
from evaluation.runner import evaluate_exchange
from evaluation.runspec import EmbeddingPin, JudgePin, RunSpec, TextPin, differences
from evaluation.scenarios.selection import scenarios_pin
from evaluation.suites import SUITES, Suites
from evaluation.suites.loaded import LoadedSuite, build_suite, with_judge_prompt
from evaluation.suites.meaning import embedding_of, with_meaning
from evaluation.suites.own import INPUT
from evaluation.suites.suite import SuiteDefinition
from evaluation.text.forms import SourceText
from scripts.arguments import NO_PROFILE
from scripts.run.choices import choose_endpoint
from scripts.run.conclude import conclude_run
from scripts.run.files import write_files
from scripts.run.finish import Outcome
from scripts.run.index import note_run
from scripts.run.judges import pin_again, pin_judges
from scripts.run.models import embedding_pin, judges_for
from scripts.run.plan import run_identifier
from scripts.run.prompts import pin_judge_prompt
from scripts.run.start import write_down
from scripts.run.stop import Stop
from scripts.run.stored import open_stored, stored_run
from scripts.run.suites import definition_of, find_suite
from scripts.run.texts import chosen_rubric, rubric_of
from scripts.run.wiring import Wiring, open_wiring
from scripts.scoring.items_of_today import with_items_of_today
from scripts.workflow import play_and_finish
from services.journal import Journal
from services.journaled_embeddings import known_vectors
from services.provenance import provenance, scorer_digest
from services.settings import Settings, read_settings

KEPT: tuple[Purpose, ...] = ("judge", "expectations", "conversation", "canary", "moderation", "embedding")
"""Purposes whose answers the new run takes over; replies stand in the results themselves."""


AT_ONCE = 500
"""Results that are scored and committed together."""


OWN = (
    *("resume", "dry_run", "reuse_days", "sweep", "cache", "langfuse", "concurrency", "rpm", "tpm", "max_cost"),
    *("prices", "batch", "batch_hours", "strict", "gate", "quiet"),
)
"""Fields of a request that a new run does not take from the one that is scored again."""


JUDGE = ("judge_models", "judge_escalate", "judge_apart", "judge_format", "judge_form", "judge_samples", "judge_prompt")


async def score_again(run: Run, journal: Journal, settings: Settings, under: Run | None = None) -> Run:
    """The run under the present scorer: itself where that made it, else an earlier new scoring of it, or a new one.

    A new one has its parent's specification but for the scorer, and its parent's date: what it says was answered then.
    `under` is the run under a later patch of its rubric, to be scored by that.
    What failed for want of an answer stays failed. Raises UsageError where the journal lacks what the judge said.
    """
    present = under or run
    spec = replace(present.spec, scorer=scorer_digest(run.suite.scored_by))
    if not differences(run.spec, spec):
        return run
    return _find_earlier(present, spec, journal) or await _make(present, spec, journal, settings)


def _find_earlier(run: Run, spec: RunSpec, journal: Journal) -> Run | None:
    """An earlier new scoring that holds all that the run holds by now, verdicts that were asked for again included."""
    held = _held_by(run.run_id, journal)
    for record in journal.runs():
        again = record.parent_run_id == run.run_id and not differences(record.spec, spec)
        if again and _held_by(record.run_id, journal) == held:
            return replace(
                run, run_id=record.run_id, group_id=record.group_id, parent_run_id=run.run_id, spec=record.spec
            )
    return None


def _held_by(run_id: str, journal: Journal) -> tuple[set[Position], dict[Purpose, int]]:
    """The exchanges with an answer, and by purpose how often somebody was asked about them."""
    totals = journal.call_totals(run_id)
    asked = {purpose: totals[purpose].paid + totals[purpose].reused for purpose in KEPT if purpose in totals}
    return journal.final_positions(run_id), asked


async def _make(run: Run, spec: RunSpec, journal: Journal, settings: Settings) -> Run:
    judge = run.judge
    complete = _from_journal(run, judge, journal)
    run_id = run_identifier(run.created_at, f"{run.run_id.partition('-')[2]}-again")
    child = replace(
        run,
        run_id=run_id,
        group_id=run_id,
        parent_run_id=run.run_id,
        spec=spec,
        provenance=provenance(settings.workspace.folder),
    )
    write_down(child, journal, settings)
    journal.copy_calls(run.run_id, run_id, KEPT)
    scenarios = {scenario.id: scenario for scenario in run.scenarios}
    results = journal.results(run.run_id, run.scenario_ids)
    while some := list(islice(results, AT_ONCE)):
        again = [
            await _score(result, scenarios[result.exchange.cell.scenario_id], run, judge, complete) for result in some
        ]
        await asyncio.gather(*(journal.record_result(run_id, result) for result in again))
    for result in journal.conversations(run.run_id, run.scenario_ids):
        scenario = scenarios[result.exchange.cell.scenario_id]
        await journal.record_result(run_id, await _read_again(result, scenario, run, complete))
    _finish(child, journal, settings)
    return child


def _from_journal(run: Run, judge: AnyJudge | None, journal: Journal) -> Complete:
    """Answers the judges' questions as they were answered. Raises UsageError where an answer is no longer there."""
    asked = () if judge is None else judge.pin.judges
    said = {
        (purpose, pin.model): journal.answers(run.run_id, purpose, pin.model) for purpose in OF_JUDGE for pin in asked
    }
    always = () if judge is None else judges_of(judge)[: judge.pin.size]
    calls = [(each.pin.model, each.pin.samples * len(each.questions)) for each in always]
    places = [(model, number) for model, count in calls for number in range(1, 1 + count)]
    for scenario_id, repeat, turn in journal.final_positions(run.run_id):
        if any((Cell(scenario_id, repeat), turn, sample) not in said["judge", model] for model, sample in places):
            raise _lacks_answers(run)

    async def complete(request: Request) -> Reply | CallFailure:
        if request.purpose == "embedding":
            return known_vectors(journal, run.run_id, request)
        reply = said[request.purpose, request.model].get((request.cell, request.turn, request.sample))
        if reply is None:  # today's code asks about an expectation what was not asked then
            raise _lacks_answers(run)
        return replace(reply, cached=True, cost_usd=0.0)

    return complete


def _lacks_answers(run: Run) -> UsageError:
    return UsageError(
        f"run {run.run_id} was scored by another version of the code, and the journal no longer holds what its judge "
        f"said: score it with {write_command('rescore', RUN=run.run_id)}, or evaluate it again"
    )


def _finish(run: Run, journal: Journal, settings: Settings) -> None:
    """Writes the files of the run, but for Langfuse and `latest`: nobody evaluated anything."""
    request = replace(run.request, langfuse=False, gate=None, quiet=True)
    outcome = conclude_run(run, journal, settings, request)
    write_files(outcome, journal, settings)
    journal.finish_run(run.run_id, outcome.state)
    note_run(outcome, journal)


async def _score(result: Result, scenario: Scenario, run: Run, judge: AnyJudge | None, complete: Complete) -> Result:
    """The result by the code of today; one that lacks an answer as it is."""
    if result.error is not None and (judge is not None or result.error.kind != "scoring"):
        # Where scoring failed, the judge was never asked.
        return result
    exchange = result.exchange
    if isinstance(exchange.outcome, Reply):
        exchange = replace(exchange, outcome=replace(exchange.outcome, cached=True, cost_usd=0.0))
    return await evaluate_exchange(
        *(exchange, run.suite, judge, complete),
        embedding=run.spec.embedding,
        scenario=scenario,
        expectations=run.expectations,
    )


async def _read_again(result: Result, scenario: Scenario, run: Run, complete: Complete) -> Result:
    """What the judge said of a conversation as the code of today reads it; one that lacks an answer as it is."""
    judge = run.conversation_judge
    if judge is None or result.error is not None:
        return result
    return await judge.judge(result.exchange, scenario, complete)


def rescore(
    reference: str,
    changes: Mapping[str, Any],
    suites: Suites = SUITES,
    *,
    sample: int | None = None,
    like: Run | None = None,
) -> Outcome:
    """Plays the new run and finishes it.

    `reference` is a run id or `last`; `changes` are the fields of its request that shall be others, `judge_prompt`
    being `rubric` for the rubric's own words. `sample` leaves a random part, of so many exchanges at least; `like` is
    a run whose judge is asked, in its own words. Raises EvaluationError for what the user must mend.
    """
    settings = read_settings()
    changes = {name: tuple(value) if isinstance(value, list) else value for name, value in changes.items()}
    with open_stored(settings, reference) as journal:
        parent = stored_run(journal, reference, suites)
        return asyncio.run(_rescore(parent, changes, suites, settings, journal, sample, like))


async def _rescore(
    parent: Run,
    changes: Mapping[str, Any],
    suites: Suites,
    settings: Settings,
    journal: Journal,
    sample: int | None,
    like: Run | None,
) -> Outcome:
    choice = choose_endpoint(settings)
    fresh = EvaluationRequest()
    request = replace(parent.request, **{**{name: getattr(fresh, name) for name in OWN}, **changes})
    definition = definition_of(parent.spec.suite, parent.inputs, suites)
    if "suite" in changes:
        definition = find_suite(changes["suite"], suites, settings)
        request = replace(request, rubric=None)  # the parent's rubric is of another suite
    rubric = chosen_rubric(definition.name, changes.get("rubric"), settings)
    if rubric is not None:
        request = replace(request, rubric=rubric)
    words = await _judge_prompt(changes, parent, request, settings) if like is None else judge_prompt_of(like.inputs)
    request, source = _rubric_text(parent, request, changes, definition, rubric)
    loaded = with_judge_prompt(build_suite(definition, source), words)
    async with open_wiring(request, settings, journal, choice) as wiring:
        created_at = time.time()
        title = parent.spec.suite if parent.spec.prompt is None else parent.spec.prompt.slug
        run_id = run_identifier(created_at, f"{title}-rescored")
        pin = await _judge(changes, parent, loaded, wiring) if like is None else like.spec.judge
        # The same judge's verdicts lie in the journal, and so do its answers to the canaries, if it was asked them.
        known = pin != parent.spec.judge or parent.request.canaries
        request = replace(request, judge=pin is not None, canaries=changes.get("canaries", True) and known)
        held = replace(
            parent,
            scenarios=with_items_of_today(parent, loaded, suites, settings, quiet=request.quiet),
            provenance=provenance(settings.workspace.folder),
        )
        # Who makes vectors is as set today, else as it was: those of the parent lie in the journal.
        embedding = embedding_pin(request.embedding_model, wiring) or parent.spec.embedding
        run = plan_rescoring(held, loaded, pin, request, run_id, created_at, embedding)
        if sample is not None:
            run = sampled_part(run, parent, sample)
        if like is not None:
            # The limit is that of the command which asks for it, and that may go on under another.
            run = replace(run, request=replace(run.request, max_cost=None))
        if request.dry_run:
            return Outcome((), Stop(), estimate_runs([run], {}, wiring.price_of, wiring.concurrency))
        return await play_and_finish([run], replace(wiring, request=request), new=True)


def sampled_part(run: Run, parent: Run, least: int) -> Run:
    """The run over a random part of its scenarios; the same part whenever the parent is sampled."""
    only = set(sampled_scenarios(parent.scenarios, parent.spec.repeats, parent.run_id, least))
    scenarios = tuple(scenario for scenario in run.scenarios if scenario.id in only)
    spec = replace(
        run.spec,
        scenarios=scenarios_pin(run.spec.scenarios.name, scenarios),
        expectations=expectations_pin(scenarios, run.expectations),
    )
    request = replace(run.request, only=tuple(scenario.id for scenario in scenarios))
    return replace(run, scenarios=scenarios, spec=spec, request=request)


def _rubric_text(
    parent: Run, request: EvaluationRequest, changes: Mapping[str, Any], definition: SuiteDefinition, rubric: str | None
) -> tuple[EvaluationRequest, SourceText]:
    """The rubric of the new run: that of the parent, with its profile, unless another one of either is named."""
    own = rubric is None and "suite" not in changes
    profile = changes.get("profile", None if "suite" in changes else parent.request.profile)
    source = SourceText(parent.inputs["rubric"], f"rubric of run {parent.run_id}")
    if not own:
        source = rubric_of(definition, rubric)
    profile = None if profile == NO_PROFILE else profile
    text = source if own and "profile" not in changes else with_profile(source, profile)
    return replace(request, profile=profile), text


async def _judge_prompt(
    changes: Mapping[str, Any], parent: Run, request: EvaluationRequest, settings: Settings
) -> PromptVersion | None:
    """The prompt of the new run's judge: that of the parent unless another is named."""
    if not changes.get("judge", True):
        return None
    if "judge_prompt" not in changes and parent.spec.judge is not None:
        return judge_prompt_of(parent.inputs)
    named = changes.get("judge_prompt")
    return await pin_judge_prompt(named, settings, use_langfuse=request.langfuse, quiet=request.quiet)


async def _judge(changes: Mapping[str, Any], parent: Run, loaded: LoadedSuite, wiring: Wiring) -> JudgePin | None:
    """The judge of the new run: that of the parent unless another is named."""
    before, choice = parent.spec.judge, wiring.choice
    named = any(name in changes for name in JUDGE)
    if not changes.get("judge", True) or loaded.suite.judge is None or (before is None and not named):
        return None
    if before is not None and not named:
        if elsewhere := [each for each in parent.judging_endpoints if each not in choice.known]:
            raise UsageError(
                f"run {parent.run_id} was judged at {elsewhere[0]} and the settings now name {choice.identity}: "
                "set OPENAI_BASE_URL as it was, name a judge with --judge-model, or leave it out with --no-judge"
            )
        return before
    samples = changes.get("judge_samples") or (before.samples if before is not None else 1)
    form = changes.get("judge_form") or (before.form if before is not None else None)
    request = replace(
        wiring.request, judge_format=changes.get("judge_format", "auto"), judge_form=form, judge_samples=samples
    )
    names = changes.get("judge_models", ())
    if len(names) == 1:
        request = replace(request, judge_escalate=None, judge_apart=None)
    if before is not None and not names and not choice.rehearsal:
        return await pin_again(before, request, loaded, wiring.endpoints, wiring.settings)
    names = judges_for(names or wiring.settings.judge_models, wiring.choice, wiring.settings)
    if not names:
        raise UsageError("no judge is named: give --judge-model or set EVAL_JUDGE_MODEL")
    return await pin_judges(names, request, loaded, wiring.endpoints, wiring.settings)


def plan_rescoring(
    parent: Run,
    loaded: LoadedSuite,
    judge: JudgePin | None,
    request: EvaluationRequest,
    run_id: str,
    created_at: float,
    embedding: EmbeddingPin | None = None,
) -> Run:
    """The new run: the parent's specification and inputs, but for the rubric, the judge and who answers what."""
    rubric = loaded.rubric
    embedding = embedding_of(loaded.suite, embedding)
    pin = TextPin(rubric.name, rubric.edition, rubric.sha256)
    kept = {name: text for name, text in parent.inputs.items() if name not in (JUDGE_PROMPT, INPUT)}
    return replace(
        parent,
        run_id=run_id,
        group_id=run_id,
        parent_run_id=parent.run_id,
        created_at=created_at,
        spec=replace(
            parent.spec,
            suite=loaded.suite.name,
            judge=judge,
            rubric=pin,
            expectations=expectations_pin(parent.scenarios, chosen_mode(request, judge)),
            scorer=scorer_digest(loaded.suite.scored_by),
            embedding=embedding,
        ),
        suite=with_meaning(loaded.suite, embedding),
        request=request,
        inputs={**kept, "rubric": loaded.text, **suite_inputs(loaded), **judge_inputs(loaded, judge)},
    )
