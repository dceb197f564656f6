"""Holm's step-down correction: several tests, and yet at most a share alpha of all families with any false alarm.

Holm 1979, "A Simple Sequentially Rejective Multiple Test Procedure". Needs no assumption on how the tests depend on
one another, and rejects whatever Bonferroni rejects.
"""

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values in the order given: the k-th smallest of m is multiplied by m - k + 1, never falls, ends at 1.

    A test is significant at alpha within its family when its adjusted p-value is at most alpha.
    """
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = running
    return adjusted
