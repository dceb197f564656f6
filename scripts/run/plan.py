"""The plan of new runs: models chosen, judges pinned, the rest as it was read."""

import re
import secrets
import time
from functools import partial

from evaluation import plan
from evaluation.errors import UsageError
from evaluation.plan import Inputs, Occasion
from evaluation.run import Run
from scripts.run.judges import pin_judges
from scripts.run.models import choose_models
from scripts.run.wiring import Wiring
from services.provenance import provenance, scorer_digest


async def plan_runs(inputs: Inputs, wiring: Wiring) -> list[Run]:
    """One run per leg under the loaded suite, in one group; its judge answers in the best form that may work.

    Nothing is asked but which models there are, where none is named. Raises UsageError for what would stop the runs
    halfway.
    """
    if wiring.request.shard is not None and len(inputs.legs) > 1:
        raise UsageError(
            f"--shard: shards of one run are joined, and these would be {len(inputs.legs)}: evaluate each prompt and "
            "model by itself, merge its shards, and compare the merged runs"
        )
    models = [await choose_models(leg.prompt, leg.request, wiring) for leg in inputs.legs]
    judges = [
        await pin_judges(chosen.judges, leg.request, inputs.loaded, wiring.endpoints, wiring.settings)
        for leg, chosen in zip(inputs.legs, models, strict=True)
    ]
    created_at = time.time()
    occasion = Occasion(
        created_at=created_at,
        identify=partial(run_identifier, created_at),
        defaults={"temperature": wiring.settings.temperature, "max_tokens": wiring.settings.max_tokens},
        scorer=scorer_digest(inputs.loaded.suite.scored_by),
        provenance={} if wiring.request.dry_run else provenance(wiring.settings.workspace.folder),
        ignored_config=wiring.settings.ignored_config,
    )
    return plan.plan_runs(inputs, models, judges, occasion)


def run_identifier(created_at: float, name: str) -> str:
    """A name for people that sorts by time and is unique: 20261120T140203Z-penpal-companion-v3-4f2a9c."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(created_at))
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60]
    return f"{stamp}-{slug}-{secrets.token_hex(3)}"
