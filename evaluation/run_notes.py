"""Notes on a run: what a reader of its report needs beside the figures, one sentence each."""

from evaluation.judging.canaries import CanaryReport
from evaluation.run import Run
from evaluation.summary.summary import Summary


def note_run(run: Run, summary: Summary, canaries: CanaryReport | None, stop_reason: str = "") -> tuple[str, ...]:
    """All notes in the order in which they matter; `stop_reason` is why the run ended early, where it did."""
    notes = []
    if stop_reason:
        notes.append(f"this run ended early: {stop_reason}")
    if run.request.sweep:
        setting = f": {run.setting}" if run.setting else ""
        notes.append(f"one setting of a sweep{setting}; beside the others in {run.group_id}/report.html")
    if canaries is not None and not canaries.passed:
        notes.append(canaries.note())
    judge = run.spec.judge
    if judge is None and run.of_application and run.request.judge:
        notes.append("no judge: set OPENAI_API_KEY (or OPENAI_BASE_URL) and EVAL_JUDGE_MODEL to have flows judged too")
    if judge is not None and judge.model == run.spec.model:
        notes.append("the model judges itself and prefers its own words: set EVAL_JUDGE_MODEL to another")
    if run.of_application and _never_understood(summary):
        notes.append(
            f"no answer had the form of the contract: is {run.spec.endpoint} the application's address, and does its "
            "API bear the contract's names, or those of the mapping file? docs/evals-and-feedback.md has both"
        )
    return tuple(notes)


def _never_understood(summary: Summary) -> bool:
    """True where no flow got an answer that it could use: address or mapping are wrong then, rather than recipes."""
    reasons = summary.finish_reasons.keys()
    return bool(reasons) and reasons <= {"http_status", "invalid_json", "schema"}
