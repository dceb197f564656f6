"""Scenario file (YAML) -> scenarios, checked.

A file holds one category: {category, focus?, criteria?, criteria_sets?, scenarios: [{id, turns, situation?, audience?,
tags?, note?, lang?, reply_lang?, history?: [{role, content}], data?, tools?: {name: results}, facts?: [sentence, ...],
criteria_sets?: [name, ...], stated?: {key: words}, expect?: [item, ...]}]}. Every complaint names file and line, the
scenario, the value and the next step.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from evaluation.errors import ParseError
from evaluation.expectations.criteria import CriteriaSet, FindSet, no_sets
from evaluation.expectations.form import Clash, ItemFault, find_clash
from evaluation.languages.known_by import known_codes
from evaluation.metrics.meaning.asking import KEY_POINTS
from evaluation.records import Expectation, Json, Scenario, ScriptedResult, Turn
from evaluation.scenarios.expected import Written, expected_of, named_sets
from evaluation.scenarios.tool_results import ToolFault, read_tools
from evaluation.text.forms import UNKNOWN_KEY, Fault, Form, SourceText
from evaluation.text.yaml_text import lines_of, load_yaml

NAME = r"^[a-z0-9][a-z0-9-]{0,79}$"
"""An id becomes part of file names and trace ids."""
CATEGORY = r"[a-z][a-z0-9_]{0,63}"
USUAL_CATEGORY = "general"
"""Of a file that names none, under a rubric that lists none."""
_SHOWN = 60
"""Characters of a wrong value that a message quotes."""
_NO_DATA: Mapping[str, Json] = {}
Tools: TypeAlias = Mapping[str, tuple[ScriptedResult, ...]]


def _different(tags: tuple[str, ...]) -> tuple[str, ...]:
    for number, tag in enumerate(tags):
        if tag in tags[:number]:
            raise ValueError(f"tag {tag!r} is given twice: remove one")
    return tags


def _ends_with_the_assistant(history: tuple["_Said", ...]) -> tuple["_Said", ...]:
    if history and history[-1].role != "assistant":
        raise ValueError("history ends with the user, who speaks next: end it with the assistant")
    return history


def _known_language(code: str) -> str:
    if code and code not in known_codes():
        raise ValueError(f"language {code[:20]!r} is no code that is known here: write it as in ISO 639-1, such as de")
    return code


Name: TypeAlias = Annotated[str, Field(pattern=NAME)]
Text: TypeAlias = Annotated[str, Field(min_length=1)]


class _Stripped(Form):
    model_config = ConfigDict(str_strip_whitespace=True)


class _Said(_Stripped):
    role: Literal["user", "assistant"]
    content: Text


class _Item(_Stripped):
    """A scenario as the file says it, without the keys that have no value."""

    id: Name
    situation: Name = ""
    audience: str = ""
    turns: tuple[Text, ...] = Field(strict=False, min_length=1)
    tags: Annotated[tuple[Name, ...], AfterValidator(_different)] = Field((), strict=False)
    note: str = ""
    lang: Annotated[str, AfterValidator(_known_language)] = ""
    reply_lang: Annotated[str, AfterValidator(_known_language)] = ""
    history: Annotated[tuple[_Said, ...], AfterValidator(_ends_with_the_assistant)] = Field((), strict=False)
    data: dict[str, Json] = Field(default_factory=dict)
    tools: Json = None
    """As `evaluation.scenarios.tool_results` reads it."""
    expect: Json = None
    """As `evaluation.expectations.form` reads it."""
    facts: Json = None
    """As `evaluation.expectations.of_facts` reads it."""
    criteria_sets: tuple[Name, ...] = Field((), strict=False)
    """Beside those that the file names."""
    stated: dict[str, Text] = Field(default_factory=dict)
    """Key of these sets -> the words in which the user says it."""


class _Head(_Stripped):
    """A file as it says it, its scenarios not yet looked at."""

    category: Json = None
    focus: str = ""
    criteria: tuple[Text, ...] = Field((), strict=False)
    criteria_sets: tuple[Name, ...] = Field((), strict=False)
    scenarios: Json = None


_TEXTS = ("id", "situation", "audience", "note", "focus", "lang", "reply_lang")
"""Keys of a text, which may be left blank."""
_NAMING = "{name} is {shown}: use small letters, digits and hyphens, at most 80, no hyphen first"
_EMPTY = "turns is empty: write what the user says, one text per turn"
_NEXT_STEPS: Mapping[str, str] = {
    "id missing": "has no id: give it one of small letters, digits and hyphens",
    "turns missing": _EMPTY,
    "turns too_short": _EMPTY,
    "tags string_pattern_mismatch": "tag {shown}: use small letters, digits and hyphens",
    "history tuple_type": "history is {shown}: give a list of {{role, content}}",
    "history model_type": "{name} is {shown}: give {{role, content}}",
    "history literal_error": "{name} has role {shown}: give user or assistant, and a content",
    "history": "{name} has no role, or no text as content: give user or assistant, and a content",
    "string_type": "{name} is {shown}, not a text: put it in quotes",
    "string_pattern_mismatch": _NAMING,
    "string_too_short": "{name} is blank: write it or remove it",
    "tuple_type": "{name} is {shown}, not a list: put each text on a '- ' line",
    "dict_type": "{name} is {shown}: give a mapping or leave it out",
}
"""Key and kind of a mistake, the key alone, or the kind alone -> how it is said; the first of these that is listed."""


def parse_scenarios(
    text: str, place: str, categories: Collection[str], find_set: FindSet = no_sets
) -> tuple[Scenario, ...]:
    """The scenarios of one file, in its order. `categories` are the ones that the rubric knows.

    Raises ParseError for text that is no YAML, unknown or missing keys, wrong types, an unknown category, an id that
    is invalid or given twice, empty turns, and a history that does not end with the assistant. The error carries what
    is wrong with every scenario of the file, of its items the first.
    """
    source = SourceText(text, place)
    head, category, items = _head(source, categories)
    try:
        of_file = named_sets(head.criteria_sets, find_set)
    except ItemFault as fault:
        raise _errors(source, [(fault.path, fault.problem)]) from None
    numbers: dict[str, int] = {}
    scenarios: list[Scenario] = []
    faults: list[Fault] = []
    once: dict[Any, Any] = {}
    for number in range(len(items)):
        # Each item is let go of as its scenario takes its place: a large file need not stand in memory twice.
        given, items[number] = items[number], None
        try:
            item = _item(given, number)
            _check_id(item.id, number, numbers)
            _check_key_points(item, number)
            tools = _tools(item, number)
            expect = _expected(item, tools, of_file, find_set, number)
        except _Faults as found:
            faults += found.faults
        else:
            scenarios.append(_scenario(item, category, expect, tools, once))
    if faults:
        raise _errors(source, faults)
    return tuple(scenarios)


def merge_scenarios(files: Sequence[tuple[str, Sequence[Scenario]]]) -> tuple[Scenario, ...]:
    """The scenarios of several (place, scenarios), in that order.

    Raises ParseError when two files share an id, and when the id of an item stands for two questions.
    """
    places: dict[str, str] = {}
    for place, scenarios in files:
        for scenario in scenarios:
            if scenario.id in places:
                problem = f"scenario id {scenario.id!r} is also used in {places[scenario.id]}: rename one of the two"
                raise ParseError(place, problem)
            places[scenario.id] = place
    merged = tuple(scenario for _, scenarios in files for scenario in scenarios)
    clash = find_clash(scenario.expect for scenario in merged)
    if clash is not None:
        raise _clash_error(clash, merged, places)
    return merged


def _clash_error(clash: Clash, merged: Sequence[Scenario], places: Mapping[str, str]) -> ParseError:
    """What is wrong with an id of two questions: what many scenarios share keeps its own, and else the one before."""
    before, scenario = merged[clash.first], merged[clash.number]
    origins = {item.origin for each in (before, scenario) for item in each.expect if item.id == clash.id}
    where = f"scenario {before.id!r} ({places[before.id]})"
    if not origins <= {"scenario", "facts"}:
        own = any(item.id == clash.id and item.origin == "scenario" for item in scenario.expect)
        scenario = scenario if own else before
        where = "a set of criteria" if "criteria" in origins else "the rubric"
    problem = f"asks another question than in {where}: give it an id of its own"
    return ParseError(places[scenario.id], f"scenario {scenario.id!r}: item {clash.id!r} {problem}")


def _head(source: SourceText, categories: Collection[str]) -> tuple[_Head, str, list[Json]]:
    """The head of a file, its category, and its scenarios as they stand there."""
    value = load_yaml(source.text, source.place)
    if not isinstance(value, dict):
        what = "holds nothing" if value is None else f"is {_value_text(value)}, not a mapping"
        raise ParseError(source.at(()), f"{what}: start it with 'category:' and 'scenarios:'")
    try:
        head = _Head.model_validate(_without_blanks(value, _Head))
    except ValidationError as error:
        raise _errors(source, _mistakes(error)) from None
    if not categories:
        head = head.model_copy(update={"category": _own_category(head.category, source)})
    elif not isinstance(head.category, str) or head.category not in categories:
        problem = f"category is {_value_text(head.category)}: choose one of {', '.join(categories)}"
        raise ParseError(source.at(("category",)), problem)
    if not isinstance(head.scenarios, list) or not head.scenarios:
        problem = f"scenarios is {_value_text(head.scenarios)}: give a list with at least one"
        raise ParseError(source.at(("scenarios",)), problem)
    return head, head.category, head.scenarios


class _Faults(Exception):
    """What is wrong with a scenario."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__()
        self.faults = faults


