"""A night over several prompts: one after the other, each by itself, under one cost limit, with one answer over all."""

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from pathlib import Path

from evaluation.nightly.night import NAMED, UNFINISHED, Night, longest_age
from evaluation.nightly.round import (
    ROUND,
    PromptNight,
    Round,
    false_alarms_a_month,
    round_goes_on,
    round_worth_posting,
    worst_code,
)
from evaluation.records import Json
from evaluation.reports.junit import junit_xml
from evaluation.reports.markdown import to_markdown
from evaluation.reports.rounds import describe_round, round_cases, round_headline, round_message
from evaluation.suites import Suites
from scripts.night.asked import Watched
from scripts.night.files import PAGE, Book, all_nights, night_folder, post, read_dated
from scripts.night.one import cost_of, watch_one
from scripts.run.index import NIGHTS
from scripts.run.output import JointAnswer
from scripts.shell import INTERRUPTED, note
from services.run_folder import point_latest, run_folder, write_documents, write_json
from services.settings import Settings

FILE = "nights.json"
ENDING = "-all"


def _write_down(runs: Path, found: Round) -> None:
    write_json(run_folder(runs / NIGHTS, found.round_id) / FILE, found.to_json())


def watch_all(watched: Sequence[Watched], suites: Suites, goes_on_hours: float) -> JointAnswer | None:
    """Watches each prompt, or goes on with a round that is at most so old; None where it is interrupted now.

    What is wrong with one prompt is noted, and the others are watched all the same.
    """
    settings, asked = watched[0].settings, watched[0].asked
    last = [
        night for each in read_rounds(settings.runs_dir)[-1:] for night in nights_of(each, settings.runs_dir).values()
    ]
    goes_on_hours = longest_age(last, goes_on_hours, in_batches=asked.run.batch is not None)
    found, before = _open(watched, goes_on_hours)
    book = Book(replace(found, state="running", exit_code=None), partial(_write_down, settings.runs_dir))
    nights = {each.reference: night for each in watched if (night := before.get(each.reference)) is not None}
    try:
        for each in watched:
            night = _watch(each, nights, book, suites, goes_on_hours)
            if night is None:
                book.note(state="interrupted", exit_code=INTERRUPTED)
                return None
            nights[each.reference] = night
    except KeyboardInterrupt:
        book.note(state="interrupted", exit_code=INTERRUPTED)
        raise
    stops = [_with_earlier(each.reference, nights[each.reference], settings) for each in watched]
    book.note(state="ended", exit_code=worst_code(list(nights.values())))
    answer = _write(book, stops, settings)
    if asked.notify_always or round_worth_posting(stops):
        post(lambda address: round_message(book.record, stops, address), settings)
    return answer


def _watch(
    watched: Watched, nights: dict[str, Night], book: Book[Round], suites: Suites, goes_on_hours: float
) -> Night | None:
    """The night of one prompt, which may have ended before; None where it is interrupted."""
    before = nights.get(watched.reference)
    if before is not None and before.state not in UNFINISHED:
        return before

    def begun(night_id: str) -> None:
        book.note(nights={**book.record.nights, watched.reference: night_id})

    if not watched.asked.run.quiet:
        note(f"watching {watched.settings.prompt}")
    limit = watched.asked.run.max_cost
    if limit is not None:
        others = [night for reference, night in nights.items() if reference != watched.reference]
        limit -= sum(cost_of(night, watched.settings) for night in others)
    written = watch_one(replace(watched, left_usd=limit), suites, goes_on_hours, begun)
    if written is None:
        return None
    if written.error is not None:
        note(f"error: {watched.settings.prompt}: {written.error}")
    return written.report.night


def _open(watched: Sequence[Watched], goes_on_hours: float) -> tuple[Round, dict[str, Night]]:
    """The round that begins or goes on, and its nights by reference."""
    runs, now = watched[0].settings.runs_dir, time.time()
    prompts, arguments = tuple(each.reference for each in watched), watched[0].asked.arguments()
    rounds = read_rounds(runs)
    if rounds:
        last = rounds[-1]
        nights = nights_of(last, runs)
        age = (now - last.started_at) / 3600
        if round_goes_on(last, list(nights.values()), prompts, arguments, age, goes_on_hours):
            if not watched[0].asked.run.quiet:
                note(f"going on with the nights of {last.round_id}")
            return last, nights
    while (runs / NIGHTS / (name := f"{time.strftime(NAMED, time.gmtime(now))}{ENDING}")).exists():
        now += 1
    return Round(name, prompts, arguments, watches=watched[0].asked.watches), {}


def read_rounds(runs: Path) -> list[Round]:
    """The rounds, oldest first."""
    return read_dated((runs / NIGHTS).glob(f"*{ENDING}/{FILE}"), ROUND, attrgetter("round_id"))


def nights_of(found: Round, runs: Path) -> dict[str, Night]:
    """Reference -> night, of those that were begun and can be read."""
    known = {night.night_id: night for night in all_nights(runs)}
    return {reference: known[night_id] for reference, night_id in found.nights.items() if night_id in known}


def _with_earlier(reference: str, night: Night, settings: Settings) -> PromptNight:
    """The night with those of its prompt before it."""
    nights = [each for each in all_nights(settings.runs_dir) if each.prompt == night.prompt]
    return PromptNight(reference, night, [each for each in nights if each.night_id < night.night_id])


def _write(book: Book[Round], watched: Sequence[PromptNight], settings: Settings) -> JointAnswer:
    """Writes the files over all prompts. Those of each lie in the folder of its night."""
    found, runs = book.record, settings.runs_dir
    data: dict[str, Json] = {
        **found.to_json(),
        "headline": round_headline(watched),
        "false_alarms_in_30_nights": false_alarms_a_month(found.tests),
        "of_prompts": {each.reference: each.night.to_json() for each in watched},
    }
    documents: dict[str, Json] = {
        "summary.md": to_markdown(describe_round(found, watched)),
        FILE: data,
        "junit.xml": junit_xml({f"nights {found.round_id}": round_cases(watched)}),
    }
    files = write_documents(run_folder(runs / NIGHTS, found.round_id), documents)
    point_latest(runs / NIGHTS, found.round_id)
    ordered = sorted(watched, key=lambda each: each.night.state == "ok")
    pages = [str(path) for each in ordered if (path := night_folder(runs, each.night) / PAGE).is_file()]
    every = (*files, *pages)
    return JointAnswer(data, describe_round(found, watched, files=every), every, found.exit_code or 0)
