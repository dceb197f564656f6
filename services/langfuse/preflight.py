"""Before anything is paid for: is Langfuse there, are the keys right, is the server new enough, will all arrive?

Score configs, the type and range of each name, are made once per project and found again afterwards.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

from evaluation.errors import UsageError
from evaluation.records import Json
from services.langfuse.links import Links
from services.langfuse.names import ScoreKind
from services.langfuse.rest import LangfuseRest, Rejected
from services.retrying import TryAgain
from services.settings import Settings

ScoreMode: TypeAlias = Literal["list", "single"]
LISTS_SINCE = (4, 59)
OLDEST = (4, 0)
_VERSION = re.compile(r"v?(\d{1,6})\.(\d{1,6})")


@dataclass(frozen=True, slots=True)
class LangfuseReady:
    """The facts about the server that delivery needs."""

    base_url: str
    project_id: str
    version: str
    score_mode: ScoreMode
    """Says whether scores go in lists or, before 4.59, one per request."""
    configs: Mapping[str, str]
    """Score name -> id of its config."""
    notes: tuple[str, ...] = ()
    """Messages for people, one line each."""

    @property
    def links(self) -> Links:
        return Links(self.base_url, self.project_id)


@dataclass(frozen=True, slots=True)
class LangfuseUnreachable:
    """The server does not answer, or asks for patience: the run goes on, and what it has to deliver waits."""

    where: str
    reason: str
    wait_s: float | None = None
    """Seconds that the server asked to wait, where it did."""

    @property
    def message(self) -> str:
        """Both in one line."""
        return f"{self.where} {self.reason}"


def check_settings(settings: Settings) -> None:
    """Raises UsageError for settings under which results would be lost on their way."""
    if settings.sample_rate < 1:
        raise UsageError(
            f"LANGFUSE_SAMPLE_RATE is {settings.sample_rate:g}: an evaluation needs every trace; "
            "set it to 1, or pass --no-langfuse"
        )


async def preflight(rest: LangfuseRest, kinds: Iterable[ScoreKind]) -> LangfuseReady | LangfuseUnreachable:
    """Asks for version, project and score configs; missing configs are made.

    Raises UsageError in one line for refused keys, a server before 4.0, and an address where no Langfuse is.
    """
    try:
        version = str((await rest.get("health")).get("version", ""))
        mode, notes = score_mode(version, rest.where)
        projects = (await rest.get("projects"))["data"]
        configs, problems = await ensure_configs(rest, kinds)
        return LangfuseReady(rest.base_url, projects[0]["id"], version, mode, configs, (*notes, *problems))
    except TryAgain as failure:
        return LangfuseUnreachable(rest.where, failure.message, failure.wait_s)
    except (Rejected, KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        what = f"{type(error).__name__} {error}" if not isinstance(error, Rejected) else str(error)
        raise UsageError(
            f"{rest.where} does not answer like Langfuse ({what}): check LANGFUSE_BASE_URL, or pass --no-langfuse"
        ) from None


def score_mode(version: str, where: str) -> tuple[ScoreMode, tuple[str, ...]]:
    """The way this server version takes scores, and notes for people. Raises UsageError for one that is too old."""
    match = _VERSION.match(version)
    if match is None:
        return "list", (f"{where} tells no version ({version[:40]!r}): taken for 4.59 or newer",)
    number = (int(match[1]), int(match[2]))
    if number < OLDEST:
        raise UsageError(
            f"{where} is version {version[:40]}: experiments and scores need 4.0 or newer; "
            "update the server, or pass --no-langfuse"
        )
    if number < LISTS_SINCE:
        note = (
            f"{where} is version {version[:40]}, before 4.59: scores are posted one by one, and one that is sent "
            "again after midnight UTC cannot replace its former self"
        )
        return "single", (note,)
    return "list", ()


async def ensure_configs(rest: LangfuseRest, kinds: Iterable[ScoreKind]) -> tuple[dict[str, str], tuple[str, ...]]:
    """(name -> config id, problems). Configs that fit are reused and missing ones made.

    A name whose config says another type or range gets none: the server would silently drop what does not fit. The
    problem says so, and the scores are sent without a config.
    """
    wanted = list({kind.name: kind for kind in kinds}.values())

    async def existing() -> list[dict[str, Any]]:
        return [config async for config in rest.by_page("score-configs") if not config.get("isArchived")]

    async def find(kind: ScoreKind) -> dict[str, Any] | None:
        return next(
            (config for config in await existing() if config["name"] == kind.name and _fits(kind, config)), None
        )

    ids, missing, problems = _matched(wanted, await existing())
    for kind in missing:
        # Names are not unique, so a config is made again only after looking whether it is there.
        ids[kind.name] = (await rest.make("score-configs", _body(kind), partial(find, kind)))["id"]
    return ids, problems


def _matched(
    wanted: Iterable[ScoreKind], existing: Iterable[dict[str, Any]]
) -> tuple[dict[str, str], list[ScoreKind], tuple[str, ...]]:
    by_name: dict[str, list[dict[str, Any]]] = {}
    for config in existing:
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
