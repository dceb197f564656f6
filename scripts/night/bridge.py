"""A night whose judge is another than that of the baseline: a sample of the baseline's exchanges is judged again."""

from evaluation.comparison.bridge import LEAST_EXCHANGES, Bridge, sampled_scenarios
from evaluation.nightly.attribution import changes_between
from evaluation.nightly.baseline import Baseline
from evaluation.run import Run
from evaluation.runspec import JudgePin, RunSpec
from evaluation.suites import Suites
from scripts.run.finish import Outcome
from scripts.run.scores import fallback_of, run_scores
from scripts.run.stored import restore_run, stored_run
from scripts.runs.upkeep import existing
from scripts.scoring.rescore import JUDGE, rescore
from services.journal import Journal
from services.settings import Settings


def may_bridge(baseline: Baseline, tonight: RunSpec, journal: Journal) -> bool:
    """True where the judge is all that changed in the measure, and the baseline's exchanges are at hand."""
    judges = (baseline.spec.judge, tonight.judge)
    only_judge = changes_between(baseline.spec, tonight).parts == ("judge",) and None not in judges
    return only_judge and bool(existing([baseline.run_id], journal))


def needs_bridge(baseline: Baseline | None, tonight: RunSpec) -> bool:
    return baseline is not None and "judge" in changes_between(baseline.spec, tonight).parts


def judge_sample(baseline: Baseline, production: Run, suites: Suites, settings: Settings) -> Bridge | Outcome:
    """The bridge, from an earlier night where that made it; or the outcome of a sample that was not judged to its end.

    What was judged is journaled and is not paid for again. The cost limit of the night holds for the sample by itself.
    """
    pin = production.spec.judge
    assert pin is not None
    found = _earlier(baseline, pin, suites, settings)
    if found is None:
        asked = production.request
        changes = {name: getattr(asked, name) for name in (*JUDGE, "max_cost", "prices")}
        aside = {"expectations": "none", "conversations": "none", "canaries": False, "langfuse": False, "quiet": True}
        outcome = rescore(baseline.run_id, {**changes, **aside}, suites, sample=LEAST_EXCHANGES, judge=pin)
        if outcome.exit_code:
            return outcome
        found = outcome.runs[0].run
    with Journal.in_folder(settings.runs_dir) as journal:
        scores = run_scores(found, found.run_id, journal, settings, fallback_of(production.request))
    situations = len({scenario.cluster for scenario in baseline.scores.scenarios})
    return Bridge(scores, situations)


def _earlier(baseline: Baseline, pin: JudgePin, suites: Suites, settings: Settings) -> Run | None:
    """A finished run that judged the same sample by the same judge."""
    with Journal.in_folder(settings.runs_dir) as journal:
        parent = stored_run(journal, baseline.run_id, suites)
        only = sampled_scenarios(parent.scenarios, parent.spec.repeats, parent.run_id, LEAST_EXCHANGES)
        for record in journal.runs():
            spec = record.spec
            ours = record.parent_run_id == parent.run_id and record.state == "finished" and spec.judge == pin
            if ours and spec.scorer == baseline.scores.spec.scorer and spec.rubric == baseline.spec.rubric:
                run = restore_run(record, suites)
                if run.request.only == only:
                    return run
    return None
