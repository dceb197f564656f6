"""Labels that count: which responses are drawn for them, kept in a file beside the reviews, and named."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from evaluation.calibration.labels import place_of
from evaluation.commands import write_command
from evaluation.errors import UsageError
from evaluation.eval_records.record import Item
from evaluation.review.drawing import LabelDraw, draw_lines, draw_of
from evaluation.run import Run
from scripts.run.labels import draw_file, read_draw
from services.journal import Journal
from services.run_folder import write_jsonl

USUAL = 40
"""Responses that are expected of a first draw: as many as are needed, nearly always."""


def draw_more(run: Run, journal: Journal, folder: Path, count: int, seed: int) -> LabelDraw:
    """The draw of a run, larger by `count` and written; as it is for 0, unless there is none.

    Another seed than that of the file makes a new draw in its place.
    """
    path = draw_file(folder, run.run_id)
    before = read_draw(path)
    fresh = draw_of(run, journal.results(run.run_id, run.scenario_ids), seed=seed)
    if not fresh.candidates:
        raise UsageError(f"run {run.run_id} has no response that could be drawn: none was answered and scored")
    if before is not None and before.seed == seed:
        if {each.place for each in before.candidates} != {each.place for each in fresh.candidates}:
            again = next_command(run.run_id, "--seed", str(seed + 1))
            raise UsageError(
                f"run {run.run_id} holds other responses than when some were drawn: draw from all of them: {again}"
            )
        if not count:
            return before
        fresh = before
    found = fresh.larger(count or USUAL)
    write_jsonl(path, draw_lines(found))
    return found


def next_command(run_id: str, *words: str) -> str:
    """The command that draws, and names what to label next."""
    return write_command("review", "next", run_id, *words)


def marked(items: Sequence[Item], draw: LabelDraw | None) -> list[Item]:
    """The items, each drawn one with its probability, which the record of its review then bears."""
    chances = {} if draw is None else draw.as_draw().chances
    found = []
    for item in items:
        chance = chances.get(place_of(item))
        if chance is not None and draw is not None:
            inclusion = {"draw": draw.run_id, "probability": chance.probability, "weight": chance.weight}
            item = replace(item, record={**item.record, "inclusion": inclusion})
        found.append(item)
    return found


def drawn(items: Sequence[Item]) -> list[Item]:
    return [item for item in items if "inclusion" in item.record]
