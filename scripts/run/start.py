"""The start of runs: each is written down before its first exchange, and refused where its cost cannot be known."""

import time
from collections.abc import Iterable
from dataclasses import asdict

from evaluation.errors import UsageError
from evaluation.records import Json
from evaluation.run import Run, texts_of
from evaluation.runspec import digest
from evaluation.summary.summary import SCHEMA_VERSION
from scripts.run.wiring import Wiring
from services.journal import Journal
from services.run_folder import INPUTS, MANIFEST, point_latest, run_folder, write_json
from services.settings import Settings


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
    folder = run_folder(settings.runs_dir, run.run_id)
    if (folder / MANIFEST).exists() and (folder / INPUTS).exists():
        return
    manifest, texts = manifest_document(run), dict(texts_of(run))
    hashes = {name: digest(text) for name, text in texts.items()}
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
