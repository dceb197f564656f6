"""The shipped rubric of the text quality suite,, variants of it, and what profiles make of it."""

from functools import cache
from pathlib import Path

import evaluation.rubrics
from evaluation.metrics.explained import Explained
from evaluation.metrics.profiles import OF_FORMS, PROFILES, UNKNOWN
from evaluation.metrics.profiles.profile import under_profile
from evaluation.metrics.scoring import RubricRules, check_rules, rubric_rules
from evaluation.metrics.utterance import Utterance
from evaluation.rubrics.loader import parse_rubric
from evaluation.text.forms import SourceText

TEXT = (Path(evaluation.rubrics.__file__).parent / "text_quality.yaml").read_text(encoding="utf-8")


@cache
def rules(*changes: tuple[str, str]) -> RubricRules:
    """The rules under the shipped rubric with some of its text replaced, every occurrence."""
    text = TEXT
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return rubric_rules(parse_rubric(SourceText(text, "text_quality.yaml"), check_rules))


@cache
def under_profiles() -> tuple[RubricRules, ...]:
    """The rules of every profile and of every form of answer, without the measures."""
    rubric = parse_rubric(SourceText(TEXT, "text_quality.yaml"), check_rules)
    wanted = [(name, "") for name in (UNKNOWN, *PROFILES)] + [("list", form) for form in OF_FORMS]
    return tuple(rubric_rules(under_profile(rubric, name, form)) for name, form in wanted)


def explained(metric: str, text: str, user_input: str = "", *changes: tuple[str, str]) -> Explained:
    return rules(*changes).explain(Utterance(user_input, text))[metric]


def value(metric: str, text: str) -> float | None:
    return explained(metric, text).value


def words(count: int) -> str:
    """So many words in one sentence, none of them twice."""
    return " ".join(f"w{number}" for number in range(count))
