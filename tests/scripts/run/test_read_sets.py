"""Which scenario files a request reads: the default set, a set apart by its tag, or those that are named."""

import pytest

from evaluation.request import EvaluationRequest
from evaluation.suites.companion import SUITE
from scripts.run.load import read_sets

DEFAULT = {
    "age_demographic",
    "basic_conversations",
    "continuity",
    "emotional_support",
    "small_talk",
    "trust_building",
}


@pytest.mark.parametrize(
    ("request_", "names"),
    [
        (EvaluationRequest(), DEFAULT),
        (EvaluationRequest(tags=("crisis",)), DEFAULT),
        (EvaluationRequest(tags=("memory",)), DEFAULT | {"planted"}),
        (EvaluationRequest(tags=("crisis", "memory")), DEFAULT | {"planted"}),
        (EvaluationRequest(scenarios=("continuity",), tags=("memory",)), {"continuity"}),
        (EvaluationRequest(scenarios=("memory",)), {"planted"}),
    ],
)
def test_a_tag_adds_its_set_where_no_set_is_named(request_: EvaluationRequest, names: set[str]) -> None:
    files = [file.name for file in read_sets(request_, SUITE)]
    assert sorted(files) == sorted(names)