def _errors(source: SourceText, faults: Sequence[Fault]) -> ParseError:
    """The first of the faults as an error, which carries the others."""
    lines = lines_of(source.text, [path for path, _ in faults])
    return ParseError.joined(
        [ParseError(f"{source.place}:{line}", problem) for line, (_, problem) in zip(lines, faults, strict=True)]
    )


def _own_category(given: Json, source: SourceText) -> str:
    """The category of a file under a rubric that lists none."""
    if given is None:
        return USUAL_CATEGORY
    if not isinstance(given, str) or not re.fullmatch(CATEGORY, given):
        problem = f"category is {_value_text(given)}: use small letters, digits and _, a letter first"
        raise ParseError(source.at(("category",)), problem)
    return given


def _item(value: Json, number: int) -> _Item:
    here, who = ("scenarios", number), f"scenario {number + 1}"
    if not isinstance(value, dict):
        problem = f"is {_value_text(value)}, not a mapping: give it 'id:' and 'turns:'"
        raise _Faults([(here, f"{who}: {problem}")])
    try:
        return _Item.model_validate(_without_blanks(value, _Item))
    except ValidationError as error:
        name = str(value.get("id"))
        named = f"scenario {name!r}" if re.match(NAME, name) else who
        mistakes = _mistakes(error)
        said = [((*here, *path), f"{who if path[:1] == ('id',) else named}: {text}") for path, text in mistakes]
        raise _Faults(said) from None


