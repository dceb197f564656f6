"""Production's responses as a night watches them: a sample drawn, scored and kept, or approved as the baseline."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from evaluation.commands import write_command
from evaluation.comparison.gate import RegressionRules
from evaluation.errors import EvaluationError, UsageError
from evaluation.moments import iso
from evaluation.nightly.alarm import NightGate
from evaluation.nightly.night import Night
from evaluation.nightly.production import ProductionWatch, Sample, Selection, hold, kind_of, kind_shares, users_behind
from evaluation.nightly.production_cause import explain
from evaluation.nightly.sample_file import ApprovedSample, parse_sample, sample_text
from evaluation.production.sampling import SampledTurn
from evaluation.production.summary import LEAST_CLUSTERS, LEAST_VALUES, ProductionSummary, ScoredTurn
from evaluation.runspec import PromptPin
from evaluation.suites.loaded import LoadedSuite
from evaluation.text import numbers
from scripts.night.answer import moment
from scripts.night.asked import TracesRequest, Watched
from scripts.run.load import chosen_rubric
from scripts.run.samples import is_sample as is_sample_folder
from scripts.shell import note
from scripts.traces.asked import SEED, Asked, load_rules, pin_sample, resumed
from scripts.traces.reading import draw_sample, scored_turns, summary_of
from scripts.traces.sample_report import SampleReport, leave_files
from scripts.traces.steps import Done, Steps, read_steps
from services.baselines import read_baseline, sample_path, write_baseline
from services.journal import hold_run
from services.langfuse.asking import ask_langfuse
from services.langfuse.delivery import LangfuseAway
from services.langfuse.masking import outgoing
from services.langfuse.observations import ObservationReader, Wanted
from services.run_folder import run_folder
from services.settings import Settings
from services.text_files import show_path

WORST = 10

NoteSample = Callable[[str], None]
"""Hears which sample it is, before anything of it is read."""


def check_can_be_watched(watched: Watched) -> None:
    """Raises UsageError, before anything is paid for, where there is no production to read, or no rule for it."""
    settings, request = watched.settings, watched.run
    if watched.asked.traces is None:
        return
    if settings.langfuse is None:
        raise UsageError("--traces: LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY are not set: there is no production")
    if not request.langfuse:
        raise UsageError("--traces does not go with --no-langfuse: leave out one of them")
    load_rules(request.suite, chosen_rubric(request.suite, request.rubric, settings), request.profile)


def watch_production(
    night: Night,
    pin: PromptPin,
    watched: Watched,
    gate: NightGate | None,
    rules: RegressionRules,
    begun: NoteSample,
) -> ProductionWatch:
    """Tonight's sample of the live version against the approved one. What goes wrong is said, and ends nothing.

    `gate` is the answer on the invented scenarios.
    """
    try:
        before = approved_sample(pin.name, watched.settings)
        asked, loaded = _begin(night, pin, watched, begun)
        tonight = draw(asked, loaded, watched)
    except LangfuseAway as error:
        return ProductionWatch("away", str(error), next_command=watched.asked.command())
    except EvaluationError as error:
        return ProductionWatch("failed", str(error))
    approval = write_command("approve-baseline", RUN=tonight.sample_id)
    if before is None:
        reason = "there is no approved sample of production's responses, so that nothing can be said of tonight's"
        return ProductionWatch("no_baseline", reason, tonight, next_command=approval)
    found = hold(before.sample, tonight, loaded.suite, rules)
    if found.state == "refused":
        return replace(found, next_command=approval)
    return replace(found, sentences=explain(found, gate))


def approved_sample(prompt: str, settings: Settings) -> ApprovedSample | None:
    """The approved sample of a prompt; None without one. Raises UsageError for a file that is none, or another's."""
    path = sample_path(settings.night.baselines_dir, prompt)
    text = read_baseline(path)
    if text is None:
        return None
    found = parse_sample(text, show_path(path))
    if found.sample.selection.prompt != prompt:
        raise UsageError(f"{show_path(path)}: is of {found.sample.selection.prompt!r}, not of {prompt!r}")
    return found


def _begin(night: Night, pin: PromptPin, watched: Watched, begun: NoteSample) -> tuple[Asked, LoadedSuite]:
    """The sample of the night, or a new one. Raises UsageError for a prompt whose traces name no version."""
    settings, request, traces = watched.settings, watched.run, watched.asked.traces
    assert traces is not None, "the night was asked for production"
    if night.sample is not None:
        return resumed(night.sample, settings)
    if pin.source != "langfuse" or pin.version is None:
        raise UsageError(f"{pin.name} is a file, and traces name versions that are kept in Langfuse")
    rubric = chosen_rubric(request.suite, request.rubric, settings)
    named = (request.suite, rubric, request.profile)
    loaded = load_rules(*named)
    wanted = _wanted(traces, pin, night.started_at)
    asked = pin_sample(wanted, traces.sample, SEED, named, loaded, settings, night.started_at)
    begun(asked.sample_id)
    return asked, loaded


def _wanted(traces: TracesRequest, pin: PromptPin, now: float) -> Wanted:
    until = datetime.fromtimestamp(now, UTC)
    since = iso(until - timedelta(days=traces.days))
    return Wanted(since, iso(until), pin.name, pin.version, environments=traces.environments, tag=traces.tag)


