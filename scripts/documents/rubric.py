"""The rubric as a document for people: everything that its file says, and how code applies it."""

from collections.abc import Iterable, Mapping

from evaluation.metrics.explained import number
from evaluation.records import Json
from evaluation.rubrics.rubric import Adjustment, CueUse, Metric, Rubric
from scripts.documents.markdown import Filters, code, fill, one_line


def rubric_document(rubric: Rubric) -> str:
    """Markdown, the same text for the same rubric, ending in one line feed."""
    filters: Filters = {"value": _value, "conditions": _conditions, "word_lists": _word_lists, "examples": _examples}
    return fill("rubric.md.j2", filters, rubric=rubric)


def _conditions(adjustment: Adjustment) -> str:
    uses: tuple[CueUse, ...] = (adjustment, *adjustment.requires)
    return ", and ".join(_use(each.when, each.parameters) for each in uses)


def _use(cue: str, settings: Mapping[str, Json]) -> str:
    """The cue and its settings; word lists are named here and written out below the table."""
    if "list" in settings:
        return f"{code(cue)} {code(str(settings['list']))}"
    short = [f"{key} {_value(value)}" for key, value in settings.items() if not isinstance(value, list)]
    long = [code(key) for key, value in settings.items() if isinstance(value, list)]
    listed = [", ".join(short)] if short else []
    if long:
        listed.append(f"by its lists {', '.join(long)}")
    return f"{code(cue)}{': ' if listed else ''}{'; '.join(listed)}"


def _word_lists(metric: Metric) -> list[str]:
    """Every list that the metric's cues go by, with its name and its words."""
    named: list[tuple[str, Iterable[Json]]] = list(metric.lists.items())
    # The conditions of all adjustments come after the adjustments themselves.
    uses: list[CueUse] = [*metric.adjustments]
    uses += (each for adjustment in metric.adjustments for each in adjustment.requires)
    for use in uses:
        if "list" not in use.parameters:
            lists = ((key, value) for key, value in use.parameters.items() if isinstance(value, list))
            named += [(f"{use.when}.{key}", value) for key, value in lists]
    return [f"{code(name)}: {', '.join(code(str(phrase)) for phrase in phrases)}" for name, phrases in named]


def _value(value: Json) -> str:
    return number(value) if isinstance(value, float) else str(value)


def _examples(examples: Iterable[str]) -> str:
    return "; ".join(code(one_line(example)) for example in examples)
