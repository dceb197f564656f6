"""Reading the journal: one connection that cannot write, every question a short transaction of its own."""

import sqlite3
import threading
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from evaluation.commands import write_command
from evaluation.errors import JournalError
from evaluation.ports import CallTotals
from evaluation.records import WHOLE, Cell, Json, Position, Purpose, Reply, Request, Result, State
from evaluation.runspec import RunSpec
from services.journal.access import connect_for_reading, explain
from services.journal.rows import (
    REPLY_COLUMNS,
    body_hashes,
    from_column,
    from_stored,
    reply_from_columns,
    result_from,
    to_stored,
)
from services.journal.schema import refuse_older
from services.journal.writer import Row

RunState: TypeAlias = Literal["running", "finished", "incomplete"]
Place: TypeAlias = tuple[Cell, int, int]
"""Cell, turn, sample: where a call stands in its run."""

ANSWERED: tuple[State, ...] = ("scored", "unparsed")
"""States of results with an answer. Resuming leaves the scored ones alone, and asks the judge of the others again."""
OF_RESPONSES, OF_CONVERSATIONS = f"turn <> {WHOLE}", f"turn = {WHOLE}"
"""Conditions on a row of results."""
PAGE = 64
"""Results per page: bounds the memory of a stream, also when every text is 1 MB long."""
_VARIABLES = 500
"""Values per IN list; SQLite's lowest limit is 999."""

