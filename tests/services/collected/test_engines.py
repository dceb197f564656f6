"""Errors of ours on their way from a worker of a cluster."""

import pickle
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from evaluation.errors import EvaluationError, LinesNotScored, ParseError, UsageError
from services.collected import engines
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


def test_a_scheduler_that_is_lost_is_one_line_and_one_without_workers_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    import distributed
    from distributed.client import FutureCancelledError

    def lost() -> None:
        raise FutureCancelledError("key", "scheduler-connection-lost")

    client = SimpleNamespace(
        scheduler_info=lambda: {"workers": {}}, submit=lambda *_, **__: SimpleNamespace(result=lost)
    )
    monkeypatch.setattr(engines, "_client", lambda *_: nullcontext(client))
    monkeypatch.setattr(distributed, "as_completed", iter)
    said: list[str] = []
    with pytest.raises(LinesNotScored, match="the Dask scheduler was lost: the same command goes on"):
        list(engines.do_on_dask(str, [1, 2], 2, "tcp://cluster:8786", said.append))
    assert said == ["the cluster at tcp://cluster:8786 has no worker yet: it is waited for"]


def test_a_result_arrives_as_it_is_and_a_fault_of_the_tool_stays_one() -> None:
    assert _result_of(_done(lambda task: task + 1, 1)) == 2
    with pytest.raises(ZeroDivisionError):
        _done(lambda task: task // 0, 1)
