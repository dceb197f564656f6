"""The files of a sample: its lines, its summary as JSON and as Markdown."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from evaluation.production.sampling import SampledTurn
from evaluation.production.summary import ProductionSummary, ScoredTurn
from evaluation.records import Json
from evaluation.reports.document import Document
from evaluation.reports.markdown import to_markdown
from scripts.traces.asked import Asked
from scripts.traces.steps import Done
from services.run_folder import write_json, write_jsonl, write_text

SUMMARY, PAGE, LINES = "summary.json", "summary.md", "results.jsonl"
_OF_ONE = ("user_id", "session_id")
"""Names of people and their visits: the manifest needs them, and nobody else."""


def write_files(folder: Path, document: Document, data: Json, turns: Sequence[ScoredTurn], done: Done) -> None:
    """Writes the lines, the summary, and what the terminal shows as Markdown."""
    write_jsonl(folder / LINES, _lines(turns, done))
    write_json(folder / SUMMARY, data)
    write_text(folder / PAGE, to_markdown(document))


def summary_document(asked: Asked, summary: ProductionSummary, links: dict[str, str]) -> dict[str, Json]:
    """The summary as JSON; the worst with the addresses of their traces."""
    found = summary.to_json()
    wanted = {name: value for name, value in asked.to_json()["wanted"].items() if name not in _OF_ONE}
    for each in found["worst"]:
        each["url"] = links.get(f"{each['trace_id']}|{each['observation_id']}")
    return {
        "schema_version": 1,
        "kind": "production",
        "run_id": asked.sample_id,
        "suite": asked.suite,
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


def _lines(turns: Sequence[ScoredTurn], done: Done) -> Iterator[Json]:
    for turn in turns:
        observation, record = turn.drawn.observation, done.turns[turn.drawn.observation.key]
        yield {
            "schema_version": 1,
            "id": observation.id,
            "trace_id": observation.trace_id,
            "session_id": observation.session_id or None,
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
            "user_input": turn.message,
            "response": turn.response,
            "scores": {"heuristic": dict(turn.scores)},
            "explanations": record.get("explanations", {}),
        }
