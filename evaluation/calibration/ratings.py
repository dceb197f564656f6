"""People's ratings and reviews as they are read, and the units on which tool and people are compared.

A unit is what people rated: one response (levels turn and pair), or a dialog, over whose turns the tool's scores are
averaged. Ratings keep their own scale here.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

from evaluation.calibration.item_ratings import RatedItem, item_lines, rated_items, review_answers, turn_of
from evaluation.eval_records.held import HeldItem
from evaluation.eval_records.record import read_item
from evaluation.expectations.human import Said
from evaluation.records import Exchange, Json, Score
from evaluation.runspec import digest
from evaluation.statistics.clusters import average

Level: TypeAlias = Literal["turn", "dialog", "pair"]
LEVELS: tuple[Level, ...] = get_args(Level)

PLACE = ("run_id", "scenario_id", "repeat", "turn")
"""Fields that name a response without `id`."""
KEPT = "kept"
"""Dimension of a judgement of the whole response: 1 where a person kept it, 0 where it was flagged."""
KEEPS = {"keep": 1.0, "flag": 0.0}
MOST = 1e9
"""A rating is less, either way."""

Raters: TypeAlias = tuple[float | None, ...]
"""One place per person, the same throughout a file; None where that person gave nothing."""
ScoreKey: TypeAlias = tuple[str, str]
"""(source, metric)."""
Given: TypeAlias = Mapping[str, float | None]
"""Metric -> score of one person; None where it does not apply."""
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
    audience: str = ""
    """Who is speaking; the judge is shown it, as people were."""
    items: tuple[RatedItem, ...] = ()
    """What people answered of the response, item by item."""


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
    asked: str = ""
    """Of a response of a pair: a hash of the conversation and message that it answers."""


def identity_of(record: Mapping[str, Any]) -> str | int | None:
    """A line's own id, or its place in a run, as results.jsonl has it; None without either."""
    if isinstance(record.get("id"), str | int):
        own: str | int = record["id"]
        return own
    parts = [record.get(name) for name in PLACE]
    whole = all(isinstance(part, str | int) and not isinstance(part, bool) for part in parts)
    return "/".join(map(str, parts)) if whole else None


def message_of(record: Mapping[str, Any]) -> Any:
    """The field `user_input`, or `input`, as results.jsonl calls it. Raises ValueError where two texts differ."""
    ours, theirs = record.get("user_input"), record.get("input")
    if not isinstance(theirs, str) or ours == theirs:
        return ours
    if ours is None:
        return theirs
    raise ValueError('"user_input" and "input" differ: leave one of them out')


def rated_line(record: Mapping[str, Any], exchange: Exchange) -> RatedLine:
    """The ratings in one input line. Raises ValueError naming the field."""
    level = record.get("level", "turn")
    if level not in LEVELS:
        raise ValueError(f'"level" is {level!r}: there are {", ".join(LEVELS)}')
    raters = _raters(record.get("raters"))
    ratings = {name: average(values_of(values)) for name, values in raters.items()} | _ratings(record.get("ratings"))
    turn = turn_of(record, exchange.context)
    items = rated_items(record, turn)
    if not ratings and not items:
        raise ValueError('"ratings" must hold at least one rating: write {"dimension": number}, or leave the line out')
    identity = exchange.cell.scenario_id
    group = record.get("group")
    if group is None and record.get("id") is None:  # a line of results.jsonl
        group = record.get("situation") or record.get("scenario_id")
    if group is not None and (not isinstance(group, str | int) or isinstance(group, bool)):
        raise ValueError('"group" must be a string or a whole number')
    if level == "pair" and group is None:
        raise ValueError('"group" is missing: the two responses of a pair share it')
    dialog = identity.rpartition("#")[0] or (identity if group is None else str(group))
    return RatedLine(
        exchange=replace(exchange, turn=turn) if items else exchange,
        unit=dialog if level == "dialog" else identity,
        cluster=dialog if group is None else str(group),
        level=level,
        ratings=ratings,
        raters=raters,
        audience=_audience(record),
        items=items,
    )


def _audience(record: Mapping[str, Any]) -> str:
    """The field `audience`; empty without one. Raises ValueError for one that is no text."""
    found = record.get("audience")
    if found is not None and not isinstance(found, str):
        raise ValueError('"audience" must be a string: who is speaking, in a few words')
    return found or ""


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
        asked=_asked(first.exchange) if first.level == "pair" else "",
    )


def _asked(exchange: Exchange) -> str:
    return digest([*(f"{turn.role}: {turn.content}" for turn in exchange.context), exchange.user_input])


def _ratings(value: Any) -> dict[str, float]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError('"ratings" must be {"dimension": number}')
    return {name: _number(rating, f"rating {name[:60]!r}") for name, rating in value.items() if rating is not None}


def values_of(ratings: Raters) -> list[float]:
    """The ratings that there are."""
    return [rating for rating in ratings if rating is not None]


