"""A sweep as data: sweep.json, and the rows of sweep.csv."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from evaluation.comparison.document import row_json
from evaluation.records import Json
from evaluation.sweep.effects import Effect
from evaluation.sweep.sweep import Best, Sweep

SCHEMA_VERSION = 1
FIGURES = ("n", "planned", "clusters", "mean", "ci95_low", "ci95_high", "stdev", "min", "p10", "p50", "max")


def sweep_document(sweep: Sweep, group_id: str, notes: Sequence[str] = ()) -> dict[str, Json]:
    """sweep.json."""
    return {
        "schema_version": SCHEMA_VERSION,
        "group_id": group_id,
        "suite": sweep.suite,
        "source": sweep.source,
        "overall": sweep.overall,
        "rehearsal": sweep.rehearsal,
        "margin": sweep.margin,
        "factors": [{"name": factor.name, "values": list(factor.values)} for factor in sweep.factors],
        "settings": [
            {
                "name": setting.name,
                "run_id": setting.run.run_id,
                "values": dict(setting.values),
                "counts": setting.run.summary.to_json()["counts"],
                "cost_usd": setting.run.summary.cost_usd,
                "metrics": {
                    metric: found.to_json()
                    for metric in sweep.metrics
                    if (found := sweep.cell(metric, setting)) is not None
                },
            }
            for setting in sweep.settings
        ],
        "best": {metric: _best(best) for metric, best in sweep.best.items()},
        "effects": [_effect(effect) for effect in sweep.effects],
        "expected": [asdict(check) for check in sweep.checks],
        "distributions": {metric: asdict(found) for metric, found in sweep.distributions.items()},
        "notes": list(notes),
    }


def _best(best: Best) -> dict[str, Json]:
    return {
        "outcome": best.outcome,
        "leaders": list(best.leaders),
        "runner_up": best.runner_up,
        "lead": None if best.lead is None else row_json(best.lead),
        "detectable": best.detectable,
        "overturnable": best.overturnable,
    }


def _effect(effect: Effect) -> dict[str, Json]:
    return {
        "metric": effect.metric,
        "factor": effect.factor,
        "low": effect.low,
        "high": effect.high,
        "spearman": effect.correlation.value,
        "spearman_ci95": None if effect.correlation.ci95 is None else list(effect.correlation.ci95),
        "change": row_json(effect.change),
    }


def sweep_rows(sweep: Sweep) -> tuple[tuple[str, ...], list[Mapping[str, Any]]]:
    """Columns and rows of sweep.csv: one row for each setting and metric. Null stands for what is not known."""
    factors = tuple(f"setting.{factor.name}" for factor in sweep.factors)
    statements = tuple(dict.fromkeys(check.statement for check in sweep.checks))
    expected = tuple(f"{statement}: {what}" for statement in statements for what in ("low", "high", "mean is"))
    checks = {(check.statement, check.metric, check.setting): check for check in sweep.checks}
    rows: list[Mapping[str, Any]] = []
    for setting in sweep.settings:
        for metric in sweep.metrics:
            found = sweep.cell(metric, setting)
            if found is None:
                continue
            row: dict[str, Any] = {"setting": setting.name, "run_id": setting.run.run_id, "metric": metric}
            row |= {f"setting.{name}": value for name, value in setting.values.items()}
            estimate = found.estimate
            row |= {name: getattr(estimate, name, None) for name in FIGURES}
            ends = estimate.ci95 or (None, None)
            row |= {"planned": found.planned, "ci95_low": ends[0], "ci95_high": ends[1]}
            for statement in statements:
                check = checks.get((statement, metric, setting.name))
                if check is not None:
                    row |= {f"{statement}: low": check.expected[0], f"{statement}: high": check.expected[1]}
                    row[f"{statement}: mean is"] = check.where
            rows.append(row)
    return ("setting", "run_id", *factors, "metric", *FIGURES, *expected), rows
