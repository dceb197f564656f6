"""The generated parts of docs/quality-metrics.md and its picture: from the rubric, and from the examples beside it."""

import io
import re
from collections.abc import Mapping
from typing import Any

from evaluation.metrics.explained import Explained, excerpt, number
from evaluation.metrics.scoring import rubric_rules
from evaluation.metrics.text.sizes import LengthCurve, Readability, curve, nearness
from evaluation.metrics.utterance import Utterance
from evaluation.rubrics.rubric import Rubric
from evaluation.sweep.expected import Column, Expectations, Statement
from evaluation.text.yaml_text import load_yaml
from scripts.documents.markdown import Filters, code, parts
from scripts.documents.profiles import page_values

GENERATED = re.compile(r"(<!-- generated: (?P<name>\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def quality_document(
    page: str, rubric: Rubric, examples: str, expected: Expectations, tables: Mapping[str, str]
) -> str:
    """The page with every generated part as it is now; `tables` are those of `scripts.documents.profiles`.

    Raises AttributeError for a part that does not exist.
    """
    rules = rubric_rules(rubric)

    def score(example: Mapping[str, Any]) -> Explained:
        text = example.get("text") or " ".join(["word"] * example["words"])
        return rules.explain(Utterance("", text))[example["metric"]]

    filters: Filters = {
        "value": _value,
        "score": score,
        "metrics": lambda statement: dict.fromkeys((*statement.ranges, *statement.remarks)),
        "heading": lambda column, name: _heading(name, column, expected.parameter),
        "stated": _state,
        "excerpt": excerpt,
        "both": _both,
    }
    generated = parts(
        "quality_metrics.md.j2",
        filters,
        rubric=rubric,
        length_score=curve(_build(rubric, "length_appropriateness", LengthCurve).points),
        readability_levels=_build(rubric, "readability", Readability).levels,
        all_examples=load_yaml(examples, "docs/quality-examples.yaml")["examples"],
        expectations=expected,
        **page_values(tables, rubric),
    )
    return GENERATED.sub(lambda match: f"{match[1]}\n{getattr(generated, match['name'])()}\n{match[3]}", page)


def _both(values: tuple[float | None, float | None]) -> str:
    return " / ".join("none" if value is None else f"{value:.2f}" for value in values)


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "; ".join(_value(item) for item in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key.replace('_', ' ')} {_value(item)}" for key, item in value.items())
    return number(value) if isinstance(value, float) else code(value) if isinstance(value, str) else str(value).lower()


def _heading(name: str, column: Column, parameter: str) -> str:
    return f"{name} {parameter}" if column.at is None else f"{parameter} {number(column.at)}"


def _state(statement: Statement, metric: str, column: str) -> str:
    ends = statement.ranges.get(metric, {}).get(column)
    said = [statement.remarks.get(metric, {}).get(column), ends and f"{ends[0]:.2f}-{ends[1]:.2f}"]
    return ", ".join(part for part in said if part)


def _build(rubric: Rubric, metric: str, constants: Any) -> Any:
    return constants(**(rubric.metrics[metric].constants or {}))


def quality_picture(rubric: Rubric) -> str:
    """An SVG: the length curve, and readability over sentence length with its levels. The same bytes each time."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "quality", "svg.fonttype": "none", "path.simplify": False}):
        figure = Figure(figsize=(9, 3.6), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        _draw_length(left, _build(rubric, "length_appropriateness", LengthCurve))
        _draw_readability(right, _build(rubric, "readability", Readability))
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
