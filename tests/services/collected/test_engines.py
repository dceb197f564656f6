"""Errors of ours on their way from a worker of a cluster."""

import pickle

import pytest

from evaluation.errors import EvaluationError, LinesNotScored, ParseError, UsageError
from services.collected.engines import _done, _result_of


@pytest.mark.parametrize(
    ("error", "raised"),
    [(ParseError("rubric", "is empty"), UsageError), (LinesNotScored("gone"), LinesNotScored)],
)
def test_an_error_arrives_with_its_words_and_its_exit_code(error: EvaluationError, raised: type[Exception]) -> None:
    """ParseError itself cannot be pickled: it is made of two texts, and said as one."""

    def work(_task: int) -> int:
        raise error

    travelled = pickle.loads(pickle.dumps(_done(work, 1)))
    with pytest.raises(raised, match=f"^{error}$"):
        _result_of(travelled)


def test_a_result_arrives_as_it_is_and_a_fault_of_the_tool_stays_one() -> None:
    assert _result_of(_done(lambda task: task + 1, 1)) == 2
    with pytest.raises(ZeroDivisionError):
        _done(lambda task: task // 0, 1)
