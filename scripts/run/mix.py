"""The file of the users' mix: named by a flag, or `mix.yaml` in the workspace or the working directory."""

from pathlib import Path

from evaluation.decision.mix import PlacedMix
from evaluation.errors import UsageError
from evaluation.mix.form import parse_mix
from evaluation.text.forms import SourceText
from services.text_files import read_text
from services.workspace import find_workspace

NO_MIX = "none"
"""In the place of a file: the set alone is reported."""


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
