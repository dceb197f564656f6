"""Starts a command with a fault inside its own process: `python -m tests.reliability.injected MODULE ARGUMENTS`.

FAULT holds JSON:
    {"kill": {"commit": 7, "when": "before" | "during" | "after", "wait_s": 0.0001}}   SIGKILL at a COMMIT of SQLite
    {"clock": [[5, 86400], [9, -3600]]}    from that call of time.time() on, it is off by so many seconds
    {"clock": [[1, 12.5]]}
    {"no_host": "some.name", "times": 2}   looking up the name fails so many times, and finds this machine afterwards
    {"migrations": 1}                      a version of the tool with so many further migrations of the journal
"""

import json
import os
import runpy
import signal
import socket
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from typing import Any


def kill_at_commit(plan: dict[str, Any]) -> None:
    """The process dies at the given COMMIT, counted over all connections."""
    count = 0
    connect = sqlite3.connect

    def die() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    class Cursor(sqlite3.Cursor):
        def execute(self, sql: str, *values: Any) -> "Cursor":
            nonlocal count
            if sql != "COMMIT":
                super().execute(sql, *values)
                return self
            count += 1
            if count == plan["commit"]:
                if plan["when"] == "before":
                    die()
                if plan["when"] == "during":
                    # SQLite gives the interpreter lock away while it writes, so that the timer's thread can act.
                    threading.Timer(plan["wait_s"], die).start()
            super().execute(sql, *values)
            if count >= plan["commit"]:
                die()
            return self

    class Connection(sqlite3.Connection):
        def cursor(self, factory: Any = Cursor) -> Any:
            return super().cursor(factory)

    def connected(*given: Any, **options: Any) -> sqlite3.Connection:
        options.setdefault("factory", Connection)
        opened: sqlite3.Connection = connect(*given, **options)
        return opened

    sqlite3.connect = connected  # type: ignore[assignment]


def set_clock(jumps: list[tuple[int, float]]) -> None:
    """time.time() jumps, forwards or backwards."""
    real = time.time
    asked = 0

    def now() -> float:
        nonlocal asked
        asked += 1
        return real() + sum(by for after, by in jumps if asked >= after)

    time.time = now


def lose_host(name: str, times: int) -> None:
    """The resolver does not know a name for a while; then it is this machine."""
    look_up: Callable[..., Any] = socket.getaddrinfo
    left = times

    def getaddrinfo(host: Any, *more: Any, **options: Any) -> Any:
        nonlocal left
        if host != name:
            return look_up(host, *more, **options)
        left -= 1
        if left >= 0:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return look_up("127.0.0.1", *more, **options)

    socket.getaddrinfo = getaddrinfo


def add_migrations(count: int) -> None:
    """Changes the journal as a later version of the tool would."""
    from services.journal import schema

    further = ((f"later {n}", (f"ALTER TABLE runs ADD COLUMN later_{n} TEXT",)) for n in range(count))
    schema.MIGRATIONS = (*schema.MIGRATIONS, *further)


def main() -> None:
    fault = json.loads(os.environ.pop("FAULT"))
    module, *arguments = sys.argv[1:]
    if "kill" in fault:
        kill_at_commit(fault["kill"])
    if "clock" in fault:
        set_clock(fault["clock"])
    if "no_host" in fault:
        lose_host(fault["no_host"], fault["times"])
    if "migrations" in fault:
        add_migrations(fault["migrations"])
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
