"""Rubric and scenario set as documents for people: all that their files say, and how code applies them."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from evaluation.expectations.criteria import CriteriaSet
from evaluation.expectations.form import read_items, said_of
from evaluation.metrics.explained import number
from evaluation.records import Expectation, Json, Scenario
from evaluation.rubrics.rubric import Adjustment, CategoryGuide, Contrary, CueUse, Metric, Rubric
from evaluation.text.safe_text import printable
from scripts.documents.markdown import Filters, code, fill, one_line

AUDIENCE_TAGS = ("younger", "older", "vulnerable")
"""Tags that group the free descriptions of an audience."""
STATED, ANYONE = "another stated", "not stated"
SPEAKERS = {"user": "the user", "assistant": "the companion"}
_SPECIAL = re.compile(r"([\\`*_\[\]<>~&#]|^[-+=]|(?<=^\d)[.)])")
_BREAK = "<br>"


def rubric_document(rubric: Rubric) -> str:
    """Markdown, the same text for the same rubric, ending in one line feed."""
    filters: Filters = {
        "value": _value,
        "conditions": _conditions,
        "word_lists": _word_lists,
        "settings": _settings,
        "items": lambda expect: _items(read_items(list(expect))),
        "examples": lambda examples: "; ".join(code(one_line(example)) for example in examples),
    }
    return fill("rubric.md.j2", filters, rubric=rubric)


def _conditions(adjustment: Adjustment) -> str:
    uses: tuple[CueUse, ...] = (adjustment, *adjustment.requires)
    found = ", and ".join(_use(each.when, each.parameters) for each in uses)
    return ", unless ".join([found, *(contrary(_use(each.when, each.parameters), each) for each in adjustment.unless)])


def contrary(said: str, condition: Contrary) -> str:
    """A cue that takes an amount back, and from which strength on."""
    return f"{said} from a strength of {number(condition.from_strength)}" if condition.from_strength else said


def _use(cue: str, settings: Mapping[str, Json]) -> str:
    """The cue and its settings; word lists are named here and written out below the table."""
    if "list" in settings:
        return f"{code(cue)} {code(str(settings['list']))}"
    short = ", ".join(
        f"{key} {_value(value)}" for key, value in settings.items() if not isinstance(value, list | tuple)
    )
    long = ", ".join(code(key) for key, value in settings.items() if value and isinstance(value, list | tuple))
    said = "; ".join(part for part in (short, f"by its lists {long}" if long else "") if part)
    return f"{code(cue)}: {said}" if said else code(cue)


def _word_lists(metric: Metric) -> list[str]:
    """Every list that the metric's cues go by, with its name and its words."""
    named: list[tuple[str, Iterable[Json]]] = list(metric.lists.items())
    # The conditions of all adjustments come after the adjustments themselves.
    uses: list[CueUse] = [*metric.adjustments]
    uses += (each for adjustment in metric.adjustments for each in adjustment.uses[1:])
    for use in uses:
        if "list" not in use.parameters:
            lists = ((key, value) for key, value in use.parameters.items() if value and isinstance(value, list | tuple))
            named += [(f"{use.when}.{key}", value) for key, value in lists]
    return [f"{code(name)}: {', '.join(code(str(phrase)) for phrase in phrases)}" for name, phrases in named]


def _settings(settings: Mapping[str, Json], above: str = "") -> list[str]:
    """Every setting of a cue on a line, lists of words with all their words."""
    lines: list[str] = []
    for key, value in settings.items():
        name = f"{above}{key}"
        if isinstance(value, dict):
            lines += _settings(value, f"{name}.")
        elif isinstance(value, list | tuple):
            lines.append(f"{code(name)}: {', '.join(code(str(phrase)) for phrase in value)}")
        else:
            lines.append(f"{code(name)}: {_value(value)}")
    return lines


def _value(value: Json) -> str:
    return number(value) if isinstance(value, float) else str(value)


def scenario_document(
    scenarios: Sequence[Scenario],
    categories: Mapping[str, CategoryGuide],
    tagged: Mapping[str, Sequence[Scenario]] | None = None,
) -> str:
    """Markdown, the same text for the same set, ending in one line feed. `categories` are those of the rubric.

    `tagged` are sets apart from it, each by the tag that plays it.
    """
    filters: Filters = {
        "situations": lambda found: len({scenario.cluster for scenario in found}),
        "turns": lambda found: sum(len(scenario.turns) for scenario in found),
        "tags": _tags,
        "tagged": lambda found, tag: [scenario for scenario in found if tag in scenario.tags],
        "plain": _plain,
        "items": _items,
        "said": lambda scenario: [*_before(scenario), *map(_plain, scenario.turns)],
        "everything": _in_a_cell,
    }
    groups = _groups(scenarios, categories)
    return fill(
        "scenarios.md.j2", filters, scenarios=scenarios, categories=categories, groups=groups, tagged=tagged or {}
    )


def criteria_document(sets: Mapping[str, CriteriaSet]) -> str:
    """Markdown on sets of criteria by their names, ending in one line feed."""
    return fill("criteria.md.j2", {"plain": _plain, "said": said_of}, sets=sets)


def _items(items: Iterable[Expectation]) -> list[str]:
    """Each expectation on a line."""
    return [f"{code(item.id)}: {_plain(said_of(item))}" for item in items]


def audience_group(scenario: Scenario) -> str:
    """The first of AUDIENCE_TAGS that the scenario bears; else whether it states an audience at all."""
    otherwise = STATED if scenario.audience else ANYONE
    return next((tag for tag in AUDIENCE_TAGS if tag in scenario.tags), otherwise)


def _groups(
    scenarios: Sequence[Scenario], categories: Mapping[str, CategoryGuide]
) -> dict[tuple[str, str], list[Scenario]]:
    """(category, audience) -> its scenarios, of those that have any."""
    places = [(category, audience) for category in categories for audience in (*AUDIENCE_TAGS, STATED, ANYONE)]
    groups: dict[tuple[str, str], list[Scenario]] = {place: [] for place in places}
    for scenario in scenarios:
        groups[scenario.category, audience_group(scenario)].append(scenario)
    return {place: found for place, found in groups.items() if found}


def _tags(scenarios: Iterable[Scenario]) -> list[tuple[str, int]]:
    """Every tag with the number of its scenarios, the commonest first."""
    counts = Counter(tag for scenario in scenarios for tag in scenario.tags)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _in_a_cell(scenario: Scenario) -> str:
    """All that is said, in one cell: each turn on a line of its own, numbered where there are several."""
    said = [_plain(turn) for turn in scenario.turns]
    if len(said) > 1:
        said = [f"{number}. {turn}" for number, turn in enumerate(said, 1)]
    speaker = [f"(said by {_plain(scenario.audience)})"] if scenario.audience else []
    return _BREAK.join([*_before(scenario), *said, *speaker])


def _before(scenario: Scenario) -> list[str]:
    """The earlier talk, a line for each turn: without it nobody could say what a good answer takes up."""
    return [f"({SPEAKERS[turn.role]} before: {_plain(turn.content)})" for turn in scenario.history]


def _plain(text: str) -> str:
    """Text on one line in which Markdown sees nothing to format."""
    return _SPECIAL.sub(r"\\\1", printable(" ".join(text.split())))
