"""The values of a measure, looked up by what they are of: sixteen bytes each, since production may have millions."""

import hashlib
import math
from array import array
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluation.statistics.clusters import average

if TYPE_CHECKING:
    from numpy import bool_, float64, uint64
    from numpy.typing import NDArray

NO_NUMBER, NOT_OF_A_RESPONSE = "scores that are no numbers", "scores of a session or an experiment"
OF_OTHERS = "scores of other generations"


class Value(NamedTuple):
    """What is known of one generation."""

    value: float | None
    counts: bool
    """False where its trace has a value that another generation of it bears."""


class ScoreValues:
    """Takes the scores of one name, then answers for generations.

    Several scores of one response are averaged, as of two people. A score of a trace counts for the generation of it
    that is asked about first.
    """

    def __init__(self) -> None:
        self._keys, self._given = array("Q"), array("d")
        self.left_out = Counter[str]()
        self._known: _Known | None = None

    def add(self, row: Mapping[str, Any]) -> None:
        """One row of the list; what cannot be read is counted."""
        subject, value = row.get("subject"), row.get("value")
        number = float(value) if isinstance(value, int | float) else math.nan
        if not math.isfinite(number):
            self.left_out[NO_NUMBER] += 1
            return
        target = _target(subject) if isinstance(subject, dict) else None
        if target is None:
            self.left_out[NOT_OF_A_RESPONSE] += 1
            return
        self._keys.append(_key(*target))
        self._given.append(number)

    def of(self, trace_id: str, observation_id: str) -> Value:
        """The value of a generation; every generation is asked about once."""
        known = self._frozen()
        place = known.place(_key(trace_id, observation_id))
        if place is not None:
            known.used[place] = True
            return Value(float(known.values[place]), True)
        place = known.place(_key(trace_id, ""))
        if place is None:
            return Value(None, True)
        if known.used[place]:
            return Value(None, False)
        known.used[place] = True
        return Value(float(known.values[place]), True)

    @property
    def taken(self) -> int:
        """Scores that can be looked up."""
        return len(self._keys)

    @property
    def unused(self) -> int:
        """Responses with a score that nobody asked about."""
        known = self._frozen()
        return len(known.used) - int(known.used.sum())

    def _frozen(self) -> "_Known":
        if self._known is None:
            self._known = _freeze(self._keys, self._given)
        return self._known


class _Known(NamedTuple):
    keys: "NDArray[uint64]"
    """Rising."""
    values: "NDArray[float64]"
    used: "NDArray[bool_]"

    def place(self, key: int) -> int | None:
        import numpy as np

        at = int(np.searchsorted(self.keys, np.uint64(key)))
        return at if at < len(self.keys) and int(self.keys[at]) == key else None


def _freeze(keys: "array[int]", given: "array[float]") -> _Known:
    import numpy as np

    order = np.argsort(np.asarray(keys, dtype=np.uint64), kind="stable")
    ordered, numbers = np.asarray(keys, dtype=np.uint64)[order], np.asarray(given, dtype=np.float64)[order]
    single, first, count = np.unique(ordered, return_index=True, return_counts=True)
    values = numbers[first] if len(first) else numbers
    for place in np.flatnonzero(count > 1):
        values[place] = average(numbers[first[place] : first[place] + count[place]].tolist())
    return _Known(single, values, np.zeros(len(single), dtype=np.bool_))


def _target(subject: Mapping[str, Any]) -> tuple[str, str] | None:
    """Trace and observation of a score, the observation empty for a score of the trace; None for any other."""
    kind, identity, trace = subject.get("kind"), subject.get("id"), subject.get("traceId")
    if not isinstance(identity, str):
        return None
    if kind == "trace":
        return identity, ""
    return (trace, identity) if kind == "observation" and isinstance(trace, str) else None


def _key(trace_id: str, observation_id: str) -> int:
    text = f"{trace_id}|{observation_id}"
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8])
