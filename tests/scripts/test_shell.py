import argparse
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.argument_values import amount, concurrency, positive
from scripts.shell import MOST_NOTES, NOT_ON_WINDOWS, USAGE, note_each, notes_now_and_then, run_command

ROOT = Path(__file__).resolve().parent.parent.parent


def test_a_command_neither_searches_nor_tidies_up_what_it_keeps_to_its_end() -> None:
    # The last registered is called first, so this sees what the command left to be done at the end.
    code = (
        "import atexit, gc; atexit.register(lambda: print(gc.get_threshold()[0], gc.get_freeze_count()))\n"
        "from scripts.shell import run_command\n"
        "raise SystemExit(run_command(lambda: print(gc.get_freeze_count()) or 3))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    while_it_runs, threshold, at_the_end = map(int, done.stdout.split())
    assert while_it_runs == 0
    assert threshold > 10_000
    assert at_the_end > 1_000


def test_of_many_notes_the_first_are_shown_and_the_others_counted(capsys: pytest.CaptureFixture[str]) -> None:
    note_each([f"line {number}" for number in range(MOST_NOTES)], "lines")
    assert capsys.readouterr().err.splitlines() == [f"line {number}" for number in range(MOST_NOTES)]
    note_each([f"line {number}" for number in range(MOST_NOTES + 2)], "lines")
    assert capsys.readouterr().err.splitlines()[MOST_NOTES:] == ["... and 2 more lines"]


def test_progress_is_noted_now_and_then_and_not_where_it_is_to_be_quiet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = 0.0
    monkeypatch.setattr("scripts.shell.time.monotonic", lambda: seconds)
    say, silent = notes_now_and_then(), notes_now_and_then(quiet=True)
    for seconds in (1.0, 5.0, 6.0, 9.9, 10.0):
        say(f"after {seconds:g}")
        silent("nothing")
    assert capsys.readouterr().err == "after 5\nafter 10\n"


def test_a_number_of_many_digits_is_read_or_refused_in_one_line() -> None:
    assert positive("9" * 400) == int("9" * 400)
    with pytest.raises(argparse.ArgumentTypeError, match="is not a whole number from 1 to 1000"):
        concurrency("9" * 400)
    for text in ("nan", "inf", "1e999"):
        with pytest.raises(argparse.ArgumentTypeError, match="is not an amount of 0 or more"):
            amount(text)


def test_on_windows_a_command_says_where_it_runs_and_does_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[int] = []

    def command() -> int:
        done.append(1)
        return 0

    with monkeypatch.context() as windows:
        windows.setattr("scripts.shell.os.name", "nt")
        code = run_command(command)
    printed = capsys.readouterr()
    assert (code, done, printed.out, printed.err) == (USAGE, [], "", f"error: {NOT_ON_WINDOWS}\n")
    assert "WSL" in NOT_ON_WINDOWS


def test_a_command_comes_to_its_first_line_without_what_windows_lacks() -> None:
    # The line must be printed before the first import that fails there.
    code = (
        "import sys; sys.modules.update(fcntl=None, termios=None, resource=None, pwd=None, grp=None)\n"
        "import shutil, scripts.evaluate_prompts as command, scripts.shell\n"
        "scripts.shell.os.name = 'nt'\n"
        "raise SystemExit(command.main(['--prompt', 'v3']))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (USAGE, "", f"error: {NOT_ON_WINDOWS}\n")
