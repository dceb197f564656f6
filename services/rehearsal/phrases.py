"""The pools of phrases and wordings, the only files that the rehearsal model reads, and the choice of what is said."""

import math
import random
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any


@cache
def load_pool(name: str) -> dict[str, Any]:
    """One table of pools/, read once per process."""
    return tomllib.loads((Path(__file__).parent / "pools" / f"{name}.toml").read_text(encoding="utf-8"))


SPREAD = 1.5
"""Weight of the alternative at rank r is exp(-r / (SPREAD * temperature))."""
COLD = 0.01
"""Below this temperature the first alternative is always taken."""
SLIP = 0.05
"""Share of instructions forgotten per reply at temperature 1; proportional to the temperature."""
LOOSEN = 0.35
"""Share of the links, breaks and lists of a longer text that are lost at temperature 1; proportional to it."""
BREAK = 0.15
"""Share of longer texts that break off at temperature 1; grows with its square."""
WANDER_FROM = 0.8
"""Above this temperature a long text begins to leave its subject."""


class Choice:
    """Draws for one reply. The messages rank the alternatives; seed and temperature decide how far down to go.

    At temperature 0 the first alternative is always taken and the seed has no influence. `top_p` leaves out the last
    alternatives, down to that share of the weight.
    """

    def __init__(self, number: int, seed: int, temperature: float, top_p: float = 1.0) -> None:
        self._order = random.Random(number)
        self._luck = random.Random(number ^ ((seed + 1) * 0x9E3779B97F4A7C15))
        self._temperature = max(0.0, temperature)
        self._top_p = top_p

    def pick(self, pool: Sequence[str], said: str = "") -> str:
        """One entry of the pool, preferring those that do not occur in `said` (what was said before)."""
        fresh = [entry for entry in pool if entry not in said] if said else pool
        candidates = fresh or pool
        start = self._order.randrange(len(candidates))
        return candidates[(start + self._rank(len(candidates))) % len(candidates)]

    def word(self, pool: Sequence[str]) -> str:
        """One entry of a pool whose own order is the ranking: the usual word first."""
        return pool[self._rank(len(pool))]

    def happens(self, share: float) -> bool:
        """True in that share of conversations; which ones follows from the messages alone."""
        return self._order.random() < share

    def keeps(self, loss: float) -> bool:
        """True when what is lost in the share `loss` at temperature 1 is kept this time; always at temperature 0."""
        return self._luck.random() >= loss * self._temperature

    def breaks_off(self) -> bool:
        """True when a longer text ends before its end; never at temperature 0."""
        return self._luck.random() < BREAK * self._temperature**2

    def wanders(self) -> bool:
        """True when the next sentence leaves the subject; never at or below WANDER_FROM."""
        return self._luck.random() < 0.5 * max(0.0, self._temperature - WANDER_FROM)

    def _rank(self, size: int) -> int:
        if self._temperature < COLD or size == 1:
            return 0
        ratio = math.exp(-1 / (SPREAD * self._temperature))
        drawn = 1 - self._luck.random() * self._top_p * (1 - ratio**size)
        return min(int(math.log(drawn) / math.log(ratio)), size - 1)
