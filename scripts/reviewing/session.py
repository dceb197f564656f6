"""One reviewer's session, at a terminal or through a pipe: question by question, each review safe before the next."""

import argparse
import os
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.commands import write_command, write_flags
from evaluation.errors import UsageError
from evaluation.eval_records.record import Item
from evaluation.identity import eval_id
from evaluation.moments import iso_seconds
from evaluation.review.assignment import assign
from evaluation.review.review import Review, in_parts, read_review, with_judgement
from evaluation.review.screen import help_lines
from evaluation.review.walk import EndOfAnswers, Session, Walk
from evaluation.text import numbers
from evaluation.text.page import Line, join_sections
from scripts.reviewing.items import ReviewItems, note_broken, review_items, reviews_folder
from scripts.run.output import use_color
from scripts.shell import DONE, INCOMPLETE, INTERRUPTED, note, sigterm_interrupts
from services.record_files import AppendedFile, open_reviews, read_reviews, review_file, reviewer_name
from services.settings import Settings

NARROWEST, WIDEST = 40, 100
"""Columns: longer lines are hard to read."""
MORE = "-- more: Enter, or a for all of it -- "
THEN = "-- Enter for the questions --"
QUESTION_ROWS = 13
"""Rows that a question takes: below less of them, its text would push the response out of sight at once."""
BOLD, PLAIN = "\x01\x1b[1m\x02", "\x01\x1b[0m\x02"
"""With the marks that keep readline from counting them."""


class Terminal:
    """Shows and asks. Pages only where a person sits at both ends."""

    def __init__(self) -> None:
        self._person = sys.stdin.isatty() and sys.stdout.isatty()
        self._color = use_color()
        if self._person:
            _edit_lines()

    @property
    def columns(self) -> int:
        return max(NARROWEST, min(WIDEST, shutil.get_terminal_size().columns)) if self._person else 80

    def show(self, lines: Sequence[Line], *, paged: bool = False) -> None:
        rows = shutil.get_terminal_size().lines - 1 if self._person and paged else len(lines)
        left = list(lines)
        while len(left) > rows + 1:
            self._print(left[: rows - 1])
            left = left[rows - 1 :]
            if self._read(MORE).strip() == "a":
                break
        self._print(left)
        if paged and len(left) + QUESTION_ROWS > rows:
            self.pause(THEN)

    def ask(self, prompt: str, given: str = "") -> str:
        shown = f"{prompt}({given}) " if given and "\n" not in prompt else prompt
        if given and "\n" in prompt:
            shown = prompt.replace("\n", f" ({given})\n", 1)
        return self._read(shown).strip() or given

    def pause(self, prompt: str) -> None:
        """Waits for Enter, where a person sits there."""
        if self._person:
            self._read(prompt)

    def _print(self, lines: Sequence[Line]) -> None:
        print(join_sections([lines], self._color), end="", flush=True)

    def _read(self, prompt: str) -> str:
        try:
            if self._person:
                *before, last = prompt.split("\n")
                for text in before:
                    print(f"\x1b[1m{text}\x1b[0m" if self._color else text)
                return input(f"{BOLD}{last}{PLAIN}" if self._color else last)
            print(prompt, end="", flush=True)
            line = sys.stdin.readline()
        except EOFError:
            line = ""
        except UnicodeDecodeError:
            return ""
        print()
        if not line:
            raise EndOfAnswers
        return line


def _edit_lines() -> None:
    """Arrow keys in answers; without a history, which would offer the notes on one response at the next."""
    try:
        import readline
    except ImportError:
        return
    readline.set_auto_history(False)
    if os.environ.get("TERM") != "dumb":
        readline.parse_and_bind("set enable-bracketed-paste off")


