"""Weights of words, fitted to written examples of two sides, and how far they carry to authors whom they do not know.

Logistic regression with a ridge penalty on the presence of each word, pair of words and sign: of all weights those
are taken under which the examples are likeliest, less half the sum of their squares times `RIDGE`; a rare word pays
less for its weight than a common one. They are then rounded to steps, and small ones left out. Authors are left out one
after another, since messages of one hand are alike: what holds for one who is left out may hold for users. numpy and
scipy are imported when something is fitted.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.metrics.cues.learnt import FEW, Weights, damping, excess

RIDGE = 0.5
"""Of 0.3, 0.5, 1 and 2 each tells the messages of authors left out apart equally well."""
LEAST_AUTHORS = 2
"""Authors who must say a word for it to have a weight: what one alone says may be his manner."""
RARITY = 0.25
"""Per unit of log(examples / those that say it): how freely a word moves. A rare one says more than a common one."""
PARTS = 10
"""Into which authors are parted to be left out: one by one they would take as many fits as there are authors."""
STEP = 0.05
LEAST_WEIGHT = 0.2


@dataclass(frozen=True, slots=True)
class Example:
    """One written text as its words."""

    author: str
    group: str
    """What it is about, for the counts of a report."""
    positive: bool
    """Whether it is of the side that the weights find."""
    words: frozenset[str]
    signs: frozenset[str]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A text as weights score it that were fitted without its author."""

    example: Example
    log_odds: float


def fit_weights(examples: Sequence[Example], enough: float = 0.5, slope: float = 1.0, longer: float = 0.0) -> Weights:
    """The likeliest weights, times a slope. Raises ValueError where all examples are of one side."""
    if len({example.positive for example in examples}) < 2:
        raise ValueError("weights tell two sides apart: give examples of both")
    said = Counter(name for example in examples for name in _names(example))
    by_author = Counter(
        name for _, name in {(example.author, name) for example in examples for name in _names(example)}
    )
    names = sorted(name for name, authors in by_author.items() if authors >= LEAST_AUTHORS)
    base, amounts = _ridge(examples, names, [RARITY * math.log(len(examples) / said[name]) for name in names])
    large = {name: amount for name, amount in zip(names, amounts, strict=True) if abs(amount) >= LEAST_WEIGHT}
    kept = {name: _stepped(slope * amount) for name, amount in large.items()}
    return Weights(
        _stepped(slope * base),
        longer,
        enough,
        {name: amount for (kind, name), amount in kept.items() if kind == _WORD},
        {name: amount for (kind, name), amount in kept.items() if kind == _SIGN},
    )


_WORD, _SIGN = "word", "sign"


def _names(example: Example) -> Iterable[tuple[str, str]]:
    yield from ((_WORD, word) for word in example.words)
    yield from ((_SIGN, sign) for sign in example.signs)


def _stepped(amount: float) -> float:
    return round(round(amount / STEP) * STEP, 2)


