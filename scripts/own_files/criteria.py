"""Files of sets of criteria: what is wrong with one, and a name that is taken."""

from evaluation.errors import ParseError
from evaluation.expectations.criteria import parse_criteria
from evaluation.text.forms import SourceText
from services.text_files import TextFile
from services.workspace import CRITERIA, shipped_names


def check_criteria(file: TextFile) -> None:
    """Raises ParseError for a set that is wrong, and for an own one with the name of a shipped one."""
    parse_criteria(SourceText(file.text, file.place))
    shipped = file.path.resolve().parent == CRITERIA
    if not shipped and file.path.stem in shipped_names(CRITERIA):
        raise ParseError(file.place, f"the name {file.path.stem!r} is that of a shipped set: rename the file")
