"""The team's own cues, at hand before a rubric is read."""

from evaluation.metrics.cues.own import NONE, read_declared, use_own_cues
from services.own_cues import execute
from services.settings import read_settings


def load_own_cues() -> None:
    """Has rubrics name the cues of the file that the workspace file names. Raises UsageError for one that cannot be."""
    path = read_settings().cues
    if path is None:
        use_own_cues(NONE)
        return
    file = execute(path)
    use_own_cues(read_declared(file.declared, file.place, file.module, file.place_of))
