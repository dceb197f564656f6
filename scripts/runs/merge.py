"""Shards of one run, played by machines of their own, joined into the run that one machine would have made."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.errors import JournalError, UsageError
from evaluation.outcome import ENDED
from evaluation.run import Run
from evaluation.runspec import differences
from evaluation.scenarios.shards import Shard
from evaluation.suites import SUITES
from evaluation.text.numbers import times
from scripts.run.files import write_files
from scripts.run.finish import Outcome
from scripts.run.index import note_run, write_index
from scripts.run.output import print_runs
from scripts.run.plan import run_identifier
from scripts.run.start import write_down
from scripts.run.stop import Stop
from scripts.run.stored import conclude_run, restore_run
from scripts.runs.upkeep import remove
from scripts.shell import note, sigterm_interrupts
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
        lacking = list(_lacking(found))
        run = _planned(found, options.gate)
        with sigterm_interrupts(), _whole_or_not_at_all(run, journal, settings):
            _take_over(run, found, journal, settings)
            # Where every shard came to its end, so did the check of the judge.
            end = None if lacking else ENDED
            outcome = conclude_run(run, journal, settings, run.request, end)
            write_files(outcome, journal, settings)
            journal.finish_run(run.run_id, outcome.state)
            note_run(outcome, journal)
        point_latest(settings.runs_dir, run.run_id)
        write_index(journal, settings)
    print_runs([outcome], as_json=options.json)
    for line in lacking:
        note(line)
    return Outcome((outcome,), Stop()).exit_code


def _lacking(found: Sequence[_Found]) -> Iterator[str]:
    """A line on each shard that is missing, or that was not played to its end."""
    shards = {each.shard.number: each for each in found}
    for number in range(1, found[0].shard.of + 1):
        each = shards.get(number)
        if each is None:
            yield f"shard {number} of {found[0].shard.of} is missing: its exchanges count as not played"
        elif left := each.run.played_exchanges - len(each.source.final_positions(each.run.run_id)):
            yield (
                f"shard {each.shard} is not finished: {left} of its {times(each.run.played_exchanges, 'exchange')} "
                f"have no answer ({each.place})"
            )


@contextmanager
def _whole_or_not_at_all(run: Run, journal: Journal, settings: Settings) -> Iterator[None]:
    """Where something ends the work inside, nothing of the run stays behind."""
    try:
        yield
    except BaseException:
        with suppress(JournalError):
            remove([run.run_id], journal, settings)
        raise


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
        reader.refuse_older()
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


def _planned(found: Sequence[_Found], gate: str | None) -> Run:
    first = found[0].run
    run_id = run_identifier(first.created_at, f"{first.run_id.partition('-')[2].rpartition('-')[0]}-merged")
    # As young as the youngest of them: beside them in one journal it is the `last`.
    made = max(each.run.created_at for each in found)
    request = replace(first.request, shard=None, gate=gate)
    return replace(first, run_id=run_id, group_id=run_id, created_at=made, request=request)


def _take_over(run: Run, found: Sequence[_Found], journal: Journal, settings: Settings) -> None:
    write_down(run, journal, settings)
    for each in sorted(found, key=lambda each: each.shard.number):
        take_over(journal, each.source, each.run.run_id, run.run_id)
