"""The start of runs: who answers and judges is announced, and each run is written down before its first exchange."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from evaluation.applications.mapping import ConversationMapping
from evaluation.comparison.gate import RegressionRules
from evaluation.comparison.opening import describe_opening
from evaluation.errors import UsageError
from evaluation.records import Json
from evaluation.run import Run, texts_of
from evaluation.runspec import PRODUCTION, digest
from evaluation.suites import DEFAULT_SUITE
from evaluation.summary.columns import deciding_source
from evaluation.summary.summary import SCHEMA_VERSION
from evaluation.text.numbers import times
from evaluation.unoffered import note_on_tools
from scripts.run.texts import chosen_rubric
from scripts.run.wiring import Wiring
from scripts.shell import note
from services.journal import Journal
from services.run_folder import INPUTS, MANIFEST, point_latest, run_folder, write_json
from services.settings import Settings

HELD_AGAINST_PEOPLE = "companion-v3"
"""The shipped rubric whose rules look at more than the default's."""


def check_cost_can_be_known(models: Iterable[str], wiring: Wiring) -> None:
    """A cost limit over calls without a price would never be reached: UsageError names the models."""
    if wiring.request.max_cost is None:
        return
    unpriced = sorted(model for model in set(models) if wiring.prices.find(model) is None)
    if unpriced:
        raise UsageError(
            f"--max-cost: no price is known as of {wiring.prices.as_of} for {', '.join(unpriced)}: "
            "give one with --prices FILE"
        )


def announce(runs: Sequence[Run], wiring: Wiring) -> None:
    """Model, judge and the number of exchanges, on stderr."""
    if wiring.request.quiet or not runs:
        return
    spec = runs[0].spec
    if runs[0].of_application:
        _announce_application(runs[0], rehearsal=wiring.choice.rehearsal)
        _announce_history(runs[0], wiring)
    elif spec.of_production:
        _announce_production(runs[0], rehearsal=wiring.choice.rehearsal)
    elif wiring.choice.rehearsal:
        note("model: the embedded rehearsal model, a scripted stand-in and not a language model (no endpoint is set)")
    else:
        models = dict.fromkeys(run.spec.model for run in runs)
        note(f"{'models' if len(models) > 1 else 'model'}: {', '.join(models)} at {spec.endpoint}")
    if spec.suite == DEFAULT_SUITE and not chosen_rubric(spec.suite, wiring.request.rubric, wiring.settings):
        held = f"--rubric {HELD_AGAINST_PEOPLE} (EVAL_RUBRIC) has rules that agree more with people: docs/validity.md"
        note(f"rules: {spec.rubric.name} {spec.rubric.version}; {held}")
    if spec.judge is not None and spec.judge.model in {run.spec.model for run in runs}:
        note("judge: the model under test judges itself and prefers its own words; set EVAL_JUDGE_MODEL")
    _announce_seen(runs[0])
    for line in dict.fromkeys(line for run in runs for line in note_on_tools(run)):
        note(line)
    exchanges = sum(run.played_exchanges for run in runs)
    part = "" if runs[0].shard is None else f" of shard {runs[0].shard}"
    note(f"{times(exchanges, 'exchange')}{part} in {times(len(runs), 'run')}: {', '.join(r.run_id for r in runs)}")


def _announce_seen(run: Run) -> None:
    """Says which models see each response beside the judge, and what is left unmeasured without one."""
    spec = run.spec
    if spec.moderation is not None:
        note(f"moderation: each response goes to {spec.moderation} at the same endpoint")
    if spec.embedding is not None:
        note(f"meaning: measured by {spec.embedding.title}, at {spec.embedding.endpoint}")
    elif by_vectors := run.suite.by_vectors:
        note(f"meaning: not measured, so that {', '.join(by_vectors)} has no value: set EVAL_EMBEDDING_MODEL")


def _announce_production(run: Run, *, rehearsal: bool) -> None:
    """Says that nobody is asked for a response, and who judges those that there are."""
    note(f"responses: of production, kept at {run.spec.endpoint.removeprefix(PRODUCTION)}; none is asked for")
    _announce_judge(run, rehearsal=rehearsal)


def _announce_application(run: Run, *, rehearsal: bool) -> None:
    """Says which application is evaluated, and who judges it."""
    spec = run.spec
    where = f"the embedded sample assistant, {spec.endpoint}" if spec.embedded else spec.endpoint
    note(f"application: {where}{' (CHAT_FLOW_URL is not set)' if spec.embedded else ''}")
    _announce_judge(run, rehearsal=rehearsal)


def _announce_judge(run: Run, *, rehearsal: bool) -> None:
    spec = run.spec
    if spec.judge is None:
        alone = "checks" if run.suite.checks else "rules"
        note(f"judge: none, {alone} alone{' (no endpoint is set)' if rehearsal else ''}")
    elif rehearsal:
        note("judge: the embedded rehearsal model, a scripted stand-in whose scores say nothing about quality")
    else:
        note(f"judge: {spec.judge.model} at {spec.judge.endpoint}")


def _announce_history(run: Run, wiring: Wiring) -> None:
    """Says how many scenarios begin in the middle of a conversation that the application is not sent."""
    mapping = None if wiring.target is None else wiring.target.mapping
    begun = sum(bool(scenario.history) for scenario in run.scenarios)
    if begun and isinstance(mapping, ConversationMapping) and not mapping.sends_history:
        note(
            f"{times(begun, 'scenario')} of {len(run.scenarios)} begin after turns that the mapping does not send "
            '("{messages}" would): the application cannot know them'
        )


def register(run: Run, journal: Journal, settings: Settings, *, new: bool) -> None:
    """Writes the run and its manifest down, or takes note that an earlier one goes on."""
    if not new:
        journal.resume_run(run.run_id)
        return
    write_down(run, journal, settings)
    if not run.is_sample:
        point_latest(settings.runs_dir, run.run_id)


def write_down(run: Run, journal: Journal, settings: Settings) -> None:
    """The run in the journal, and all that it was made of in its folder: from there a damaged journal gets it back."""
    journal.create_run(run)
    write_origin(run, settings)


def write_origin(run: Run, settings: Settings) -> None:
    """The manifest and the texts of a run, where its folder lacks one of them."""
    manifest, texts = manifest_document(run), dict(texts_of(run))
    hashes = {name: digest(text) for name, text in texts.items()}
    folder = run_folder(settings.runs_dir, run.run_id)
    if (folder / MANIFEST).exists() and (folder / INPUTS).exists():
        return
    write_json(folder / MANIFEST, {**manifest, "inputs": hashes})
    write_json(folder / INPUTS, {"schema_version": SCHEMA_VERSION, "inputs": texts})


def manifest_document(run: Run) -> dict[str, Json]:
    """The content of the file, packages and commit included."""
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": run.run_id,
        "group_id": run.group_id,
        "parent_run_id": run.parent_run_id,
        "created_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(run.created_at)),
        "arguments": asdict(run.request),
        "spec": asdict(run.spec),
        "digests": run.spec.digests,
        "planned_exchanges": run.planned_exchanges,
        "rehearsal": run.spec.embedded,
        **run.provenance,
    }


def note_opening(run: Run, rules: RegressionRules) -> None:
    """Notes, before anything is paid for, what the no-regression gate can show of the run's scenarios."""
    source = deciding_source(run.sources)
    if said := describe_opening(run.scenarios, run.spec.repeats, rules, run.suite, source):
        note(said)
