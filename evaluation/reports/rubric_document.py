"""The rubric as a document for people: everything that its file says, and how code applies it."""

from collections.abc import Iterable, Mapping, Sequence

from evaluation.metrics.quoting import number, signed
from evaluation.records import Json
from evaluation.rubrics.rubric import Adjustment, Metric, QualityLevel, Rubric


def rubric_document(rubric: Rubric) -> str:
    """Markdown, the same text for the same rubric, ending in one line feed."""
    parts = [
        f"# {rubric.title}",
        f"Rubric `{rubric.name}`, version {rubric.version}. This page is generated from the rubric's file "
        "by `make docs`; change the file, not the page.",
        "## Overview",
        rubric.introduction,
        *_metric_table(rubric),
        "## Metrics",
        *(part for index, metric in enumerate(rubric.metrics.values(), 1) for part in _metric(index, metric, rubric)),
        *_cues(rubric),
        *_categories(rubric),
        *_thresholds(rubric),
        *_judge(rubric),
        *(part for title, items in rubric.notes.items() for part in (f"## {title}", bullets(items))),
        *_history(rubric),
    ]
    return "\n\n".join(parts) + "\n"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; bars and line breaks in cells are escaped."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def bullets(items: Iterable[str]) -> str:
    """A Markdown list, one line per item."""
    return "\n".join(f"- {_one_line(item)}" for item in items)


