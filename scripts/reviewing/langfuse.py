"""Review in Langfuse: responses into an annotation queue, people's scores out of it, and reviews onto the traces."""

import argparse
import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from evaluation.commands import write_command
from evaluation.errors import UsageError
from evaluation.eval_records.record import Item
from evaluation.records import Json
from evaluation.review.assignment import assign
from evaluation.review.form import ReviewForm
from evaluation.review.review import Review
from scripts.reviewing.items import ReviewItems, all_reviews, review_items, reviews_folder
from scripts.shell import DONE, INCOMPLETE, note, note_each
from services.langfuse.asking import LangfuseRefuses, ask_langfuse, need_keys
from services.langfuse.delivery import LangfuseAway
from services.langfuse.human_scores import (
    QueueScore,
    QueueTarget,
    add_items,
    ensure_queue,
    find_queue,
    human_kinds,
    human_scores,
    queue_scores,
    queue_target,
    unconfirmed_scores,
)
from services.langfuse.masking import outgoing
from services.langfuse.preflight import LangfuseReady, preflight
from services.langfuse.rest import PATIENCE, KeysRefused, LangfuseRest
from services.langfuse.score_names import ScoreKind, score_name
from services.langfuse.scores import check, post_scores
from services.record_files import open_reviews, read_reviews, review_file, review_files
from services.settings import Settings

ORIGIN = "langfuse"
"""Of reviews that were made there: they are not sent back."""
T = TypeVar("T")
Work = Callable[[LangfuseRest, LangfuseReady], Awaitable[T]]


def fill_queue(
    options: argparse.Namespace, settings: Settings, say: Callable[[str], None] = print, *, again: str = ""
) -> int:
    """Puts a run's responses into a queue, which asks for a score of each dimension; `say` hears how many.

    `again` says how to go on where Langfuse refuses or stays away; without it that is by the same command.
    """
    source = _run(options, settings)
    form = source.form_of(source.items[0])
    items, _ = assign(
        _delivered_items(source), "queue", (), overlap=1.0, seed=options.seed, is_first=lambda item: item.is_marked
    )
    targets = [queue_target(item.record) for item in items[: options.limit]]
    kinds = _kinds(items[0], form)

    async def work(rest: LangfuseRest, ready: LangfuseReady) -> str:
        configs = [ready.configs[kind.name] for kind in kinds if kind.name in ready.configs]
        if not configs:
            raise UsageError(
                "Langfuse has no score config that fits the rubric: archive those that differ and try again"
            )
        rubric = form.rubric
        queue, problem = await ensure_queue(
            rest, options.name, configs, f"Human review: {rubric.name} {rubric.version}"
        )
        if problem:
            note(problem)
        added, there = await add_items(rest, queue, targets)
        return f"{added} responses added to queue {options.name!r}, {there} were there"

    say(_talking(settings, kinds, work, again))
    return DONE


def fetch_queue(options: argparse.Namespace, settings: Settings) -> int:
    """Takes what people scored in a queue as reviews, one file per person."""
    source = _run(options, settings)
    by_target = {queue_target(item.record): item for item in _delivered_items(source)}

    async def work(rest: LangfuseRest, _: LangfuseReady) -> list[QueueScore]:
        queue = await find_queue(rest, options.name)
        if queue is None:
            raise UsageError(
                f"there is no queue {options.name!r} in Langfuse: "
                f"make one with {write_command('review', 'queue', options.run, '--name', options.name)}"
            )
        return await queue_scores(rest, str(queue["id"]))

    scores = _talking(settings, (), work)
    folder = reviews_folder(options, settings)
    ends = Counter(
        _take(by_target.get(target), reviewer, given, source, folder)
        for (reviewer, target), given in _by_reviewer(scores).items()
    )
    print(
        f"{ends['taken']} reviews taken from queue {options.name!r}, {ends['known']} were known, "
        f"{ends['partial']} are not complete yet"
    )
    if strange := ends["strange"]:
        note(f"{strange} scored items are none of {source.name}, or do not fit: fetch them with their own run")
    return INCOMPLETE if strange else DONE


def send_reviews(options: argparse.Namespace, settings: Settings) -> int:
    """Sends every review of a delivered response to its trace. May be repeated: scores replace themselves."""
    records, broken = all_reviews(review_files(reviews_folder(options, settings)))
    mine = [record for record in records if record.get("trace_system") == "langfuse" and record.get("origin") != ORIGIN]
    if not mine:
        print("nothing to send: no review is of a response that is in Langfuse")
        return INCOMPLETE if broken else DONE
    kinds = {kind.name: kind for record in mine for kind in _record_kinds(record)}

    async def work(rest: LangfuseRest, ready: LangfuseReady) -> Mapping[str, str]:
        fit = outgoing(settings)
        bodies = list(human_scores(mine, settings.tracing_environment, fit, ready.configs))
        refused = {str(body["id"]): problem for body in bodies if (problem := check(body, lambda name: kinds[name]))}
        sent = [body for body in bodies if str(body["id"]) not in refused]
        refused |= await post_scores(rest, sent, ready.score_mode)
        left = await unconfirmed_scores(rest, [str(body["id"]) for body in sent if str(body["id"]) not in refused])
        refused |= dict.fromkeys(left, "sent, and cannot be read back yet: send again later")
        print(f"{len(bodies) - len(refused)} scores of {len(mine)} reviews confirmed")
        return refused

    refused = _talking(settings, tuple(kinds.values()), work)
    note_each(
        [f"score {identity}: {problem}" for identity, problem in refused.items()], "scores that were not confirmed"
    )
    return INCOMPLETE if refused or broken else DONE


