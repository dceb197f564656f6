"""A few faults played in the ordinary tests, and the page held to the table of all; `make faults` plays all."""

import pytest

from tests.reliability.case import Case
from tests.reliability.document import expected, rows
from tests.reliability.table import CASES, play


@pytest.mark.parametrize("case", [case for case in CASES if case.quick], ids=lambda case: case.name)
def test_a_fault_loses_and_doubles_nothing(case: Case) -> None:
    if reason := case.impossible():
        pytest.skip(reason)
    play(case, quick=True)


def test_the_page_lists_exactly_the_cases_of_the_table() -> None:
    assert list(rows().items()) == list(expected().items()), "run make faults"


def test_every_case_has_a_name_of_its_own() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
