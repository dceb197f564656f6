"""Rubrics and scenario sets as texts: found by name, file or folder, and read. Nothing of a set is parsed here."""

from collections.abc import Sequence
from pathlib import Path

from evaluation.errors import UsageError
from evaluation.request import EvaluationRequest
from evaluation.rubrics.extension import EXTENDS, Layer, join
from evaluation.suites.suite import SuiteDefinition
from evaluation.text.forms import SourceText
from scripts.run.own_code import load_own_code
from services.settings import Settings
from services.workspace import RUBRICS, read_named, read_scenarios, suite_name


def chosen_rubric(suite: str, named: str | None, settings: Settings) -> str | None:
    """The rubric that a flag names, or else the setting, which is for one suite alone; None for the suite's own."""
    usual = suite_name(Path(suite)) == suite_name(Path(settings.suite))
    return named or (settings.rubric if usual else None)


def rubric_of(definition: SuiteDefinition, reference: str | None) -> SourceText:
    """The text of the rubric that is named, or else of the suite's own."""
    if reference is None and definition.source is not None:
        return definition.source
    return read_rubric(reference or definition.rubric_file)


def read_rubric(reference: str) -> SourceText:
    """The text of a rubric by name or file, joined with those of the rubrics that it extends.

    A path after `extends` is seen from the folder of its file. Raises UsageError for an unknown name and for a circle.
    """
    file = read_named("rubric", reference, RUBRICS)
    return join_extended(SourceText(file.text, file.place), file.path)


def join_extended(source: SourceText, path: Path) -> SourceText:
    """A rubric that stands in a file, joined with those that it extends. The team's own code is at hand for it."""
    load_own_code()
    read = {path: Layer.of(source)}
    while (name := (last := read[path]).extends) is not None:
        try:
            file = read_named("rubric", name, RUBRICS, path.parent)
        except UsageError as error:
            raise last.source.error((EXTENDS,), str(error)) from None
        path = file.path
        if path in read:
            raise last.source.error(
                (EXTENDS,), f"{name!r} extends this rubric in turn: let one of them stand for itself"
            )
        read[path] = Layer.of(SourceText(file.text, file.place))
    return join(tuple(read.values()))


def read_sets(request: EvaluationRequest, definition: SuiteDefinition, settings: Settings) -> tuple[SourceText, ...]:
    """The texts of the sets that a request names, or else, for the default suite, the setting.

    Without either, the suite's own. Beside the last two those that its tags stand for.
    """
    if request.scenarios:
        return texts_of(request.scenarios)
    usual = definition.scenarios
    if definition.name == suite_name(Path(settings.suite)):
        usual = settings.scenarios or usual
    beside = [definition.tagged[tag] for tag in request.tags if tag in definition.tagged]
    return (*texts_of(usual), *(texts_of(beside) if beside else ()))


def texts_of(sets: Sequence[str | SourceText]) -> tuple[SourceText, ...]:
    """The texts of sets by name or file, and those that are given; the shipped ones where there is none."""
    named = [each for each in sets if isinstance(each, str)]
    files = read_scenarios(named) if named or not sets else ()
    given = [each for each in sets if isinstance(each, SourceText)]
    return (*(SourceText(file.text, file.place) for file in files), *given)
