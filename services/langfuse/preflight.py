"""Before anything is paid for: is Langfuse there, are the keys right, is the server new enough, will all arrive?

Score configs, the type and range of each name, are made once per project and found again afterwards. So is the dataset
of a suite's scenarios, of which only what has changed is written.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any
from urllib.parse import quote

from evaluation.errors import UsageError
from evaluation.records import Json, Scenario
from evaluation.runspec import digest
from services.langfuse.masking import Outgoing, fit_json
from services.langfuse.rest import FIRST_PAGE, LangfuseRest, Rejected
from services.langfuse.score_names import ScoreKind
from services.langfuse.scores import ScoreMode
from services.langfuse.traces import item_id, item_metadata
from services.settings import Settings

LISTS_SINCE = (4, 59)
OLDEST = (4, 0)
_VERSION = re.compile(r"v?(\d{1,6})\.(\d{1,6})")


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses of what a run left in Langfuse: the pages of one project."""

    base_url: str
    project_id: str

    def experiment(self, experiment: str) -> str:
        """One experiment's items with their scores."""
        return f"{self._project}/experiments/results?baseline={experiment}"

    def comparison(self, baseline: str, candidate: str) -> str:
        """Two experiments side by side, item by item."""
        return f"{self.experiment(baseline)}&c={candidate}"

    @property
    def _project(self) -> str:
        return f"{self.base_url}/project/{quote(self.project_id, safe='')}"


@dataclass(frozen=True, slots=True)
class LangfuseReady:
    """The facts about the server that delivery needs."""

    links: Links
    score_mode: ScoreMode
    configs: Mapping[str, str]
    """Score name -> id of its config."""
    notes: tuple[str, ...] = ()
    """Messages for people, one line each."""


def check_settings(settings: Settings) -> None:
    """Raises UsageError for settings under which results would be lost on their way."""
    if settings.sample_rate < 1:
        raise UsageError(
            f"LANGFUSE_SAMPLE_RATE is {settings.sample_rate:g}: an evaluation needs every trace; "
            "set it to 1, or pass --no-langfuse"
        )


async def preflight(rest: LangfuseRest, kinds: Iterable[ScoreKind]) -> LangfuseReady:
    """Asks for version, project and score configs; missing configs are made.

    Raises UsageError in one line for refused keys, a server before 4.0, and an address where no Langfuse is; TryAgain
    when the server does not answer, or asks for patience: a run goes on then, and what it has to deliver waits.
    """
    with _answers_like_langfuse(rest):
        mode, notes, project = await _ask_server(rest)
        configs, problems = await ensure_configs(rest, kinds)
        return LangfuseReady(Links(rest.base_url, project), mode, configs, (*notes, *problems))


@dataclass(frozen=True, slots=True)
class ProjectFound:
    """A project as it stands: nothing was made."""

    notes: tuple[str, ...]
    """What the server's age means for delivery, one line each."""
    there: tuple[str, ...]
    """Names of scores whose config fits."""
    missing: tuple[str, ...]
    """Names of scores without a config: the next run makes them."""
    problems: tuple[str, ...]
    """Configs that say another type or range, one line each."""


async def inspect_project(rest: LangfuseRest, kinds: Iterable[ScoreKind]) -> ProjectFound:
    """As `preflight` asks, with the same errors, and nothing is made."""
    with _answers_like_langfuse(rest):
        _, notes, _ = await _ask_server(rest)
        matched = _match(await _configs(rest), kinds)
        return ProjectFound(
            notes,
            there=tuple(kind.name for kind, _, fitting in matched if fitting),
            missing=tuple(kind.name for kind, of_name, _ in matched if not of_name),
            problems=tuple(_says_another(kind) for kind, of_name, fitting in matched if of_name and not fitting),
        )


async def _ask_server(rest: LangfuseRest) -> tuple[ScoreMode, tuple[str, ...], str]:
    """The way it takes scores, notes for people, and the id of the project."""
    version = str((await rest.get("health")).get("version", ""))
    mode, notes = score_mode(version, rest.where)
    return mode, notes, (await rest.get("projects"))["data"][0]["id"]


