"""One fault: how it is injected, what must come of it."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.reliability.bench import Bench, Seen

IN_FLIGHT_AGAIN = "nothing; what was in flight, or not yet on disk, is asked again"


def always_possible() -> str:
    """Nothing speaks against injecting the fault here."""
    return ""


@dataclass(frozen=True, slots=True)
class Case:
    """A row of the table."""

    name: str
    fault: str
    where: str
    """Where it is injected."""
    code: int
    """The exit code of the disturbed command; -9 where it was killed."""
    says: str
    """Words that the line which the user sees must hold; empty where there is nothing to see."""
    story: Callable[[Bench], Seen]
    """Injects the fault, says what was seen, and asserts that going on loses and repeats nothing."""
    latency_s: float = 0.0
    """Of each call."""
    quick: bool = False
    """Part of the ordinary tests."""
    lost: str = "nothing"
    impossible: Callable[[], str] = always_possible
    """Why the fault cannot be injected on this machine; empty where it can."""
