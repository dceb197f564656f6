"""One reviewer's session at the terminal: what is left, question by question, each review safe before the next."""

import argparse
from datetime import UTC, datetime
from pathlib import Path

from evaluation.errors import UsageError
from evaluation.eval_records.item import Item
from evaluation.identity import eval_id
from evaluation.review.assignment import assign
from evaluation.review.review import Review
from evaluation.review.screen import help_lines
from evaluation.review.walk import EndOfAnswers, Walk
from evaluation.text import numbers
from evaluation.text.page import Line
from scripts.reviewing.items import ReviewItems, review_items
from scripts.reviewing.stored import reviews_folder, tell_broken
from scripts.reviewing.terminal import Terminal
from scripts.shell import DONE, INCOMPLETE, INTERRUPTED, note, sigterm_interrupts
from services.record_files import AppendedFile, open_reviews, read_reviews, review_file, reviewer_name
from services.settings import Settings


def walk(options: argparse.Namespace, settings: Settings) -> int:
    """A whole session. Returns 0 also when the reviewer stopped early: that is how reviews are done."""
    reviewer = reviewer_name(options.reviewer)
    team = [reviewer_name(name.strip()) for name in options.team.split(",") if name.strip()]
    if team and reviewer not in team:
        raise UsageError(f"reviewer {reviewer!r} is not in the team {', '.join(team)}: correct one of them")
    source = review_items(options, settings)
    mine, shared = assign(source.items, reviewer, team, overlap=options.overlap, seed=options.seed)
    mine = mine[: options.limit]
    folder = reviews_folder(options, settings)
    path = review_file(folder, reviewer)
    with open_reviews(folder, reviewer) as file:
        reviews, broken = read_reviews(path, source.problem_of)
        tell_broken(path, broken)
        done = {record["eval_id"] for record in reviews}
        left = [item for item in mine if eval_id(item.id, reviewer) not in done]
        terminal = Terminal()
        session = _session(source, left, file, terminal, options, done_before=len(mine) - len(left))
        interrupted = False
        try:
            with sigterm_interrupts():
                _welcome(session, terminal, len(mine), shared)
                session.run()
        except EndOfAnswers:
            pass
        except KeyboardInterrupt:
            interrupted = True
    _farewell(session, source, options, path)
    if interrupted:
        return INTERRUPTED
    return INCOMPLETE if source.unread or broken else DONE


def now() -> str:
    """This moment in ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _session(
    source: ReviewItems,
    left: list[Item],
    file: AppendedFile,
    terminal: Terminal,
    options: argparse.Namespace,
    *,
    done_before: int,
) -> Walk:
    def save(item: Item, review: Review) -> None:
        file.write(source.record(item, review))
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


def _welcome(session: Walk, terminal: Terminal, assigned_count: int, shared: int) -> None:
    greeting = f"{session.reviewer}: {numbers.times(assigned_count, 'response')} to review"
    greeting += f", {shared} of them shared with the team" if shared else ""
    greeting += f"; {session.done_before} done, {len(session.items)} to go." if session.done_before else "."
    lines = [Line(greeting, "bold")]
    if any(item.record.get("rehearsal") for item in session.items):
        lines.append(Line("Rehearsal: an embedded stand-in answered, so this is practice.", "magenta"))
    if session.items:
        lines += [
            Line("Each review is saved as soon as it is complete. At any question:"),
            *help_lines(terminal.columns),
        ]
    terminal.show([*lines, Line("")])
    if session.items:
        terminal.pause("Enter to begin ")


def _farewell(session: Walk, source: ReviewItems, options: argparse.Namespace, path: Path) -> None:
    left = sum(item.id not in session.saved for item in session.items)
    note(f"{numbers.times(len(session.saved), 'review')} saved in {path}, {left} to go")
    if left:
        flags = [f'--team "{options.team}" --overlap {options.overlap:g}'] if options.team else []
        flags += [f"--seed {options.seed}"] if options.seed else []
        flags += [f"--limit {options.limit}"] if options.limit else []
        flags += ["--show-judge"] if options.show_judge else []
        flags += [f"--reviews {options.reviews}"] if options.reviews else []
        more = f" ARGS='{' '.join(flags)}'" if flags else ""
        note(f"go on with: make review {source.name} REVIEWER={options.reviewer}{more}")
    else:
        note("all done: make review-report shows what the reviews say")
