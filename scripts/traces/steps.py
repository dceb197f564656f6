"""What was done of a sample, line by line: a page that was read, a turn that was scored, scores that were sent.

Each line is on disk before the next thing is begun, so that a resume repeats only what was under way. A line that was
torn off counts as not written. Whole texts stay in the file: in memory those of a large sample would have no bound.
Session ids stand as the application named them, since a resume reads sessions by them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.commands import write_command
from evaluation.errors import UsageError
from evaluation.production.observation import Observation
from evaluation.production.sampling import Draw
from evaluation.production.second_phase import SecondPhase
from evaluation.records import Json
from scripts.traces.asked import Asked
from services.json_text import json_object
from services.record_files import AppendedFile, BrokenLine, numbered_records
from services.run_folder import why_unread

FILE = "steps.jsonl"
SHOWN = 2_000
"""Characters of a message or response that stay in memory beside its scores."""


@dataclass
class Done:
    """What the lines say was done."""

    draw: Draw
    experiments: set[str] = field(default_factory=set)
    """Trace ids of experiments."""
    experiments_read: bool = False
    cursor: str = ""
    """Where the list goes on."""
    listed: bool = False
    """True where the list was read to its end."""
    seen: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    turns: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Key of a drawn generation -> what became of it, its texts cut and its context left out."""
    sent: set[str] = field(default_factory=set)
    """Keys of those whose scores the server took."""
    second: SecondPhase | None = None
    """What was drawn for the judge; None where none was asked for."""
    asked_for: int = 0
    """How many turns were to be drawn for it."""
    judged_sent: set[str] = field(default_factory=set)
    """Keys of those whose scores by the judge the server took."""

    def take_turn(self, key: str, record: Mapping[str, Any]) -> None:
        """Takes note of what became of a generation, without its whole texts."""
        if not isinstance(record["reason"], str):
            raise TypeError("its reason is no text")
        kept = {name: value for name, value in record.items() if name != "context"}
        for name in ("message", "response"):
            if name in kept:
                kept[name] = kept[name][:SHOWN]
        self.turns[key] = kept


class Steps:
    """The file of one sample, open for more; a context manager."""

    def __init__(self, folder: Path) -> None:
        self._file = AppendedFile(folder / FILE)

    def __enter__(self) -> "Steps":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.__exit__()

    def experiments(self, traces: Sequence[str]) -> None:
        """All experiments of the time were looked at."""
        self._add({"step": "experiments", "traces": list(traces)})

    def page(
        self,
        cursor: str,
        seen: int,
        left_out: Mapping[str, int],
        sizes: Mapping[tuple[str, ...], int],
        kept: Sequence[Observation],
    ) -> None:
        """A page of the list was read; `cursor` is empty after the last."""
        self._add(
            {
                "step": "page",
                "cursor": cursor,
                "seen": seen,
                "left_out": dict(left_out),
                "sizes": [[list(stratum), size] for stratum, size in sizes.items()],
                "kept": [observation.to_json() for observation in kept],
            }
        )

    def turn(self, key: str, record: Mapping[str, Json]) -> None:
        """A drawn generation was read, and scored where it is a turn of a chat."""
        self._add({"step": "turn", "key": key, **record})

    def second(self, count: int, phase: SecondPhase) -> None:
        """At most `count` turns were drawn for the judge."""
        self._add({"step": "second", "count": count, "strata": dict(phase.strata), "drawn": list(phase.drawn)})

    def sent(self, keys: Sequence[str], *, judged: bool = False) -> None:
        """The scores of these, by rules or by the judge, were taken by the server."""
        self._add({"step": "judged_sent" if judged else "sent", "keys": list(keys)})

    def _add(self, record: Json) -> None:
        self._file.write(record)
        self._file.sync()


def begun(folder: Path) -> bool:
    """True where anything was done of the sample."""
    path = folder / FILE
    return path.exists() and path.stat().st_size > 0


def read_steps(folder: Path, asked: Asked) -> Done:
    """What was done of the sample so far; of one that begins, nothing.

    Raises UsageError for a line that says something else than this writes.
    """
    done = Done(Draw(asked.seed, asked.sample))
    if not (folder / FILE).exists():
        return done
    for number, record in numbered_records(folder / FILE, checked=False):
        if isinstance(record, BrokenLine):
            continue
        try:
            _take(record, done)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UsageError(
                f"{folder / FILE}:{number}: is no step of a sample ({why_unread(error)}): restore the file, or begin "
                f"another sample with {write_command('score-traces')}"
            ) from None
    return done


def _take(record: Mapping[str, Any], done: Done) -> None:
    """Adds one line. Raises KeyError, TypeError, ValueError or AttributeError for one of another form."""
    match record.get("step"):
        case "experiments":
            done.experiments.update(record["traces"])
            done.experiments_read = True
        case "page":
            done.cursor, done.listed = record["cursor"], not record["cursor"]
            done.seen += record["seen"]
            done.left_out.update(record["left_out"])
            sizes = {tuple(stratum): size for stratum, size in record["sizes"]}
            done.draw.restore(sizes, map(Observation.from_json, record["kept"]))
        case "turn":
            done.take_turn(record["key"], record)
        case "second":
            done.asked_for = record["count"]
            done.second = SecondPhase(record["strata"], tuple(record["drawn"]))
        case "sent":
            done.sent.update(record["keys"])
        case "judged_sent":
            done.judged_sent.update(record["keys"])


class WholeTurns:
    """The turns of a sample's file with their whole texts, one at a time; a context manager."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / FILE).open("rb")
        self._places = dict(self._turns())

    def __enter__(self) -> "WholeTurns":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def read(self, key: str) -> dict[str, Any]:
        """What became of a generation that was read. Raises KeyError for any other."""
        self._file.seek(self._places[key])
        found: dict[str, Any] = json_object(self._file.readline())
        return found

    def _turns(self) -> Iterator[tuple[str, int]]:
        """Key and place in the file of each turn."""
        place = 0
        while line := self._file.readline():
            with suppress(ValueError):
                record = json_object(line)
                if record.get("step") == "turn":
                    yield record["key"], place
            place = self._file.tell()
