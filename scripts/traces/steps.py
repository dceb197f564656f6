"""What was done of a sample, line by line: a page that was read, a turn that was scored, scores that were sent.

Each line is on disk before the next thing is begun, so that a resume repeats only what was under way. A line that was
torn off counts as not written.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.production.observation import Observation
from evaluation.production.sampling import Draw
from evaluation.records import Json
from scripts.traces.asked import Asked
from services.record_files import AppendedFile, BrokenLine, read_records

FILE = "steps.jsonl"


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
    """Key of a drawn generation -> what became of it."""
    sent: set[str] = field(default_factory=set)
    """Keys of those whose scores the server took."""


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

    def sent(self, keys: Sequence[str]) -> None:
        """The scores of these were taken by the server."""
        self._add({"step": "sent", "keys": list(keys)})

    def _add(self, record: Json) -> None:
        self._file.write(record)
        self._file.sync()


def read_steps(folder: Path, asked: Asked) -> Done:
    """What was done of the sample so far; of one that begins, nothing."""
    done = Done(Draw(asked.seed, asked.sample))
    if not (folder / FILE).exists():
        return done
    for record in read_records(folder / FILE, checked=False):
        if isinstance(record, BrokenLine):
            continue
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
                done.turns[record["key"]] = record
            case "sent":
                done.sent.update(record["keys"])
    return done
