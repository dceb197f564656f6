"""The content of comparison.json, and of decision.json where a comparison decides: all figures, for machines."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from evaluation.comparison.compare import Comparison
from evaluation.comparison.differences import CategoryDifference, MetricDifference
from evaluation.comparison.gate import RegressionResult
from evaluation.comparison.head_to_head_document import head_to_head_document
from evaluation.comparison.prompt_steps import steps_between
from evaluation.comparison.ranking import Ranking
from evaluation.comparison.runs import Leaf, RunScores
from evaluation.decision.first_line import FirstLine, first_line
from evaluation.decision.gate import GateResult, failure_rate, fallback_rate
from evaluation.records import Json, Source
from evaluation.summary.summary import item_figures

SCHEMA_VERSION = 1


def comparison_document(
    comparison: Comparison,
    gate: RegressionResult | GateResult | None = None,
    headline: str = "",
    notes: Sequence[str] = (),
) -> Json:
    """The whole comparison, with the gate's answer where one was asked for; `notes` are added to its own."""
    primary = comparison.primary
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "comparison",
        "suite": comparison.suite,
        "verdict": comparison.verdict or "none",
        "code": comparison.line(headline).code,
        "headline": headline,
        "reasons": list(comparison.reasons),
        "source": comparison.source,
        "metric": comparison.overall,
        "margin": comparison.margin,
        "base": run_json(comparison.base, comparison.source, comparison.overall),
        "candidate": run_json(comparison.candidate, comparison.source, comparison.overall),
        "compared_by": list(comparison.terms.by),
        "compared": _leaves_json(comparison.terms.compared),
        "prompt_change": None if comparison.prompt_change is None else comparison.prompt_change.to_json(),
        "forced": comparison.forced,
        "other_differences": _leaves_json(comparison.others),
        "notes": [*comparison.terms.notes, *notes],
        "rehearsal": comparison.rehearsal,
        "unpaired_scenarios": {"base": comparison.unpaired[0], "candidate": comparison.unpaired[1]},
        "overall": None if primary is None else row_json(primary),
        "metrics": {
            source: {metric: row_json(row) for metric, row in rows.items()}
            for source, rows in comparison.metrics.items()
        },
        "all_checks": None if comparison.all_checks is None else row_json(comparison.all_checks),
        "by_category": _categories_json(comparison.categories),
        "cues": [each.to_json() for each in comparison.cues],
        "expectations": None if comparison.items is None else comparison.items.to_json(),
        "head_to_head": None
        if comparison.head_to_head is None
        else head_to_head_document(comparison.head_to_head, comparison.verdict),
        "conversations": conversations_json(comparison.conversations),
        "bridge": None if comparison.carried is None else comparison.carried.to_json(),
        "gate": None if gate is None else asdict(gate),
        **({} if comparison.mix is None else {"mix": comparison.mix.to_json(row_json)}),
    }


def ranking_document(
    ranking: Ranking,
    headline: str = "",
    *,
    gate: RegressionResult | GateResult | None = None,
    notes: Sequence[str] = (),
) -> Json:
    """The ranking, every pair, and the groups; runs are named by id. `gate` and `notes` as for a comparison."""
    ids = [run.run_id for run in ranking.runs]
    talks = {(pair.first, pair.second): pair.rows for pair in ranking.conversations}
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "ranking",
        "suite": ranking.suite,
        "code": first_line(ranking.standing, FirstLine("ranked", headline)).code,
        "headline": headline,
        "source": ranking.source,
        "metric": ranking.overall,
        "compared_by": list(ranking.by),
        "margin": ranking.margin,
        "forced": ranking.forced,
        "other_differences": [
            {"run_id": other.run_id, "against": other.against, **_leaf_json(other.leaf, "run")}
            for other in ranking.others
        ],
        "notes": [*ranking.notes, *notes],
        "rehearsal": ranking.rehearsal,
        "best": None if (best := ranking.best()) is None else ids[best],
        "unbeaten": [ids[place] for place in ranking.unbeaten()],
        "runs": [run_json(run, ranking.source, ranking.overall) for run in ranking.runs],
        "pairs": [
            {
                "run_id": ids[pair.first],
                "against": ids[pair.second],
                "verdict": pair.verdict or "none",
                "no_data": pair.no_data,
                "overturnable": pair.overturnable,
                **row_json(pair.row),
                "conversations": conversations_json(talks.get((pair.first, pair.second), ())),
            }
            for pair in ranking.pairs
        ],
        "groups": [[ids[place] for place in group] for group in ranking.groups],
        "prompt_changes": [
            {"before": step.before, "after": step.after, **step.change.to_json()}
            for step in steps_between(ranking.runs)
        ],
        "gate": None if gate is None else asdict(gate),
    }


def conversations_json(rows: Sequence[MetricDifference]) -> dict[str, Json] | None:
    """Metric -> the difference of conversations as a whole; None where one of the runs has none."""
    return {row.metric: row_json(row) for row in rows} or None


def row_json(row: MetricDifference) -> dict[str, Json]:
    """One difference with all that is known of it."""
    return {
        "role": row.role,
        "call": row.call,
        **row.estimate.figures(),
        "p": row.estimate.p,
        "p_adjusted": row.p_adjusted,
        "paired": row.paired,
        "planned": row.planned,
        "coverage": row.coverage,
        "bounds": row.bounds,
        "level": row.level,
        "detectable": row.detectable,
        "noise": row.noise,
        "components": None if row.components is None else asdict(row.components),
        "needed": None if row.need is None else asdict(row.need),
        "bound": None if row.bound is None else asdict(row.bound),
    }


def run_json(run: RunScores, source: Source, overall: str) -> dict[str, Json]:
    """One side: what it was and how it ended."""
    found = run.summary.metric(source, overall)
    return {
        "run_id": run.run_id,
        "name": run.name,
        "prompt": None if run.spec.prompt is None else asdict(run.spec.prompt),
        "model": run.spec.answerer,
        "parameters": dict(run.spec.parameters),
        "digests": run.spec.digests,
        "counts": asdict(run.summary.counts),
        "failure_rate": failure_rate(run.summary),
        "fallback_rate": fallback_rate(run.summary),
        "overall": None if found is None else found.to_json(),
        "critical_failures": item_figures(run.summary.expectations)["critical_failures"],
        "cost_usd": run.summary.cost_usd,
        "replies": None if run.summary.replies is None else run.summary.replies.to_json(),
        "judge": {"fit": run.judge_fit, "problem": run.judge_problem, "models": list(run.judged_by)},
        "answered_by": list(run.answered_by),
    }


def _leaves_json(leaves: Sequence[Leaf]) -> list[Json]:
    return [_leaf_json(leaf, "candidate") for leaf in leaves]


def _leaf_json(leaf: Leaf, side: str) -> dict[str, Json]:
    """`side` names the run that is held against the base."""
    name, before, after = leaf
    return {"part": name, "base": before, side: after}


def _categories_json(cells: tuple[CategoryDifference, ...]) -> Mapping[str, Json]:
    found: dict[str, dict[str, dict[str, Json]]] = {}
    for cell in cells:
        metrics = found.setdefault(cell.category, {}).setdefault(cell.row.source, {})
        metrics[cell.row.metric] = {**row_json(cell.row), "p_adjusted": cell.p_adjusted}
    return found
