"""Rated responses as they are read, and the units on which tool and people are compared.

A unit is what people rated: one response (levels turn and pair), or a dialog, over whose turns the tool's scores are
averaged. Ratings keep their own scale here.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from evaluation.records import Exchange, Score
from evaluation.statistics.clusters import average

Level: TypeAlias = Literal["turn", "dialog", "pair"]
LEVELS: tuple[Level, ...] = get_args(Level)

Raters: TypeAlias = tuple[float | None, ...]
"""One place per person, the same throughout a file; None where that person gave nothing."""
ScoreKey: TypeAlias = tuple[str, str]
"""(source, metric)."""
WORDS: ScoreKey = ("baseline", "words")
"""Not a metric: the response's length in words, to see which metrics say little more than that."""


@dataclass(frozen=True, slots=True)
class RatedLine:
    """One line of the input: a response and what people said of it."""

    exchange: Exchange
    unit: str
    """The response's id, or the dialog's: what the rating is about."""
    cluster: str
    """The conversation, or whatever else the file groups by."""
    level: Level
    ratings: Mapping[str, float]
    """Dimension -> mean rating, where there is one."""
    raters: Mapping[str, Raters]
    """Dimension -> every person's rating, where the file has them."""


@dataclass(frozen=True, slots=True)
class RatedUnit:
    """One unit: the tool's scores beside people's ratings."""

    id: str
    cluster: str
    level: Level
    scores: Mapping[ScoreKey, float]
    """Without what has no value or does not apply."""
    ratings: Mapping[str, float]
    raters: Mapping[str, Raters] = field(default_factory=dict)


def rated_line(record: Mapping[str, Any], exchange: Exchange) -> RatedLine:
    """The ratings in one input line. Raises ValueError naming the field."""
    level = record.get("level", "turn")
    if level not in LEVELS:
        raise ValueError(f'"level" is {level!r}: there are {", ".join(LEVELS)}')
    raters = _raters(record.get("raters"))
    ratings = {name: average(given(values)) for name, values in raters.items()} | _ratings(record.get("ratings"))
    if not ratings:
        raise ValueError('"ratings" must hold at least one rating: {"dimension": number}')
    identity = exchange.cell.scenario_id
    group = record.get("group")
    if group is not None and (not isinstance(group, str | int) or isinstance(group, bool)):
        raise ValueError('"group" must be a string or a whole number')
    if level == "pair" and group is None:
        raise ValueError('"group" is missing: the two responses of a pair share it')
    dialog = identity.rpartition("#")[0] or (identity if group is None else str(group))
    return RatedLine(
        exchange=exchange,
        unit=dialog if level == "dialog" else identity,
        cluster=dialog if group is None else str(group),
        level=level,
        ratings=ratings,
        raters=raters,
    )


def rated_units(lines: Iterable[tuple[RatedLine, Sequence[Score]]]) -> tuple[RatedUnit, ...]:
    """Units in order of first appearance; a dialog's scores and repeated ratings are averaged over its lines."""
    gathered: dict[tuple[Level, str], list[tuple[RatedLine, Sequence[Score]]]] = {}
    for line, scores in lines:
        gathered.setdefault((line.level, line.unit), []).append((line, scores))
    return tuple(_unit(members) for members in gathered.values())


def _unit(members: Sequence[tuple[RatedLine, Sequence[Score]]]) -> RatedUnit:
    first = members[0][0]
    scores: dict[ScoreKey, list[float]] = {}
    ratings: dict[str, list[float]] = {}
    raters: dict[str, Raters] = {}
    for line, given in members:
        for score in given:
            if score.value is not None and score.applicable:
                scores.setdefault((score.source, score.metric), []).append(score.value)
        scores.setdefault(WORDS, []).append(float(len(line.exchange.response.split())))
        for dimension, value in line.ratings.items():
            ratings.setdefault(dimension, []).append(value)
        raters.update(line.raters)
    return RatedUnit(
        id=first.unit,
        cluster=first.cluster,
        level=first.level,
        scores={key: average(values) for key, values in scores.items()},
        ratings={dimension: average(values) for dimension, values in ratings.items()},
        raters=raters,
    )


def _ratings(value: Any) -> dict[str, float]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError('"ratings" must be {"dimension": number}')
    return {name: _number(rating, name) for name, rating in value.items() if rating is not None}


def given(ratings: Raters) -> list[float]:
    """The ratings that there are."""
    return [rating for rating in ratings if rating is not None]


def _raters(value: Any) -> dict[str, Raters]:
    """A dimension that nobody rated is none."""
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(ratings, list) for ratings in value.values()):
        raise ValueError('"raters" must be {"dimension": [number, ...]}')
    found = {
        name: tuple(None if rating is None else _number(rating, name) for rating in ratings)
        for name, ratings in value.items()
    }
    return {name: ratings for name, ratings in found.items() if given(ratings)}


def _number(value: Any, name: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number) and abs(number) < 1e9:
            return number
    raise ValueError(f"rating {name!r} must be a number, not {str(value)[:40]!r}")
