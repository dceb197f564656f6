"""The scenario sets that `eval` would play, as harvests and acceptances need them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.errors import UsageError
from evaluation.records import Scenario
from evaluation.request import EvaluationRequest
from evaluation.scenarios.parser import merge_scenarios, parse_scenarios
from evaluation.suites.loaded import LoadedSuite, parse_sets
from evaluation.suites.suite import conversations
from evaluation.text.forms import SourceText
from scripts.run.criteria import find_criteria
from scripts.run.suites import find_suite
from scripts.run.texts import read_sets
from services.settings import Settings


@dataclass(frozen=True, slots=True)
class Sets:
    """The files, and what they hold."""

    files: tuple[SourceText, ...]
    scenarios: tuple[Scenario, ...]
    """With what the rubric expects of them."""
    own: tuple[Scenario, ...]
    """With what their files expect of them alone."""

    def text_of(self, path: Path) -> SourceText | None:
        """The file at a path, where it is one of these."""
        return next((file for file in self.files if _is_at(file, path)), None)

    def check_with(self, changed: Sequence[tuple[Path, SourceText]], loaded: LoadedSuite) -> None:
        """Raises ParseError where the sets do not hold together with files as they would be written."""
        others = [file for file in self.files if not any(_is_at(file, path) for path, _ in changed)]
        files = [*others, *(text for _, text in changed)]
        parse_sets(files, loaded.rubric, conversations, find_criteria())


def read_loaded_sets(request: EvaluationRequest, loaded: LoadedSuite, settings: Settings) -> Sets:
    """The sets of a request, or else of the setting or the suite.

    Raises UsageError for a suite whose scenarios are no conversations.
    """
    definition = find_suite(request.suite, settings=settings)
    if definition.parse is not conversations:
        raise UsageError(f"suite {loaded.suite.name!r} has no scenarios of a user's words: name another with --suite")
    files = read_sets(request, definition, settings)
    rubric = loaded.rubric
    find_set = find_criteria()
    own = merge_scenarios(
        [(file.place, parse_scenarios(file.text, file.place, rubric.categories, find_set)) for file in files]
    )
    return Sets(files, parse_sets(files, rubric, definition.parse, find_criteria()), own)


def _is_at(file: SourceText, path: Path) -> bool:
    return Path(file.place).expanduser().resolve() == path.resolve()
