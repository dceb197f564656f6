"""Two stored runs head to head: the judge asked about each pair in both orders, beside what people preferred.

The calls are journaled under a run of their own, which holds no result: the same comparison goes on with it, and what
was answered is not asked again. The judge is checked on pairs of canaries first, and one that fails is asked no more.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from evaluation.comparison.head_to_head import Asked, HeadToHead, JudgedPair, PairPlace, head_to_head
from evaluation.errors import EvaluationError, UsageError
from evaluation.estimate import NOTHING, Estimate
from evaluation.estimate_pairs import pair_load, planned_pairs, with_pairs
from evaluation.judging.asking import JudgeRubric
from evaluation.judging.material import reply_material
from evaluation.judging.merging import JOINED
from evaluation.judging.pair_asking import Pair, PairJudge
from evaluation.judging.pair_check import NOT_CHECKED, PairCheck, canary_pairs
from evaluation.judging.pair_judging import Judgement, judge_canaries, judge_pair
from evaluation.judging.pair_panel import merge_judgements, merge_pair_checks
from evaluation.judging.pair_reading import addresses_judge
from evaluation.judging.panel import panel_pin
from evaluation.ports import Complete
from evaluation.records import Reply, Request
from evaluation.request import EvaluationRequest
from evaluation.review.pair_answers import peoples_points
from evaluation.run import Run
from evaluation.runspec import JudgePin, RunSpec, TextPin, differences, digest
from scripts.run.choices import choose_endpoint
from scripts.run.judge_format import find_judge_format
from scripts.run.judges import JUDGE_PARAMETERS, judge_pin, keep_answers
from scripts.run.pairs import StoredPair, read_pair_answers, shared_cells, stored_pairs
from scripts.run.plan import run_identifier
from scripts.run.start import check_cost_can_be_known
from scripts.run.stop import Budget, Stop, asked_before_the_run, signals_stop
from scripts.run.wiring import Wiring, open_wiring
from scripts.shell import note
from services.journal import Journal, hold_run
from services.model.endpoint import Endpoint
from services.record_files import REVIEWS
from services.rehearsal import JUDGE_MODEL
from services.settings import Settings

GIVEN = "given responses"
"""Stands where a run names the model that answered: here two other runs did."""

Judgements: TypeAlias = Mapping[str, Judgement]
"""Identity of a pair -> what the judge said of it."""


@dataclass(frozen=True, slots=True)
class Asking:
    """What came of asking."""

    check: PairCheck
    judgements: Judgements
    run_id: str
    """Under which the calls lie in the journal."""
    model: str
    stop: Stop


NOBODY = Asking(NOT_CHECKED, {}, "", "", Stop())
"""Without a judge: people's preferences stand alone."""


def check_can_be_paired(runs: Sequence[Run]) -> None:
    """Raises UsageError for runs that cannot be put head to head."""
    if len(runs) != 2:
        raise UsageError(f"--head-to-head holds one candidate against one base, and {len(runs)} runs are named")
    rubric = runs[-1].suite.judge
    if rubric is None or rubric.show is not reply_material:
        raise UsageError(
            f"--head-to-head compares answers to the same message, and runs of suite {runs[-1].suite.name} hold no such"
        )


def compare_head_to_head(
    base: Run, candidate: Run, request: EvaluationRequest, journal: Journal, settings: Settings, spent: float = 0.0
) -> tuple[HeadToHead, Stop]:
    """Asks what is not answered yet, and gives all figures, with the reason where it ended early.

    `spent` is what the command has paid so far, in US dollars: the cost limit is one for all.
    Raises UsageError, before any call, where no judge can be asked.
    """
    pairs = list(stored_pairs(base, candidate, journal))
    asking = NOBODY
    if request.judge:
        asking = asyncio.run(_ask(pairs, candidate, request, journal, settings, spent))
    totals = journal.call_totals(asking.run_id).values() if asking.run_id else ()
    costs = [each.cost_usd for each in totals]
    answers, _ = read_pair_answers(settings.runs_dir / REVIEWS)
    found = head_to_head(
        [_judged(each, asking.judgements.get(each.pair.identity)) for each in pairs],
        planned=len(shared_cells(base, candidate)),
        judge=asking.model,
        check=asking.check,
        people=peoples_points(answers, [each.pair for each in pairs]),
        calls=sum(each.paid + each.reused for each in totals),
        cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
        stopped=asking.stop.reason,
        seed=request.seed or 0,
    )
    return found, asking.stop