def _raters(value: Any) -> dict[str, Raters]:
    """A dimension that nobody rated is none."""
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(ratings, list) for ratings in value.values()):
        raise ValueError('"raters" must be {"dimension": [number, ...]}')
    found = {
        name: tuple(None if rating is None else _number(rating, f"rating {name[:60]!r}") for rating in ratings)
        for name, ratings in value.items()
    }
    return {name: ratings for name, ratings in found.items() if values_of(ratings)}


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < MOST:
        raise ValueError(f"{name} must be a number below {MOST:g}, not {str(value)[:40]!r}: mend it or leave it out")
    return float(value)


def rates_nothing(record: Mapping[str, Any]) -> bool:
    """True for a human record that holds words alone: there is nothing in it to compare with."""
    scored = any(value is not None for value in record["scores"].values())
    return not (scored or record.get("item_answers") or record.get("judgement") in KEEPS)


TEXTS = ("user_input", "response", "context")
ITEM_FIELDS = ("turn", "expectations", "item_answers")


def review_in(record: Mapping[str, Any], problem_of: Callable[[Json], str]) -> Mapping[str, Any] | None:
    """The review in a line, which names its reviewer and what that person gave; None for a line of another kind.

    `problem_of` says what keeps a line from being an evaluation record, the form in which make review stores reviews.
    Raises ValueError for one that does not fit, or is no person's.
    """
    if "reviewer" not in record or "scores" not in record:
        return None
    if "eval_id" not in record:
        return record
    if problem := problem_of(record):
        raise ValueError(problem)
    if record.get("source") != "human":
        raise ValueError(f"the scores are of source {record.get('source')!r}, and no person's")
    return rating_line(record)


def rating_line(record: Mapping[str, Any]) -> dict[str, Json]:
    """The review in one human record, without what only the record needs."""
    item = read_item(record)
    kept = KEEPS.get(record.get("judgement", ""))
    return {
        "id": item.id,
        "reviewer": record["reviewer"],
        "scores": {**record["scores"], **({} if kept is None else {KEPT: kept})},
        "user_input": item.asked.content,
        "response": item.text,
        "context": [{"role": turn.role, "content": turn.content} for turn in item.context],
        "group": item.cluster,
        "audience": item.audience,
        **({name: record[name] for name in ITEM_FIELDS if name in record} if "item_answers" in record else {}),
    }


@dataclass(slots=True)
class Reviews:
    """Gathers reviews by response, in order of first appearance."""

    _records: dict[str, dict[str, Json]] = field(default_factory=dict)
    _scores: dict[str, dict[str, Mapping[str, Any]]] = field(default_factory=dict)
    _items: dict[str, dict[str, list[tuple[HeldItem, Said]]]] = field(default_factory=dict)

    def add(self, record: Mapping[str, Any], on_scale: Callable[[Given], Given] = lambda scores: scores) -> None:
        """A reviewer's later review of a response replaces the earlier one. Raises ValueError naming the field.

        `on_scale` puts scores that were checked on the scale of the tool.
        """
        reviewer, scores = record["reviewer"], record["scores"]
        if not isinstance(reviewer, str) or not reviewer.strip():
            raise ValueError('"reviewer" must be a name')
        answers = review_answers(record)
        if not isinstance(scores, dict) or not (answers or any(value is not None for value in scores.values())):
            raise ValueError('"scores" must hold at least one score: {"dimension": number}')
        for name, value in scores.items():
            if value is not None:
                _number(value, f"score {name[:60]!r}")
        if not isinstance(record.get("response"), str):
            raise ValueError('"response" must be a string: a review carries the text that was reviewed')
        identity = identity_of(record)
        if identity is None:
            raise ValueError(f"a review names its response by id, or by {', '.join(PLACE)}")
        identity = str(identity)
        given = {**record, "user_input": message_of(record)}
        texts = {name: given[name] for name in TEXTS if given.get(name) is not None}
        known = self._records.setdefault(
            identity, {"id": identity, "group": record.get("group", record.get("scenario_id")), **texts}
        )
        known["audience"] = known.get("audience") or _audience(record)
        if any(known.get(name) != text for name, text in texts.items()):
            raise ValueError(f"{identity[:60]!r} was reviewed with another text before")
        if answers:
            known["turn"] = record.get("turn")
        self._scores.setdefault(identity, {})[reviewer] = on_scale(scores)
        self._items.setdefault(identity, {})[reviewer] = answers

    def rating_records(self) -> Sequence[dict[str, Json]]:
        """A line of rated responses each: `raters` holds one place per reviewer of the file, the same everywhere."""
        reviewers = sorted({name for scores in self._scores.values() for name in scores})

        def raters(scores: Mapping[str, Mapping[str, Any]]) -> dict[str, Json]:
            dimensions = dict.fromkeys(name for each in scores.values() for name in each)
            return {name: [scores.get(reviewer, {}).get(name) for reviewer in reviewers] for name in dimensions}

        def items(identity: str) -> dict[str, Json]:
            found = item_lines(self._items[identity])
            return {"expectations": found} if found else {}

        return [
            {**record, "raters": raters(self._scores[identity]), **items(identity)}
            for identity, record in self._records.items()
        ]
