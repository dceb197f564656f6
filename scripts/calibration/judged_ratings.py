"""The judge's scores of responses that exist already: an ordinary journaled run whose answers are given, not made.

Every verdict is journaled before it is used, so that calibrating again after an interruption pays for none twice.
"""

import time
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from evaluation.calibration.item_ratings import ItemPlace, for_judge, judge_outcomes, scenario_of
from evaluation.calibration.judge_forms import FormCalls, JudgeCalls
from evaluation.calibration.ratings import RatedLine
from evaluation.errors import JudgeGivenUp, LimitReached, StopRequested, UsageError
from evaluation.expectations.pin import expectations_pin
from evaluation.judging.fitness import CanaryReport
from evaluation.judging.panel import judges_of
from evaluation.judging.panel_check import panel_report
from evaluation.plan import judge_inputs
from evaluation.ports import Complete, Exchanges, PriceOf
from evaluation.records import Exchange, Outcome, Reply, Result, Score, Usage
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.runspec import RunSpec, TextPin, digest
from evaluation.suites.loaded import LoadedSuite, with_judge_prompt
from evaluation.suites.suite import Suite
from evaluation.suites.turns import CellPlan
from scripts.run.choices import choose_endpoint
from scripts.run.judges import pin_judges, settle_judges
from scripts.run.plan import run_identifier
from scripts.run.play import play
from scripts.run.prompts import pin_judge_prompt
from scripts.run.start import check_cost_can_be_known
from scripts.run.stop import asked_before_the_run
from scripts.run.wiring import Wiring, open_wiring
from scripts.shell import note
from services.journal import Journal
from services.named_endpoints import split_judge
from services.rehearsal import JUDGE_MODEL
from services.settings import Settings

GIVEN = "given responses"
"""Stands where a run names the model that answered: here people's data did."""
KEPT = "the verdicts given so far are not paid for twice"


@dataclass(frozen=True, slots=True)
class JudgedRatings:
    """The judge, and its scores."""

    model: str | None
    scores: dict[str, tuple[Score, ...]]
    """Line id -> the judge's and the combined scores."""
    failed: int
    """Responses that the judge was asked about and gave no answer on."""
    checked: CanaryReport | None
    """None where the judge was not checked."""
    items: dict[ItemPlace, Outcome]
    """What it says of the items that people answered, but for those that a rule decides."""
    calls: FormCalls
    """What its verdicts take in the form in which it was asked."""
    spent_usd: float
    """What this command paid for it."""
    digest: str = ""
    """Of the judge's pin."""


def judging_models(settings: Settings, asked: Sequence[str]) -> tuple[str, ...]:
    """The judges, several for a panel; none without an endpoint.

    What the scripted rehearsal judge says is worth nothing: it judges where it is named, and never by itself.
    """
    named = tuple(asked) or settings.judge_models
    if choose_endpoint(settings).rehearsal and not all(split_judge(name, settings.endpoints)[1] for name in named):
        if tuple(asked) == (JUDGE_MODEL,):
            return (JUDGE_MODEL,)
        if asked:
            raise UsageError(
                "--judge-model: there is no endpoint: set OPENAI_API_KEY or OPENAI_BASE_URL, or omit it; "
                f"{JUDGE_MODEL} asks the scripted stand-in"
            )
        return ()
    if not named and choose_endpoint(settings).rehearsal:
        return ()
    named = named or ((settings.model,) if settings.model else ())
    if not named:
        raise UsageError("no judge is named: set EVAL_JUDGE_MODEL or --judge-model, or use --no-judge")
    return named


async def judge_ratings(
    lines: Sequence[RatedLine], loaded: LoadedSuite, request: EvaluationRequest, settings: Settings, again: str
) -> JudgedRatings:
    """Judges every exchange that has words; `again` is what to type to go on.

    Raises StopRequested when interrupted, LimitReached at the cost limit, and JudgeGivenUp where no verdict can be
    read; what was answered by then is kept.
    """
    choice = choose_endpoint(settings)
    loaded = with_judge_prompt(loaded, await pin_judge_prompt(request.judge_prompt, settings))
    with Journal.in_folder(settings.runs_dir) as journal:
        async with open_wiring(request, settings, journal, choice) as wiring:
            planned = await _plan(lines, loaded, wiring)
            pins = () if planned.spec.judge is None else planned.spec.judge.judges
            check_cost_can_be_known((pin.model for pin in pins), wiring)
            [run] = await asked_before_the_run(settle_judges([planned], wiring), wiring.endpoints)
            journal.create_run(run)
            judge = run.spec.judge
            if judge is not None:
                form = f"{judge.model} in form {judge.form}"
                note(f"judge: {form} at {judge.endpoint}, {len(lines)} responses, run {run.run_id}")
            stop = await play([run], wiring)
        journal.finish_run(run.run_id, "incomplete" if stop.reason else "finished")
        results = list(journal.results(run.run_id))
        spent = journal.cost_usd(run.run_id)
        replies_of = partial(journal.answers, run.run_id, "canary")
        checked = panel_report(run.judge, run.canaries, replies_of, heard=bool(results), ended=True)
        calls = _calls_of(run, results, None if checked is None else checked.fit, journal, wiring.price_of)
    if stop.interrupted:
        raise StopRequested(f"{stop.reason}; {KEPT}; go on: {again}")
    if stop.given_up is not None:
        another = "--judge-model NAME judges otherwise"
        raise JudgeGivenUp(f"{stop.given_up.sentence()}; {another}; {KEPT}; when it is mended: {again}")
    if stop.reason:
        raise LimitReached(f"{stop.reason}; {KEPT}; go on, up to this limit once more: {again}")
    scores = {
        result.exchange.cell.scenario_id: tuple(
            score for score in result.scores if score.source in ("judge", "combined")
        )
        for result in results
    }
    missing = _note_what_is_missing(results, again)
    model = None if judge is None else judge.model
    judged_by = "" if judge is None else run.spec.digests["judge"]
    return JudgedRatings(model, scores, missing, checked, judge_outcomes(results), calls, spent or 0.0, judged_by)