_REPLY = f"SELECT {REPLY_COLUMNS} FROM calls JOIN bodies ON bodies.hash = calls.response"
_RUN_COLUMNS = "run_id, group_id, parent_run_id, created_at, spec, arguments, inputs, state, finished_at, provenance"
_RUN = f"SELECT {_RUN_COLUMNS} FROM runs"
_UNNOTED = "run_id NOT IN (SELECT name FROM entries WHERE kind = 'run')"
"""Condition on a row of runs."""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One run as the journal holds it: what it measures, what it was asked with, and the texts that it was made of."""

    run_id: str
    group_id: str
    """Runs made in one pass share it."""
    parent_run_id: str | None
    """The run whose replies were scored again; None for a run of its own."""
    created_at: float
    """Seconds since the epoch, UTC."""
    spec: RunSpec
    arguments: Json
    """As given and as resolved: what resuming goes on with."""
    inputs: Mapping[str, str]
    """Name -> text (prompt, rubric, scenarios, ...); each text is stored once, however many runs share it."""
    state: RunState = "running"
    finished_at: float | None = None
    provenance: Mapping[str, Json] = field(default_factory=dict)
    """Package versions, commit and the like: shown in the manifest, never compared."""

    @property
    def is_complete(self) -> bool:
        """True where all of it was played: a shard never is, though it may have finished its share."""
        return self.state == "finished" and not self.arguments.get("shard")


class Reader:
    """Usable from any thread. Raises sqlite3.Error when the file cannot be opened, JournalError afterwards."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = connect_for_reading(path)
        self._lock = threading.Lock()
        self._answered: dict[str, set[int]] = {}
        """Run id -> hashes of the calls that it may have a reply for: a call that is not among them costs no query."""

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def refuse_older(self) -> None:
        """Raises JournalError where the tables are of another version than this program reads."""
        with self.reading() as connection:
            refuse_older(connection, self.path)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one short question; errors leave as JournalError."""
        with self._lock:
            try:
                yield self._connection
            except (sqlite3.Error, ValueError, TypeError, KeyError) as error:
                raise explain(self.path, error) from error

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """All rows of one query."""
        with self.reading() as connection:
            return connection.execute(sql, values).fetchall()

    def note_answered(self, run_id: str, key: str, scenario_id: str) -> None:
        """Remembers that the run may have a reply for this call, so that `find_reply` looks for it."""
        self._answered_calls(run_id).add(hash((key, scenario_id)))

    def find_reply(self, run_id: str, key: str, request: Request) -> Reply | None:
        """The reply that this run got at this position to this question. Costs no query when there is nothing."""
        scenario_id = request.cell.scenario_id
        if hash((key, scenario_id)) not in self._answered_calls(run_id):
            return None
        return self._reply(
            "WHERE key = ? AND run_id = ? AND scenario_id = ?", (key, to_stored(run_id), to_stored(scenario_id))
        )

    def raw_calls(self, run_id: str) -> Iterator[tuple[str, int, int, Mapping[str, Json]]]:
        """(scenario, repeat, turn, raw call) of each answer of an application, in that order."""
        rows = self.rows(
            "SELECT scenario_id, repeat, turn, http FROM calls WHERE run_id = ? AND http IS NOT NULL "
            "ORDER BY scenario_id, repeat, turn, id",
            (to_stored(run_id),),
        )
        for scenario_id, repeat, turn, http in rows:
            yield from_stored(scenario_id), repeat, turn, from_column(http)

    def find_reply_elsewhere(self, key: str, run_id: str = "") -> Reply | None:
        """The reply that any run but `run_id` got to this question, marked as cached."""
        reply = self._reply("WHERE key = ? AND run_id <> ?", (key, to_stored(run_id)))
        return None if reply is None else replace(reply, cached=True)

    def runs_with_reply(self, key: str, run_id: str = "") -> list[str]:
        """The runs but `run_id` that paid for a reply to this question, the one of the newest reply first."""
        rows = self.rows(
            "SELECT run_id FROM calls WHERE key = ? AND run_id <> ? AND cached = 0 ORDER BY id DESC",
            (key, to_stored(run_id)),
        )
        return list(dict.fromkeys(from_stored(found) for (found,) in rows))

    def find_reply_of(self, key: str, run_id: str) -> Reply | None:
        """The newest reply that one run paid for to this question, marked as cached."""
        reply = self._reply("WHERE key = ? AND run_id = ? AND cached = 0", (key, to_stored(run_id)))
        return None if reply is None else replace(reply, cached=True)

    def answers(self, run_id: str, purpose: Purpose, model: str | None = None) -> dict[Place, Reply]:
        """(cell, turn, sample) -> the newest reply for this purpose, of the model that was asked where one is named."""
        rows = self.rows(
            f"SELECT scenario_id, repeat, turn, sample, {REPLY_COLUMNS} FROM calls "
            "JOIN bodies ON bodies.hash = calls.response WHERE run_id = ? AND purpose = ? AND model = ifnull(?, model) "
            "ORDER BY calls.id",
            (to_stored(run_id), purpose, None if model is None else to_stored(model)),
        )
        return {(Cell(from_stored(row[0]), row[1]), row[2], row[3]): reply_from_columns(row[4:]) for row in rows}

    def results(
        self, run_id: str, order: Sequence[str] = (), wanted: Collection[Position] | None = None
    ) -> Iterator[Result]:
        """The run's results of responses, streamed: by scenario (in `order`, the rest by id), repeat and turn.

        Those in `wanted` alone where it is given: (scenario id, repeat, turn) of each.
        """
        return self._stream(self._row_order(run_id, order, OF_RESPONSES, wanted))

    def conversations(self, run_id: str, order: Sequence[str] = ()) -> Iterator[Result]:
        """The run's results of conversations as a whole, streamed in the same order."""
        return self._stream(self._row_order(run_id, order, OF_CONVERSATIONS))

    def all_results(self, run_id: str, order: Sequence[str] = ()) -> Iterator[Result]:
        """Both, streamed in the same order: a conversation stands behind its turns."""
        return self._stream(self._row_order(run_id, order, f"{OF_RESPONSES} OR {OF_CONVERSATIONS}"))

    def _stream(self, ordered: "array[int]") -> Iterator[Result]:
        for start in range(0, len(ordered), PAGE):
            yield from self._page(ordered[start : start + PAGE])

    def _row_order(
        self, run_id: str, order: Sequence[str], scope: str, wanted: Collection[Position] | None = None
    ) -> "array[int]":
        """Row ids of a run's results of a scope, or of those wanted, in the order of `results`."""
        first: dict[str, array[int]] = {scenario_id: array("q") for scenario_id in order}
        rest = array("q")
        with self.reading() as connection:
            for row_id, scenario_id, repeat, turn in connection.execute(
                f"SELECT id, scenario_id, repeat, turn FROM results WHERE run_id = ? AND ({scope}) "
                f"ORDER BY scenario_id, repeat, {OF_CONVERSATIONS}, turn",
                (to_stored(run_id),),
            ):
                if wanted is None or (from_stored(scenario_id), repeat, turn) in wanted:
                    first.get(from_stored(scenario_id), rest).append(row_id)
        ordered = array("q")
        for group in (*first.values(), rest):
            ordered.extend(group)
        return ordered

    def cell_results(self, run_id: str, cell: Cell) -> list[Result]:
        """The results of one cell's responses, by turn."""
        return [each for each in self.results_by_cell(run_id, [cell])[cell] if each.scope == "response"]

    def results_by_cell(self, run_id: str, cells: Sequence[Cell]) -> dict[Cell, list[Result]]:
        """The results of each of some cells, by turn, that of the conversation last. For as many as fit in memory."""
        found: dict[Cell, list[Result]] = {cell: [] for cell in cells}
        scenarios = list(dict.fromkeys(to_stored(cell.scenario_id) for cell in cells))
        ids: list[int] = []
        for start in range(0, len(scenarios), _VARIABLES):
            part = scenarios[start : start + _VARIABLES]
            rows = self.rows(
                "SELECT id, scenario_id, repeat FROM results "
                f"WHERE run_id = ? AND scenario_id IN ({', '.join('?' * len(part))}) "
                f"ORDER BY {OF_CONVERSATIONS}, turn",
                (to_stored(run_id), *part),
            )
            ids += [row_id for row_id, scenario_id, repeat in rows if Cell(from_stored(scenario_id), repeat) in found]
        for start in range(0, len(ids), PAGE):
            for result in self._page(ids[start : start + PAGE]):
                found[result.exchange.cell].append(result)
        return found

    def final_positions(self, run_id: str, states: Sequence[State] = ANSWERED) -> set[Position]:
        """(scenario id, repeat, turn) of each response with a result in one of the states; by default, an answer."""
        return set(self._places(run_id, states, OF_RESPONSES))

    def final_conversations(self, run_id: str, states: Sequence[State] = ANSWERED) -> set[Cell]:
        """The cells whose conversation has a result in one of the states."""
        return {Cell(scenario, repeat) for scenario, repeat, _ in self._places(run_id, states, OF_CONVERSATIONS)}

    def _places(self, run_id: str, states: Sequence[State], scope: str) -> Iterator[Position]:
        rows = self.rows(
            "SELECT scenario_id, repeat, turn FROM results "
            f"WHERE run_id = ? AND state IN ({', '.join('?' * len(states))}) AND {scope}",
            (to_stored(run_id), *states),
        )
        return ((from_stored(scenario_id), repeat, turn) for scenario_id, repeat, turn in rows)

    def runs(self, limit: int | None = None, *, inputs: bool = True) -> Iterator[StoredRun]:
        """The newest `limit` runs, or all, newest first; their inputs, scenarios among them, only if wanted."""
        ids = self.rows(
            "SELECT id FROM runs ORDER BY created_at DESC, id DESC LIMIT ?", (-1 if limit is None else limit,)
        )
        for (row_id,) in ids:
            yield from (self._run(row, inputs) for row in self.rows(f"{_RUN} WHERE id = ?", (row_id,)))

    def entries(self, limit: int) -> list[Json]:
        """The newest lines of the index, the one that was noted last first."""
        rows = self.rows("SELECT record FROM entries ORDER BY id DESC LIMIT ?", (limit,))
        return [from_column(record) for (record,) in rows]

    def count_entries(self) -> int:
        """How many lines the index has, those of runs included of which nothing is noted."""
        count = self.rows(f"SELECT (SELECT count(*) FROM entries) + (SELECT count(*) FROM runs WHERE {_UNNOTED})")
        return int(count[0][0])

    def runs_without_entry(self, limit: int) -> list[StoredRun]:
        """The newest runs that the index has no line of, or that are being played, newest first; without inputs."""
        rows = self.rows(
            f"{_RUN} WHERE state = 'running' OR {_UNNOTED} ORDER BY created_at DESC, id DESC LIMIT ?",
            (limit,),
        )
        return [self._run(row, with_inputs=False) for row in rows]

    def run_ids(self) -> list[str]:
        """Of all runs, newest first."""
        rows = self.rows("SELECT run_id FROM runs ORDER BY created_at DESC, id DESC")
        return [from_stored(run_id) for (run_id,) in rows]

    def run(self, run_id: str, *, inputs: bool = True) -> StoredRun:
        """One run, without its inputs if they are not wanted. Raises JournalError when there is none of that id."""
        rows = self.rows(f"{_RUN} WHERE run_id = ?", (to_stored(run_id),))
        if not rows:
            raise JournalError(f"{self.path}: there is no run {run_id!r}: see what exists with {write_command('runs')}")
        return self._run(rows[0], inputs)

    def cost_usd(self, run_id: str) -> float:
        """US dollars that the run has paid so far; calls of unknown price and cached ones count nothing."""
        total = self.rows("SELECT total(cost_usd) FROM calls WHERE run_id = ? AND cached = 0", (to_stored(run_id),))
        return float(total[0][0])

    def call_totals(self, run_id: str) -> dict[str, CallTotals]:
        """Purpose -> what its answered calls add up to in this run."""
        rows = self.rows(
            "SELECT purpose, sum(cached = 0), sum(cached), total(input_tokens) FILTER (WHERE cached = 0), "
            "total(output_tokens) FILTER (WHERE cached = 0), "
            "sum(cached = 0 AND (input_tokens IS NULL OR output_tokens IS NULL)), "
            "sum(cached = 0 AND cost_usd IS NULL), total(cost_usd) FILTER (WHERE cached = 0), "
            "total(cached_input_tokens) FILTER (WHERE cached = 0), total(saved_usd) FILTER (WHERE cached = 0) "
            "FROM calls WHERE run_id = ? GROUP BY purpose",
            (to_stored(run_id),),
        )
        return {
            purpose: CallTotals(
                *(paid, reused, int(asked), int(output), uncounted, None if unpriced else cost),
                *(int(from_cache), saved),
            )
            for purpose, paid, reused, asked, output, uncounted, unpriced, cost, from_cache, saved in rows
        }

    def traits(self, endpoint: str) -> dict[str, dict[str, Json]]:
        """The traits learned about an endpoint: model -> trait -> value."""
        rows = self.rows(
            "SELECT model, trait, value FROM traits WHERE endpoint = ? ORDER BY trait", (to_stored(endpoint),)
        )
        traits: dict[str, dict[str, Json]] = {}
        for model, trait, value in rows:
            traits.setdefault(from_stored(model), {})[from_stored(trait)] = from_column(value)
        return traits

    def _answered_calls(self, run_id: str) -> set[int]:
        """Those that earlier processes journaled for the run, and those noted since."""
        if run_id not in self._answered:
            rows = self.rows("SELECT key, scenario_id FROM calls WHERE run_id = ?", (to_stored(run_id),))
            self._answered.setdefault(run_id, {hash((key, from_stored(scenario_id))) for key, scenario_id in rows})
        return self._answered[run_id]

    def _reply(self, where: str, values: Sequence[Any]) -> Reply | None:
        with self.reading() as connection:
            rows = connection.execute(f"{_REPLY} {where} ORDER BY calls.id DESC LIMIT 1", values).fetchall()
            return reply_from_columns(rows[0]) if rows else None

    def _page(self, ids: Sequence[int]) -> list[Result]:
        with self.reading() as connection:
            marks = ", ".join("?" * len(ids))
            rows = {
                row[0]: row
                for row in connection.execute(
                    f"SELECT id, scenario_id, repeat, turn, state, record FROM results WHERE id IN ({marks})",
                    tuple(ids),
                )
            }
            records = {row_id: from_column(row[5]) for row_id, row in rows.items()}
            hashes = {key for record in records.values() for key in body_hashes(record)}
            texts = self._texts(connection, sorted(hashes))
            return [
                result_from(Cell(from_stored(row[1]), row[2]), row[3], row[4], records[row_id], texts)
                for row_id in ids
                if (row := rows.get(row_id)) is not None
            ]

    def _run(self, row: Row, with_inputs: bool) -> StoredRun:
        with self.reading() as connection:
            run_id, group_id, parent, created_at, spec, arguments, inputs, state, finished_at, provenance = row
            hashes: Mapping[str, str] = from_column(inputs) if with_inputs else {}
            texts = self._texts(connection, sorted(set(hashes.values())))
            return StoredRun(
                run_id=from_stored(run_id),
                group_id=from_stored(group_id),
                parent_run_id=None if parent is None else from_stored(parent),
                created_at=created_at,
                spec=RunSpec.from_json(from_column(spec)),
                arguments=from_column(arguments),
                inputs={name: texts[key] for name, key in hashes.items()},
                state=state,
                finished_at=finished_at,
                provenance=from_column(provenance),
            )

    def _texts(self, connection: sqlite3.Connection, hashes: Sequence[str]) -> dict[str, str]:
        texts: dict[str, str] = {}
        for start in range(0, len(hashes), _VARIABLES):
            part = hashes[start : start + _VARIABLES]
            marks = ", ".join("?" * len(part))
            for key, text in connection.execute(f"SELECT hash, text FROM bodies WHERE hash IN ({marks})", part):
                texts[key] = from_stored(text)
        return texts
