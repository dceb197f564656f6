"""The form of a judge's question is chosen by name, and is data."""

import pytest

from evaluation.errors import ParseError, UsageError
from evaluation.judging.forms import FORMS, choose_form
from evaluation.suites import SUITES
from evaluation.suites.loaded import build_suite
from evaluation.text.forms import SourceText
from scripts.run.texts import read_rubric


@pytest.mark.parametrize(
    ("asked", "of_settings", "chosen"),
    [
        (None, None, "own"),
        ("reasoned", None, "reasoned"),
        (None, "reasoned", "reasoned"),
        ("rubric", "reasoned", "own"),
        (None, "rubric", "own"),
    ],
)
def test_flag_before_setting_before_rubric(asked: str | None, of_settings: str | None, chosen: str) -> None:
    assert choose_form(asked, of_settings, "own") == chosen


def test_a_form_that_nobody_knows_is_refused_by_the_name_of_its_place() -> None:
    with pytest.raises(UsageError, match="EVAL_JUDGE_FORM 'resoned' is unknown: there are rubric, reasoned"):
        choose_form(None, "resoned", "reasoned")
    with pytest.raises(UsageError, match="--judge-form"):
        choose_form("resoned", "reasoned", "reasoned")


def test_a_rubric_names_a_form_that_there_is() -> None:
    text = read_rubric("companion").text.replace("judge:\n", "judge:\n  form: resoned\n", 1)
    with pytest.raises(ParseError, match="unknown form 'resoned'; did you mean 'reasoned'"):
        build_suite(SUITES["companion"], SourceText(text, "mine.yaml"))


def test_every_form_is_known_by_its_own_name() -> None:
    assert [form.name for form in FORMS.values()] == list(FORMS)
