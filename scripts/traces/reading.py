"""Both passes over production: all generations seen once and a sample drawn, then the texts of that read and scored."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evaluation.errors import ParseError
from evaluation.metrics.mood import ReadMood, mood_change, mood_reader
from evaluation.production.messages import NoChat
from evaluation.production.observation import Observation, bears_experiment, read_observation, why_left_out
from evaluation.production.sampling import SampledTurn
from evaluation.production.summary import ProductionSummary, ScoredTurn, summarise
from evaluation.production.turns import ProductionTurn, Texts, read_turn, refuse_inner, stands_alone, texts_of
from evaluation.records import Json
from evaluation.suites.suite import Suite
from evaluation.text.numbers import count
from scripts.traces.asked import Asked
from scripts.traces.steps import SHOWN, Done, Steps
from services.langfuse.masking import Outgoing
from services.langfuse.observations import ObservationReader, Page
from services.langfuse.rest import share_out

UNREADABLE = "without id, trace or time"
REPEATED = "sent twice"
AT_ONCE = 4
"""Traces that are read at a time."""
GONE = "is no longer there"


async def survey(
    asked: Asked,
    reader: ObservationReader,
    fit: Outgoing,
    done: Done,
    steps: Steps,
    progress: Callable[[str], None],
) -> None:
    """Reads what was not read yet. Afterwards `done.draw` knows all that can be drawn, its tags masked by `fit`."""
    if not done.experiments_read:
        async for traces in reader.experiment_traces(asked.wanted):
            done.experiments.update(traces)
        steps.experiments(sorted(done.experiments))
        done.experiments_read = True
    if done.listed:
        return
    async for page in reader.pages(asked.wanted, done.cursor):
        _take(page, asked, fit, done, steps)
        progress(f"{count(done.seen)} generations seen")
    done.listed = True


def _take(page: Page, asked: Asked, fit: Outgoing, done: Done, steps: Steps) -> None:
    """Counts the rows of a page and keeps those that may be drawn; on disk before the next page is asked for."""
    left_out, sizes = Counter[str](), Counter[tuple[str, ...]]()
    kept, seen = list[Observation](), 0
    for row in page.rows:
        if not asked.wanted.holds(row):
            continue
        seen += 1
        try:
            observation = read_observation(row)
        except (ValueError, OverflowError):
            left_out[UNREADABLE] += 1
            continue
        if done.draw.is_repeated(observation):
            left_out[REPEATED] += 1
        elif reason := why_left_out(observation, asked.own_environment, asked.wanted.environments, done.experiments):
            left_out[reason] += 1
        else:
            sizes[observation.version, observation.week] += 1
            masked = replace(observation, tags=tuple(map(fit, observation.tags)))
            if done.draw.offer(masked):
                kept.append(masked)
    steps.page(page.cursor, seen, left_out, sizes, kept)
    done.seen += seen
    done.left_out.update(left_out)


async def read_sample(
    sample: Sequence[SampledTurn],
    suite: Suite,
    reader: ObservationReader,
    fit: Outgoing,
    done: Done,
    steps: Steps,
    progress: Callable[[str], None],
) -> None:
    """Reads and scores each drawn generation that was not scored yet; each is on disk before another is begun."""
    waiting = [each.observation for each in sample if each.observation.key not in done.turns]
    read_mood = mood_reader(suite.cue_settings)

    async def work(observation: Observation) -> None:
        record = await _score(observation, suite, reader, fit, read_mood)
        steps.turn(observation.key, record)
        done.take_turn(observation.key, record)
        progress(f"{count(len(done.turns))} of {count(len(sample))} read and scored")

    await share_out(waiting, work, AT_ONCE)


async def draw_sample(
    asked: Asked,
    suite: Suite,
    reader: ObservationReader,
    fit: Outgoing,
    done: Done,
    steps: Steps,
    progress: Callable[[str], None],
) -> list[SampledTurn]:
    """What is drawn of all that the sample is of, each turn read and scored."""
    await survey(asked, reader, fit, done, steps, progress)
    sample = done.draw.sample(asked.sample)
    await read_sample(sample, suite, reader, fit, done, steps, progress)
    return sample


async def _score(
    observation: Observation, suite: Suite, reader: ObservationReader, fit: Outgoing, read_mood: ReadMood | None
) -> Mapping[str, Json]:
    """What became of one: its scores, or the reason why it has none. Its texts are masked before they are kept."""
    try:
        turn = await _read(observation, reader)
        exchange = turn.to_exchange()
        scores = suite.score(exchange)
    except NoChat as reason:
        return {"reason": str(reason)}
    except (ParseError, ValueError, RecursionError):
        return {"reason": "cannot be scored"}
    rules = [score for score in scores if score.source == "heuristic"]
    spoken = suite.spoken_in(exchange)
    return {
        "reason": "",
        "language": "" if spoken is None else spoken.scored,
        "scores": {score.metric: score.value if score.applicable else None for score in rules},
        "explanations": {score.metric: fit(score.explanation or score.reason)[:SHOWN] for score in rules},
        "turns_before": len(turn.context),
        "context": [{"role": said.role, "content": fit(said.content)} for said in turn.context],
        "message": fit(turn.user_input),
        "response": fit(turn.response),
        "mood_change": None if read_mood is None else mood_change(turn.said_by_user, read_mood),
    }


async def _read(observation: Observation, reader: ObservationReader) -> ProductionTurn:
    """The turn, put together from its own input, its trace and its session. Raises NoChat."""
    rows = await reader.of_trace(observation.trace_id, observation.started_at)
    own = next((row for row in rows if row.get("id") == observation.id), None)
    if own is None:
        raise NoChat(GONE)
    if bears_experiment(own.get("metadata")):
        raise NoChat("is of an evaluation")
    refuse_inner(observation, rows)
    if observation.parent_id and all(row.get("id") != observation.parent_id for row in rows):
        refuse_inner(observation, await reader.shape_of(observation.trace_id, observation.started_at))
    texts = texts_of(observation, own)
    others = _others(rows, observation)
    if observation.session_id and stands_alone(texts.asked):
        others += _others(await reader.of_session(observation.session_id, observation.started_at), observation)
    return read_turn(texts, {each.observation.key: each for each in others}.values())


def _others(rows: Sequence[Mapping[str, Any]], own: Observation) -> list[Texts]:
    found = []
    for row in rows:
        try:
            observation = read_observation(row)
        except (ValueError, OverflowError):
            continue
        if observation.key != own.key:
            found.append(texts_of(observation, row))
    return found


def scored_turn(drawn: SampledTurn, record: Mapping[str, Any]) -> ScoredTurn:
    """A line of the steps with what was drawn."""
    return ScoredTurn(
        drawn,
        scores=record.get("scores") or {},
        reason=record["reason"],
        message=record.get("message", ""),
        response=record.get("response", ""),
        mood_change=record.get("mood_change"),
        language=record.get("language", ""),
    )


def scored_turns(sample: Sequence[SampledTurn], done: Done) -> list[ScoredTurn]:
    """All that was drawn, in order, with what became of it."""
    return [scored_turn(each, done.turns[each.observation.key]) for each in sample]


def summary_of(suite: Suite, turns: Sequence[ScoredTurn], done: Done, worst: int) -> ProductionSummary:
    """What the drawn turns say of all that was seen; `worst` says how many of the lowest are named."""
    return summarise(
        turns,
        suite.metrics_of("heuristic"),
        suite.overall,
        suite.scale("heuristic"),
        seen=done.seen,
        left_out=done.left_out,
        frame=sum(done.draw.sizes.values()),
        worst=worst,
    )
