"""Scenario file (YAML) -> scenarios, checked.

A file holds one category: {category, focus?, criteria?, scenarios: [{id, turns, situation?, audience?, tags?, note?,
history?: [{role, content}], data?}]}. Every complaint names file and line, the scenario, the value and the next step.
"""

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.errors import ParseError
from evaluation.records import Json, Scenario, Turn
from evaluation.text.yaml_text import ValuePath, load_yaml, located

FILE_KEYS = ("category", "focus", "criteria", "scenarios")
SCENARIO_KEYS = ("id", "situation", "audience", "turns", "tags", "note", "history", "data")
HISTORY_ROLES = ("user", "assistant")
MAX_ID = 80
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
_SHOWN = 60
"""Characters of a wrong value that a message quotes."""
_NO_DATA: Mapping[str, Json] = {}


@dataclass(frozen=True, slots=True)
class ScenarioFile:
    """One category's file: what the category looks at, and its scenarios."""

    category: str
    focus: str
    criteria: tuple[str, ...]
    scenarios: tuple[Scenario, ...]


def parse_scenarios(text: str, place: str, categories: Collection[str]) -> tuple[Scenario, ...]:
    """The scenarios of one file, in its order. `categories` are the ones that the rubric knows.

    Raises ParseError for whatever `parse_scenario_file` refuses.
    """
    return parse_scenario_file(text, place, categories).scenarios


def parse_scenario_file(text: str, place: str, categories: Collection[str]) -> ScenarioFile:
    """One file, whole.

    Raises ParseError for text that is no YAML, unknown or missing keys, wrong types, an unknown category, an id that
    is invalid or given twice, empty turns, and a history that does not end with the assistant.
    """
    return _File(text, place).read(categories)


def merge_scenarios(files: Sequence[tuple[str, Sequence[Scenario]]]) -> tuple[Scenario, ...]:
    """The scenarios of several (place, scenarios), in that order. Raises ParseError when two files share an id."""
    places: dict[str, str] = {}
    merged: list[Scenario] = []
    for place, scenarios in files:
        for scenario in scenarios:
            if scenario.id in places:
                raise ParseError(
                    place, f"scenario id {scenario.id!r} is also used in {places[scenario.id]}: rename one of the two"
                )
            places[scenario.id] = place
            merged.append(scenario)
    return tuple(merged)


