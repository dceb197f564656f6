"""Going on with a run: refused where what is left would not be measured as what is there."""

import pytest

from evaluation.errors import UsageError
from evaluation.request import EvaluationRequest
from scripts.run.choices import EndpointChoice
from scripts.run.stored import resumed_request
from services.provenance import scorer_digest
from tests.evaluation import made_runs

HERE = EndpointChoice(None, None, "http://127.0.0.1/v1")


def test_a_run_goes_on_under_its_own_scorer_alone() -> None:
    asked = EvaluationRequest(resume="r1")
    own = made_runs.run(scorer=scorer_digest(made_runs.suite().scored_by))
    assert resumed_request(asked, own, HERE).resume == "r1"
    with pytest.raises(UsageError, match=r"another version of the scoring code.*--cache all"):
        resumed_request(asked, made_runs.run(scorer="of yesterday"), HERE)
