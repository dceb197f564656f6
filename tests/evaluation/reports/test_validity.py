"""The report on agreement with people: the mean of the chosen pairs, people with people, and why no cue was found."""

from collections.abc import Mapping

import pytest

from evaluation.calibration.spread import Spread
from evaluation.calibration.validity import Validity
from evaluation.reports.markdown import to_markdown
from evaluation.reports.terminal import to_terminal
from evaluation.reports.validity import describe_validity
from evaluation.statistics.agreement import RankFigures
from evaluation.statistics.resamples import Figure

INTERVAL = (0.1, 0.3)


def row(dimension: str, tool: float | None, *, people: float | None = None, chosen: bool = True) -> Validity:
    known = tool is not None
    apart = Figure(0.2, INTERVAL) if known else Figure(None)
    ranks = RankFigures(Figure(tool, INTERVAL), Figure(0.1, INTERVAL), Figure(0.2, INTERVAL), apart, apart, apart)
    return Validity("talk.dev", dimension, "warmth", 30, 10, ranks, None, 0, people, chosen)


def page(*rows: Validity, spreads: Mapping[str, list[Spread]] | None = None) -> list[str]:
    found = describe_validity("mine 2", "companion 1", rows, (), spreads or {})
    assert max(map(len, to_terminal(found, color=False).splitlines())) <= 80
    return to_markdown(found).splitlines()


def test_the_mean_is_over_the_pairs_chosen_beforehand_and_what_never_moved_counts_as_nothing() -> None:
    lines = page(row("kind", 0.6), row("dull", None), row("rank", 0.9, chosen=False))
    assert "| `mean of 2 chosen pairs` |  |  | 0.30 | 0.10 | 0.20 |" in lines
    assert "| `mean of 2 chosen pairs` | 0.20 | 0.10 | 0.10 | - |" in lines


def test_one_chosen_pair_has_no_mean() -> None:
    assert not any("mean of 1" in line for line in page(row("kind", 0.6), row("rank", 0.9, chosen=False)))


def test_people_with_people_stand_there_where_they_are_known() -> None:
    known = page(row("kind", 0.6, people=0.71))
    assert any(line.endswith("| - | 0.71 |") for line in known)
    assert not any("not known" in line for line in known)
    some = page(row("kind", 0.6, people=0.71), row("calm", 0.4))
    assert any(line.endswith("| - | - |") for line in some)
    assert any("people with people" in line and "not known" in line for line in some)


def test_no_judge_took_part_and_the_report_says_so() -> None:
    lines = page(row("kind", 0.6))
    assert any("no judge was run" in line for line in lines)
    assert "| data and dimension | metric | n | rubric | `companion 1` | length |" in lines
    assert not any("| people |" in line for line in lines)


@pytest.mark.parametrize(
    ("fired", "without", "cues", "why"),
    [
        (1.0, 0.0, {"asks": 1.0}, None),
        (
            0.25,
            0.0,
            {"asks": 0.2, "hears": 0.1, "clashes": 0.0},
            "no cue in 75%: asks in 20%, hears in 10%, never clashes",
        ),
        (1.0, 0.4, {"asks": 1.0}, "40% have no earlier turns and are left out"),
        (0.0, 0.4, {"asks": 0.0}, "40% have no earlier turns and are left out; no cue in 100%: never asks"),
        (0.0, 0.0, {}, "it has no cue"),
    ],
)
def test_why_no_cue_was_found(fired: float, without: float, cues: dict[str, float], why: str | None) -> None:
    spread = Spread("warmth", 20, 0.5, 0.1, fired, without, cues)
    bullets = [line for line in page(row("kind", 0.6), spreads={"all together": [spread]}) if line.startswith("- ")]
    assert bullets == ([] if why is None else [f"- warmth: {why}"])