@dataclass(frozen=True, slots=True)
class _File:
    """The text being read, kept for the lines of its complaints."""

    text: str
    place: str
    tags: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)
    """Each set of tags once: many scenarios share theirs."""
    texts: dict[str, str] = field(default_factory=dict)
    """Each situation, audience and note once, as variants and people recur."""

    def read(self, categories: Collection[str]) -> ScenarioFile:
        value = load_yaml(self.text, self.place)
        if value is None:
            raise self._problem((), "", "holds nothing: start it with 'category:' and 'scenarios:'")
        if not isinstance(value, dict):
            raise self._problem(
                (), "", f"is {_shown(value)}, not a mapping: start it with 'category:' and 'scenarios:'"
            )
        self._check_keys(value, FILE_KEYS, (), "")
        category = value.get("category")
        if not isinstance(category, str) or category not in categories:
            known = f"choose one of {', '.join(categories)}"
            raise self._problem(("category",), "", f"category is {_shown(category)}: {known}")
        items = value.get("scenarios")
        if not isinstance(items, list) or not items:
            raise self._problem(("scenarios",), "", f"scenarios is {_shown(items)}: give a list with at least one")
        return ScenarioFile(
            category=category,
            focus=self._text(value, "focus", (), ""),
            criteria=self._texts(value, "criteria", (), ""),
            scenarios=self._scenarios(items, category),
        )

    def _scenarios(self, items: list[Json], category: str) -> tuple[Scenario, ...]:
        scenarios: list[Scenario] = []
        numbers: dict[str, int] = {}
        for number in range(len(items)):
            # Each item is let go of as its scenario takes its place: a large file need not stand in memory twice.
            item, items[number] = items[number], None
            scenario = self._scenario(item, number, category)
            if scenario.id in numbers:
                raise self._problem(
                    ("scenarios", number, "id"),
                    f"scenario {number + 1}",
                    f"id {scenario.id!r} is already that of scenario {numbers[scenario.id] + 1}: rename one of the two",
                )
            numbers[scenario.id] = number
            scenarios.append(scenario)
        return tuple(scenarios)

    def _scenario(self, item: Json, number: int, category: str) -> Scenario:
        path: ValuePath = ("scenarios", number)
        who = f"scenario {number + 1}"
        if not isinstance(item, dict):
            raise self._problem(path, who, f"is {_shown(item)}, not a mapping: give it 'id:' and 'turns:'")
        name = self._name(item, "id", path, who)
        if not name:
            raise self._problem(path, who, "has no id: give it one of small letters, digits and hyphens")
        who = f"scenario {name!r}"
        self._check_keys(item, SCENARIO_KEYS, path, who)
        turns = self._texts(item, "turns", path, who)
        if not turns:
            raise self._problem((*path, "turns"), who, "turns is empty: write what the user says, one text per turn")
        data = item.get("data")
        if data is not None and not isinstance(data, dict):
            raise self._problem((*path, "data"), who, f"data is {_shown(data)}: give a mapping or leave it out")
        return Scenario(
            id=name,
            category=category,
            turns=turns,
            situation=self._once(self._name(item, "situation", path, who)),
            audience=self._once(self._text(item, "audience", path, who)),
            tags=self._tags(item, path, who),
            note=self._once(self._text(item, "note", path, who)),
            history=self._history(item, path, who),
            data=data or _NO_DATA,
        )

    def _once(self, text: str) -> str:
        return self.texts.setdefault(text, text)

    def _name(self, item: Mapping[str, Json], key: str, path: ValuePath, who: str) -> str:
        """An id: it becomes part of file names and trace ids. Empty when it is not given."""
        value = self._text(item, key, path, who)
        if value and (len(value) > MAX_ID or not _NAME.fullmatch(value)):
            raise self._problem(
                (*path, key),
                who,
                f"{key} is {_shown(value)}: use small letters, digits and hyphens, at most {MAX_ID}, no hyphen first",
            )
        return value

    def _tags(self, item: Mapping[str, Json], path: ValuePath, who: str) -> tuple[str, ...]:
        tags = self._texts(item, "tags", path, who)
        for number, tag in enumerate(tags):
            place = (*path, "tags", number)
            if not _NAME.fullmatch(tag):
                raise self._problem(place, who, f"tag {_shown(tag)}: use small letters, digits and hyphens")
            if tag in tags[:number]:
                raise self._problem(place, who, f"tag {tag!r} is given twice: remove one")
        return self.tags.setdefault(tags, tags)

    def _history(self, item: Mapping[str, Json], path: ValuePath, who: str) -> tuple[Turn, ...]:
        path = (*path, "history")
        entries = item.get("history")
        if entries is None:
            return ()
        if not isinstance(entries, list):
            raise self._problem(path, who, f"history is {_shown(entries)}: give a list of {{role, content}}")
        turns: list[Turn] = []
        for number, entry in enumerate(entries):
            here = (*path, number)
            if not isinstance(entry, dict):
                raise self._problem(here, who, f"history {number + 1} is {_shown(entry)}: give {{role, content}}")
            self._check_keys(entry, ("role", "content"), here, f"{who}: history {number + 1}")
            role, content = entry.get("role"), self._text(entry, "content", here, who)
            if role not in HISTORY_ROLES or not content:
                raise self._problem(
                    here, who, f"history {number + 1} has role {_shown(role)}: give user or assistant, and a content"
                )
            turns.append(Turn(role, content))
        if turns and turns[-1].role != "assistant":
            raise self._problem(here, who, "history ends with the user, who speaks next: end it with the assistant")
        return tuple(turns)

    def _text(self, item: Mapping[str, Json], key: str, path: ValuePath, who: str) -> str:
        """A text without white space around it; empty when it is not given."""
        value = item.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self._problem((*path, key), who, f"{key} is {_shown(value)}, not a text: put it in quotes")
        return value.strip()

    def _texts(self, item: Mapping[str, Json], key: str, path: ValuePath, who: str) -> tuple[str, ...]:
        """A list of texts, none of them blank; empty when it is not given."""
        path = (*path, key)
        values = item.get(key)
        if values is None:
            return ()
        if not isinstance(values, list):
            raise self._problem(path, who, f"{key} is {_shown(values)}, not a list: put each text on a '- ' line")
        for number, value in enumerate(values):
            if not isinstance(value, str):
                problem = f"{key} {number + 1} is {_shown(value)}, not a text: put it in quotes"
                raise self._problem((*path, number), who, problem)
            if not value.strip():
                raise self._problem((*path, number), who, f"{key} {number + 1} is blank: write it or remove it")
        return tuple(value.strip() for value in values)

    def _check_keys(self, value: Mapping[str, Json], known: Sequence[str], path: ValuePath, who: str) -> None:
        for key in value:
            if key not in known:
                near = difflib.get_close_matches(key[:MAX_ID], known, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
                raise self._problem((*path, key), who, f"unknown key {_shown(key)}: {hint}")

    def _problem(self, path: ValuePath, who: str, problem: str) -> ParseError:
        what = f"{who}: {problem}" if who else problem
        return ParseError(located(self.text, self.place, path), what)


def _shown(value: Json) -> str:
    """A wrong value in one line of bounded length."""
    if value is None:
        return "missing"
    if isinstance(value, dict | list):
        kind = "mapping" if isinstance(value, dict) else "list"
        return f"a {kind}" if value else f"an empty {kind}"
    text = repr(value[: _SHOWN + 1] if isinstance(value, str) else value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
