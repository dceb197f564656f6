"""Which scenario files a request reads: the default set, a set apart by its tag, or those that are named."""

from pathlib import Path

import pytest

from evaluation.request import EvaluationRequest
from evaluation.suites.companion import SUITE
from evaluation.suites.text_quality import SUITE as TEXTS
from evaluation.text.forms import SourceText
from scripts.run.texts import read_sets
from services.settings import Settings

DEFAULT = {
    "age_demographic",
    "basic_conversations",
    "continuity",
    "emotional_support",
    "small_talk",
    "trust_building",
}


def name_of(text: SourceText) -> str:
    return Path(text.place).stem


@pytest.mark.parametrize(
    ("request_", "names"),
    [
        (EvaluationRequest(), DEFAULT),
        (EvaluationRequest(tags=("crisis",)), DEFAULT),
        (EvaluationRequest(tags=("memory",)), DEFAULT | {"planted"}),
        (EvaluationRequest(tags=("crisis", "memory")), DEFAULT | {"planted"}),
        (EvaluationRequest(scenarios=("continuity",), tags=("memory",)), {"continuity"}),
        (EvaluationRequest(scenarios=("memory",)), {"planted"}),
        (EvaluationRequest(scenarios=("german",)), DEFAULT),
    ],
)
def test_a_tag_adds_its_set_where_no_set_is_named(request_: EvaluationRequest, names: set[str]) -> None:
    files = [name_of(text) for text in read_sets(request_, SUITE, Settings())]
    assert sorted(files) == sorted(names)


def test_a_set_in_another_language_has_a_file_of_each_category_beside_the_default_ones() -> None:
    places = [text.place for text in read_sets(EvaluationRequest(tags=("spanish",)), SUITE, Settings())]
    assert len(places) == 2 * len(DEFAULT)
    assert {Path(place).stem for place in places if Path(place).parent.name == "spanish"} == DEFAULT


def test_the_settings_sets_stand_in_for_those_of_the_companion_alone_and_below_a_flag() -> None:
    settings = Settings(scenarios=("small_talk",))
    assert [name_of(text) for text in read_sets(EvaluationRequest(), SUITE, settings)] == ["small_talk"]
    named = EvaluationRequest(scenarios=("continuity",))
    assert [name_of(text) for text in read_sets(named, SUITE, settings)] == ["continuity"]
    assert "small_talk" not in {name_of(text) for text in read_sets(EvaluationRequest(), TEXTS, settings)}
