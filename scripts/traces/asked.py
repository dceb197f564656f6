"""What a sample is of, pinned when it is begun: a resume takes all of it from the sample's manifest."""

import argparse
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from evaluation.commands import write_command
from evaluation.errors import UsageError
from evaluation.moments import iso
from evaluation.records import Json
from evaluation.runspec import digest
from evaluation.suites.loaded import LoadedSuite
from scripts.argument_values import moment_of
from scripts.arguments import usual_suite
from scripts.run.load import chosen_rubric, load_suite
from scripts.run.plan import run_identifier
from scripts.run.samples import KIND
from services.langfuse.observations import Wanted
from services.prompt_service import open_prompts
from services.provenance import provenance, scorer_digest
from services.run_folder import MANIFEST, read_json, run_folder, why_unread, write_json
from services.settings import Settings

DAYS, SAMPLE, SEED = 7, 500, 1


@dataclass(frozen=True, slots=True)
class Asked:
    """One sample: which generations, how many, and by which rules."""

    sample_id: str
    created_at: float
    """Seconds since the epoch."""
    wanted: Wanted
    sample: int
    seed: int
    suite: str
    rubric: str | None
    """As it was named; None for the suite's own."""
    scored_by: str
    """Digest of the rubric's text and of the code that scores."""
    own_environment: str
    """Of the tool's own traces."""
    profile: str | None = None
    """Of the rubric; None for its formulas as they are."""

    def to_json(self) -> Json:
        return {"schema_version": 1, "kind": KIND, **asdict(self)}


async def begin(options: argparse.Namespace, settings: Settings) -> tuple[Asked, LoadedSuite]:
    """A sample as the arguments say it, with its manifest written. Raises UsageError for what cannot be meant."""
    suite = usual_suite(options.suite)
    rubric = chosen_rubric(suite, options.rubric, settings)
    loaded = load_rules(suite, rubric, options.profile)
    now = time.time()
    name, version = options.prompt_name or "", None
    if options.prompt:
        pin = (await open_prompts(settings).load(options.prompt)).prompt.pin
        if pin.source != "langfuse":
            raise UsageError(
                f"--prompt {options.prompt}: is a file, and traces name versions that are kept in Langfuse"
            )
        name, version = pin.name, pin.version
    wanted = Wanted(
        *_time(options, now),
        prompt_name=name,
        prompt_version=version,
        environments=tuple(options.environment or ()),
        tag=options.tag or "",
        user_id=options.user or "",
        session_id=options.session or "",
    )
    seed = SEED if options.seed is None else options.seed
    named = (suite, rubric, options.profile)
    return pin_sample(wanted, options.sample or SAMPLE, seed, named, loaded, settings, now), loaded


def pin_sample(
    wanted: Wanted,
    sample: int,
    seed: int,
    named: tuple[str, str | None, str | None],
    loaded: LoadedSuite,
    settings: Settings,
    now: float,
) -> Asked:
    """A new sample with its manifest written; suite, rubric and profile as they were `named`, `now` in seconds."""
    asked = Asked(
        sample_id=run_identifier(now, f"{KIND}-{wanted.prompt_name or 'all'}"),
        created_at=now,
        wanted=wanted,
        sample=sample,
        seed=seed,
        suite=named[0],
        rubric=named[1],
        profile=named[2],
        scored_by=_scored_by(loaded),
        own_environment=settings.tracing_environment,
    )
    folder = run_folder(settings.runs_dir, asked.sample_id)
    rubric_of = {"name": loaded.rubric.name, "version": loaded.rubric.edition, "sha256": digest(loaded.text)}
    write_json(
        folder / MANIFEST,
        {**asked.to_json(), "rubric_used": rubric_of, "provenance": provenance(settings.workspace.folder)},
    )
    return asked


def resumed(sample_id: str, settings: Settings) -> tuple[Asked, LoadedSuite]:
    """A sample that was begun. Raises UsageError where there is none, or its rules have changed since."""
    path = run_folder(settings.runs_dir, sample_id) / MANIFEST
    try:
        asked = _read(read_json(path))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path}: there is no sample of production to go on with ({why_unread(error)}): "
            f"begin one with {write_command('score-traces')}"
        ) from None
    loaded = load_rules(asked.suite, asked.rubric, asked.profile)
    if _scored_by(loaded) != asked.scored_by:
        raise UsageError(
            f"sample {sample_id!r} was begun under other rules than those of today, and one mean of both would say "
            f"nothing: begin another with {write_command('score-traces')}"
        )
    return asked, loaded


def load_rules(suite: str, rubric: str | None, profile: str | None = None) -> LoadedSuite:
    """A suite whose rules score single responses. Raises UsageError for any other."""
    loaded = load_suite(suite, rubric, profile=profile)
    if loaded.suite.rules != "heuristic" or not loaded.suite.metrics_of("heuristic"):
        raise UsageError(f"suite {loaded.suite.name!r} has no rule for a single response: name another with --suite")
    return loaded


def _read(manifest: Mapping[str, Any]) -> Asked:
    if manifest.get("kind") != KIND:
        raise ValueError("it is no sample of production")
    wanted = {**manifest["wanted"], "environments": tuple(manifest["wanted"]["environments"])}
    fields = {name: manifest[name] for name in Asked.__slots__ if name not in ("wanted", "profile")}
    return Asked(wanted=Wanted(**wanted), profile=manifest.get("profile"), **fields)


def _scored_by(loaded: LoadedSuite) -> str:
    return digest([loaded.text, scorer_digest(loaded.suite.scored_by)])


def _time(options: argparse.Namespace, now: float) -> tuple[str, str]:
    """The first moment, and the first one that is too late. Raises UsageError for a time that cannot be read."""
    until = moment_of("--until", options.until) if options.until else datetime.fromtimestamp(now, UTC)
    days = DAYS if options.days is None else options.days
    try:
        since = moment_of("--since", options.since) if options.since else until - timedelta(days=days)
    except OverflowError:
        raise UsageError(f"--days {days:g}: is before all calendars") from None
    if since >= until:
        raise UsageError(f"--since {iso(since)} is not before --until {iso(until)}")
    return iso(since), iso(until)