@contextmanager
def _answers_like_langfuse(rest: LangfuseRest) -> Iterator[None]:
    """Raises UsageError where inside an answer is refused or has another form than Langfuse's."""
    try:
        yield
    except (Rejected, KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        what = f"{type(error).__name__} {error}" if not isinstance(error, Rejected) else str(error)
        raise UsageError(
            f"{rest.where} does not answer like Langfuse ({what}): check LANGFUSE_BASE_URL, or pass --no-langfuse"
        ) from None


def score_mode(version: str, where: str) -> tuple[ScoreMode, tuple[str, ...]]:
    """The way this server version takes scores, and notes for people. Raises UsageError for one that is too old."""
    match = _VERSION.match(version)
    if match is None:
        return "list", (f"{where} gives no version ({version[:40]!r}): taken for 4.59 or newer",)
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


# --- score configs ----------------------------------------------------------------------------------------------------


MOST_OPTIONAL = 10
"""Optional configs that one run makes; the next ones make the rest."""


async def ensure_configs(rest: LangfuseRest, kinds: Iterable[ScoreKind]) -> tuple[dict[str, str], tuple[str, ...]]:
    """(name -> config id, problems). Configs that fit are reused and missing ones made.

    A name whose config says another type or range gets none: the server would silently drop what does not fit. The
    problem says so, and the scores are sent without a config. Optional ones are made a few at a time, and not together
    with others: a plan that allows thirty requests a minute is not to stop a run for them.
    """

    async def find(kind: ScoreKind) -> dict[str, Any] | None:
        alike = (config for config in await _configs(rest) if config["name"] == kind.name)
        return next((config for config in alike if _fits(kind, config)), None)

    ids: dict[str, str] = {}
    problems: list[str] = []
    made = 0
    for kind, of_name, fitting in _match(await _configs(rest), kinds):
        if fitting:
            ids[kind.name] = min(fitting)
        elif of_name:
            problems.append(
                f"{_says_another(kind)}: scores are sent without it; archive it there to have a new one made"
            )
        elif not kind.optional or made < MOST_OPTIONAL:
            made += 1 if kind.optional else MOST_OPTIONAL
            # Names are not unique, so a config is made again only after looking whether it is there.
            ids[kind.name] = (await rest.make("score-configs", _body(kind), partial(find, kind)))["id"]
    return ids, tuple(problems)


def _match(there: Iterable[dict[str, Any]], kinds: Iterable[ScoreKind]) -> list[tuple[ScoreKind, list[str], list[str]]]:
    """Each kind of score with the ids of all configs of its name, and of those that say its type and range.

    The optional kinds are last.
    """
    configs, matched = list(there), []
    for kind in sorted({kind.name: kind for kind in kinds}.values(), key=lambda kind: kind.optional):
        of_name = [config for config in configs if config["name"] == kind.name]
        fitting = [config["id"] for config in of_name if _fits(kind, config)]
        matched.append((kind, [config["id"] for config in of_name], fitting))
    return matched


def _says_another(kind: ScoreKind) -> str:
    return f"score config {kind.name!r} in Langfuse says another type or range than the rubric"


async def _configs(rest: LangfuseRest) -> list[dict[str, Any]]:
    return [config async for config in rest.rows("score-configs", **FIRST_PAGE) if not config.get("isArchived")]


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


# --- the dataset ------------------------------------------------------------------------------------------------------


async def ensure_dataset(rest: LangfuseRest, suite: str, scenarios: Sequence[Scenario], fit: Outgoing) -> str:
    """Makes the dataset and its items where they are missing or differ; returns the dataset's id.

    Raises Rejected when an item's id belongs to another dataset of the project, and what `LangfuseRest.get` raises.
    """
    dataset = await _dataset(rest, suite)
    written = {
        item["id"]: str(item["metadata"].get("sha256"))
        async for item in rest.rows("dataset-items", datasetName=suite, **FIRST_PAGE)
        if isinstance(item.get("metadata"), dict)
    }
    for scenario in scenarios:
        body = _item(suite, scenario, fit)
        if written.get(body["id"]) != body["metadata"]["sha256"]:
            await rest.put("dataset-items", body)
    return dataset


async def _dataset(rest: LangfuseRest, suite: str) -> str:
    try:
        found = await rest.get(f"v2/datasets/{quote(suite, safe='')}")
    except Rejected as rejected:
        if rejected.status != 404:
            raise
        body = {"name": suite, "description": f"Scenarios of the {suite} suite, kept in step with their files"}
        found = await rest.put("v2/datasets", body)
    return str(found["id"])


def _item(suite: str, scenario: Scenario, fit: Outgoing) -> dict[str, Any]:
    asked: Json = scenario.turns[0] if len(scenario.turns) == 1 else list(scenario.turns)
    if scenario.history:
        earlier = [{"role": turn.role, "content": turn.content} for turn in scenario.history]
        asked = {"history": earlier, "turns": list(scenario.turns)}
    content = {"input": fit_json(asked, fit), "metadata": fit_json(item_metadata(scenario), fit)}
    # Of what is sent, so that another mask writes the items again.
    sha256 = digest([fit_json(asdict(scenario), fit), content])
    return {
        "datasetName": suite,
        "id": item_id(suite, scenario.id),
        "input": content["input"],
        "metadata": {**content["metadata"], "sha256": sha256},
        "status": "ACTIVE",
    }
