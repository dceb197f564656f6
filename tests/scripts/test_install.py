"""The installation as the Makefile starts it: what it says meanwhile, and how it ends. No package is fetched."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.scripts.commands import ROOT

LOCK = "alpha==1.0 \\\n    --hash=sha256:00\nbeta==2.0 ; python_version >= '3.11' \\\n    --hash=sha256:01\n"
PIP = """#!/bin/sh
case "$*" in
  *uninstall*) exit 0 ;;
  *" install "*) echo "Collecting alpha==1.0 (from -r requirements.lock (line 1))"; sleep {wait}
    [ {wait} = 0 ] || {{ echo "Installing collected packages: beta, alpha"; sleep {wait}; }}
    if [ -e broken ]; then
      echo "Collecting beta==2.0"; echo "ERROR: Could not find a version that satisfies beta==2.0"; exit 1
    fi
    echo "Successfully installed alpha-1.0 beta-2.0" ;;
esac
"""


def make(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    return subprocess.run(
        ["make", ".venv/runtime", *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with the Makefile, a lock of two packages, and an environment whose pip follows a script."""
    (tmp_path / "scripts").symlink_to(ROOT / "scripts")
    (tmp_path / "Makefile").write_text((ROOT / "Makefile").read_text("utf-8"))
    (tmp_path / "requirements.lock").write_text(LOCK)
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(PIP.format(wait=0))
    python.chmod(0o755)
    return tmp_path


def test_it_says_what_it_does_and_how_long_it_took(clone: Path) -> None:
    done = make(clone)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    first, *_, last = done.stderr.splitlines()
    assert first.startswith("installing 2 packages of requirements.lock into .venv")
    assert last.startswith("installed requirements.lock into .venv in ") and last.endswith(" s")
    assert "\x1b" not in done.stderr and "\r" not in done.stderr
    assert make(clone, "-s").stderr == "", "once"


def test_a_failure_shows_pips_last_lines_and_the_next_make_goes_on(clone: Path) -> None:
    (clone / "broken").touch()
    done = make(clone)
    assert done.returncode == 2
    assert "ERROR: Could not find a version that satisfies beta==2.0" in done.stderr
    assert "then start the same command once more" in done.stderr
    assert not (clone / ".venv/runtime").exists()
    (clone / "broken").unlink()
    assert make(clone).returncode == 0
    assert (clone / ".venv/runtime").exists()


def test_on_a_terminal_one_line_counts_the_seconds(clone: Path) -> None:
    (clone / ".venv/bin/python").write_text(PIP.format(wait=2))
    reading, writing = os.openpty()
    began = time.monotonic()
    with subprocess.Popen(
        ["make", "-s", ".venv/runtime"], cwd=clone, stderr=writing, stdin=subprocess.DEVNULL
    ) as started:
        os.close(writing)
        shown = b""
        while True:
            try:
                shown += os.read(reading, 1000)
            except OSError:
                break
    os.close(reading)
    assert started.returncode == 0
    assert time.monotonic() - began < 30
    assert b"1 of 2 fetched, 1 s so far " in shown and b"unpacking 2 packages, 3 s so far " in shown
    assert b"\x1b" not in shown
