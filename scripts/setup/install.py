"""Install the packages of a lock file into .venv, and say meanwhile how far that is. Needs nothing but Python and pip.

Started by the Makefile with the machine's own Python, before there is an environment: it imports nothing of the house.
"""

import re
import subprocess
import sys
import threading
import time
from collections import deque
from pathlib import Path

LAST_LINES = 12
"""Of a program that failed."""
SHOWN_EVERY_S, LOGGED_EVERY_S = 1.0, 15.0
"""Seconds between two figures on a terminal, and in a log."""
LONGEST_LINE = 200
LONGEST_FIGURE = 42
"""Columns: a shorter line covers the one that it is written over."""
PIP = ("-m", "pip", "--disable-pip-version-check", "--no-color", "--no-input")


def install(lock: str, environment: str) -> int:
    """The exit code: 0 done, 1 failed, after pip's own last lines and what to do, 130 interrupted."""
    python = f"{environment}/bin/python"
    packages = len(re.findall(r"^[A-Za-z0-9][^\n]*==", Path(lock).read_text(encoding="utf-8"), re.MULTILINE))
    progress = Progress(f"installing {packages} packages of {lock} into {environment}", packages)
    # A lock holds all that is needed, and leaves out what nothing here imports: pip adds nothing to it.
    fetch = [python, *PIP, "install", "--progress-bar", "off", "--no-compile", "--require-hashes", "--no-deps"]
    # All cores compile: pip would on one. What cannot be compiled is read as it is.
    compile_all = [python, "-m", "compileall", "-qq", "-j", "0", f"{environment}/lib"]
    try:
        with progress:
            made = Path(python).exists() or run([sys.executable, "-m", "venv", environment], progress)
            done = made and run([*fetch, "-r", lock], progress)
            # Python 3.11 puts its own setuptools there: nothing needs it, and no lock keeps it free of known faults.
            done = done and run([python, *PIP, "uninstall", "--quiet", "--quiet", "--yes", "setuptools"], progress)
            if done:
                run(compile_all, progress)
    except KeyboardInterrupt:
        say("interrupted: the same command goes on with what is there")
        return 130
    if not done:
        say(*(f"  {line}" for line in progress.said))
        say(
            f"{lock} was not installed into {environment}: mend what the lines above name (network, disk, "
            "Python), then start the same command once more"
        )
        return 1
    say(f"installed {lock} into {environment} in {progress.seconds:.0f} s")
    return 0


class Progress:
    """The line that says how far it is: rewritten in place on a terminal, now and then in a log."""

    def __init__(self, title: str, packages: int) -> None:
        self.said: deque[str] = deque(maxlen=LAST_LINES)
        self._title, self._packages, self._collected, self._unpacking = title, packages, 0, ""
        self._began = time.monotonic()
        self._terminal, self._over = sys.stderr.isatty(), threading.Event()
        self._clock = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> None:
        say(self._title, "  once; this takes one to three minutes")
        self._clock.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._clock.join()

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self._began

    def hear(self, line: str) -> None:
        """Takes in a line of pip's."""
        self._collected += line.startswith("Collecting ")
        if line.startswith("Installing collected packages: "):
            self._unpacking = f"unpacking {line.count(',') + 1} packages"
        self.said.append("".join(char if char.isprintable() else " " for char in line.rstrip())[:LONGEST_LINE])

    def _tick(self) -> None:
        while not self._over.wait(SHOWN_EVERY_S if self._terminal else LOGGED_EVERY_S):
            text = self._unpacking or f"{self._collected} of {self._packages} fetched"
            text = f"  {text}, {self.seconds:.0f} s so far"
            text = text.ljust(LONGEST_FIGURE) if self._terminal else text
            print(text, end="\r" if self._terminal else "\n", file=sys.stderr, flush=True)


def run(words: list[str], progress: Progress) -> bool:
    """True where the program ended well; its lines go to `progress`."""
    try:
        with subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        ) as program:
            for line in program.stdout or ():
                progress.hear(line)
    except OSError as error:
        progress.hear(f"{words[0]}: {error.strerror}")
        return False
    return program.returncode == 0


def say(*lines: str) -> None:
    print(*lines, sep="\n", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(install(*sys.argv[1:]))
