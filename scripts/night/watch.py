"""A night: begun or taken up again, over one prompt or several. The command calls it."""

import math
from collections.abc import Sequence

from evaluation.commands import write_command
from evaluation.errors import UsageError
from evaluation.nightly.night import GOES_ON_HOURS, UNFINISHED, Night
from evaluation.nightly.round import Round, left_over
from evaluation.suites import SUITES, Suites
from scripts.night.asked import NightRequest, Watched, gone_on_with, watched_prompts
from scripts.night.files import all_nights, post_night
from scripts.night.one import watch_one
from scripts.night.rounds import nights_of, read_rounds, watch_all
from scripts.run.index import NIGHTS
from scripts.run.output import JointAnswer
from scripts.run.suites import check_is_of_prompts
from scripts.runs.upkeep import existing
from scripts.shell import note, sigterm_interrupts
from services.journal import Journal
from services.journal.access import hold_named
from services.run_folder import latest_problem
from services.settings import DEFAULT_LABEL, Settings, read_settings

LAST = "last"


def watch(asked: NightRequest, suites: Suites = SUITES) -> JointAnswer | None:
    """Goes through a night, or on with one that was interrupted; None where it is interrupted now.

    Raises EvaluationError for what has to be set right, where one prompt alone is watched; of several it is noted.
    """
    settings = read_settings()
    hours = GOES_ON_HOURS
    if asked.resume is not None:
        asked, hours = _taken_up(asked, asked.resume, settings), math.inf
    check_is_of_prompts(asked.run.suite, suites)
    watched = watched_prompts(asked, settings)
    with sigterm_interrupts(), hold_named(settings.runs_dir, "nightly"):
        if problem := latest_problem(settings.runs_dir / NIGHTS):
            note(problem)
        return _watch_one(watched[0], suites, hours) if len(watched) == 1 else watch_all(watched, suites, hours)


def _watch_one(watched: Watched, suites: Suites, hours: float) -> JointAnswer | None:
    written = watch_one(watched, suites, hours)
    if written is None:
        return None
    post_night(written.report, watched.settings, always=watched.asked.notify_always)
    if written.error is not None:
        raise written.error
    return written.answer()


def _taken_up(asked: NightRequest, named: str, settings: Settings) -> NightRequest:
    """The request of the night that is named. Raises UsageError where there is none, or nothing of it is left to do."""
    rounds, nights = read_rounds(settings.runs_dir), all_nights(settings.runs_dir)
    inside = {night_id for each in rounds for night_id in each.nights.values()}
    known: dict[str, Round | Night] = {each.night_id: each for each in nights if each.night_id not in inside}
    known |= {each.round_id: each for each in rounds}
    name = max(known, default="") if named == LAST else named
    if name not in known:
        raise UsageError(
            f"--resume {named}: there is no such night in {settings.runs_dir / NIGHTS}: name one of its folders, or "
            f"begin one with {write_command('nightly')}"
        )
    found = known[name]
    of_it = [found] if isinstance(found, Night) else list(nights_of(found, settings.runs_dir).values())
    left = [night for night in of_it if night.state in UNFINISHED]
    if not (left if isinstance(found, Night) else left_over(found, of_it)):
        raise UsageError(
            f"--resume {named}: the night {name} has ended, and nothing of it is left to do: begin another with "
            f"{write_command('nightly')}"
        )
    _check_is_here(name, left, settings)
    prompts = (_reference(found, settings),) if isinstance(found, Night) else found.prompts
    return gone_on_with(asked, found.arguments if isinstance(found.arguments, dict) else {}, prompts)


def _check_is_here(name: str, nights: Sequence[Night], settings: Settings) -> None:
    """Raises UsageError where the journal lacks a run that is to go on: all of it would be paid for again."""
    named = [run_id for night in nights for run_id in dict.fromkeys(night.runs.values())]
    if not named:
        return
    with Journal.in_folder(settings.runs_dir) as journal:
        missing = [run_id for run_id in named if run_id not in existing([run_id], journal)]
    if missing:
        raise UsageError(
            f"--resume: the journal in {settings.runs_dir} lacks run {missing[0]} of night {name}: put the runs folder "
            f"of the night there, or begin another with {write_command('nightly')}"
        )


def _reference(night: Night, settings: Settings) -> str:
    label = settings.prompt_reference if night.prompt == settings.prompt_name else DEFAULT_LABEL
    return night.reference or f"{night.prompt}@{label}"