def _ridge(
    examples: Sequence[Example], names: Sequence[tuple[str, str]], freedom: Sequence[float]
) -> tuple[float, Sequence[float]]:
    import numpy as np
    from scipy.optimize import minimize
    from scipy.sparse import csr_matrix, diags

    columns = {name: column for column, name in enumerate(names)}
    places = [[columns[name] for name in _names(example) if name in columns] for example in examples]
    shares = [damping(len(example.words) + len(example.signs)) for example in examples]
    starts = np.cumsum([0, *map(len, places)])
    matrix = csr_matrix(
        (np.repeat(shares, np.diff(starts)), np.concatenate([np.array(each, dtype=int) for each in places]), starts),
        shape=(len(examples), len(names)),
    ) @ diags(freedom)
    sides = np.array([1.0 if example.positive else -1.0 for example in examples])

    def loss(amounts: Any) -> tuple[float, Any]:
        margins = sides * (matrix @ amounts[1:] + amounts[0])
        slopes = -sides / (1 + np.exp(margins))
        value = np.logaddexp(0, -margins).sum() + RIDGE / 2 * (amounts[1:] ** 2).sum()
        return value, np.concatenate([[slopes.sum()], matrix.T @ slopes + RIDGE * amounts[1:]])

    found = minimize(loss, np.zeros(1 + len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    return float(found[0]), [float(each) for each in found[1:] * np.array(freedom)]


def score_left_out(examples: Sequence[Example]) -> list[LeftOut]:
    """Each text by weights that were fitted without its author, and without a few others.

    Raises ValueError for fewer than two authors.
    """
    authors = list(dict.fromkeys(example.author for example in examples))
    if len(authors) < 2:
        raise ValueError("texts of one author say nothing about those of another: give two authors at least")
    scored = []
    for left_out in filter(None, (authors[place::PARTS] for place in range(PARTS))):
        weights = fit_weights([example for example in examples if example.author not in left_out])
        scored += [
            LeftOut(example, weights.log_odds(example.words, example.signs))
            for example in examples
            if example.author in left_out
        ]
    return scored


def find_slope(scored: Sequence[LeftOut]) -> float:
    """By what the log-odds of texts left out are to be multiplied, in quarters, so that the probabilities hold.

    A penalty keeps weights small, so that what is certain comes out as likely (Platt, 1999, without the shift).
    """
    sides = [(each.log_odds if each.example.positive else -each.log_odds) for each in scored]
    slopes = [quarter / 4 for quarter in range(2, 21)]
    return min(slopes, key=lambda slope: sum(math.log1p(math.exp(-slope * side)) for side in sides))


def enough_for(scored: Sequence[LeftOut], most: float, slope: float, longer: float = 0.0) -> float:
    """The lowest probability, in steps, from which on at most this share of the texts of the other side counts."""
    ordered = sorted((_shifted(each, slope, longer) for each in _others(scored)), reverse=True)
    allowed = ordered[min(len(ordered) - 1, math.floor(most * len(ordered)))]
    return min(0.95, round((1 + math.floor(1 / (1 + math.exp(-allowed)) / STEP)) * STEP, 2))


def _others(scored: Sequence[LeftOut]) -> list[LeftOut]:
    """Texts of the other side, by authors who wrote for both: who wrote for one alone was asked for what is hard."""
    sides = {(each.example.author, each.example.positive) for each in scored}
    return [each for each in scored if not each.example.positive and (each.example.author, True) in sides]


def longer_for(scored: Sequence[LeftOut], enough: float, slope: float) -> float:
    """What is added for length, 0 or less, so that of long texts of the other side no more count than of short ones.

    A text of twice FEW words, pairs and signs is long. A long one says more of both sides by chance.
    """
    others = _others(scored)
    short, long = ([each for each in others if (_length(each) >= 2 * FEW) is is_long] for is_long in (False, True))
    steps = (-STEP * step for step in range(round(1 / STEP) + 1))
    allowed = _share_found(short, enough, slope, 0.0)
    return next((round(step, 2) for step in steps if _share_found(long, enough, slope, step) <= allowed), -1.0)


def _share_found(scored: Sequence[LeftOut], enough: float, slope: float, longer: float) -> float:
    counts = count_found(scored, enough, slope, longer).values()
    return sum(found for _, found in counts) / max(1, len(scored))


def _shifted(scored: LeftOut, slope: float, longer: float) -> float:
    return slope * scored.log_odds + longer * excess(_length(scored))


def _length(scored: LeftOut) -> int:
    return len(scored.example.words) + len(scored.example.signs)


def count_found(
    scored: Iterable[LeftOut], enough: float, slope: float, longer: float = 0.0
) -> dict[tuple[bool, str], tuple[int, int]]:
    """(Side, group) -> how many texts there are and how many of them count as one of the side that is found."""
    least = math.log(enough / (1 - enough))
    counted: dict[tuple[bool, str], tuple[int, int]] = {}
    for each in scored:
        key = each.example.positive, each.example.group
        texts, found = counted.get(key, (0, 0))
        counted[key] = texts + 1, found + (_shifted(each, slope, longer) >= least)
    return counted