def walk(options: argparse.Namespace, settings: Settings) -> int:
    """A whole session. Returns 0 also when the reviewer stopped early: that is how reviews are done."""
    reviewer, team = read_team(options)
    source = review_items(options, settings)
    mine, shared = assign(
        source.items, reviewer, team, overlap=options.overlap, seed=options.seed, is_first=lambda item: item.is_marked
    )
    mine = mine[: options.limit]
    folder = reviews_folder(options, settings)
    path = review_file(folder, reviewer)
    with open_reviews(folder, reviewer) as file:
        reviews, broken = read_reviews(path)
        note_broken(path, broken)
        known = {str(record["eval_id"]): read_review(record) for record in reviews}
        left = [item for item in mine if not _is_done(item, known.get(eval_id(item.id, reviewer)), source)]
        terminal = Terminal()
        session = _session(source, left, file, terminal, options, known, done_before=len(mine) - len(left))
        keys = help_lines(terminal.columns, items=any(item.expectations for item in left))
        rehearsal = any(item.record.get("rehearsal") for item in left)
        lines = [Line("Each review is saved as soon as it is complete. At any question:"), *keys]
        what = f"{numbers.times(len(mine), 'response')} to review"
        interrupted = hold_session(session, terminal, reviewer, what, shared, lines, rehearsal=rehearsal)
    kind, _, name = source.name.partition("=")
    again = again_command(options, **{kind: name})
    note_farewell(session, ("review", "what the reviews say"), path, again)
    if interrupted:
        return INTERRUPTED
    return INCOMPLETE if source.unread or broken else DONE


def _is_done(item: Item, review: Review | None, source: ReviewItems) -> bool:
    """True where a person reviewed it; whoever judged it in a page was asked for no dimension yet."""
    return review is not None and (review.judgement is None or in_parts(review, source.form_of(item).rubric))


def now() -> str:
    """This moment in ISO 8601, UTC."""
    return iso_seconds(time.time())


def _session(
    source: ReviewItems,
    left: list[Item],
    file: AppendedFile,
    terminal: Terminal,
    options: argparse.Namespace,
    known: Mapping[str, Review],
    *,
    done_before: int,
) -> Walk:
    def save(item: Item, review: Review) -> None:
        file.write(source.record(item, with_judgement(review, known.get(eval_id(item.id, review.reviewer)))))
        file.sync()

    return Walk(
        items=left,
        forms=source.form_of,
        talk=terminal,
        save=save,
        now=now,
        reviewer=options.reviewer,
        done_before=done_before,
        show_judge=options.show_judge,
    )


def read_team(options: argparse.Namespace) -> tuple[str, list[str]]:
    """The reviewer and the whole team. Raises UsageError for a reviewer who is not in it."""
    reviewer = reviewer_name(options.reviewer)
    team = [reviewer_name(name.strip()) for name in options.team.split(",") if name.strip()]
    if team and reviewer not in team:
        raise UsageError(f"reviewer {reviewer!r} is not in the team {', '.join(team)}: correct one of them")
    return reviewer, team


def hold_session(
    session: "Session[Any, Any]",
    terminal: Terminal,
    reviewer: str,
    what: str,
    shared: int,
    keys: Sequence[Line],
    *,
    rehearsal: bool,
) -> bool:
    """Greets the reviewer and goes through the session to its end; True where it was interrupted.

    `what` says how many there are of what; `shared` of them the whole team gets.
    """
    greeting = f"{reviewer}: {what}"
    greeting += f", {shared} of them shared with the team" if shared else ""
    greeting += f"; {session.done_before} done, {len(session.items)} to go." if session.done_before else "."
    lines = [Line(greeting, "bold")]
    if rehearsal:
        lines.append(Line("Rehearsal: an embedded stand-in answered, so this is practice.", "magenta"))
    try:
        with sigterm_interrupts():
            terminal.show([*lines, *(keys if session.items else ()), Line("")])
            if session.items:
                terminal.pause("Enter to begin ")
            session.run()
    except EndOfAnswers:
        pass
    except KeyboardInterrupt:
        return True
    return False


def again_command(options: argparse.Namespace, *words: str, **names: str) -> str:
    """The command that goes on with a session."""
    repeated = write_flags(
        rubric=options.rubric,
        team=options.team,
        overlap=options.overlap if options.team else None,
        seed=options.seed or None,
        limit=options.limit,
        next=options.next is not None,
        show_judge=options.show_judge and not options.pairs,
        reviews=options.reviews,
    )
    return write_command("review", *words, *repeated, **names, REVIEWER=options.reviewer)


def note_farewell(session: "Session[Any, Any]", what: tuple[str, str], path: Path, again: str) -> None:
    """Notes what was saved of what unit, and how to go on; or, when all is done, how to see what it says."""
    left = sum(item.id not in session.saved for item in session.items)
    note(f"{numbers.times(len(session.saved), what[0])} saved in {path}, {left} to go")
    note(f"go on with: {again}" if left else f"all done; see {what[1]} with: {write_command('review-report')}")
