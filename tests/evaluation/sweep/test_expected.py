"""Expected ranges: read with every mistake named, and held against means and their intervals."""

from pathlib import Path

import pytest

from evaluation.errors import ParseError
from evaluation.statistics.scenario_scores import Estimate
from evaluation.sweep.expected import check_ranges, parse_expectations

FILE = """
parameter: temperature
statements:
  table:
    title: by the table
    columns:
      low: {at: 0.3, from: 0, below: 0.5}
      high: {from: 1, below: 2}
    ranges:
      warmth: {low: [0.4, 0.6], high: [0.1, 0.2]}
    remarks:
      clarity: {low: stable}
"""
METRICS = ("warmth", "clarity")


def estimate(mean: float, reach: float | None) -> Estimate:
    ends = None if reach is None else (mean - reach, mean + reach)
    return Estimate(10, 10, mean, 0.1, 0.01, ends, 0, 0, 0, 1)


@pytest.mark.parametrize(
    ("mean", "reach", "where", "sure"),
    [
        (0.5, 0.05, "inside", True),
        (0.4, 0.0, "inside", True),
        (0.6, 0.0, "inside", True),
        (0.59, 0.05, "inside", False),
        (0.39, 0.05, "below", False),
        (0.3, 0.05, "below", True),
        (0.7, 0.05, "above", True),
        (0.5, None, "inside", False),
    ],
)
def test_where_a_mean_lies(mean: float, reach: float | None, where: str, sure: bool) -> None:
    expectations = parse_expectations(FILE, "f.yaml", METRICS)
    (check,) = check_ranges(expectations, [("cold", {"temperature": 0.2})], {"warmth": {"cold": estimate(mean, reach)}})
    assert (check.where, check.sure, check.expected, check.column) == (where, sure, (0.4, 0.6), "low")


@pytest.mark.parametrize(
    ("parameters", "columns"),
    [
        ({"temperature": 0.0}, ["low"]),
        ({"temperature": 0.5}, []),
        ({"temperature": 1}, ["high"]),
        ({"temperature": 2.0}, []),
        ({"temperature": True}, []),
        ({"temperature": "hot"}, []),
        ({}, []),
    ],
)
def test_which_column_speaks_of_a_setting(parameters: dict[str, object], columns: list[str]) -> None:
    expectations = parse_expectations(FILE, "f.yaml", METRICS)
    checks = check_ranges(expectations, [("x", parameters)], {"warmth": {"x": estimate(0.5, 0.1)}})
    assert [check.column for check in checks] == columns


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("warmth: {low", "warmpth: {low", "unknown metric 'warmpth': known are warmth, clarity"),
        ("high: [0.1, 0.2]", "hot: [0.1, 0.2]", "unknown column 'hot': known are low, high"),
        ("[0.4, 0.6]", "[0.6, 0.4]", "[0.6, 0.4]: give the lower end first"),
        ("from: 1, below: 2", "from: 2, below: 2", "from 2 is not below 2"),
        ("[0.4, 0.6]", "[0.4, much]", "much"),
        ("parameter: temperature", "parametre: temperature", "unknown key 'parametre'"),
        (FILE.strip(), "- a list", "holds a list, not a mapping"),
    ],
)
def test_a_mistake_is_one_line_with_its_place(before: str, after: str, complaint: str) -> None:
    with pytest.raises(ParseError) as raised:
        parse_expectations(FILE.replace(before, after), "f.yaml", METRICS)
    assert "f.yaml" in str(raised.value) and complaint in str(raised.value)
    assert "\n" not in str(raised.value)


def test_both_statements_are_shipped_and_differ() -> None:
    text = (Path(__file__).parents[3] / "evaluation/sweep/text_quality.yaml").read_text(encoding="utf-8")
    metrics = ("coherence", "lexical_diversity", "completeness", "structure", "readability", "length_appropriateness")
    table, lists = parse_expectations(text, "text_quality.yaml", metrics).statements.values()
    assert table.ranges["coherence"] == {"low": (0.7, 0.85), "medium": (0.6, 0.75), "high": (0.45, 0.65)}
    assert lists.ranges["coherence"] == {"lower": (0.6, 0.85), "higher": (0.4, 0.7)}
    assert set(table.ranges) == set(metrics)
    assert "readability" not in lists.ranges and "readability" in lists.remarks
