"""A stored run as a comparison reads it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from evaluation.comparison.compare import Comparison
from evaluation.comparison.items import positions_to_read, put_side_by_side
from evaluation.comparison.runs import RunScores, read_run, with_judge_check
from evaluation.expectations.waivers import Waiver
from evaluation.judging.conversations.fitness import ConversationCheck
from evaluation.judging.fitness import CanaryReport
from evaluation.records import Result
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.summary.columns import Columns, Fallback
from evaluation.summary.conversations import ConversationColumns, summarise_conversations
from scripts.run.conclude import conversation_check, judge_report
from scripts.run.people import with_peoples_answers
from services.journal import Journal
from services.settings import Settings


def run_scores(
    run: Run,
    name: str,
    journal: Journal,
    settings: Settings,
    fallback: Fallback = "exclude",
    waivers: Sequence[Waiver] = (),
) -> RunScores:
    """The run's scores from the journal, people's answers to expectations before those of rule and judge.

    `name` is what people call it, `waivers` take critical expectations out of account.
    """
    return scores_of(
        run,
        name,
        with_peoples_answers(journal.results(run.run_id, run.scenario_ids), run, settings),
        journal.conversations(run.run_id, run.scenario_ids),
        checks=(judge_report(run, journal), conversation_check(run, journal)),
        fallback=fallback,
        waivers=waivers,
    )


def scores_of(
    run: Run,
    name: str,
    results: Iterable[Result],
    conversations: Iterable[Result],
    *,
    checks: tuple[CanaryReport | None, ConversationCheck | None],
    fallback: Fallback = "exclude",
    waivers: Sequence[Waiver] = (),
) -> RunScores:
    """The run's scores from its results, and from those of its conversations as a whole.

    `checks` are how its judge did on exchanges and on conversations of known quality.
    """
    columns = Columns(run.suite, run.scenarios, run.spec.repeats, run.sources, fallback, run.weights)
    scores = read_run(
        *(results, columns),
        spec=run.spec,
        run_id=run.run_id,
        name=name,
        expectations=run.expectations,
        waivers=waivers,
        prompt=run.prompt,
    )
    of_judge, of_conversations = checks
    return with_judge_check(_with_conversations(scores, run, conversations, of_conversations), of_judge)


def _with_conversations(
    scores: RunScores, run: Run, results: Iterable[Result], check: ConversationCheck | None
) -> RunScores:
    """The scores with those of conversations as a whole, where the judge was asked about any."""
    judge, scenarios = run.conversation_judge, run.judged_conversations
    if judge is None or not scenarios:
        return scores
    columns = ConversationColumns.of(scenarios, run.spec.repeats, judge.question.dimensions, run.weights)
    found = summarise_conversations(results, columns, judge.question, check)
    scores = replace(scores, summary=replace(scores.summary, conversations=found))
    if not found.counted:
        return scores
    return replace(scores, conversations=columns)


def with_responses(
    result: Comparison, base: Run | None, candidate: Run, journal: Journal, settings: Settings
) -> Comparison:
    """The comparison with what both runs said where an item was gained or lost.

    `base` is None where its run is no longer in the journal.
    """
    if result.items is None or not result.items.changes:
        return result
    wanted = positions_to_read(result.items)
    before, now = (
        () if run is None else with_peoples_answers(journal.results(run.run_id, (), wanted), run, settings)
        for run in (base, candidate)
    )
    return replace(result, items=put_side_by_side(result.items, before, now))


def fallback_of(request: EvaluationRequest) -> Fallback:
    """The treatment that a request asks for verdicts that could not be read."""
    return "include" if request.judge_fallback == "include" else "exclude"
