"""The first pass: every generation is seen once, without its texts, and the sample is drawn while they go by."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from evaluation.production.observation import Observation, read_observation, why_left_out
from evaluation.text.numbers import count
from scripts.traces.asked import Asked
from scripts.traces.steps import Done, Steps
from services.langfuse.masking import Outgoing
from services.langfuse.observations import ObservationReader, Page

UNREADABLE = "without id, trace or time"
REPEATED = "sent twice"


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