@dataclass(frozen=True, slots=True)
class _Given:
    """One person's scores of one item."""

    values: dict[str, float]
    """Score name -> value."""
    comments: dict[str, str]
    at: str


def _talking(settings: Settings, kinds: tuple[ScoreKind, ...], work: Work[T], again: str = "") -> T:
    """Does the work with Langfuse, after the preflight. Raises LangfuseAway when it does not answer.

    What is raised ends with `again`, where it says how to go on.
    """
    access = need_keys(settings.langfuse, "there is no Langfuse to review in")
    way = f"nothing was changed here; {again or 'try again when it answers'}"

    async def talk() -> T:
        nonlocal way
        async with ask_langfuse(access, check="its version and the plan's limits", patience=PATIENCE) as rest:
            ready = await preflight(rest, kinds)
            way = again or "run the same command again"
            for each in ready.notes:
                note(each)
            return await work(rest, ready)

    try:
        return asyncio.run(talk())
    except LangfuseAway as away:
        raise LangfuseAway(f"{away}: {way}") from None
    except (LangfuseRefuses, KeysRefused) as refused:
        raise UsageError(f"{refused}{f'; then {again}' if again else ''}") from None


def _run(options: argparse.Namespace, settings: Settings) -> ReviewItems:
    options.file = options.rubric = None
    return review_items(options, settings)


def _delivered_items(source: ReviewItems) -> list[Item]:
    found = [item for item in source.items if item.record.get("trace_system") == "langfuse"]
    if not found:
        raise UsageError(
            f"{source.name}: was not sent to Langfuse; evaluate with its keys set, or {write_command('sync')}"
        )
    return found


def _kinds(item: Item, form: ReviewForm) -> tuple[ScoreKind, ...]:
    names = [dimension.metric for dimension in form.dimensions]
    return human_kinds(item.suite, names, form.rubric.low, form.rubric.high)


def _record_kinds(record: Mapping[str, Json]) -> tuple[ScoreKind, ...]:
    scale = record.get("scale") or {"low": 0.0, "high": 1.0}
    return human_kinds(str(record["suite"]), record["scores"], scale["low"], scale["high"])


def _by_reviewer(scores: list[QueueScore]) -> dict[tuple[str, QueueTarget], _Given]:
    """(reviewer, target) -> what was given, the later of two scores of one name."""
    found: dict[tuple[str, QueueTarget], _Given] = {}
    for score in sorted(scores, key=lambda each: each.timestamp):
        reviewer = f"{ORIGIN}-{score.author}" if score.author else ORIGIN
        given = found.get((reviewer, score.target), _Given({}, {}, score.timestamp))
        comments = given.comments | ({score.name: score.comment} if score.comment else {})
        found[reviewer, score.target] = _Given(given.values | {score.name: score.value}, comments, score.timestamp)
    return found


def _review(reviewer: str, item: Item, given: _Given, form: ReviewForm) -> Review | None:
    """The review; None while a dimension that applies has no score."""
    names = {each.metric: score_name(item.suite, "human", each.metric) for each in form.dimensions}
    asked = {question.key for question in form.questions(item) if question.kind == "score"}
    if any(names[metric] not in given.values for metric in asked):
        return None
    return Review(
        reviewer=reviewer,
        reviewed_at=given.at,
        scores={metric: given.values.get(name) for metric, name in names.items()},
        notes="",
        rationale={metric: given.comments[name] for metric, name in names.items() if name in given.comments},
        blind=False,
    )


def _take(item: Item | None, reviewer: str, given: _Given, source: ReviewItems, folder: Path) -> str:
    """Writes the review where it is new or has changed; says what became of it."""
    if item is None:
        return "strange"
    review = _review(reviewer, item, given, source.form_of(item))
    if review is None:
        return "partial"
    try:
        record = {**source.record(item, review), "origin": ORIGIN}
    except ValueError as problem:
        target = queue_target(item.record)
        note(f"{target.kind} {target.id}: {problem}")
        return "strange"
    with open_reviews(folder, reviewer) as file:
        known, _ = read_reviews(review_file(folder, reviewer))
        same = next((each for each in known if each["eval_id"] == record["eval_id"]), None)
        if same is not None and all(same[name] == record[name] for name in ("scores", "rationale")):
            return "known"
        file.write(record)
        file.sync()
    return "taken"
