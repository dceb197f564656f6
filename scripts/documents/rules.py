"""The rules of a rubric that extends another one as a document for people: what each cue looks for and what it moves.

What the two share stands in the other rubric's document. Of a long list the first entries are shown.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluation.metrics.explained import with_sign
from evaluation.records import Json
from evaluation.rubrics.rubric import Adjustment, CueUse, Metric, Rubric
from scripts.documents.inputs import contrary
from scripts.documents.markdown import Filters, code, fill, one_line

SHOWN = 8
"""Entries of a list of words that are shown."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a cue adds to one metric when it is found."""

    metric: str
    """Its title."""
    points: str
    conditions: str
    """What must be found too, and what takes the points back; empty where nothing does."""


def rules_document(rubric: Rubric, extended: Rubric, name: str) -> str:
    """Markdown, the same text for the same rubrics, ending in one line feed. `name` is that of the rubric's file."""
    filters: Filters = {
        "effects": lambda cue: list(effects(rubric, cue)),
        "conditions_of": lambda cue: list(conditions_of(rubric, cue)),
        "raised": lambda metric: _cues(metric, up=True),
        "lowered": lambda metric: _cues(metric, up=False),
        "own": lambda metric, part: own_part(metric, part, extended),
        "lists": lambda cue: list(word_lists(rubric, cue)),
        "examples": lambda examples: "; ".join(code(one_line(example)) for example in examples),
    }
    return fill("rules.md.j2", filters, rubric=rubric, name=name)


def effects(rubric: Rubric, cue: str) -> Iterator[Effect]:
    """What the cue moves, metric by metric, in the order of the rubric."""
    for metric in rubric.metrics.values():
        for each in metric.adjustments:
            if each.when == cue:
                yield Effect(metric.title, with_sign(each.add), _conditions(each))


def conditions_of(rubric: Rubric, cue: str) -> Iterator[str]:
    """The cues whose points depend on this one, each once."""
    uses = (each for metric in rubric.metrics.values() for each in metric.adjustments)
    yield from dict.fromkeys(
        code(each.when) for each in uses if any(condition.when == cue for condition in each.uses[1:])
    )


def own_part(metric: Metric, part: str, extended: Rubric) -> tuple[str, ...]:
    """The indicators of a metric where they are others than those of the extended rubric; else none."""
    said: tuple[str, ...] = getattr(metric, part)
    name = next((name for name, other in extended.metrics.items() if other.title == metric.title), None)
    return () if name and getattr(extended.metrics[name], part) == said else said


def word_lists(rubric: Rubric, cue: str) -> Iterator[str]:
    """Every setting of a cue on a line, of a list the first entries."""
    guide = rubric.cues[cue]
    settings: dict[str, Json] = dict(guide.settings)
    for metric in rubric.metrics.values():
        for each in metric.adjustments:
            for use in each.uses:
                if use.when == cue:
                    settings |= metric.settings_of(CueUse.model_validate({"when": cue, **use.parameters}))
    return _lines(settings)


def _lines(settings: Mapping[str, Json], above: str = "") -> Iterator[str]:
    for key, value in settings.items():
        name = f"{above}{key}"
        if isinstance(value, dict) and len(value) > SHOWN:
            yield f"{code(name)}: lists of their own for {_some(list(value))}"
        elif isinstance(value, dict):
            yield from _lines(value, f"{name}.")
        elif isinstance(value, list | tuple):
            yield f"{code(name)}: {_some(value)}"
        else:
            yield f"{code(name)}: {value}"


def _some(values: Sequence[Json]) -> str:
    """The first entries of a list, and how many more there are."""
    shown = ", ".join(code(str(value)) for value in values[:SHOWN])
    return shown if len(values) <= SHOWN else f"{shown} and {len(values) - SHOWN} more"


def _cues(metric: Metric, *, up: bool) -> str:
    """The cues that raise a metric, or those that lower it, each with its points."""
    found = [each for each in metric.adjustments if (each.add > 0) == up]
    return ", ".join(f"{code(each.when)} {with_sign(each.add)}" for each in found)


def _conditions(adjustment: Adjustment) -> str:
    needed = [f"with {code(each.when)}" for each in adjustment.requires]
    against = [f"not with {contrary(code(each.when), each)}" for each in adjustment.unless]
    return ", ".join(needed + against)
