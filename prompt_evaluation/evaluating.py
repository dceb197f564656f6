"""Evaluations from a Python program: `prompt-eval` runs as a process of its own, and its files are read.

Nothing of the tool is imported, so any version of any package may be installed beside this module.
"""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

COMMAND = "PROMPT_EVAL"
"""Environment variable with the command to run, where it is not the `prompt-eval` on PATH: its words as in a shell."""
GATE_FAILED, INCOMPLETE, INTERRUPTED = 1, 3, 130
_ERROR = "error: "


class PromptEvalError(Exception):
    """No run came of it; the text is the tool's line.

    `exit_code` is the tool's, None where it did not start.
    """

    def __init__(self, line: str, exit_code: int | None = None) -> None:
        super().__init__(line)
        self.exit_code = exit_code


@dataclass(frozen=True, slots=True)
class EvaluatedRun:
    """One run that `evaluate` made, complete or not."""

    folder: Path
    """Its files: results.jsonl, summary.json, decision.json, report.html and others (docs/run-files.md)."""
    exit_code: int
    """0 done, 1 gate failed, 3 incomplete."""

    @property
    def summary(self) -> dict[str, Any]:
        """summary.json."""
        return self._document("summary.json")

    @property
    def decision(self) -> dict[str, Any]:
        """decision.json: `verdict`, `headline`, `reasons`, `critical` and others."""
        return self._document("decision.json")

    @property
    def report(self) -> Path:
        """The page of the run."""
        return self.folder / "report.html"

    @property
    def results(self) -> "pandas.DataFrame":
        """results.jsonl as a table, one row per evaluated exchange or conversation; values in values are `a.b` columns.

        Raises PromptEvalError where pandas is not installed; `lines` needs nothing.
        """
        try:
            import pandas
        except ImportError:
            step = "install pandas, or read `lines`, the same rows as dictionaries"
            raise PromptEvalError(f"results are a pandas DataFrame, and pandas is not installed: {step}") from None
        return pandas.json_normalize(self.lines)

    @property
    def lines(self) -> list[dict[str, Any]]:
        """results.jsonl, one dictionary per line."""
        with (self.folder / "results.jsonl").open(encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def _document(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / name).read_text(encoding="utf-8"))
        return found


def evaluate(
    prompt: str = "", *flags: str, gate: str = "", **options: str | float | bool | Sequence[str]
) -> EvaluatedRun:
    """Evaluates one prompt version as `prompt-eval eval` does and returns the run; progress goes to stderr.

    `prompt` is a reference (v3, production, name@v3, a file), and without one the usual prompt is taken. `options`
    are flags by their names: `repeats=3`, `scenarios=["a", "b"]`, `no_judge=True`; `flags` are passed on as they are.
    A failed gate or an incomplete run is no error: see `exit_code`. Raises PromptEvalError where no run came of it, and
    KeyboardInterrupt after Ctrl-C was passed on and the tool has kept what was answered.
    """
    named = {**({"prompt": prompt} if prompt else {}), **({"gate": gate} if gate else {}), **options}
    answered, errors, code = _run([*_command(), "eval", "--json", *_as_flags(named), *flags])
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    try:
        folder = Path(json.loads(answered)["folder"])
    except (ValueError, KeyError, TypeError):
        raise PromptEvalError(_error_line(errors, code), code) from None
    return EvaluatedRun(folder, code)


def _command() -> list[str]:
    words = shlex.split(os.environ.get(COMMAND, ""))
    found = shutil.which(words[0] if words else "prompt-eval")
    if found is None:
        named = f"{COMMAND} names {words[0]!r}, which is no command" if words else "there is no prompt-eval on PATH"
        raise PromptEvalError(f"{named}: install it, or set {COMMAND} to the command that starts it")
    return [found, *words[1:]]


def _as_flags(options: dict[str, Any]) -> list[str]:
    """Flags as they are typed: True is the flag alone, False and None are nothing, a list is the flag repeated."""
    words: list[str] = []
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(flag)
        elif value is not False and value is not None:
            values = [value] if isinstance(value, str | int | float) else value
            # In one word, so that a value may begin with a hyphen.
            words += [f"{flag}={each}" for each in values]
    return words


def _run(command: list[str]) -> tuple[str, list[str], int]:
    """What it printed, its lines on stderr, which are shown as they come, and its exit code."""
    errors: list[str] = []
    # A session of its own: Ctrl-C reaches it once, through here, and not from the terminal too.
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    printed: list[str] = []
    readers = [
        Thread(target=_show, args=(process.stderr, errors), daemon=True),
        Thread(target=lambda out=process.stdout: printed.append(out.read()), daemon=True),
    ]
    code = _wait(process, readers)
    for reader in readers:
        reader.join()
    return "".join(printed), errors, code


def _wait(process: "subprocess.Popen[str]", readers: list[Thread]) -> int:
    """The exit code; each Ctrl-C meanwhile is passed on, and whatever else ends this ends the process too.

    The readers of its output begin here, as a Ctrl-C that comes before they do would otherwise leave it running.
    """
    interrupted = False
    try:
        while True:
            try:
                for reader in readers:
                    if reader.ident is None:
                        reader.start()
                code = process.wait()
                return INTERRUPTED if interrupted else code
            except KeyboardInterrupt:
                interrupted = True
                process.send_signal(signal.SIGINT)
    finally:
        if process.poll() is None:
            process.terminate()


def _show(stream: IO[str], kept: list[str]) -> None:
    for line in stream:
        kept.append(line.rstrip("\n"))
        sys.stderr.write(line)
        sys.stderr.flush()


def _error_line(errors: Sequence[str], code: int) -> str:
    """The tool's own line, or else the last that it wrote."""
    own = [line.removeprefix(_ERROR) for line in errors if line.startswith(_ERROR)]
    said = [line for line in errors if line.strip()]
    return own[-1] if own else said[-1] if said else f"prompt-eval ended with exit code {code} and said nothing"