def draw(asked: Asked, loaded: LoadedSuite, watched: Watched) -> Sample:
    """Draws and scores a sample, or goes on with it; its files are those of every sample.

    Raises LangfuseAway where Langfuse does not answer, UsageError where it refuses.
    """
    settings, folder = watched.settings, run_folder(watched.settings.runs_dir, asked.sample_id)
    if not watched.run.quiet:
        note(f"production: a sample of {asked.wanted.prompt_name} v{asked.wanted.prompt_version}, {asked.sample_id}")
    with hold_run(settings.runs_dir, asked.sample_id):
        done, sample, base_url = asyncio.run(_read(asked, loaded, watched, folder))
    turns = scored_turns(sample, done)
    summary = summary_of(loaded.suite, turns, done, WORST)
    leave_files(SampleReport(asked, loaded, settings, folder, turns, summary, None, base_url, notes=("of a night",)))
    return sample_of(asked, loaded, summary, turns, done)


async def _read(
    asked: Asked, loaded: LoadedSuite, watched: Watched, folder: Path
) -> tuple[Done, list[SampledTurn], str]:
    """What was done, what was drawn, and the address of Langfuse."""
    settings, traces = watched.settings, watched.asked.traces
    assert settings.langfuse is not None and traces is not None, "both were asked for"
    done, fit = read_steps(folder, asked), outgoing(settings)
    async with ask_langfuse(settings.langfuse, check="the filters and its version") as rest:
        reader = ObservationReader(rest, traces.requests_per_minute)
        with Steps(folder) as steps:
            sample = await draw_sample(asked, loaded.suite, reader, fit, done, steps, _silent)
    return done, sample, rest.base_url


def _silent(_: str) -> None:
    """Nights say no progress."""


def sample_of(
    asked: Asked, loaded: LoadedSuite, summary: ProductionSummary, turns: list[ScoredTurn], done: Done
) -> Sample:
    """What is kept of a sample that was read to its end."""
    suite, wanted = loaded.suite, asked.wanted
    kinds = {
        turn.drawn.observation.key: kind_of(turn.message, done.turns[turn.drawn.observation.key]["turns_before"])
        for turn in turns
        if not turn.reason
    }
    return Sample(
        sample_id=asked.sample_id,
        selection=Selection(wanted.prompt_name, tuple(sorted(wanted.environments)), wanted.tag),
        version=wanted.prompt_version,
        since=wanted.since,
        until=wanted.until,
        suite=suite.name,
        rubric=f"{loaded.rubric.name} {loaded.rubric.edition}",
        scored_by=asked.scored_by,
        overall=suite.overall,
        turns=summary.coverage.turns,
        means=summary.means,
        users=users_behind(turns, suite.metrics_of("heuristic")),
        kinds=kind_shares(turns, kinds, suite.overall, suite.scale("heuristic")),
    )


def is_sample(reference: str, settings: Settings) -> bool:
    """True where the folder of that name is one of a sample of production, finished or not."""
    try:
        return is_sample_folder(run_folder(settings.runs_dir, reference))
    except UsageError:
        return False


def approve_sample(sample_id: str, settings: Settings, *, forced: bool) -> list[str]:
    """Writes the approved sample; the lines that say so. Raises UsageError where it may not be one."""
    if forced:
        raise UsageError("--force: a sample of production is approved as it is, or not at all: leave it out")
    asked, loaded = resumed(sample_id, settings)
    done = read_steps(run_folder(settings.runs_dir, sample_id), asked)
    sample = done.draw.sample(asked.sample)
    _refuse(asked, done, sample)
    turns = scored_turns(sample, done)
    found = sample_of(asked, loaded, summary_of(loaded.suite, turns, done, WORST), turns, done)
    overall = found.means[found.overall]
    if found.small:
        raise UsageError(
            f"sample {sample_id!r} is small: {numbers.times(overall.n, 'response')} of "
            f"{numbers.times(overall.clusters, 'user')} with a score, {LEAST_VALUES} of {LEAST_CLUSTERS} are needed: "
            "sample more days, or more of them"
        )
    path = sample_path(settings.night.baselines_dir, found.selection.prompt)
    before = read_baseline(path)
    write_baseline(path, sample_text(ApprovedSample(moment(), found)))
    parse_sample(read_baseline(path) or "", show_path(path))
    return [
        f"{found.title} in production, {found.since[:10]} to {found.until[:10]}, is the approved sample: overall "
        f"{numbers.score(overall.mean)} {numbers.interval(overall.ci95)} from "
        f"{numbers.times(overall.n, 'response')} of {numbers.times(overall.clusters, 'user')}",
        *([f"before: {_name_of(before, show_path(path))}"] if before is not None else []),
        f"written to {show_path(path)}: review and commit it",
    ]


def _refuse(asked: Asked, done: Done, sample: list[SampledTurn]) -> None:
    wanted, named = asked.wanted, f"sample {asked.sample_id!r}"
    if not done.listed or any(each.observation.key not in done.turns for each in sample):
        again = write_command("score-traces", "--resume", asked.sample_id)
        raise UsageError(f"{named} is not finished: go on with {again}")
    if not wanted.prompt_name or wanted.prompt_version is None:
        again = write_command("score-traces", "--prompt", f"{wanted.prompt_name or 'NAME'}@production")
        raise UsageError(
            f"{named} is of no single prompt version, and a night watches the live one: draw it with {again}"
        )
    if wanted.user_id or wanted.session_id:
        raise UsageError(f"{named} is of one user or session: draw one of all")


def _name_of(text: str, place: str) -> str:
    try:
        found = parse_sample(text, place)
    except UsageError:
        return "a file that was no sample"
    return f"sample {found.sample.sample_id}, approved {found.approved_at}"
