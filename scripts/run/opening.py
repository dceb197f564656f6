"""A page in the browser of whoever started the command; its path is printed where there is no browser."""

import argparse
import os
import sys
from pathlib import Path

from scripts.run.finish import Outcome
from scripts.run.output import JointAnswer, print_outcome
from scripts.shell import note

SHOWN = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
"""Without one of these, what Python finds on Linux is a browser in the terminal, which would take that over."""


def open_page(path: Path) -> bool:
    """Opens the page, or notes that nothing could; True where a browser took it."""
    import webbrowser

    if can_show() and webbrowser.open(path.resolve().as_uri()):
        return True
    note(f"there is no browser here: open it by hand: {path}")
    return False


def open_page_of(outcome: Outcome | JointAnswer) -> None:
    """Opens the page of what a command leaves, of several runs that of the last; nothing where it leaves none."""
    if isinstance(outcome, JointAnswer):
        files = [Path(file) for file in outcome.files]
    else:
        files = [Path(run.directory) / "report.html" for run in reversed(outcome.runs)]
    page = next((path for path in files if path.suffix == ".html" and path.is_file()), None)
    if page is not None:
        open_page(page)


def show_outcome(outcome: Outcome | JointAnswer, options: argparse.Namespace) -> int:
    """Prints what a command leaves and opens its page, as the arguments ask for it; the exit code."""
    print_outcome(outcome, as_json=options.json, verbose=options.verbose)
    if options.open:
        open_page_of(outcome)
    return outcome.exit_code


def can_show() -> bool:
    """True where a browser with a window may be found."""
    return sys.platform == "darwin" or any(os.environ.get(name) for name in SHOWN)
