"""What the page's script needs so that a person can judge responses in it, and export what was said."""

from evaluation.commands import write_command
from evaluation.comparison.compare import Comparison
from evaluation.comparison.runs import may_be_paired
from evaluation.judging.material import reply_material
from evaluation.records import Json
from evaluation.reports.html.page import folder
from evaluation.review.form import grades
from evaluation.review.judgements import LONGEST_COMMENT
from evaluation.run import Run
from evaluation.suites.suite import Suite


def of_responses(run: Run) -> dict[str, Json]:
    """Of the page of one run: its responses are kept or flagged, and rated by the grades of the overall."""
    suite = run.suite
    found = [[each.key, each.label, each.text] for each in reversed(grades(suite.bands, suite.low, suite.high))]
    return {"kind": "judgement", **_export([run.run_id]), "rubric": run.spec.rubric.sha256, "grades": found}


def of_pairs(result: Comparison, suite: Suite) -> dict[str, Json] | None:
    """Of the page of a comparison: one of both answers is preferred.

    None where answers are no replies to a message, or the runs differ in more than the prompt.
    """
    replies = suite.judge is None or suite.judge.show is reply_material
    if not replies or not may_be_paired(result.base.spec, result.candidate.spec):
        return None
    return {"kind": "preference", **_export([result.base.run_id, result.candidate.run_id]), "grades": []}


def _export(runs: list[str]) -> dict[str, Json]:
    named = [folder(run) for run in runs]
    file = "-against-".join(reversed(named)) if all(named) else "page"
    file = f"judgements-{file}.jsonl"
    return {
        "runs": list(runs),
        "file": file,
        "command": write_command("review", "take", file, "--reviewer", "NAME"),
        "longest": LONGEST_COMMENT,
    }
