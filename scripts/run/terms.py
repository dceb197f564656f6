"""The files that results are read by: waivers, and the mix of users. Both are named by a flag, or lie in their place.

Their place is the workspace, or the working directory without one.
"""

from datetime import UTC, datetime
from pathlib import Path

from evaluation.conclude import Terms
from evaluation.decision.mix import PlacedMix
from evaluation.errors import UsageError
from evaluation.expectations.waivers import Waiver, in_force, notes_on, parse_waivers
from evaluation.mix.form import parse_mix
from evaluation.request import EvaluationRequest
from evaluation.text.forms import SourceText
from services.text_files import read_text
from services.workspace import find_workspace

NO_MIX = "none"
"""In the place of a file: the set alone is reported."""


def read_terms(request: EvaluationRequest, suite: str) -> Terms:
    """The terms of a run of a suite. Raises UsageError for a file that is missing, ParseError for one that is wrong."""
    return Terms(*read_waivers(request.waivers), read_mix(request.mix, suite))


def read_waivers(named: str | None) -> tuple[tuple[Waiver, ...], tuple[str, ...]]:
    """The waivers in force today (UTC), and a line on each that expired; none without a file.

    Raises UsageError where the named file is missing, ParseError for one that is wrong.
    """
    path = find_workspace().waivers if named is None else Path(named)
    if named is None and not path.exists():
        return (), ()
    file = read_text(path)
    waivers = parse_waivers(SourceText(file.text, file.place))
    today = datetime.now(UTC).date()
    return in_force(waivers, today), tuple(notes_on(waivers, today))


def read_mix(named: str | None, suite: str) -> PlacedMix | None:
    """The mix of a suite's users; None without a file, with `none`, and where the usual file is of another suite.

    Raises UsageError where a named file is missing or of another suite, ParseError for one that is wrong.
    """
    path = find_workspace().mix if named is None else Path(named)
    if named == NO_MIX or (named is None and not path.exists()):
        return None
    file = read_text(path)
    mix = parse_mix(SourceText(file.text, file.place))
    if mix.suite != suite:
        if named is None:
            return None
        raise UsageError(f"--mix {file.place}: is of suite {mix.suite!r}, and the run is of {suite!r}")
    return PlacedMix(file.place, mix)
