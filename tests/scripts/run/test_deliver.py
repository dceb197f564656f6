"""A rehearsal run of the companion suite, delivered as any run would be: plan and figures come from the core."""

import asyncio
from pathlib import Path

from evaluation.decision.decide import decide
from evaluation.delivered import LangfuseReport
from evaluation.request import EvaluationRequest
from evaluation.suites import SUITES
from evaluation.summary.columns import Columns
from evaluation.summary.summarise import summarise
from scripts.run.finish import run_figures
from scripts.run.stored import restore_run
from scripts.workflow import run_evaluation
from services.journal import Journal
from services.langfuse.score_names import score_kinds
from services.langfuse.session import LangfuseSession
from tests.evaluation.reports.html import expecting
from tests.langfuse_double import LangfuseDouble
from tests.services.langfuse.stories import kinds_of, settings_for


def test_a_companion_run_arrives_with_its_decision(runs_dir: Path) -> None:
    run_evaluation(EvaluationRequest(prompts=("v3",), limit=12, quiet=True, langfuse=False))
    with LangfuseDouble() as double, Journal.open(runs_dir / "evals.db") as journal:
        record = next(journal.runs(1))
        run = restore_run(record, SUITES)
        summary = summarise(
            journal.results(record.run_id),
            Columns(run.suite, run.scenarios, 1, run.sources),
            run_id=record.run_id,
            prompt=record.spec.prompt,
        )
        figures = run_figures(summary, decide(summary, run.suite))

        async def deliver() -> LangfuseReport | None:
            settings = settings_for(double, runs_dir)
            session = LangfuseSession.configure(settings, journal, kinds_of(run))
            assert session is not None
            session.take([run])
            async with session:
                return await session.finish(record.run_id, figures, deadline_s=30.0)

        report = asyncio.run(deliver())
        assert report is not None
        assert report.problems == ()
        assert report.complete
        assert double.scores("decision")
        assert double.scores("rules.overall_quality")
        assert {score.value for score in double.scores("coverage")} == {1.0}
        assert not double.duplicates()
        assert double.body_problems() == []
        assert double.store.dropped == []
        assert all(config["name"] for config in double.store.configs.values())


def test_the_figures_of_a_run_name_what_is_met_and_which_critical_items_fail() -> None:
    outcome = expecting.outcome(expecting.strict_suite())
    figures = {figure.name: figure for figure in run_figures(outcome.summary, outcome.decision)}
    assert outcome.summary.expectations is not None
    assert figures["expectations_met"].value == outcome.summary.expectations.met.estimate.mean
    assert figures["critical_failures"].value == 2.0
    assert figures["critical_failures"].comment == "no-forever in s00, no-forever in s02"
    assert figures["decision"].value == "held_back"
    kinds = {kind.name: kind for kind in score_kinds(outcome.run.suite, judged=True, expects=True)}
    problems = [kinds[name].problem(figure.value) for name, figure in figures.items()]
    assert not any(problems)
