"""Reviews as labels: what people gave each response on average, and with which probability it was drawn for them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation.calibration.people import on_scale_of_tool
from evaluation.eval_records.record import Item, read_item
from evaluation.records import Source
from evaluation.rubrics.rubric import Rubric
from evaluation.statistics.clusters import average
from evaluation.summary.labels import Chance, Draw, Label, LabelPlace, Labels

INCLUSION = "inclusion"
"""Field of a record: the run that its response was drawn from, and with which probability and weight."""


def place_of(item: Item) -> LabelPlace:
    """Where a response stands in its run."""
    return LabelPlace(item.scenario_id, int(item.record.get("repeat") or 1), item.turn, item.content_sha256)


@dataclass(slots=True)
class _Gathered:
    """One response under one rubric."""

    item: Item
    run_id: str
    scale: tuple[float, float]
    values: dict[str, list[float]] = field(default_factory=dict)


def read_labels(records: Iterable[Mapping[str, Any]], draws: Sequence[Draw], rubric: Rubric, suite: str) -> Labels:
    """The labels in records of source human that fit their schema, of one suite.

    A probability that a record bears counts where its draw is not among `draws`: reviews may come from elsewhere.
    """
    found: dict[tuple[LabelPlace, str, bool], _Gathered] = {}
    known = {draw.run_id for draw in draws}
    recorded: dict[str, dict[LabelPlace, Chance]] = {}
    for record in records:
        if record.get("source") != "human" or record.get("suite") != suite:
            continue
        item = read_item(record)
        place = place_of(item)
        key = (place, str(record.get("run_id") or ""), _is_under(record, rubric))
        scale = record.get("scale") or {"low": rubric.low, "high": rubric.high}
        gathered = found.setdefault(key, _Gathered(item, key[1], (float(scale["low"]), float(scale["high"]))))
        scores = on_scale_of_tool(record["scores"], rubric, in_context=bool(item.context)) if key[2] else {}
        for metric, value in scores.items():
            if value is not None:
                gathered.values.setdefault(metric, []).append(float(value))
        inclusion = record.get(INCLUSION)
        if inclusion is not None and inclusion["draw"] not in known:
            chance = Chance(float(inclusion["probability"]), float(inclusion.get("weight", 1.0)))
            recorded.setdefault(inclusion["draw"], {})[place] = chance
    labels = tuple(_label(key[0], each, same_rubric=key[2]) for key, each in found.items())
    return Labels(labels, (*draws, *(Draw(run_id, chances) for run_id, chances in recorded.items())))


def _is_under(record: Mapping[str, Any], rubric: Rubric) -> bool:
    """True where people scored by the very rubric."""
    pin = record.get("rubric") or {}
    if pin.get("sha256"):
        return bool(pin["sha256"] == rubric.sha256)
    return (pin.get("name"), pin.get("version")) == (rubric.name, rubric.version)


def _label(place: LabelPlace, gathered: _Gathered, *, same_rubric: bool) -> Label:
    item = gathered.item
    machine: dict[Source, Mapping[str, float]] = {}
    for source in ("heuristic", "check", "judge", "combined"):
        if source in item.scores:
            machine[source] = item.scores[source]
    values = {metric: average(given) for metric, given in gathered.values.items()}
    return Label(place, gathered.run_id, item.cluster, values, gathered.scale, machine, same_rubric)