def _check_id(name: str, number: int, numbers: dict[str, int]) -> None:
    """Notes the scenario's number; raises _Faults for an id that another one has."""
    first = numbers.setdefault(name, number)
    if first != number:
        problem = f"id {name!r} is already that of scenario {first + 1}: rename one of the two"
        raise _Faults([(("scenarios", number, "id"), f"scenario {number + 1}: {problem}")])


def _expected(
    item: _Item, tools: Tools, of_file: Sequence[CriteriaSet], find_set: FindSet, number: int
) -> tuple[Expectation, ...]:
    results = (each.result for results in tools.values() for each in results)
    history = tuple(Turn(said.role, said.content) for said in item.history)
    known = [*filter(None, [item.audience]), *results]
    parts = (item.expect, item.facts, item.criteria_sets, item.stated)
    try:
        return expected_of(Written(item.turns, history, known, *parts), of_file, find_set)
    except ItemFault as fault:
        raise _Faults([(("scenarios", number, *fault.path), f"scenario {item.id!r}: {fault.problem}")]) from None


def _check_key_points(item: _Item, number: int) -> None:
    """Raises _Faults for key points that are no list of texts with a word each: they are measured by vectors."""
    if KEY_POINTS not in item.data:
        return
    given = item.data[KEY_POINTS]
    here, step = ("scenarios", number, "data", KEY_POINTS), "give a list of texts, one point each"
    if not isinstance(given, list) or not given:
        raise _Faults([(here, f"scenario {item.id!r}: {KEY_POINTS} is {_value_text(given)}: {step}")])
    for place, point in enumerate(given):
        if not isinstance(point, str) or not any(map(str.isalnum, point)):
            problem = f"key point {place + 1} is {_value_text(point)}: {step}"
            raise _Faults([((*here, place), f"scenario {item.id!r}: {problem}")])


