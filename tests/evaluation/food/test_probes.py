"""The tables against lines that were written apart from them: the bars that docs/checks.md promises."""

import pytest

from evaluation.food.reading_tables import shipped_lexicon
from tests.food_probes.probes import HALVES, count, read_probes
from tests.food_probes.table import BEGIN, END, table_text
from tests.pages import text_of


@pytest.mark.parametrize("half", HALVES)
def test_few_lines_are_answered_wrongly_and_few_are_left_open(half: str) -> None:
    found = count(read_probes(half), shipped_lexicon())
    assert found.false_alarms <= 0.02 * found.clear_probes
    assert found.wrong_clear <= 0.01 * found.called_clear
    assert found.open <= 0.10 * found.known


def test_every_group_has_sixty_probes_or_more_with_both_halves() -> None:
    probes = [probe for half in HALVES for probe in read_probes(half)]
    assert len(probes) >= 1500
    for group in {probe.group for probe in probes}:
        assert sum(probe.group == group for probe in probes) >= 60, group


def test_no_line_that_nobody_can_judge_is_called_clear_for_all_groups() -> None:
    unknown = [probe for half in HALVES for probe in read_probes(half) if probe.truth == "not_known"]
    assert len(unknown) >= 60
    assert count(unknown, shipped_lexicon()).called_clear <= 1


@pytest.mark.slow
def test_the_page_holds_the_table_as_it_is() -> None:
    page = text_of("docs/checks.md")
    assert page.partition(BEGIN)[2].partition(END)[0].strip() == table_text(), "run make food-table ARGS=--write"
