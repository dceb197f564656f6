"""Values that are worked out once for each key, so that a word that comes back costs one look-up."""

from collections.abc import Callable, Hashable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
KEPT = 20_000
LONGEST_WORD = 60
"""Characters of what stands between blanks and is kept."""


class Remembered(dict[Key, Value]):
    """Key -> what is worked out of it when it is first asked for.

    As functools.lru_cache, but with no order of use: all is forgotten where there is too much, and a look-up is that of
    a dict, which takes half the time.
    """

    __slots__ = ("_most", "_work")

    def __init__(self, work: Callable[[Key], Value], most: int = KEPT) -> None:
        super().__init__()
        self._work, self._most = work, most

    def __missing__(self, key: Key) -> Value:
        if len(self) >= self._most:
            self.clear()
        value = self[key] = self._work(key)
        return value


class RememberedWords(Remembered[str, Value]):
    """The same for what stands between blanks; of what is longer than a word nothing is kept."""

    __slots__ = ()

    def __missing__(self, key: str) -> Value:
        return super().__missing__(key) if len(key) <= LONGEST_WORD else self._work(key)
