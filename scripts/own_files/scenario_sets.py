"""Scenario files, each held against the rubric that it would be played under, and against those it is played with."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from evaluation.errors import ParseError, UsageError
from evaluation.records import Scenario
from evaluation.rubrics.loader import parse_rubric
from evaluation.rubrics.rubric import Rubric
from evaluation.scenarios.parser import merge_scenarios
from evaluation.suites import DEFAULT_OF_APPLICATIONS, DEFAULT_SUITE, SUITES
from evaluation.suites.loaded import check_rubric
from evaluation.suites.suite import SuiteDefinition
from evaluation.text.yaml_text import load_yaml
from scripts.own_files.kinds import Kind, kind_of
from scripts.own_files.suite_files import sets_of, suites_of
from scripts.run.criteria import find_criteria
from scripts.run.load import load_rubric
from scripts.run.suites import find_suite
from scripts.run.texts import chosen_rubric
from services.settings import Settings
from services.text_files import TextFile, read_text
from services.workspace import YAML_SUFFIXES


class ScenarioSets:
    """The scenario files that were read, by their folders: what lies in one folder is played as one set.

    A file belongs to the suite that is named, else to that of one's own which plays it, or else to the first whose
    rubric knows its category, the usual one first.
    """

    def __init__(self, suite: str | None, rubric: str | None, settings: Settings, suites: Sequence[Path]) -> None:
        """`suites` are files of suites beside those that the settings know.

        Raises UsageError for a suite that does not exist.
        """
        self._suite = None if suite is None else find_suite(suite, settings=settings)
        self._own = {path: each for each in suites_of(settings, suites) for path in sets_of(each)}
        self._given = rubric
        self._settings = settings
        self._rubric = cache(load_rubric)
        self._find_set = find_criteria()
        self._read: dict[Path, tuple[str, str, tuple[Scenario, ...]]] = {}
        """Path -> place, name of the suite, scenarios; of a broken file none."""

    def read(self, file: TextFile, kind: Kind) -> None:
        """Raises ParseError for a file that is wrong."""
        definition = self._suite_of(file, kind)
        self._read[file.path] = (file.place, definition.name, ())
        scenarios = definition.parse(file.text, file.place, self._rubric_of(definition), self._find_set)
        self._read[file.path] = (file.place, definition.name, scenarios)

    def clashes(self) -> Iterator[ParseError]:
        """Ids that stand for two things in one folder: the first of each folder and suite."""
        given = tuple(self._read)
        for folder in dict.fromkeys(path.parent for path in given):
            self._read_beside(folder)
        for folder in dict.fromkeys(path.parent for path in given):
            inside = [found for path, found in sorted(self._read.items()) if path.parent == folder]
            for suite in dict.fromkeys(suite for _, suite, _ in inside):
                try:
                    merge_scenarios([(place, scenarios) for place, name, scenarios in inside if name == suite])
                except ParseError as error:
                    yield from error.all

    def _read_beside(self, folder: Path) -> None:
        """Reads the other scenario files of a folder. One that is broken was not asked about: it is left out."""
        for path in sorted(each for each in folder.iterdir() if each.suffix in YAML_SUFFIXES and each.is_file()):
            try:
                file = read_text(path)
                if file.path not in self._read and (kind := kind_of(file)) == "scenarios":
                    self.read(file, kind)
            except UsageError:
                continue

    def _suite_of(self, file: TextFile, kind: Kind) -> SuiteDefinition:
        if self._suite or self._given:
            return self._suite or find_suite(DEFAULT_SUITE)
        if file.path in self._own:
            return self._own[file.path]
        if kind == "cases":
            return SUITES[DEFAULT_OF_APPLICATIONS]
        value = load_yaml(file.text, file.place)
        category = value.get("category") if isinstance(value, dict) else None
        suites = (SUITES[name] for name in sorted(SUITES, key=lambda name: name != DEFAULT_SUITE))
        knowing = (suite for suite in suites if category in self._rubric_of(suite).categories)
        return next(knowing, SUITES[DEFAULT_SUITE])

    def _rubric_of(self, suite: SuiteDefinition) -> Rubric:
        chosen = chosen_rubric(suite.name, self._given, self._settings)
        if chosen is None and suite.source is not None:
            return parse_rubric(suite.source, check_rubric)
        return self._rubric(chosen or suite.rubric_file)
