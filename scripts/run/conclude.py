"""A run concluded from what the journal holds of it, and what is known of its judge."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from evaluation.conclude import Evidence, conclude
from evaluation.expectations.canaries import errors_by_judge
from evaluation.judging.canaries import OF_JUDGE
from evaluation.judging.conversations.canaries import check_of_answers
from evaluation.judging.conversations.fitness import ConversationCheck
from evaluation.judging.fitness import CanaryReport
from evaluation.judging.item_errors import ItemErrors
from evaluation.judging.panel_check import panel_report
from evaluation.outcome import ENDED, Ending, RunOutcome
from evaluation.records import Result
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.summary.families import family_of
from scripts.run.agreement import agreement_of
from scripts.run.endpoints import name_judges
from scripts.run.people import labels_of, with_peoples_answers
from scripts.run.terms import read_terms
from services.journal import Journal
from services.run_folder import run_folder
from services.settings import Settings

LOOKED_AT, MOST_BESIDE = 200, 3
"""Newest runs among which those of other models under the same panel are looked for, and how many are read."""


def conclude_run(
    run: Run, journal: Journal, settings: Settings, request: EvaluationRequest, end: Ending | None = None
) -> RunOutcome:
    """Summary, decision and gate, under the gate and limits of a request. Writes nothing."""
    heard = None if end is None else end.judge_was_heard
    canaries = judge_report(run, journal, ended=heard)
    totals = journal.call_totals(run.run_id)
    evidence = Evidence(
        results=with_peoples_answers(journal.results(run.run_id, run.scenario_ids), run, settings),
        totals=totals,
        spent_usd=journal.cost_usd(run.run_id),
        canaries=canaries,
        labels=labels_of(run, settings),
        conversations=journal.conversations(run.run_id, run.scenario_ids),
        conversation_check=conversation_check(run, journal, ended=heard),
        beside=_of_other_families(run, journal),
        judge_names=name_judges(run.spec.judge, settings),
    )
    terms = read_terms(request, run.spec.suite)
    outcome = conclude(
        run,
        evidence,
        request,
        terms,
        directory=str(run_folder(settings.runs_dir, run.run_id)),
        ending=end or ENDED,
    )
    return replace(outcome, agreement=agreement_of(run, settings))


def _of_other_families(run: Run, journal: Journal) -> Iterator[Result]:
    """What the run's panel said of the same scenarios answered by models of another family: shows what it prefers."""
    if run.spec.judge is None or not run.spec.judge.members:
        return
    family, digests, found = family_of(run.spec.model), run.spec.digests, 0
    for other in journal.runs(LOOKED_AT, inputs=False):
        theirs = other.spec.digests
        alike = all(theirs[part] == digests[part] for part in ("judge", "rubric", "scenarios"))
        if not alike or other.run_id == run.run_id or family_of(other.spec.model) in ("", family):
            continue
        yield from journal.results(other.run_id)
        found += 1
        if found == MOST_BESIDE:
            return


def judge_report(run: Run, journal: Journal, *, ended: bool | None = None) -> CanaryReport | None:
    """The results of a run's judge on exchanges of known quality; None where it was not asked about them.

    `ended` says that no more of them will be asked; where nothing is known of it, the journal says so.
    """
    if run.judge is None or not run.canaries:
        return None
    ended = journal.run(run.run_id, inputs=False).state == "finished" if ended is None else ended
    replies_of = partial(journal.answers, run.run_id, "canary")
    heard = not journal.call_totals(run.run_id).keys().isdisjoint(OF_JUDGE)
    return panel_report(run.judge, run.canaries, replies_of, heard=heard, ended=ended, items=item_errors(run, journal))


def item_errors(run: Run, journal: Journal) -> dict[str, ItemErrors]:
    """Model -> how it did on the questions that yes or no answers; nothing where none was asked."""
    judge = run.spec.judge
    replies_of = partial(journal.answers, run.run_id, "canary")
    return {} if judge is None else errors_by_judge(run.item_checks, replies_of, judge.model)


def conversation_check(run: Run, journal: Journal, *, ended: bool | None = None) -> ConversationCheck | None:
    """What conversations of known quality say of a run's judge; None where it was not asked about any."""
    checks = run.conversation_checks
    if not checks:
        return None
    ended = journal.run(run.run_id, inputs=False).state == "finished" if ended is None else ended
    return check_of_answers(checks, partial(journal.answers, run.run_id, "canary"), ended=ended)
