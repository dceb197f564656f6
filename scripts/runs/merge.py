"""Shards of one run, played by machines of their own, joined into the run that one machine would have made."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.errors import JournalError, UsageError
from evaluation.run import Run
from evaluation.runspec import differences
from evaluation.scenarios.shards import Shard
from evaluation.suites import SUITES
from scripts.run.files import write_files
from scripts.run.index import note_run, write_index
from scripts.run.output import print_runs
from scripts.run.plan import run_identifier
from scripts.run.start import write_down
from scripts.run.stored import conclude_run, restore_run
from scripts.shell import DONE, INCOMPLETE, note
from services.journal import Journal, Reader, journal_file, take_over
from services.run_folder import point_latest
from services.settings import Settings


@dataclass(frozen=True, slots=True)
class _Found:
    """A shard, and the journal that holds it."""

    place: str
    """As it was named."""
    run: Run
    shard: Shard
    source: Reader


def merge_shards(options: argparse.Namespace, settings: Settings) -> int:
    """Makes the run, prints its summary, and names the shards that are missing. Raises UsageError for what is none."""
    with Journal.in_folder(settings.runs_dir) as journal, ExitStack() as stack:
        found = [each for place in options.shards for each in stack.enter_context(_shards_in(place, journal))]
        _check(found)
        run = _make(found, journal, settings)
        outcome = conclude_run(run, journal, settings, run.request)
        write_files(outcome, journal, settings)
        journal.finish_run(run.run_id, outcome.state)
        note_run(outcome, journal)
        point_latest(settings.runs_dir, run.run_id)
        write_index(journal, settings)
    print_runs([outcome], as_json=options.json)
    shards = {each.shard.number for each in found}
    for number in sorted(set(range(1, found[0].shard.of + 1)) - shards):
        note(f"shard {number} of {found[0].shard.of} is missing: its exchanges count as not played")
    return INCOMPLETE if outcome.incomplete else DONE


@contextmanager
def _shards_in(place: str, journal: Journal) -> Iterator[Sequence[_Found]]:
    """The shards that a run id or a folder of runs names."""
    if place in journal.run_ids():
        yield [_read(place, place, journal)]
        return
    path = journal_file(Path(place))
    if not path.exists():
        raise UsageError(f"{place}: is neither a run of the journal nor a folder of runs with {path.name}")
    try:
        reader = Reader(path)
    except Exception as error:
        raise JournalError(f"{path}: cannot be read ({error}): copy the folder once more") from None
    with closing(reader):
        shards = [run.run_id for run in reader.runs(inputs=False) if run.arguments.get("shard")]
        if not shards:
            raise UsageError(f"{place}: holds no run of a shard: play one with --shard 1/3")
        yield [_read(place, run_id, reader) for run_id in shards]


def _read(place: str, run_id: str, source: Reader) -> _Found:
    run = restore_run(source.run(run_id), SUITES)
    if run.shard is None:
        raise UsageError(f"{place}: is a whole run, and no shard of one")
    return _Found(place, run, run.shard, source)


def _check(found: Sequence[_Found]) -> None:
    """Raises UsageError unless they are different shards of one run."""
    first, numbers = found[0], dict[int, str]()
    for each in found:
        if each.shard.of != first.shard.of:
            raise UsageError(f"{each.place}: is shard {each.shard}, and {first.place} shard {first.shard}")
        if other := differences(first.run.spec, each.run.spec):
            raise UsageError(
                f"{each.place}: run {each.run.run_id} and {first.run.run_id} of {first.place} are not of one run: they "
                f"differ in {', '.join(other)}"
            )
        if each.shard.number in numbers:
            other_place = numbers[each.shard.number]
            raise UsageError(f"{each.place}: shard {each.shard} is there already, from {other_place}: name one of them")
        numbers[each.shard.number] = each.place


def _make(found: Sequence[_Found], journal: Journal, settings: Settings) -> Run:
    first = found[0].run
    run_id = run_identifier(first.created_at, f"{first.run_id.partition('-')[2].rpartition('-')[0]}-merged")
    # As young as the youngest of them: beside them in one journal it is the `last`.
    made = max(each.run.created_at for each in found)
    run = replace(
        first, run_id=run_id, group_id=run_id, created_at=made, request=replace(first.request, shard=None, gate=None)
    )
    write_down(run, journal, settings)
    for each in sorted(found, key=lambda each: each.shard.number):
        take_over(journal, each.source, each.run.run_id, run_id)
    return run
