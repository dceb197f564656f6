"""The reviewer at a terminal, or answers that come through a pipe."""

import os
import shutil
import sys
from collections.abc import Sequence

from evaluation.review.walk import EndOfAnswers
from evaluation.text.page import Line, printed
from scripts.run.output import use_color

NARROWEST, WIDEST = 40, 100
"""Columns: longer lines are hard to read."""
MORE = "-- more: Enter, or a for all of it -- "
THEN = "-- Enter for the questions --"
QUESTION_ROWS = 13
"""Rows that a question takes: below less of them, its text would push the response out of sight at once."""
BOLD, PLAIN = "\x01\x1b[1m\x02", "\x01\x1b[0m\x02"
"""With the marks that keep readline from counting them."""


class Terminal:
    """Shows and asks. Pages only where a person sits at both ends."""

    def __init__(self) -> None:
        self._person = sys.stdin.isatty() and sys.stdout.isatty()
        self._color = use_color()
        if self._person:
            _edit_lines()

    @property
    def columns(self) -> int:
        return max(NARROWEST, min(WIDEST, shutil.get_terminal_size().columns)) if self._person else 80

    def show(self, lines: Sequence[Line], *, paged: bool = False) -> None:
        rows = shutil.get_terminal_size().lines - 1 if self._person and paged else len(lines)
        left = list(lines)
        while len(left) > rows + 1:
            self._print(left[: rows - 1])
            left = left[rows - 1 :]
            if self._read(MORE).strip() == "a":
                break
        self._print(left)
        if paged and len(left) + QUESTION_ROWS > rows:
            self.pause(THEN)

    def ask(self, prompt: str, given: str = "") -> str:
        shown = f"{prompt}({given}) " if given and "\n" not in prompt else prompt
        if given and "\n" in prompt:
            shown = prompt.replace("\n", f" ({given})\n", 1)
        return self._read(shown).strip() or given

    def pause(self, prompt: str) -> None:
        """Waits for Enter, where a person sits there."""
        if self._person:
            self._read(prompt)

    def _print(self, lines: Sequence[Line]) -> None:
        print(printed([lines], self._color), end="", flush=True)

    def _read(self, prompt: str) -> str:
        try:
            if self._person:
                *before, last = prompt.split("\n")
                for text in before:
                    print(f"\x1b[1m{text}\x1b[0m" if self._color else text)
                return input(f"{BOLD}{last}{PLAIN}" if self._color else last)
            print(prompt, end="", flush=True)
            line = sys.stdin.readline()
        except EOFError:
            line = ""
        except UnicodeDecodeError:
            return ""
        print()
        if not line:
            raise EndOfAnswers
        return line


def _edit_lines() -> None:
    """Arrow keys in answers; without a history, which would offer the notes on one response at the next."""
    try:
        import readline
    except ImportError:
        return
    readline.set_auto_history(False)
    if os.environ.get("TERM") != "dumb":
        readline.parse_and_bind("set enable-bracketed-paste off")
