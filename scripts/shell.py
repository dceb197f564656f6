"""The outer edge of every command: exit codes, one-line errors, output that survives a closed pipe."""

import argparse
import atexit
import gc
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from io import TextIOWrapper

from evaluation.commands import start_with
from evaluation.errors import EvaluationError, UsageError
from prompt_evaluation.extras import EXTRAS, how_to_add, missing
from prompt_evaluation.subcommands import STARTED_AS

DONE, GATE_FAILED, USAGE, INCOMPLETE, INTERRUPTED = 0, 1, 2, 3, 130
OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""With Python's own 700 the collector walks again and again through what a command keeps to its end: a fifth of its
time. Living at most 50,000 objects longer costs garbage about 1 MB."""
SECONDS_BETWEEN_NOTES = 5.0
"""Of progress."""
MOST_NOTES = 10
"""Of one kind: problems of single lines are named one by one up to here."""


NOT_ON_WINDOWS = (
    "this does not run on Windows itself, whose file locks and signals are others: run it in WSL, with its own Python "
    "(wsl --install, then the same commands in its terminal)"
)


def run_command(command: Callable[[], int]) -> int:
    """Runs a command; an error of ours becomes one line on stderr and its exit code, never a traceback."""
    if os.name == "nt":
        print(f"error: {NOT_ON_WINDOWS}", file=sys.stderr)
        return USAGE
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    # What is left at the end goes with the process: to look through it once more costs a fifth of a small run.
    atexit.register(gc.freeze)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code = command()
        sys.stdout.flush()
    except EvaluationError as error:
        print(f"error: {printable(str(error))}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name in EXTRAS:
            print(f"error: {how_to_add([error.name])}", file=sys.stderr)
            return USAGE
        # Not 1: a pipeline must not take a fault of the tool for a failed gate.
        traceback.print_exc()
        print("this is a fault of the tool; what was answered is in the journal", file=sys.stderr)
        return USAGE
    return code


def name_launcher() -> str:
    """Has commands written in the way in which this process was started, and returns it; empty where make did it."""
    launcher = os.environ.get(STARTED_AS, "")
    start_with(launcher)
    return launcher


def need(*packages: str) -> None:
    """Raises UsageError, with the command that installs it, for a package of an extra that is not installed.

    A command that needs one at its end says so before it pays for anything.
    """
    if absent := missing(packages):
        raise UsageError(how_to_add(absent))


def run_action(options: argparse.Namespace) -> int:
    """Runs `options.action`, "module:function" below scripts, with the arguments and the settings.

    The module is imported only here, so that --help loads nothing heavy.
    """

    def command() -> int:
        from services.settings import read_settings

        module, _, name = options.action.partition(":")
        code: int = getattr(import_module(f"scripts.{module}"), name)(options, read_settings())
        return code

    return run_command(command)


@contextmanager
def sigterm_interrupts() -> Iterator[None]:
    """While inside, SIGTERM does what Ctrl-C does."""

    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def printable(text: str) -> str:
    """One line for the terminal: what steers a terminal is shown as an escape."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def note(message: str) -> None:
    """A line for the person at the terminal, not for the pipe."""
    print(printable(message), file=sys.stderr)


def notes_now_and_then(*, quiet: bool = False) -> Callable[[str], None]:
    """What notes a message of progress, unless it noted one less than five seconds before; nothing where `quiet`."""
    noted_at = time.monotonic()

    def say(message: str) -> None:
        nonlocal noted_at
        if not quiet and time.monotonic() - noted_at >= SECONDS_BETWEEN_NOTES:
            noted_at = time.monotonic()
            note(message)

    return say


def note_each(messages: Iterable[str], rest: str) -> None:
    """Notes the first of many messages, and how many more there are; `rest` says of what."""
    found = list(messages)
    for message in found[:MOST_NOTES]:
        note(message)
    if len(found) > MOST_NOTES:
        note(f"... and {len(found) - MOST_NOTES} more {rest}")
