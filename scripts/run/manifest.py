"""manifest.json: what a run was asked for, what it is made of, and what it ran on."""

import time
from dataclasses import asdict

from evaluation.records import Json
from evaluation.run import Run
from evaluation.summary.summarise import SCHEMA_VERSION


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
        "digests": run.spec.digests(),
        "planned_exchanges": run.planned_exchanges,
        "rehearsal": run.spec.embedded,
        **run.provenance,
    }
