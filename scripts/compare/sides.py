"""The sides of a comparison: which runs they are, whether they may be compared, their names and their scores."""

from collections.abc import Sequence

from evaluation.comparison.compare import check_share
from evaluation.comparison.runs import RunScores
from evaluation.comparison.terms import agree_on_terms
from evaluation.errors import UsageError
from evaluation.run import Run
from evaluation.suites import Suites
from scripts.compare.request import RUN_ID, ComparisonRequest
from scripts.run.scores import fallback_of, run_scores
from scripts.run.stored import stored_run
from scripts.scoring.again import score_again
from services.journal import Journal
from services.settings import Settings

SCORER = "scorer"


def usual_terms(asked: ComparisonRequest, settings: Settings, suites: Suites) -> tuple[str, ...]:
    """The parts that are compared where none is named: of stored runs of an application all that identifies it."""
    if asked.of_stored_runs:
        with Journal.in_folder(settings.runs_dir) as journal:
            if stored_run(journal, asked.references[0], suites).of_application:
                return ("endpoint", "parameters")
    return ("prompt",)


def find_sides(asked: ComparisonRequest, evaluated: Sequence[Run], journal: Journal, suites: Suites) -> list[Run]:
    """The runs in the order in which they were named."""
    if asked.values:
        return list(evaluated)
    rest = iter(evaluated)
    return [
        stored_run(journal, reference, suites) if RUN_ID.fullmatch(reference) else next(rest)
        for reference in asked.references
    ]


def check_sides(runs: Sequence[Run], asked: ComparisonRequest) -> None:
    """Raises UsageError for runs that differ in more than what is compared, unless forced.

    The code that scored them is left out of account: where it differs, they are scored again.
    """
    check_share("margin", asked.margin)
    check_share("effect", asked.margin if asked.effect is None else asked.effect)
    seen: set[str] = set()
    for run in runs:
        if run.run_id in seen:
            raise UsageError(f"run {run.run_id} is named twice: a run compared with itself says nothing")
        seen.add(run.run_id)
    for run in runs[1:]:
        agree_on_terms(runs[0], run, asked.by, aside=(SCORER,), force=asked.force)


async def score_alike(runs: Sequence[Run], asked: ComparisonRequest, journal: Journal, settings: Settings) -> list[Run]:
    """The runs as one code scores them: where theirs differ, those of another code are scored again, without a call.

    They stay as they are where the scorer itself is compared.
    """
    if SCORER in asked.by or len({run.spec.scorer for run in runs}) == 1:
        return list(runs)
    return [await score_again(run, journal, settings) for run in runs]


def read_side(run: Run, asked: ComparisonRequest, journal: Journal) -> RunScores:
    """A run's scores, read from the journal; unread verdicts are treated alike on all sides, as this command says."""
    return run_scores(run, name_side(run, asked.by), journal, fallback_of(asked.run))


def name_side(run: Run, by: Sequence[str]) -> str:
    """A side's name for people: its version, or the value of what is compared."""
    prompt = run.spec.prompt
    if run.of_application and {"endpoint", "parameters"} & set(by):
        return " ".join([run.spec.endpoint, str(run.spec.parameters.get("version", ""))]).strip()
    version = [] if prompt is None or "prompt" not in by else [prompt.short_title]
    return ", ".join([*version, *(f"{part} {_value(run, part)}" for part in by if part != "prompt")]) or run.run_id


def _value(run: Run, part: str) -> str:
    """One part of the run's specification, in its name."""
    if part in run.spec.parameters:
        return str(run.spec.parameters[part])
    value = getattr(run.spec, part, None)
    return str(getattr(value, "version", None) or getattr(value, "model", None) or value)
