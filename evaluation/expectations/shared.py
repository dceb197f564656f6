"""Expectations that a rubric brings for all scenarios, for those of a category, and for those of a group of users."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.errors import ParseError
from evaluation.expectations.checks import CUE, HasCue, prepare_check
from evaluation.expectations.form import ItemFault, Origin, before_own, find_clash, read_items
from evaluation.expectations.parts import part_items
from evaluation.records import Expectation, Json, Scenario
from evaluation.rubrics.rubric import Rubric
from evaluation.text.forms import SourceText, dotted_path
from evaluation.text.yaml_text import ValuePath


@dataclass(frozen=True, slots=True)
class SharedItems:
    """The items of a rubric, read."""

    of_all: tuple[Expectation, ...]
    by_category: Mapping[str, tuple[Expectation, ...]]
    by_audience: Mapping[str, tuple[Expectation, ...]]
    """Tag of a scenario -> the items for its group of users."""

    @classmethod
    def of(cls, rubric: Rubric) -> "SharedItems":
        """The items of a rubric that was checked."""
        return cls(
            read_items(list(rubric.expect), "rubric"),
            {name: read_items(list(guide.expect), "category") for name, guide in rubric.categories.items()},
            {name: read_items(list(guide.expect), "audience") for name, guide in rubric.audiences.items()},
        )

    def add_to(self, scenario: Scenario) -> Scenario:
        """The scenario with the shared items before its own; what stands in the place of another takes it.

        One that a scenario writes out itself is its own, then one for its audience, for its category, and for all.
        """
        kept: list[Expectation] = []
        for item in self._for(scenario):
            if item.turn <= len(scenario.turns):
                kept = list(before_own(kept, [item]))
        return replace(scenario, expect=before_own(kept, scenario.expect)) if kept else scenario

    def _for(self, scenario: Scenario) -> Iterator[Expectation]:
        yield from self.of_all
        yield from self.by_category.get(scenario.category, ())
        for tag in scenario.tags:
            yield from self.by_audience.get(tag, ())


def add_shared_items(scenarios: Sequence[Scenario], rubric: Rubric) -> tuple[Scenario, ...]:
    """The scenarios with what the rubric expects of them all, of their category and of their audience."""
    shared = SharedItems.of(rubric)
    return tuple(map(shared.add_to, scenarios))


def check_cues(scenarios: Sequence[Scenario], rubric: Rubric, place: str) -> None:
    """Raises ParseError for an item whose cue does not take its settings under the rubric."""
    checked: set[str] = set()
    for scenario in scenarios:
        for item in scenario.expect:
            if item.check != CUE or item.id in checked:
                continue
            checked.add(item.id)
            check = prepare_check(item.check, item.settings)
            try:
                if isinstance(check, HasCue):
                    check.detect(rubric.guide_settings_of)
            except ValueError as error:
                problem = " ".join(str(error).split())[:200]
                what = f"scenario {scenario.id!r}: item {item.id!r}: the cue cannot be used with these settings"
                raise ParseError(place, f"{what}: {problem}") from None


def check_shared_items(rubric: Rubric, source: SourceText) -> None:
    """Raises ParseError with the place of the first item of a rubric that is none, or whose id is another's."""
    lists = []
    for path, origin, listed in _lists(rubric):
        try:
            lists.append((path, read_items(list(listed), origin)))
        except ItemFault as fault:
            raise source.error((*path, *fault.path), fault.problem) from None
    _check_parts(rubric, source)
    clash = find_clash([items for _, items in lists])
    if clash is not None:
        first = dotted_path(lists[clash.first][0])
        problem = f"item {clash.id!r} asks another question than in {first}: give it an id of its own"
        raise source.error((*lists[clash.number][0], clash.place), problem)


def _check_parts(rubric: Rubric, source: SourceText) -> None:
    """Raises ParseError for the first item of the judge's parts that is no question, or whose id stands twice."""
    parts = {} if rubric.judge is None else rubric.judge.parts
    seen: set[str] = set()
    for name, part in parts.items():
        path: ValuePath = ("judge", "parts", name, "items")
        try:
            items = part_items(part)
        except ItemFault as fault:
            raise source.error((*path, *fault.path), fault.problem) from None
        for place, item in enumerate(items):
            if item.id in seen:
                raise source.error((*path, place), f"item {item.id!r} stands twice in the judge's parts")
            seen.add(item.id)


def _lists(rubric: Rubric) -> Iterator[tuple[ValuePath, Origin, Sequence[Json]]]:
    yield ("expect",), "rubric", rubric.expect
    for name, category in rubric.categories.items():
        yield ("categories", name, "expect"), "category", category.expect
    for name, audience in rubric.audiences.items():
        yield ("audiences", name, "expect"), "audience", audience.expect
