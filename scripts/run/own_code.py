"""The team's own cues and language packs, at hand before a rubric is read."""

from evaluation.errors import UsageError
from evaluation.languages.pack import parse_pack
from evaluation.languages.packs import use_own_packs
from evaluation.metrics.cues.own import NONE, read_declared, use_own_cues
from evaluation.text.forms import SourceText
from services.own_cues import execute
from services.settings import Settings, read_settings
from services.text_files import read_text
from services.workspace import YAML_SUFFIXES


def load_own_code() -> None:
    """Has rubrics name the cues, and texts be read by the packs, that the workspace file names.

    Raises UsageError for cues that cannot be, for a file that is no pack, and for a folder without one.
    """
    settings = read_settings()
    _load_own_cues(settings)
    _load_own_packs(settings)


def _load_own_cues(settings: Settings) -> None:
    if settings.cues is None:
        use_own_cues(NONE)
        return
    file = execute(settings.cues)
    use_own_cues(read_declared(file.declared, file.place, file.module, file.place_of))


def _load_own_packs(settings: Settings) -> None:
    """Packs stand beside the shipped ones, or in their place."""
    path = settings.languages
    if path is None:
        use_own_packs(())
        return
    paths = sorted(each for each in path.iterdir() if each.suffix in YAML_SUFFIXES) if path.is_dir() else [path]
    if not paths:
        raise UsageError(f"{path}: no language pack lies there: write one as docs/languages.md says, NAME.yaml")
    files = [read_text(each) for each in paths]
    use_own_packs([(parse_pack(SourceText(file.text, file.place)), file.place) for file in files])
