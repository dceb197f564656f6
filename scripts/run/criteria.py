"""Sets of criteria by name: shipped ones, and those in the workspace's own folder, each read once."""

from functools import cache

from evaluation.expectations.criteria import CriteriaSet, FindSet, parse_criteria
from evaluation.text.forms import SourceText
from services.workspace import find_workspace, read_criteria


def find_criteria() -> FindSet:
    """Finds sets for the scenarios that name them. Nothing is read before one is asked for."""

    @cache
    def find(name: str) -> CriteriaSet:
        file = read_criteria(name, find_workspace().criteria)
        return parse_criteria(SourceText(file.text, file.place))

    return find
