"""Files of suites without code: the suite with all that it names, canaries in a file of their own, sets of criteria."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluation.errors import ParseError, Problems, UsageError
from evaluation.expectations.criteria import parse_criteria
from evaluation.rubrics.canary import Canary
from evaluation.rubrics.extension import EXTENDS
from evaluation.rubrics.loader import parse_rubric
from evaluation.rubrics.rubric import Rubric
from evaluation.rubrics.values import Items
from evaluation.scenarios.parser import merge_scenarios, parse_scenarios
from evaluation.suites.loaded import build_suite, check_rubric
from evaluation.suites.own import SCENARIOS, SuiteForm, inline_rubric, inline_sets
from evaluation.suites.suite import SuiteDefinition, conversations
from evaluation.text.forms import Form, SourceText
from scripts.run.criteria import find_criteria
from scripts.run.load import read_suite, texts_of
from services.settings import Settings
from services.text_files import TextFile
from services.workspace import CRITERIA, YAML_SUFFIXES, find_suite_file, own_suite_names, shipped_names


def check_criteria(file: TextFile) -> None:
    """Raises ParseError for a set that is wrong, and for an own one with the name of a shipped one."""
    parse_criteria(SourceText(file.text, file.place))
    shipped = file.path.resolve().parent == CRITERIA
    if not shipped and file.path.stem in shipped_names(CRITERIA):
        raise ParseError(file.place, f"the name {file.path.stem!r} is that of a shipped set: rename the file")


class _CanaryFile(Form):
    canaries: Items[Canary]


def check_suite(file: TextFile) -> None:
    """Raises ParseError for all that is wrong with a suite's file and with what it names."""
    source = SourceText(file.text, file.place)
    problems = Problems()
    definition: SuiteDefinition | None = None
    rubric: Rubric | None = None
    sets: Sequence[SourceText] = ()
    with problems.caught():
        definition = read_suite(file.path)
    with problems.caught():
        rubric = _inline_rubric(source) if definition is None else _rubric(definition, file.place)
    with problems.caught():
        sets = _inline_texts(source) if definition is None else texts_of(definition.scenarios)
    played, find_set = [], find_criteria()
    for text in sets:
        with problems.caught():
            known = None if rubric is None else conversations(text.text, text.place, rubric, find_set)
            played.append((text.place, known or parse_scenarios(text.text, text.place, (), find_set)))
    with problems.caught():
        merge_scenarios(played)
    problems.raise_found()


def check_canaries(file: TextFile) -> None:
    """Holds canaries against the suite that lies beside them, or else each against its own form."""
    suite = find_suite_file(str(file.path.parent), file.path.parent)
    if suite is None:
        SourceText(file.text, file.place).read(_CanaryFile, "'canaries:'")
    else:
        _rubric(read_suite(suite), file.place)


def suites_of(settings: Settings, paths: Sequence[Path]) -> Iterator[SuiteDefinition]:
    """The suites without code that the settings know, or that are among the paths, without those that are wrong."""
    names = (settings.suite, *own_suite_names(settings.suites_dir))
    found = [find_suite_file(name, settings.suites_dir) for name in names]
    for path in dict.fromkeys(each.resolve() for each in (*found, *paths) if each is not None):
        try:
            yield read_suite(path)
        except UsageError:
            continue


def sets_of(definition: SuiteDefinition) -> Iterator[Path]:
    """The files of a suite's scenarios."""
    for each in (*definition.scenarios, *definition.tagged.values()):
        path = Path(each) if isinstance(each, str) else None
        if path is not None:
            files = path.iterdir() if path.is_dir() else [path]
            yield from (file.resolve() for file in files if file.suffix in YAML_SUFFIXES)


def _rubric(definition: SuiteDefinition, place: str) -> Rubric | None:
    if definition.source is None:
        return None
    try:
        return build_suite(definition, definition.source).rubric
    except ParseError:
        raise
    except UsageError as error:
        raise ParseError(place, str(error)) from None


def _inline_rubric(source: SourceText) -> Rubric | None:
    """The rubric that stands in the file of a suite which cannot be read otherwise."""
    value = source.value()
    rubric = value.get("rubric") if isinstance(value, dict) else None
    if not isinstance(rubric, dict) or EXTENDS in rubric:
        return None
    return parse_rubric(inline_rubric(source), check_rubric)


def _inline_texts(source: SourceText) -> Sequence[SourceText]:
    value = source.value()
    sets = value.get(SCENARIOS) if isinstance(value, dict) else None
    if not isinstance(sets, list) or not sets or not all(isinstance(each, dict | str) for each in sets):
        return ()
    read = inline_sets(source, SuiteForm.model_construct(scenarios=tuple(sets)))
    return [each for each in read if isinstance(each, SourceText)]
