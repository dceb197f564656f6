"""Two versions side by side for people: which pairs, who is asked, and where the answers go."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from evaluation.commands import write_command
from evaluation.comparison.runs import may_be_paired
from evaluation.errors import UsageError
from evaluation.judging.material import reply_material
from evaluation.review.pair_answers import Said
from evaluation.review.pair_items import Compared, PairItem, answer_record, deal_pairs
from evaluation.review.pair_screen import pair_help
from evaluation.review.walk import PairWalk
from evaluation.run import Run
from evaluation.suites import SUITES
from evaluation.text import numbers
from evaluation.text.page import Line
from scripts.reviewing.items import note_broken, reviews_folder
from scripts.reviewing.session import Terminal, again_command, hold_session, note_farewell, now, read_team
from scripts.run.pairs import PAIRS, StoredPair, read_pair_file, stored_pairs
from scripts.run.stored import LAST, open_stored, restore_run, stored_run
from scripts.shell import DONE, INCOMPLETE, INTERRUPTED
from services.journal import Journal, StoredRun
from services.record_files import open_reviews, review_file
from services.settings import Settings


def walk_pairs(options: argparse.Namespace, settings: Settings) -> int:
    """A session in which pairs are compared. Returns 0 also when the reviewer stopped early."""
    reviewer, team = read_team(options)
    compared, pairs = pairs_of(options.pairs, settings)
    dealt = [(each.scenario, each.pair) for each in pairs]
    mine, shared = deal_pairs(dealt, reviewer, team, overlap=options.overlap, seed=options.seed)
    mine = mine[: options.limit]
    folder = reviews_folder(options, settings) / PAIRS
    path = review_file(folder, reviewer)
    with open_reviews(folder, reviewer) as file:
        answers, broken = read_pair_file(path)
        note_broken(path, broken)
        done = {answer.pair for answer in answers}
        left = [item for item in mine if item.id not in done]

        def save(item: PairItem, said: Said, remark: str) -> None:
            file.write(answer_record(item, compared, said, remark, reviewer=reviewer, at=now()))
            file.sync()

        terminal = Terminal()
        session = PairWalk(left, terminal, save, done_before=len(mine) - len(left))
        keys = [Line("Each answer is saved at once. At any pair:"), *pair_help(terminal.columns)]
        what, rehearsal = f"{numbers.times(len(mine), 'pair')} of answers to compare", compared.rehearsal
        interrupted = hold_session(session, terminal, reviewer, what, shared, keys, rehearsal=rehearsal)
    note_farewell(session, ("answer", "what was preferred"), path, again_command(options, "--pairs", *options.pairs))
    return INTERRUPTED if interrupted else INCOMPLETE if broken else DONE


def pairs_of(references: tuple[str, str] | list[str], settings: Settings) -> tuple[Compared, list[StoredPair]]:
    """The pairs of two stored runs, named by id or by prompt. Raises UsageError where there are none."""
    with open_stored(settings, references[0], "--pairs") as journal:
        base, candidate = _runs(references[0], references[1], journal)
        rubric = candidate.suite.judge
        if rubric is not None and rubric.show is not reply_material:
            raise UsageError(
                f"--pairs compares answers to the same message, and runs of suite {base.suite.name} hold none"
            )
        pairs = list(stored_pairs(base, candidate, journal))
    if not pairs:
        raise UsageError(f"--pairs: runs {base.run_id} and {candidate.run_id} share no scenario that both answered")
    rehearsal = base.spec.rehearsed or candidate.spec.rehearsed
    return Compared(base.suite.name, _title(base), _title(candidate), rehearsal), pairs


def _title(run: Run) -> str:
    return run.run_id if run.spec.prompt is None else run.spec.prompt.title


def _runs(base: str, candidate: str, journal: Journal) -> tuple[Run, Run]:
    """The newest runs that the references name; of prompts, the newest two that differ in the prompt alone."""
    firsts, seconds = (list(_named(each, journal)) for each in (base, candidate))
    for second in seconds:
        for first in firsts:
            if first.run_id != second.run_id and may_be_paired(first.spec, second.spec):
                return restore_run(journal.run(first.run_id), SUITES), restore_run(journal.run(second.run_id), SUITES)
    missing = ", ".join(repr(each) for each, runs in ((base, firsts), (candidate, seconds)) if not runs)
    why = f"there is no stored run of {missing}" if missing else "no two of their runs share model and scenarios"
    raise UsageError(
        f"--pairs {base} {candidate}: {why}: make them with {write_command('compare', BASE=base, PROMPT=candidate)}"
    )


def _named(reference: str, journal: Journal) -> Iterator[StoredRun]:
    """The runs that a reference means, newest first: one run by its id or as `last`, else all of a prompt."""
    if reference == LAST or reference in journal.run_ids():
        yield journal.run(stored_run(journal, reference, SUITES).run_id)
        return
    for run in journal.runs(inputs=False):
        pin = run.spec.prompt
        if pin is None or " " in run.spec.suite:
            continue
        names = {pin.short_title, pin.title, pin.version_title, str(pin.version), pin.label or ""}
        names |= {f"{pin.name}@{pin.version_title}", f"{pin.name}@{pin.label}"}
        if reference in names or (pin.source == "file" and Path(reference).stem == pin.name):
            yield run
