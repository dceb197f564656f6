"""The judges of runs that are compared: what their checks said, and whether one and the same model judged."""

from collections.abc import Iterator, Mapping, Sequence

from evaluation.comparison.runs import RunScores
from evaluation.decision.decide import JUDGED
from evaluation.records import Source


def unfit_judges(runs: Sequence[RunScores], source: Source) -> tuple[str, ...]:
    """Why no verdict on this source stands: a sentence for each run with an unfit judge."""
    if source not in JUDGED:
        return ()
    return tuple(f"{run.name}: {run.judge_problem}" for run in runs if run.judge_fit is False)


def judge_faults(runs: Sequence[RunScores]) -> Iterator[str]:
    """Why no gate opens: a judge that failed its check or had none, and one that changed, within a run or between."""
    judged = [run for run in runs if run.spec.judge is not None]
    for run in judged:
        if run.judge_fit is not True:
            yield f"{run.name}: {run.judge_problem or 'the judge was not checked'}"
    yield from judge_changes(judged)


def judge_changes(runs: Sequence[RunScores]) -> Iterator[str]:
    """A sentence for each change of the model that the endpoint says judged."""
    for run in runs:
        if len(run.judged_by) > (1 if run.spec.judge is None else run.spec.judge.size):
            yield f"{run.name}: the judge changed within the run: {', '.join(run.judged_by)} answered"
    named = {run.name: " and ".join(run.judged_by) for run in runs if run.judged_by}
    if len(set(named.values())) > 1:
        yield f"other models judged: {_name_each(named)}"


def note_judges(runs: Sequence[RunScores], source: Source) -> Iterator[str]:
    """What readers of a comparison must know of its judges, and of a change of the model that answered."""
    judged = [run for run in runs if run.spec.judge is not None]
    if source in JUDGED:
        unchecked = [run.name for run in judged if run.judge_fit is None]
        if unchecked:
            yield f"the judge was not checked for {', '.join(unchecked)}"
    yield from judge_changes(judged)
    answered = {run.name: " and ".join(run.answered_by) for run in runs if run.answered_by}
    if len(set(answered.values())) > 1:
        yield f"other models answered: {_name_each(answered)}"


def _name_each(models: Mapping[str, str]) -> str:
    return ", ".join(f"{model} for {name}" for name, model in models.items())
