"""Migrations: applied once, recorded, all or nothing."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.journal import schema

PATH = Path("evals.db")


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    opened = sqlite3.connect(tmp_path / "evals.db", isolation_level=None)
    yield opened
    opened.close()


def applied(connection: sqlite3.Connection) -> list[tuple[int, str]]:
    return connection.execute("SELECT version, name FROM migrations ORDER BY version").fetchall()


def test_each_migration_is_applied_once_and_recorded(
    connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = len(schema.MIGRATIONS)
    schema.prepare(connection, PATH)
    schema.prepare(connection, PATH)
    assert [version for version, _ in applied(connection)] == list(range(1, first + 1))
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, ("notes", ("CREATE TABLE notes (x)",))))
    schema.prepare(connection, PATH)
    schema.prepare(connection, PATH)
    assert applied(connection)[first:] == [(first + 1, "notes")]
    assert connection.execute("PRAGMA user_version").fetchone() == (first + 1,)
    assert connection.execute("SELECT count(*) FROM notes").fetchone() == (0,)


def test_a_failing_migration_leaves_nothing_behind(
    connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema.prepare(connection, PATH)
    before = applied(connection)
    broken = ("broken", ("CREATE TABLE half (x)", "CREATE NONSENSE"))
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, broken))
    with pytest.raises(sqlite3.OperationalError):
        schema.prepare(connection, PATH)
    assert not connection.in_transaction
    assert applied(connection) == before
    assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half'").fetchone() == (0,)
