"""The outer edge of every command: exit codes, one-line errors, output that survives a closed pipe."""

import atexit
import gc
import os
import sys
import traceback
from collections.abc import Callable
from io import TextIOWrapper

from evaluation.errors import EvaluationError

DONE, GATE_FAILED, USAGE, INCOMPLETE, INTERRUPTED = 0, 1, 2, 3, 130
OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""With Python's own 700 the collector walks again and again through what a command keeps to its end: a fifth of its
time. Living at most 50,000 objects longer costs garbage about 1 MB."""


def run_command(command: Callable[[], int]) -> int:
    """Runs a command; an error of ours becomes one line on stderr and its exit code, never a traceback."""
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
    except Exception:
        # Not 1: a pipeline must not take a fault of the tool for a failed gate.
        traceback.print_exc()
        print("this is a fault of the tool; what was answered is in the journal", file=sys.stderr)
        return USAGE
    return code


def printable(text: str) -> str:
    """One line for the terminal: what steers a terminal is shown as an escape."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def note(message: str) -> None:
    """A line for the person at the terminal, not for the pipe."""
    print(printable(message), file=sys.stderr)