def _calls_of(run: Run, results: Sequence[Result], fit: bool | None, journal: Journal, price_of: PriceOf) -> FormCalls:
    """What the verdicts take, judge by judge, by the price list: what an earlier run paid for counts as well."""
    verdicts = [result.verdict for result in results if result.verdict is not None]
    form = "" if run.spec.judge is None else run.spec.judge.form
    judges = [
        _calls_to(judge.pin.model, journal.answers(run.run_id, "judge", judge.pin.model).values(), price_of)
        for judge in judges_of(run.judge)
    ]
    unread = sum(not verdict.parsed for verdict in verdicts)
    return FormCalls.of(form, len(verdicts), unread, judges, fit=fit)


def _calls_to(model: str, replies: Collection[Reply], price_of: PriceOf) -> JudgeCalls:
    tokens = Usage(
        sum(reply.usage.input_tokens or 0 for reply in replies),
        sum(reply.usage.output_tokens or 0 for reply in replies),
    )
    return JudgeCalls(model, len(replies), tokens.input_tokens or 0, tokens.output_tokens or 0, price_of(model, tokens))


def _note_what_is_missing(results: Iterable[Result], again: str) -> int:
    """Says why which responses have no verdict; gives the number of those whose question got no answer."""
    count = Counter("wordless" if _is_wordless(result) else result.state for result in results)
    reasons = (
        ("wordless", "responses without words are not judged, as in an evaluation"),
        ("unparsed", "verdicts could not be read"),
        ("failed", f"questions got no answer; {KEPT}; go on: {again}"),
    )
    for state, reason in reasons:
        if count[state]:
            note(f"no verdict: {count[state]} {reason}")
    return count["failed"]


def _is_wordless(result: Result) -> bool:
    outcome = result.exchange.outcome
    return isinstance(outcome, Reply) and outcome.wordless


async def _plan(lines: Sequence[RatedLine], loaded: LoadedSuite, wiring: Wiring) -> Run:
    suite, rubric = loaded.suite, loaded.rubric
    created_at = time.time()
    run_id = run_identifier(created_at, "calibration")
    request = wiring.request
    judge = await pin_judges(request.judge_models, request, loaded, wiring.endpoints, wiring.settings)
    scenarios = tuple(for_judge(scenario_of(line.exchange, line.audience, line.items)) for line in lines)
    texts = digest([_texts(line) for line in lines])
    spec = RunSpec(
        suite=f"{suite.name} calibration",  # no suite that could be resumed or scored again
        prompt=None,
        model=GIVEN,
        endpoint=wiring.choice.identity,
        parameters={},
        judge=judge,
        rubric=TextPin(rubric.name, rubric.edition, rubric.sha256),
        scenarios=TextPin("calibration", str(len(scenarios)), texts),
        repeats=1,
        seed=wiring.request.seed or 0,
        expectations=expectations_pin(scenarios, "judge"),
    )
    return Run(
        run_id=run_id,
        group_id=run_id,
        parent_run_id=None,
        created_at=created_at,
        spec=spec,
        suite=_play_as_given(suite, [line.exchange for line in lines]),
        prompt=None,
        scenarios=scenarios,
        request=wiring.request,
        inputs={"rubric": loaded.text, **judge_inputs(loaded, judge)},
    )


def _texts(line: RatedLine) -> list[str]:
    """All that identifies a line's material; the audience only where there is one."""
    exchange = line.exchange
    return [exchange.cell.scenario_id, exchange.user_input, exchange.response, *filter(None, [line.audience])]


def _play_as_given(suite: Suite, exchanges: Sequence[Exchange]) -> Suite:
    """The suite, playing the exchanges as they are: nothing is generated."""
    by_id = {exchange.cell.scenario_id: exchange for exchange in exchanges}

    async def play_given(part: CellPlan, _complete: Complete) -> Exchanges:
        yield by_id[part.scenario.id]

    return replace(suite, play=play_given)
