"""The fall that a comparison of checks says it can find, and how often it is found."""

from functools import lru_cache

import numpy as np

from benchmarks.simulations.tables import Draws, Table, error, percent, spread
from evaluation.statistics.discordance import CheckDesign
from evaluation.statistics.paired import PairedEstimate, Place, ScenarioPair, estimate_pairs, totals
from evaluation.statistics.power import detectable
from evaluation.statistics.significance import sign_flip

RATES = (0.9, 0.95, 1.0)
SIZES = (12, 24, 60, 217)


def pairs_of(situations: int, fallen: int, gained: int, passed: int) -> list[ScenarioPair]:
    """Single outcomes, each a situation of its own, of which `passed` pass in the base."""
    kept = passed - fallen
    outcomes = [(1.0, 0.0)] * fallen + [(1.0, 1.0)] * kept + [(0.0, 1.0)] * gained
    outcomes += [(0.0, 0.0)] * (situations - len(outcomes))
    return [
        ScenarioPair(Place(str(at), str(at), ""), a, b, b - a, (b - a,), 1, 1, b - a, b - a)
        for at, (a, b) in enumerate(outcomes)
    ]


@lru_cache(maxsize=100_000)
def estimated(situations: int, fallen: int, gained: int, passed: int) -> tuple[PairedEstimate, float | None]:
    """The product's estimate, and the fall that it says could be found."""
    pairs = pairs_of(situations, fallen, gained, passed)
    (flip,) = sign_flip([totals(pairs)])
    found = estimate_pairs(pairs, flip)
    design = CheckDesign.of(pairs, found, called=found.p is not None and found.p <= 0.05)
    return found, None if design is None else design.detectable()


@lru_cache(maxsize=100_000)
def called(situations: int, fallen: int, gained: int) -> bool:
    """Whether both of the product's tests call a fall."""
    found, _ = estimated(situations, fallen, gained, max(fallen, situations - gained))
    return found.p is not None and found.p <= 0.05 and fallen > gained


def drawn(luck: np.random.Generator, situations: int, rate: float, fall: float, *, alike: bool) -> tuple[int, int, int]:
    """Falls, gains and passes of the base. Alike: nothing differs but the fall; otherwise two independent draws."""
    before = luck.random(situations) < rate
    after = before & (luck.random(situations) >= fall / rate) if alike else luck.random(situations) < rate - fall
    return int((before & ~after).sum()), int((after & ~before).sum()), int(before.sum())


def cell(rate: float, alike: bool, situations: int, seed: int, trials: int) -> tuple[float, float, float, float, float]:
    """Mean stated fall and power at it, by the standard error and by discordance; share of comparisons with none."""
    luck = np.random.default_rng(seed)
    stated: list[float] = []
    by_error: list[float] = []
    found = found_by_error = none = 0
    for _ in range(trials):
        estimate, fall = estimated(situations, *drawn(luck, situations, rate, 0.0, alike=alike))
        old = min(rate, detectable(estimate.se or 0.0, situations))
        by_error.append(old)
        found_by_error += called(situations, *drawn(luck, situations, rate, old, alike=alike)[:2])
        if fall is None or fall > rate:
            none += 1
            continue
        stated.append(fall)
        found += called(situations, *drawn(luck, situations, rate, fall, alike=alike)[:2])
    mean = float(np.mean(stated)) if stated else 0.0
    return (
        float(np.mean(by_error)), found_by_error / trials, mean, found / max(1, len(stated)), none / trials,
    )  # fmt: skip


def detectable_falls(draws: Draws) -> Table:
    trials = draws.count(4_000)
    kinds = [(rate, alike, size) for rate in RATES for alike in (False, True) for size in SIZES]
    jobs = [(*kind, draws.cell("checks", *kind), trials) for kind in kinds]
    rows = []
    for (rate, alike, size), found in zip(kinds, spread(cell, jobs), strict=True):
        rows.append(
            [
                f"{rate:g}", "nothing differed" if alike else "independent draws", str(size),
                f"{found[0]:.3f}", percent(found[1]), f"{found[2]:.3f}", percent(found[3]), percent(found[4]),
            ]
        )  # fmt: skip
    return Table(
        "Falls of a check that a comparison says it can find",
        ["falls from", "the comparison", "G", "by the error", "found", "stated", "found", "no room"],
        rows,
        f"Seed {draws.seed}, {trials:,} trials a row, standard error of 80% {error(trials, 0.8)} points; found: in "
        "percent, the power. Each trial states a fall from a comparison without one, and draws another that has it.",
    )
