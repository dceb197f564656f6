"""Small sets and mixes."""

from collections.abc import Mapping
from typing import Any

from evaluation.mix.mix import CategoryShare, Mix, SituationShare
from evaluation.records import Scenario

SITUATIONS = 12


def scenarios(**sizes: int) -> list[Scenario]:
    """So many situations of each category, named by a number, each of one scenario."""
    return [
        Scenario(f"{category}-{at}", category, (f"said {at}",), situation=f"{category}-{at}")
        for category, size in sizes.items()
        for at in range(size)
    ]


def mix(shares: Mapping[str, float], situations: Mapping[str, Mapping[str, float]] = {}, **changes: Any) -> Mix:
    """A mix of the companion suite, its shares taken as exact unless `independent` is among the changes."""
    categories = {
        name: CategoryShare(
            share, situations={each: SituationShare(of) for each, of in situations.get(name, {}).items()}
        )
        for name, share in shares.items()
    }
    return Mix("companion", categories, **changes)