def estimate_head_to_head(
    sides: Sequence[Run], request: EvaluationRequest, before: Estimate | None, journal: Journal, settings: Settings
) -> Estimate:
    """The estimate of the evaluation with the calls about pairs; of stored runs those of the pairs that they hold."""

    async def work() -> Estimate:
        base, candidate = sides
        rubric = candidate.suite.judge
        assert rubric is not None, "runs without a judge's rubric are refused"
        async with open_wiring(request, settings, journal, choose_endpoint(settings)) as wiring:
            judges = _judges(candidate, request, wiring)
            pins = [await _pin(*judge, candidate, rubric, request, []) for judge in judges]
            stored = [each.pair for each in stored_pairs(base, candidate, journal) if not each.pair.identical]
            pairs = stored if before is None else planned_pairs(candidate, shared_cells(base, candidate))
            asked, estimate = list(pairs), before or NOTHING
            for pin in pins:
                load = pair_load(PairJudge(pin, rubric, request.seed or 0), asked, checked=request.canaries)
                estimate = with_pairs(estimate, load, wiring.price_of, wiring.concurrency)
            return estimate

    return asyncio.run(work())


def _judged(stored: StoredPair, said: Judgement | None) -> JudgedPair:
    pair, scenario = stored.pair, stored.scenario
    texts: dict[str, Any] = {"message": _message(pair), "shown": pair.shown}
    place = PairPlace(
        identity=pair.identity,
        scenario_id=scenario.id,
        cluster=scenario.cluster,
        category=scenario.category,
        repeat=pair.cell.repeat,
        words=pair.words,
        answers=pair.answers,
        addresses_judge=any(addresses_judge(text) for texts in pair.said for text in texts),
    )
    if pair.identical:
        return JudgedPair(place, "identical", "tie", **texts)
    if said is None or said.open:
        return JudgedPair(place, "open", **texts)
    if said.preference is None:
        became: Asked = "failed" if said.failed else "unread"
        return JudgedPair(place, became, assessments=said.assessments, problem=said.problem, **texts)
    found = said.preference
    texts["members"] = said.members
    return JudgedPair(place, "read", found.winner, found.kind, found.first_shown, said.assessments, **texts)


def _message(pair: Pair) -> str:
    """The user's message, which stands in the conversations themselves where these are compared as a whole."""
    return next((passage.text for passage in pair.shared if passage.kind == "message"), "")


async def _ask(
    pairs: Sequence[StoredPair],
    candidate: Run,
    request: EvaluationRequest,
    journal: Journal,
    settings: Settings,
    spent: float,
) -> Asking:
    choice = choose_endpoint(settings)
    async with open_wiring(request, settings, journal, choice) as wiring:
        rubric = candidate.suite.judge
        assert rubric is not None, "runs without a judge's rubric are refused"
        asked = _judges(candidate, request, wiring)
        check_cost_can_be_known([] if choice.rehearsal else [model for model, _ in asked], wiring)
        kept: list[tuple[Endpoint, list[tuple[Request, Reply]]]] = [(endpoint, []) for _, endpoint in asked]
        pins = [
            await asked_before_the_run(_pin(*each, candidate, rubric, request, heard), wiring.endpoints)
            for each, (_, heard) in zip(asked, kept, strict=True)
        ]
        pin = panel_pin(pins, None, None)
        run = _run_of(pairs, candidate, pin, request, journal)
        for endpoint, heard in kept:
            for question, reply in heard:
                await keep_answers(run.run_id, journal, endpoint, settings)(question, reply)
        judges = [PairJudge(each, rubric, request.seed or 0) for each in pins]
        if not request.quiet:
            note(f"head to head: {pin.model} is asked about {len(pairs)} pairs, run {run.run_id}")
        with hold_run(settings.runs_dir, run.run_id):
            stop = Stop(wiring.endpoints.shut)
            budget = _budget(wiring, stop, spent + journal.cost_usd(run.run_id))
            complete = wiring.calls_of(run.run_id, budget).complete
            task = asyncio.ensure_future(_check_and_ask(judges, pairs, complete, checked=request.canaries))
            check, judgements, who = NOT_CHECKED, dict[str, Judgement](), pin.model
            with signals_stop(stop, task, wiring.calls_under_way):
                try:
                    check, judgements, who = await task
                except asyncio.CancelledError:
                    if not stop.interrupted:
                        raise
                except EvaluationError:
                    stop.end_at_once("an error ended it")
                    raise
                finally:
                    journal.finish_run(run.run_id, "incomplete" if stop.reason else "finished")
    return Asking(check, judgements, run.run_id, who, stop)


async def _check_and_ask(
    judges: Sequence[PairJudge], pairs: Sequence[StoredPair], complete: Complete, *, checked: bool
) -> tuple[PairCheck, dict[str, Judgement], str]:
    """The canaries first: a judge that fails on them is asked about nothing else. Names who was asked on, too."""
    canaries = canary_pairs(judges[0].rubric.canaries) if checked else []
    said = await asyncio.gather(*(judge_canaries(judge, canaries, complete) for judge in judges))
    checks = {judge.pin.model: check for judge, check in zip(judges, said, strict=True)}
    left = [judge for judge in judges if checks[judge.pin.model].fit is not False]
    check = merge_pair_checks(checks)
    for each in check.left_out:
        note(f"head to head: left out: {each}")
    open_pairs = {each.pair.identity: each.pair for each in pairs if not each.pair.identical}
    if not left:
        return check, {}, JOINED.join(checks)
    asking = [[judge_pair(judge, pair, complete) for judge in left] for pair in open_pairs.values()]
    found = await asyncio.gather(*(asyncio.gather(*each) for each in asking))
    names = [judge.pin.model for judge in left]
    merged = [merge_judgements(dict(zip(names, each, strict=True))) for each in found]
    return check, dict(zip(open_pairs, merged, strict=True)), JOINED.join(names)


