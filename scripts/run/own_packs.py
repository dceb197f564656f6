"""The team's own language packs, at hand before a rubric is read."""

from evaluation.errors import UsageError
from evaluation.languages.pack import parse_pack
from evaluation.languages.packs import use_own_packs
from evaluation.text.forms import SourceText
from services.settings import read_settings
from services.text_files import read_text
from services.workspace import YAML_SUFFIXES


def load_own_packs() -> None:
    """Has texts be read by the packs that the workspace file names, beside the shipped ones or in their place.

    Raises UsageError for a file that is no pack, and for a folder without one.
    """
    path = read_settings().languages
    if path is None:
        use_own_packs(())
        return
    paths = sorted(each for each in path.iterdir() if each.suffix in YAML_SUFFIXES) if path.is_dir() else [path]
    if not paths:
        raise UsageError(f"{path}: no language pack lies there: write one as docs/languages.md says, NAME.yaml")
    files = [read_text(each) for each in paths]
    use_own_packs([(parse_pack(SourceText(file.text, file.place)), file.place) for file in files])
