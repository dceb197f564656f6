"""What companion-v3 has in common with the companion rubric, and the bounds that its form keeps."""

from pathlib import Path

import pytest

from evaluation import rubrics
from evaluation.rubrics.rubric import Rubric
from tests.evaluation.metrics.shipped import companion_rubric, v3_rubric

RUBRICS = Path(rubrics.__path__[0])
MOST_CUES = 25
LONGEST_LINE = 160
"""Characters that an editor shows side by side; the lists are for people to read and extend."""


def test_metrics_weights_levels_decision_and_judge_are_the_companions() -> None:
    own, companion = v3_rubric(), companion_rubric()
    assert own.weights == companion.weights
    assert list(own.metrics) == list(companion.metrics)
    shared = ("name", "scale", "overall", "levels", "judge", "categories")
    for part in shared:
        assert getattr(own, part) == getattr(companion, part), part
    assert own.decision is not None
    assert own.decision.model_copy(update={"critical": None}) == companion.decision, "but for critical expectations"


def used_in(rubric: Rubric) -> set[str]:
    return {use.when for metric in rubric.metrics.values() for each in metric.adjustments for use in each.uses}


def test_it_has_few_cues_and_defines_each_for_people() -> None:
    rubric = v3_rubric()
    assert used_in(rubric) == set(rubric.cues)
    assert len(rubric.cues) <= MOST_CUES
    for name, guide in rubric.cues.items():
        assert guide.counts, name
        assert guide.spares, name


def test_no_line_of_the_file_is_too_long_to_be_read() -> None:
    lines = (RUBRICS / "companion-v3.yaml").read_text(encoding="utf-8").splitlines()
    assert [number for number, line in enumerate(lines, 1) if len(line) > LONGEST_LINE] == []


def test_amounts_go_in_steps() -> None:
    for metric in v3_rubric().metrics.values():
        for adjustment in metric.adjustments:
            steps = adjustment.add / 0.05
            assert steps == pytest.approx(round(steps)), adjustment