def _tools(item: _Item, number: int) -> Tools:
    try:
        return read_tools(item.tools)
    except ToolFault as fault:
        path = ("scenarios", number, "tools", *fault.path)
        raise _Faults([(path, f"scenario {item.id!r}: {fault.problem}")]) from None


def _without_blanks(value: Mapping[str, Json], form: type[Form]) -> dict[str, Json]:
    """A mapping without the keys of the form whose value is nothing, or a text without a word in it."""

    def is_blank(key: str, found: Json) -> bool:
        return found is None or (key in _TEXTS and isinstance(found, str) and not found.strip())

    return {key: found for key, found in value.items() if key not in form.model_fields or not is_blank(key, found)}


def _scenario(
    item: _Item, category: str, expect: tuple[Expectation, ...], tools: Tools, once: dict[Any, Any]
) -> Scenario:
    """The scenario; `once` holds each set of tags, situation, audience and note, which variants and people share."""
    return Scenario(
        id=item.id,
        category=category,
        turns=item.turns,
        situation=once.setdefault(item.situation, item.situation),
        audience=once.setdefault(item.audience, item.audience),
        tags=once.setdefault(item.tags, item.tags),
        note=once.setdefault(item.note, item.note),
        history=tuple(Turn(said.role, said.content) for said in item.history),
        data=item.data or _NO_DATA,
        expect=expect,
        tools=tools,
        lang=once.setdefault(item.lang, item.lang),
        reply_lang=once.setdefault(item.reply_lang, item.reply_lang),
    )


def _mistakes(error: ValidationError) -> list[Fault]:
    """Place and reason of each thing that is wrong with a file's head or one of its scenarios."""
    return [_mistake(mistake) for mistake in error.errors(include_url=False)]


def _mistake(mistake: ErrorDetails) -> Fault:
    path, kind, value = mistake["loc"], mistake["type"], mistake["input"]
    if kind == "value_error":
        return path, mistake["msg"].removeprefix("Value error, ")
    name = " ".join(str(part + 1 if isinstance(part, int) else part) for part in path[:2])
    if kind == UNKNOWN_KEY:
        key, shown, hint = (mistake["ctx"][part] for part in ("key", "shown", "hint"))
        return (*path, key), f"{f'{name}: ' if name else ''}unknown key {shown}: {hint.removeprefix('; ')}"
    said = next(_NEXT_STEPS[each] for each in (f"{path[0]} {kind}", str(path[0]), kind) if each in _NEXT_STEPS)
    return path, said.format(name=name, shown=_value_text(value))


def _value_text(value: Json) -> str:
    """A wrong value in one line of bounded length."""
    if value is None:
        return "missing"
    if isinstance(value, dict | list):
        kind = "mapping" if isinstance(value, dict) else "list"
        return f"a {kind}" if value else f"an empty {kind}"
    text = repr(value[: _SHOWN + 1] if isinstance(value, str) else value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
