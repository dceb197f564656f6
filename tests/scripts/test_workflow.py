"""The outcome that an evaluation hands back."""

from typing import Any

from scripts.run.finish import Outcome
from scripts.run.stop import Stop


def test_the_repr_of_an_outcome_leaves_its_runs_out() -> None:
    """asyncio.run takes it at the end, and that of a large run would be tens of megabytes."""
    run: Any = "x" * 1_000
    assert len(repr(Outcome((run, run), Stop()))) < 200
