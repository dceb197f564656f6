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
from services.langfuse.session import LangfuseSession
from tests.langfuse_double import LangfuseDouble
from tests.services.langfuse.stories import settings_for


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
            session = LangfuseSession.configure(settings, journal, run.suite, judged=True)
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
