"""What a sample says: its files and its page, its line in the list of all runs, and the terminal."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from evaluation.production.judged import JudgedSummary, SecondSample
from evaluation.production.sampling import SampledTurn
from evaluation.production.summary import ProductionSummary, ScoredTurn
from evaluation.records import Json
from evaluation.reports.document import Document, Name, Outside, Words
from evaluation.reports.html.page import Assets
from evaluation.reports.html.production import production_page
from evaluation.reports.human_units import in_one_line
from evaluation.reports.languages import unreviewed_in
from evaluation.reports.markdown import to_markdown
from evaluation.reports.production import answers, describe_production
from evaluation.statistics.clusters import Scale
from evaluation.suites.loaded import LoadedSuite
from evaluation.summary.human_units import HumanUnits
from evaluation.text.numbers import count
from scripts.run.index import note_sample, only_noted, write_index
from scripts.traces.asked import Asked
from scripts.traces.judging import Judged
from scripts.traces.steps import WholeTurns
from services.journal import Journal
from services.run_folder import write_json, write_jsonl, write_text
from services.settings import Settings
from services.workspace import read_page_assets

SUMMARY, MARKDOWN, PAGE, LINES = "summary.json", "summary.md", "report.html", "results.jsonl"
_OF_ONE = ("user_id", "session_id")
"""Names of people and their visits: a resume needs them in the manifest, and no other file has them."""
OVERALL_ALONE = "people's labels correct the overall alone: of all, by version and by tag"


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
            "language": turn.language or None,
            "mood_change": turn.mood_change,
            "scores": {"heuristic": dict(turn.scores), **({} if judged is None else judged.scores)},
            **_judged(observation.key, second),
            "explanations": record.get("explanations", {}),
        }


@dataclass(frozen=True, slots=True)
class SampleReport:
    """All that is said of one sample."""

    asked: Asked
    loaded: LoadedSuite
    settings: Settings
    folder: Path
    turns: Sequence[ScoredTurn]
    summary: ProductionSummary
    judged: Judged | None
    """None without a judge."""
    base_url: str
    """Of Langfuse."""
    by_judge: JudgedSummary | None = None
    """Of what was judged."""
    notes: Sequence[str] = ()

    @property
    def headline(self) -> str:
        """The first sentence."""
        return next(answers(self.summary, self.by_judge, self.human))[0]

    @property
    def human(self) -> HumanUnits | None:
        """What people's labels say of what was judged; None without any."""
        runs = () if self.judged is None else self.judged.outcome.runs
        return next((each.summary.human for each in runs if each.summary.human is not None), None)

    @property
    def banners(self) -> list[str]:
        """What must stand above everything else."""
        said = unreviewed_in(turn.language for turn in self.turns if turn.language)
        return [*([] if self.judged is None else self.judged.banners), *([said] if said else [])]

    @property
    def links(self) -> Mapping[str, str]:
        """Key of a generation -> its page in Langfuse."""
        return trace_links([turn.drawn for turn in self.turns], self.base_url)

    @property
    def subject(self) -> str:
        """The prompt that was sampled, or production."""
        wanted = self.asked.wanted
        version = "" if wanted.prompt_version is None else f" v{wanted.prompt_version}"
        return f"{wanted.prompt_name}{version}" if wanted.prompt_name else "production"

    def title(self) -> Words:
        """Which generations, and by which rules."""
        wanted, rubric = self.asked.wanted, self.loaded.rubric
        of: list[str | Outside] = ["production"]
        of += [", ", Name(self.subject)] if wanted.prompt_name else []
        of += [", environment ", Name(", ".join(wanted.environments))] if wanted.environments else []
        of += [", tag ", Name(wanted.tag)] if wanted.tag else []
        of += [", one user"] if wanted.user_id else []
        of += [", one session"] if wanted.session_id else []
        of += [f", {wanted.since[:16]} to {wanted.until[:16]} UTC, rubric ", Name(f"{rubric.name} {rubric.edition}")]
        return (*of, f", seed {self.asked.seed}")

    def judge_document(self) -> Json:
        """What summary.json says of the second phase; None without one."""
        if self.by_judge is None or self.judged is None:
            return None
        judged = self.judged
        state = {"stand_in": judged.is_stand_in, "unfit": judged.is_unfit, "incomplete": bool(judged.outcome.exit_code)}
        judge = judged.run.spec.judge
        human = None if self.human is None else self.human.to_json()
        named = {"model": None if judge is None else judge.model, "human": human}
        return {**self.by_judge.to_json(), **named, **state}


def leave_files(report: SampleReport) -> tuple[Document, Json]:
    """Writes the files, and notes the sample in the list of all runs; what they say, as a document and as JSON."""
    asked, suite = report.asked, report.loaded.suite
    folder = str(report.folder)
    document = describe_production(
        report.summary,
        report.title(),
        links=report.links,
        notes=[*report.notes, *_of_run(report)],
        folder=folder,
        judged=report.by_judge,
        human=report.human,
        banners=report.banners,
    )
    data = summary_document(
        *(asked, report.summary, dict(report.links)),
        scale=suite.scale("heuristic" if report.by_judge is None else report.by_judge.source),
        headline=report.headline,
        judge=report.judge_document(),
    )
    wanted = asked.wanted
    page = production_page(
        document,
        Assets(*read_page_assets()),
        sample_id=asked.sample_id,
        subject=report.subject,
        answer=report.headline,
        facts=f"{wanted.since[:16]} to {wanted.until[:16]} UTC; {count(report.summary.coverage.sampled)} drawn of "
        f"{count(report.summary.coverage.frame)}",
        judged_by="" if report.judged is None else report.judged.run.run_id,
        banners=report.banners,
    )
    write_files(
        report.folder, document, data, page, report.turns, None if report.judged is None else report.judged.sample
    )
    with only_noted(), Journal.in_folder(report.settings.runs_dir) as journal:
        note_sample(data, journal)
        write_index(journal, report.settings)
    return document, data


def _of_run(report: SampleReport) -> list[str]:
    """Where what was judged can be read, and what people's labels of it make of the overall."""
    if report.judged is None:
        return []
    summaries = [found.summary for found in report.judged.outcome.runs]
    people = [f"{in_one_line(each, each.human)}; {OVERALL_ALONE}" for each in summaries if each.human is not None]
    return [f"what was judged, response by response: run {report.judged.run.run_id}", *people]
