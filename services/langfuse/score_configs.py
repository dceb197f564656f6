"""Score configs: type and range of each name, made once per project and found again afterwards."""

from collections.abc import Iterable
from typing import Any

from evaluation.records import Json
from services.langfuse.names import ScoreKind
from services.langfuse.rest import LangfuseRest, Unknown

_TRIES = 3


async def ensure_configs(rest: LangfuseRest, kinds: Iterable[ScoreKind]) -> tuple[dict[str, str], tuple[str, ...]]:
    """(name -> config id, problems). Configs that fit are reused and missing ones made.

    A name whose config says another type or range gets none: the server would silently drop what does not fit. The
    problem says so, and the scores are sent without a config.
    """
    wanted = list({kind.name: kind for kind in kinds}.values())
    for number in range(1, _TRIES + 1):
        existing = [config async for config in rest.by_page("score-configs")]
        ids, missing, problems = _matched(wanted, existing)
        try:
            for kind in missing:
                ids[kind.name] = (await rest.posted_once("score-configs", json=_body(kind))).json()["id"]
        except Unknown:
            # Names are not unique, so a config is made again only after looking whether it is there.
            if number == _TRIES:
                raise
        else:
            return ids, problems
    raise AssertionError("unreachable")


def _matched(
    wanted: Iterable[ScoreKind], existing: Iterable[dict[str, Any]]
) -> tuple[dict[str, str], list[ScoreKind], tuple[str, ...]]:
    by_name: dict[str, list[dict[str, Any]]] = {}
    for config in existing:
        if not config.get("isArchived"):
            by_name.setdefault(config["name"], []).append(config)
    ids: dict[str, str] = {}
    missing: list[ScoreKind] = []
    problems: list[str] = []
    for kind in wanted:
        fitting = sorted(config["id"] for config in by_name.get(kind.name, ()) if _fits(kind, config))
        if fitting:
            ids[kind.name] = fitting[0]
        elif kind.name in by_name:
            problems.append(
                f"score config {kind.name!r} in Langfuse says another type or range than the rubric: "
                "scores are sent without it; archive it there to have a new one made"
            )
        else:
            missing.append(kind)
    return ids, missing, tuple(problems)


def _fits(kind: ScoreKind, config: dict[str, Any]) -> bool:
    if config["dataType"] != kind.data_type:
        return False
    if kind.data_type == "NUMERIC":
        return (config.get("minValue"), config.get("maxValue")) == (kind.low, kind.high)
    labels = {category["label"] for category in config.get("categories") or ()}
    return kind.data_type == "BOOLEAN" or labels == set(kind.categories)


def _body(kind: ScoreKind) -> Json:
    body: dict[str, Json] = {"name": kind.name, "dataType": kind.data_type}
    if kind.data_type == "CATEGORICAL":
        body["categories"] = [{"label": label, "value": place} for place, label in enumerate(kind.categories)]
    bounds = {"minValue": kind.low, "maxValue": kind.high}
    body.update({name: bound for name, bound in bounds.items() if bound is not None})
    return body
