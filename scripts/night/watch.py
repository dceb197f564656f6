"""One night, written once: open it or go on with it, play, answer, end. The command calls it."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evaluation.comparison.gate import parse_regression_rules
from evaluation.errors import EvaluationError, JudgeUnfit
from evaluation.nightly.baseline import Baseline
from evaluation.nightly.night import Night, NightReport, NightState, Role, goes_on
from evaluation.plan import Leg
from evaluation.records import Json
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.suites import SUITES, Suites
from scripts.night.answer import Evaluated, answer, deliver_night, without_answer
from scripts.night.baseline import BaselineRefused, approved_baseline, refuse_other_measure, score_as_tonight
from scripts.night.files import NightOutcome, age_hours, end_night, new_night, read_nights, write_night
from scripts.night.legs import Mark, NightRequest, mark_of, plan_legs
from scripts.run.finish import Outcome
from scripts.run.load import check_plays_prompts, load_suite
from scripts.run.scores import fallback_of
from scripts.runs.upkeep import existing
from scripts.shell import INTERRUPTED, note, sigterm_interrupts
from scripts.workflow import run_evaluation
from services.catalog import GATE_RULES, read_named
from services.journal import Journal
from services.journal.access import hold_named
from services.settings import Settings, read_settings

GO_ON = "interrupted: what was answered is kept; go on with: make nightly"


class Book:
    """The record of the night that is under way; each note is on disk when it returns."""

    def __init__(self, night: Night, settings: Settings) -> None:
        self.night = night
        self._runs = settings.runs_dir
        self.note()

    def note(self, **changes: Any) -> None:
        self.night = replace(self.night, **changes)
        write_night(self._runs, self.night)


def watch(asked: NightRequest, suites: Suites = SUITES) -> NightOutcome:
    """Goes through a night, or on with one that was interrupted. Raises EvaluationError for what has to be set right.

    Whatever happens after the lock is held is written down in the night's folder and posted where it should be heard.
    """
    settings = read_settings()
    check_plays_prompts(asked.run.suite, suites)
    with sigterm_interrupts(), hold_named(settings.runs_dir, "nightly"):
        night, earlier = _open(asked, settings)
        book = Book(replace(night, state="running", ended_at=None), settings)
        try:
            found = _measure(book, earlier, asked, settings, suites)
        except KeyboardInterrupt:
            book.note(state="interrupted")
            note(GO_ON)
            raise
        except EvaluationError as error:
            failed = without_answer(book.night, earlier, _state_after(error), str(error), error.exit_code)
            end_night(failed, None, asked, settings)
            raise
        if found is None:
            book.note(state="interrupted", exit_code=INTERRUPTED)
            note(GO_ON)
            return NightOutcome(None, (), INTERRUPTED)
        return end_night(*found, asked, settings)


def _open(asked: NightRequest, settings: Settings) -> tuple[Night, list[Night]]:
    """The night that begins or goes on, and those before it, oldest first."""
    arguments, prompt, now = asked.arguments(), settings.prompt_name, time.time()
    nights = read_nights(settings.runs_dir, prompt)
    last = nights[-1] if nights else None
    if last is None or not goes_on(last, prompt, arguments, age_hours(last, now)):
        return new_night(settings.runs_dir, now, prompt, arguments), nights
    if not asked.run.quiet:
        note(f"going on with the night of {last.date} ({last.night_id}), which is {last.state}")
    return last, nights[:-1]


def _state_after(error: EvaluationError) -> NightState:
    if isinstance(error, JudgeUnfit):
        return "judge_unfit"
    return "refused" if isinstance(error, BaselineRefused) else "failed"


def _measure(
    book: Book, earlier: Sequence[Night], asked: NightRequest, settings: Settings, suites: Suites
) -> tuple[NightReport, Json | None] | None:
    """The report of the night and its comparison; None when it was interrupted."""
    rules_file = read_named("gate", asked.rules or "no_regression", GATE_RULES)
    rules = parse_regression_rules(rules_file.text, rules_file.place)
    suite = load_suite(asked.run.suite, asked.run.rubric, suites).suite
    baseline, notes = score_as_tonight(approved_baseline(suite, settings), suite, suites, settings)
    if _can_resume(book.night, settings):
        outcome, unresolved = _resume(book, asked, suites), ""
    else:
        legs, unresolved = asyncio.run(plan_legs(asked, baseline, book.night.date, settings, suites))
        outcome = _play(legs, baseline, book, asked, suites)
    if outcome.exit_code == INTERRUPTED:
        return None
    by_id = {each.run.run_id: each for each in outcome.runs}
    runs = {role: by_id[run_id] for role, run_id in book.night.runs.items() if run_id in by_id}
    evaluated = Evaluated(runs, unresolved, outcome.stop_reason, fallback_of(asked.run), notes)
    with Journal.in_folder(settings.runs_dir) as journal:
        report, comparison = answer(book.night, evaluated, baseline, suite, rules, earlier, journal)
        return deliver_night(report, evaluated.runs["production"], journal, settings), comparison


def _can_resume(night: Night, settings: Settings) -> bool:
    """True where all runs of the night stand in the journal: one that died before its first call left none."""
    if "production" not in night.runs:
        return False
    with Journal.in_folder(settings.runs_dir) as journal:
        named = set(night.runs.values())
        return len(existing(named, journal)) == len(named)


def _resume(book: Book, asked: NightRequest, suites: Suites) -> Outcome:
    """Goes on with the runs of the night, under what a resumed run may be given."""
    means = {name: getattr(asked.run, name) for name in ("concurrency", "max_cost", "prices", "quiet", "langfuse")}
    return run_evaluation(EvaluationRequest(resume=book.night.runs["production"], **means), suites)


def _play(
    legs: Mapping[Role, Leg], baseline: Baseline | None, book: Book, asked: NightRequest, suites: Suites
) -> Outcome:
    """Plays the legs, once it is noted which runs they are and sure that they measure what the baseline does."""
    # One prompt may have two roles: it is played once.
    distinct: dict[Mark, Leg] = {}
    for leg in legs.values():
        distinct.setdefault(mark_of(leg), leg)

    def before_paying(planned: Sequence[Run], _journal: Journal) -> None:
        runs = dict(zip(distinct, planned, strict=True))
        book.note(runs={role: runs[mark_of(leg)].run_id for role, leg in legs.items()})
        refuse_other_measure(baseline, runs[mark_of(legs["production"])], fallback_of(asked.run))

    return run_evaluation(asked.of_production, suites, before_paying, list(distinct.values()))
