"""The files of a sample: its lines, its summary as JSON and as Markdown."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from evaluation.production.judged import SecondSample
from evaluation.production.sampling import SampledTurn
from evaluation.production.summary import ProductionSummary, ScoredTurn
from evaluation.records import Json
from evaluation.reports.document import Document
from evaluation.reports.markdown import to_markdown
from evaluation.statistics.clusters import Scale
from scripts.traces.asked import Asked
from scripts.traces.steps import WholeTurns
from services.run_folder import write_json, write_jsonl, write_text

SUMMARY, MARKDOWN, PAGE, LINES = "summary.json", "summary.md", "report.html", "results.jsonl"
_OF_ONE = ("user_id", "session_id")
"""Names of people and their visits: a resume needs them in the manifest, and no other file has them."""


def write_files(
    folder: Path, document: Document, data: Json, page: str, turns: Sequence[ScoredTurn], second: SecondSample | None
) -> None:
    """Writes the lines, the summary, its page, and what the terminal shows as Markdown."""
    with WholeTurns(folder) as whole:
        write_jsonl(folder / LINES, _lines(turns, whole, second))
    write_json(folder / SUMMARY, data)
    write_text(folder / MARKDOWN, to_markdown(document))
    write_text(folder / PAGE, page)


def summary_document(
    asked: Asked, summary: ProductionSummary, links: dict[str, str], *, scale: Scale, headline: str, judge: Json = None
) -> dict[str, Json]:
    """The summary as JSON; the worst with the addresses of their traces. `judge` is None without a second phase."""
    found = {**summary.to_json(), "judge": judge}
    wanted = {name: value for name, value in asked.to_json()["wanted"].items() if name not in _OF_ONE}
    for each in (*found["worst"], *(() if judge is None else judge["worst"])):
        each["url"] = links.get(f"{each['trace_id']}|{each['observation_id']}")
    return {
        "schema_version": 1,
        "kind": "production",
        "run_id": asked.sample_id,
        "created_at": asked.created_at,
        "suite": asked.suite,
        "overall": summary.overall,
        "scale": list(scale),
        "headline": headline,
        "wanted": wanted,
        "sample": asked.sample,
        "seed": asked.seed,
        **found,
    }


def trace_links(sample: Sequence[SampledTurn], base_url: str) -> dict[str, str]:
    """Key of a generation -> its page in Langfuse, where its project is known."""
    return {
        each.observation.key: f"{base_url}/project/{quote(each.observation.project_id, safe='')}/traces/"
        f"{quote(each.observation.trace_id, safe='')}?observation={quote(each.observation.id, safe='')}"
        for each in sample
        if each.observation.project_id
    }


def _judged(key: str, second: SecondSample | None) -> dict[str, Json]:
    """What a line says of the second phase: the turn's stratum, whether it was drawn, and what was said of it."""
    if second is None or key not in second.phase.strata:
        return {"second_stratum": None, "judged": None}
    found = second.judged.get(key)
    said: Json = None
    if found is not None:
        said = {"state": found.state, "reasoning": found.words, "expectations": dict(found.items)}
    return {"second_stratum": second.phase.strata[key], "judged": said}


def _lines(turns: Sequence[ScoredTurn], whole: WholeTurns, second: SecondSample | None) -> Iterator[Json]:
    """A line for each, with its whole texts, of which one is in memory at a time."""
    for turn in turns:
        observation, record = turn.drawn.observation, whole.read(turn.drawn.observation.key)
        judged = None if second is None else second.judged.get(observation.key)
        yield {
            "schema_version": 1,
            "id": observation.id,
            "trace_id": observation.trace_id,
            "session": observation.session or None,
            "cluster": observation.cluster,
            "started_at": observation.started_at,
            "environment": observation.environment,
            "prompt": {"name": observation.prompt_name or None, "version": observation.prompt_version},
            "tags": list(observation.tags),
            "stratum": turn.drawn.stratum,
            "weight": turn.drawn.weight,
            "state": "skipped" if turn.reason else "scored",
            "reason": turn.reason or None,
            "turns_before": record.get("turns_before"),
            "context": record.get("context", []),
            "user_input": record.get("message", ""),
            "response": record.get("response", ""),
            "mood_change": turn.mood_change,
            "scores": {"heuristic": dict(turn.scores), **({} if judged is None else judged.scores)},
            **_judged(observation.key, second),
            "explanations": record.get("explanations", {}),
        }