def _judges(candidate: Run, request: EvaluationRequest, wiring: Wiring) -> list[tuple[str, Endpoint]]:
    """The judges of the candidate's run unless others are named, each with where it is asked; several of a panel.

    Raises UsageError where none can be asked, and where one is named twice.
    """
    pins = () if candidate.spec.judge is None else candidate.spec.judge.voices
    if request.judge_models:
        return _different([wiring.endpoints.find(name) for name in request.judge_models])
    if wiring.choice.rehearsal and all(pin.endpoint == wiring.choice.identity for pin in pins):
        return [(JUDGE_MODEL, wiring.endpoint)]
    elsewhere = [pin.endpoint for pin in pins if pin.endpoint not in wiring.choice.known]
    if elsewhere:
        raise UsageError(
            f"run {candidate.run_id} was judged at {elsewhere[0]} and the settings now name {wiring.choice.identity}: "
            "set OPENAI_BASE_URL as it was, or name a judge with --judge-model"
        )
    if pins:
        return [(pin.model, wiring.endpoints.of(pin.endpoint)) for pin in pins]
    named = wiring.settings.judge_models or ((wiring.settings.model,) if wiring.settings.model else ())
    if not named:
        raise UsageError("no judge is named: give --judge-model or set EVAL_JUDGE_MODEL")
    return _different([wiring.endpoints.find(name) for name in named])


def _different(judges: list[tuple[str, Endpoint]]) -> list[tuple[str, Endpoint]]:
    models = [model for model, _ in judges]
    twice = next((model for model in models if models.count(model) > 1), None)
    if twice is not None:
        raise UsageError(f"judge {twice!r} is named twice: a panel is made of different models")
    return judges


async def _pin(
    model: str,
    endpoint: Endpoint,
    candidate: Run,
    rubric: JudgeRubric,
    request: EvaluationRequest,
    kept: list[tuple[Request, Reply]],
) -> JudgePin:
    """The judge, in the format of the candidate's run where that is the same judge, else in one that is found out.

    `kept` takes what was asked for that: under which run it is journaled is known when the judge is.
    """
    voices = () if candidate.spec.judge is None else candidate.spec.judge.voices
    known = next((pin for pin in voices if (pin.model, pin.endpoint) == (model, endpoint.identity)), None)
    if known is not None:
        return JudgePin(model, known.endpoint, known.format, parameters=dict(JUDGE_PARAMETERS))

    async def keep(question: Request, reply: Reply) -> Reply:
        kept.append((question, reply))
        return reply

    asked, dry = request.judge_format, request.dry_run
    found = await find_judge_format(asked, model, rubric, endpoint, keep=keep, dry=dry)
    return judge_pin(model, endpoint.identity, found, samples=1)


def _run_of(
    pairs: Sequence[StoredPair], candidate: Run, pin: JudgePin, request: EvaluationRequest, journal: Journal
) -> Run:
    """The run under which the calls are journaled: an earlier one about the same pairs, gone on with, or a new one."""
    texts = digest(sorted(each.pair.identity for each in pairs))
    spec = RunSpec(
        suite=f"{candidate.suite.name} head to head",  # no suite that could be resumed or scored again
        prompt=None,
        model=GIVEN,
        endpoint=candidate.spec.endpoint,
        parameters={},
        judge=pin,
        rubric=candidate.spec.rubric,
        scenarios=TextPin("head to head", str(len(pairs)), texts),
        repeats=1,
        seed=request.seed or 0,
    )
    created_at = time.time()
    run_id = run_identifier(created_at, "head-to-head")
    run = replace(
        candidate,
        run_id=run_id,
        group_id=run_id,
        parent_run_id=None,
        created_at=created_at,
        spec=spec,
        prompt=None,
        scenarios=(),
        request=request,
        inputs={"rubric": candidate.inputs["rubric"]},
    )
    for stored in journal.runs(inputs=False):
        if stored.spec.suite == spec.suite and not differences(stored.spec, spec):
            journal.resume_run(stored.run_id)
            return replace(run, run_id=stored.run_id, group_id=stored.group_id)
    journal.create_run(run)
    return run


def _budget(wiring: Wiring, stop: Stop, paid: float) -> Budget:
    """The cost limit, `paid` of which is spent on these pairs."""
    limit = wiring.request.max_cost
    if limit is not None and paid >= limit:
        # What is answered already is shown all the same.
        stop.request(f"the cost limit of {limit:g} USD is reached: {paid:.4f} paid")
        limit = None
    return Budget(limit, paid, stop)
