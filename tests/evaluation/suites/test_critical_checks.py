"""The critical checks that a rubric names."""

import pytest

from evaluation.errors import ParseError
from evaluation.suites import SUITES
from evaluation.suites.loaded import build_suite
from evaluation.text.forms import SourceText
from scripts.run.texts import read_rubric


@pytest.mark.parametrize(
    ("suite", "critical", "said"),
    [
        ("chat_flow", "[dietry]", "unknown check 'dietry'; did you mean 'dietary'?"),
        ("chat_flow", "[overall]", "unknown check 'overall'"),
        ("companion", "[dietary]", "suite companion has no checks"),
    ],
)
def test_a_check_that_the_suite_does_not_have_is_named_with_its_line(suite: str, critical: str, said: str) -> None:
    text = read_rubric(suite).text
    lines = [line for line in text.splitlines() if not line.startswith("checks:")]
    source = SourceText("\n".join([*lines, f"checks: {{critical: {critical}, passed: 0.9}}"]), "mine.yaml")
    with pytest.raises(ParseError) as caught:
        build_suite(SUITES[suite], source)
    assert str(caught.value).startswith(f"mine.yaml:{len(lines) + 1}: ")
    assert said in str(caught.value)
