"""Generations that a list shows twice: a server that was sent one twice shows both, one behind the other."""

from evaluation.production.observation import Observation


class Repeats:
    """Asked of each generation of a list in its order."""

    def __init__(self) -> None:
        self._at = ""
        self._together: set[str] = set()

    def is_repeated(self, observation: Observation) -> bool:
        """True where it was asked about before."""
        if observation.started_at != self._at:
            self._at, self._together = observation.started_at, set()
        known = observation.key in self._together
        self._together.add(observation.key)
        return known
