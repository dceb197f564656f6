"""The generated parts of docs/quality-metrics.md and its picture: from the rubric, and from the examples beside it."""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.metrics.quoting import number
from evaluation.metrics.scoring import rubric_rules
from evaluation.metrics.text.length import LengthCurve, curve
from evaluation.metrics.text.readability import Readability, nearness
from evaluation.metrics.utterance import Utterance
from evaluation.rubrics.rubric import Rubric
from evaluation.sweep.expected import Column, Expectations, Statement
from evaluation.text.yaml_text import load_yaml
from scripts.documents.markdown import code, table

GENERATED = re.compile(r"(<!-- generated: (?P<name>\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
LEVEL_SPAN = 0.01
"""Between the end of one level, as printed, and the beginning of the next."""


def quality_document(page: str, rubric: Rubric, examples: str, expected: Expectations) -> str:
    """The page with every generated part written anew. Raises KeyError for the name of a part that does not exist."""
    parts = {
        "weights": _weights(rubric),
        "constants": _constants(rubric),
        "length": _length(rubric),
        "levels": _levels(rubric),
        "examples": _examples(rubric, load_yaml(examples, "docs/quality-examples.yaml")["examples"]),
        "measures": _measures(rubric),
        "expected": _expected(rubric, expected),
        "history": "\n".join(f"- {entry.version}: {change}" for entry in rubric.history for change in entry.changes),
    }
    return GENERATED.sub(lambda match: f"{match[1]}\n{parts[match['name']]}\n\n{match[3]}", page)


def _weights(rubric: Rubric) -> str:
    rows = [
        (metric.title, code(name), number(metric.weight), metric.definition)
        for name, metric in rubric.metrics.items()
        if metric.weight is not None
    ]
    return table(("Metric", "Name", "Weight", "What it looks at"), rows)


def _constants(rubric: Rubric) -> str:
    rows = [
        (code(name), code(key), _told(value))
        for name, metric in rubric.metrics.items()
        for key, value in (metric.constants or {}).items()
        if key not in ("points", "levels")
    ]
    return table(("Metric", "Constant", "Value"), rows)


def _told(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(_told(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{key.replace('_', ' ')} {_told(item)}" for key, item in value.items())
    return number(value) if isinstance(value, float) else code(value) if isinstance(value, str) else str(value).lower()


def _length(rubric: Rubric) -> str:
    constants = _built(rubric, "length_appropriateness", LengthCurve)
    value_at = curve(constants.points)
    shown = (0, 6, 7, 24, 25, 49, 50, 74, 75, 150, 300, 301, 500, 501, 750, 1000, 2000)
    return table(("Words", "Score"), [(str(count), number(round(value_at(count), 4))) for count in shown])


def _levels(rubric: Rubric) -> str:
    levels = _built(rubric, "readability", Readability).levels
    ends = [1.0, *(round(level.at_least - LEVEL_SPAN, 2) for level in levels)]
    rows = [
        (f"{number(level.at_least)} - {number(end)}", level.name, level.readers)
        for level, end in zip(levels, ends, strict=False)
    ]
    return table(("Score", "Level", "Readers"), rows)


def _examples(rubric: Rubric, examples: Sequence[Mapping[str, Any]]) -> str:
    return "\n\n".join([_example_table(rubric, examples), *_example_texts(examples)])


def _example_table(rubric: Rubric, examples: Sequence[Mapping[str, Any]]) -> str:
    rules = rubric_rules(rubric)
    rows = []
    for example in examples:
        text = example.get("text") or " ".join(["word"] * example["words"])
        found = rules.explain(Utterance("", text))[example["metric"]]
        assert found.value is not None, example["name"]
        counted = found.explanation.split("; to raise it")[0]
        why = example["why"] or "As claimed, to two decimals."
        rows.append((example["name"], number(example["claimed"]), f"{found.value:.3f}", counted, why))
    return table(("Example", "Claimed", "Given", "Counted", "Why they differ"), rows)


def _example_texts(examples: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for example in examples:
        if "text" in example:
            yield f"{example['name']}:"
            yield f"```text\n{example['text']}\n```"


def _measures(rubric: Rubric) -> str:
    rows = [
        (measure.title, code(name), measure.definition, _told(dict(measure.constants or {})))
        for name, measure in rubric.measures.items()
    ]
    return table(("Index", "Name", "What it is", "Constants"), rows)


def _expected(rubric: Rubric, expected: Expectations) -> str:
    return "\n\n".join(
        f"Expected {statement.title}:\n\n{_statement(rubric, statement, expected.parameter)}"
        for statement in expected.statements.values()
    )


def _statement(rubric: Rubric, statement: Statement, parameter: str) -> str:
    head = ["Metric", *(_column(name, column, parameter) for name, column in statement.columns.items())]
    metrics = dict.fromkeys((*statement.ranges, *statement.remarks))
    rows = [
        [rubric.metrics[name].title, *(_cell(statement, name, column) for column in statement.columns)]
        for name in metrics
    ]
    return table(head, rows)


def _column(name: str, column: Column, parameter: str) -> str:
    return f"{name} {parameter}" if column.at is None else f"{parameter} {number(column.at)}"


def _cell(statement: Statement, metric: str, column: str) -> str:
    ends = statement.ranges.get(metric, {}).get(column)
    parts = [statement.remarks.get(metric, {}).get(column), ends and f"{ends[0]:.2f}-{ends[1]:.2f}"]
    return ", ".join(part for part in parts if part)


def _built(rubric: Rubric, metric: str, constants: Any) -> Any:
    return constants(**(rubric.metrics[metric].constants or {}))


def quality_picture(rubric: Rubric) -> str:
    """An SVG: the length curve, and readability over sentence length with its levels. The same bytes each time."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "quality", "svg.fonttype": "none", "path.simplify": False}):
        figure = Figure(figsize=(9, 3.6), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        _draw_length(left, _built(rubric, "length_appropriateness", LengthCurve))
        _draw_readability(right, _built(rubric, "readability", Readability))
        written = io.StringIO()
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in written.getvalue().splitlines()) + "\n"


def _draw_length(axes: Any, constants: LengthCurve) -> None:
    value_at = curve(constants.points)
    counts = list(range(0, 1201, 5))
    axes.plot(counts, [value_at(count) for count in counts], color="#1f5fa8")
    axes.set(title="length_appropriateness", xlabel="words", ylabel="score", ylim=(0, 1.05), xlim=(0, 1200))
    axes.grid(alpha=0.3)


def _draw_readability(axes: Any, constants: Readability) -> None:
    lengths = [step / 4 for step in range(4, 181)]
    for characters, color in ((5.0, "#1f5fa8"), (7.0, "#c46a1b"), (10.0, "#777777")):
        word = constants.word_weight * nearness(characters, constants.word_characters)
        scores = [constants.sentence_weight * nearness(length, constants.sentence_words) + word for length in lengths]
        axes.plot(lengths, scores, color=color, label=f"words of {characters:g} characters")
    for level in constants.levels:
        if level.at_least:
            axes.axhline(level.at_least, color="#999999", linewidth=0.6, linestyle="--")
        axes.text(46.5, level.at_least + 0.01, level.name, fontsize=7, color="#555555")
    axes.set(title="readability", xlabel="words per sentence", xlim=(0, 46))
    axes.legend(fontsize=7, loc="upper right")


def read_examples(root: Path) -> str:
    """The text of the file with the examples."""
    return (root / "docs" / "quality-examples.yaml").read_text(encoding="utf-8")
