"""manifest.json: what a run was asked for, what it is made of, and what it ran on."""

import time
from dataclasses import asdict

from evaluation.records import Json
from evaluation.summary.summarise import SCHEMA_VERSION
from scripts.run.plan import PlannedRun
from services.journal import RunRecord


def manifest_document(run: PlannedRun, record: RunRecord) -> dict[str, Json]:
    """The content of the file; `record` is the run's as the journal holds it, packages and commit included."""
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": run.run_id,
        "group_id": record.group_id,
        "parent_run_id": record.parent_run_id,
        "created_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created_at)),
        "arguments": record.arguments,
        "spec": asdict(run.spec),
        "digests": run.spec.digests(),
        "planned_exchanges": run.planned_exchanges,
        "rehearsal": run.rehearsal,
        **record.extra,
    }