def code(text: str) -> str:
    """The text as Markdown code, whatever backticks are in it."""
    fence = "`" * (1 + max((len(run) for run in "".join(c if c == "`" else " " for c in text).split()), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def _metric_table(rubric: Rubric) -> list[str]:
    rows = [(metric.title, code(name), _weight(metric), _kind(metric)) for name, metric in rubric.metrics.items()]
    return [table(("Metric", "Name", "Weight", "Scored by code as"), rows)]


def _weight(metric: Metric) -> str:
    return "" if metric.weight is None else number(metric.weight)


def _kind(metric: Metric) -> str:
    return {
        "adjustments": "a base and adjustments",
        "formula": f"the formula {code(metric.formula)}",
        "weighted": "the weighted sum of the others",
        "judged": "nothing: people and the judge score it",
    }[metric.kind]


def _metric(index: int, metric: Metric, rubric: Rubric) -> list[str]:
    parts = [
        f"### {index}. {metric.title} ({number(rubric.low)} - {number(rubric.high)})",
        f"**Definition**: {_one_line(metric.definition)}",
    ]
    if metric.needs_context:
        parts.append(
            "Without an earlier conversation this metric is marked as not applicable: its value still counts in the "
            "overall, but not towards the floor that decides on deployment."
        )
    if metric.bands:
        bands = [(_span(band.low, band.high), band.label, band.text) for band in metric.bands]
        parts += ["#### Scoring criteria", table(("Score", "Level", "What it looks like"), bands)]
    if metric.positive:
        parts += ["#### Positive indicators", bullets(metric.positive)]
    if metric.negative:
        parts += ["#### Negative indicators", bullets(metric.negative)]
    return [*parts, "#### How code scores it", *_scoring(metric, rubric)]


def _span(low: float, high: float) -> str:
    return number(low) if low == high else f"{number(low)}-{number(high)}"


def _scoring(metric: Metric, rubric: Rubric) -> list[str]:
    if metric.kind == "weighted":
        rows = [(other.title, number(other.weight)) for other in rubric.metrics.values() if other.weight is not None]
        return ["The sum of the other metrics, each times its weight:", table(("Metric", "Weight"), rows)]
    if metric.kind == "formula":
        constants = [(code(key), code(_value(value))) for key, value in (metric.constants or {}).items()]
        return [
            f"By the formula {code(metric.formula)}.",
            *([table(("Constant", "Value"), constants)] if constants else []),
        ]
    if metric.kind == "judged":
        return ["Not at all: it is scored by the judge and by people."]
    base = ("base", "", number(metric.base))
    return [
        f"The sum of the base and of every adjustment that applies, held within {number(rubric.low)} and "
        f"{number(rubric.high)}:",
        table(("For", "When", "Points"), [base, *map(_adjustment_row, metric.adjustments)]),
        *_lists(metric),
    ]


def _adjustment_row(adjustment: Adjustment) -> tuple[str, str, str]:
    when = [_use(adjustment.when, adjustment.parameters)]
    when += [_use(condition.when, condition.parameters) for condition in adjustment.requires]
    return adjustment.label.rstrip(":") or "length", ", and ".join(when), signed(adjustment.add)


def _use(cue: str, settings: Mapping[str, Json]) -> str:
    """The cue and its settings; word lists are named here and written out below the table."""
    if "list" in settings:
        return f"{code(cue)} {code(str(settings['list']))}"
    short = [f"{key} {_value(value)}" for key, value in settings.items() if not isinstance(value, list)]
    long = [key for key, value in settings.items() if isinstance(value, list)]
    listed = [", ".join(short)] if short else []
    if long:
        listed.append(f"by its lists {', '.join(map(code, long))}")
    return f"{code(cue)}{': ' if listed else ''}{'; '.join(listed)}"


def _lists(metric: Metric) -> list[str]:
    named = [(name, list(phrases)) for name, phrases in metric.lists.items()]
    uses = [(each.when, each.parameters) for each in metric.adjustments]
    uses += [(each.when, each.parameters) for adjustment in metric.adjustments for each in adjustment.requires]
    for cue, settings in uses:
        if "list" not in settings:
            named += [(f"{cue}.{key}", value) for key, value in settings.items() if isinstance(value, list)]
    if not named:
        return []
    return [bullets(f"{code(name)}: {', '.join(code(str(phrase)) for phrase in phrases)}" for name, phrases in named)]


def _value(value: Json) -> str:
    return number(value) if isinstance(value, float) else str(value)


def _cues(rubric: Rubric) -> list[str]:
    if not rubric.cues:
        return []
    parts = ["## Cues", "What code looks for. Each cue returns the text that it found, and where."]
    for name, guide in rubric.cues.items():
        parts += [f"### {code(name)}", _one_line(guide.definition)]
        if guide.counts:
            parts.append(f"Counts: {_examples(guide.counts)}.")
        if guide.spares:
            parts.append(f"Does not count: {_examples(guide.spares)}.")
    return parts


def _examples(examples: Sequence[str]) -> str:
    return "; ".join(code(_one_line(example)) for example in examples)


def _categories(rubric: Rubric) -> list[str]:
    if not rubric.categories:
        return []
    parts = ["## Evaluation scenarios"]
    for guide in rubric.categories.values():
        parts += [f"### {guide.title}", f"Category {code(guide.name)}. **Focus**: {_one_line(guide.focus)}"]
        parts += ["**Key criteria**:", bullets(guide.criteria)]
    return parts


def _thresholds(rubric: Rubric) -> list[str]:
    parts = ["## Scoring thresholds"] if rubric.levels or rubric.decision else []
    if rubric.levels:
        rows = [(_reach(rubric, index), level.name, level.meaning) for index, level in enumerate(rubric.levels)]
        parts += ["### Quality levels", table(("Average", "Level", "Meaning"), rows)]
    if rubric.decision:
        rule = rubric.decision
        overall = rubric.metrics[rubric.overall].title
        deploy, ab_test, floor = number(rule.deploy), number(rule.ab_test), number(rule.floor)
        parts += [
            "### Decision guidelines",
            bullets(
                (
                    f"**Deploy to production**: the average {overall} over all scenarios is at least {deploy} and no "
                    f"single metric averages below {floor}.",
                    f"**A/B testing candidate**: the average {overall} is at least {ab_test} and no single metric "
                    f"averages below {floor}; the areas to improve are named.",
                    f"**Needs revision**: the average {overall} is below {ab_test}, or any single metric averages "
                    f"below {floor}.",
                )
            ),
        ]
    return parts


def _reach(rubric: Rubric, index: int) -> str:
    level: QualityLevel = rubric.levels[index]
    if index == 0:
        return f"{number(level.at_least)} and above"
    return f"{number(level.at_least)} to below {number(rubric.levels[index - 1].at_least)}"


def _judge(rubric: Rubric) -> list[str]:
    if rubric.judge is None:
        return []
    fence = "`" * (3 if "```" not in rubric.judge.template else 8)
    names = ", ".join(rubric.metrics[name].title for name in rubric.judge.dimensions)
    return [
        "## LLM as judge",
        f"The judge weighs {len(rubric.judge.dimensions)} dimensions: {names}. An answer that cannot be read is stored "
        f"as {number(rubric.judge.fallback)} and marked as not parsed. Its prompt, with fields in double braces:",
        f"{fence}text\n{rubric.judge.template}\n{fence}",
    ]


def _history(rubric: Rubric) -> list[str]:
    parts = ["## Version history"]
    for entry in rubric.history:
        parts += [f"### v{entry.version} ({entry.date})", bullets(entry.changes)]
    return parts


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return _one_line(text).replace("|", "\\|")
