"""The tables of responses and facts, and how much of what should be found in them is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from evaluation.reference.held import Discrepancy, Kind, discrepancies

KINDS: tuple[Kind, ...] = ("contradicted", "unsupported")


@dataclass
class Tally:
    """Of one kind: values that were found and should be, that should not be, and that were missed."""

    right: int = 0
    wrong: int = 0
    missed: int = 0


def pairs(name: str) -> list[dict[str, Any]]:
    text = (Path(__file__).parent / f"{name}.yaml").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = yaml.safe_load(text)["pairs"]
    return found


def found_in(pair: Mapping[str, Any]) -> Sequence[Discrepancy]:
    return discrepancies(pair["response"], pair["facts"], [pair["user"]] if "user" in pair else [])


def tally_of(name: str) -> dict[Kind, Tally]:
    """Kind -> what was found of a table. A value counts as found where one of the two texts is in the other."""
    tallies = {kind: Tally() for kind in KINDS}
    for pair in pairs(name):
        found = found_in(pair)
        for kind, tally in tallies.items():
            wanted = list(pair.get(kind, ()))
            for each in found:
                if each.kind != kind:
                    continue
                hit = next((value for value in wanted if value in each.value or each.value in value), None)
                if hit is None:
                    tally.wrong += 1
                else:
                    wanted.remove(hit)
                    tally.right += 1
            tally.missed += len(wanted)
    return tallies


def false_alarms(name: str) -> tuple[int, int]:
    """Of the responses in which nothing should be found: how many are flagged, and how many there are."""
    clean = [pair for pair in pairs(name) if pair.keys().isdisjoint(KINDS)]
    return sum(bool(found_in(pair)) for pair in clean), len(clean)
