"""A stored run under another version of the scoring code: its replies and verdicts stay, nobody is asked."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.errors import UsageError
from evaluation.records import CallFailure, Exchange, Score
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.runspec import differences
from evaluation.suites import SUITES
from scripts.run.stored import stored_run
from scripts.scoring import rescore
from scripts.workflow import run_evaluation
from services.journal import Journal
from services.settings import read_settings
from tests.scripts.commands import document, lines


def evaluated(**more: object) -> str:
    asked = EvaluationRequest(prompts=("v3",), limit=2, judge_format="schema", quiet=True, canaries=False)
    return run_evaluation(replace(asked, **more)).runs[0].run.run_id  # type: ignore[arg-type]


def scored_again(run: Run, journal: Journal) -> Run:
    return asyncio.run(rescore.score_again(run, journal, read_settings()))


def other_scorer(run: Run) -> Run:
    """The run, whose suite scores every metric 0.25 by rule."""

    def score(exchange: Exchange) -> tuple[Score, ...]:
        return tuple(each._replace(value=0.25) for each in run.suite.score(exchange))

    return replace(run, suite=replace(run.suite, score=score))


def test_rules_are_applied_again_and_verdicts_kept(runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parent_id = evaluated()
    with Journal.open(runs_dir / "evals.db") as journal:
        parent = stored_run(journal, parent_id, SUITES)
        assert scored_again(parent, journal) is parent
        monkeypatch.setattr(rescore, "scorer_digest", lambda _modules: "of tomorrow")
        child = scored_again(other_scorer(parent), journal)
        assert differences(parent.spec, child.spec) == ("scorer",)
        assert scored_again(parent, journal).run_id == child.run_id, "scored again once"
        totals = journal.call_totals(child.run_id)
        assert totals.keys() <= {"judge", "expectations"}
        assert not any(each.paid for each in totals.values())
        assert stored_run(journal, "last", SUITES).run_id in (parent_id, child.run_id)
    before, after = lines(runs_dir / parent_id), lines(runs_dir / child.run_id)
    assert len(before) == len(after) > 0
    assert [line["scores"]["judge"] for line in before] == [line["scores"]["judge"] for line in after]
    assert all(set(line["scores"]["heuristic"].values()) == {0.25} for line in after)
    manifest = document(runs_dir / child.run_id, "manifest.json")
    assert manifest["parent_run_id"] == parent_id
    assert manifest["spec"]["scorer"] == "of tomorrow"
    assert (runs_dir / "latest").resolve().name == parent_id


def test_measures_by_vectors_are_those_of_the_journal(runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parent_id = evaluated(judge=False, embedding_model="any")
    with Journal.open(runs_dir / "evals.db") as journal:
        parent = stored_run(journal, parent_id, SUITES)
        monkeypatch.setattr(rescore, "scorer_digest", lambda _modules: "of tomorrow")
        child = scored_again(parent, journal)
        assert scored_again(parent, journal).run_id == child.run_id, "scored again once"
        assert journal.call_totals(child.run_id)["embedding"].paid == 0
    before, after = lines(runs_dir / parent_id), lines(runs_dir / child.run_id)
    assert [line["scores"]["measure"] for line in before] == [line["scores"]["measure"] for line in after]
    assert any(line["scores"]["measure"]["prompt_relevance"] is not None for line in after)


def test_a_verdict_that_the_journal_lost_is_not_made_up(runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parent_id = evaluated()
    with Journal.open(runs_dir / "evals.db") as journal:
        parent = stored_run(journal, parent_id, SUITES)
        monkeypatch.setattr(rescore, "scorer_digest", lambda _modules: "of tomorrow")
        monkeypatch.setattr(journal, "answers", lambda *_: {})
        with pytest.raises(UsageError, match=f"make rescore RUN={parent_id}"):
            scored_again(parent, journal)
        assert [run.run_id for run in journal.runs()] == [parent_id]


def test_a_response_that_was_never_judged_stays_as_it_is(runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parent_id = evaluated()
    with Journal.in_folder(runs_dir) as journal:
        parent = stored_run(journal, parent_id, SUITES)
        *rest, unscored = journal.results(parent_id, parent.scenario_ids)
        error = CallFailure("scoring", "a cue failed", 0, 0.0, 0.0)
        failed = replace(unscored, state="failed", scores=(), verdict=None, error=error)
        monkeypatch.setattr(journal, "results", lambda *_: iter([*rest, failed]))
        monkeypatch.setattr(rescore, "scorer_digest", lambda _modules: "of tomorrow")
        child = scored_again(parent, journal)
        monkeypatch.undo()
        errors = [result.error for result in journal.results(child.run_id, parent.scenario_ids)]
        assert errors == [*(None for _ in rest), error]


def test_items_are_answered_again_by_what_the_judge_said(runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = runs_dir / "own.yaml"
    own.parent.mkdir(exist_ok=True)
    items = "[{id: asks, ask: Does it ask a question?, critical: true}, {id: short, check: words, at_most: 900}]"
    own.write_text(f"category: small_talk\nscenarios: [{{id: a, turns: [Hi there.], expect: {items}}}]\n")
    parent_id = evaluated(scenarios=(str(own),))
    with Journal.open(runs_dir / "evals.db") as journal:
        parent = stored_run(journal, parent_id, SUITES)
        monkeypatch.setattr(rescore, "scorer_digest", lambda _modules: "of tomorrow")
        child = scored_again(parent, journal)
        assert journal.call_totals(child.run_id)["expectations"].paid == 0
    before, after = (
        [line["expectations"] for line in lines(runs_dir / run_id)] for run_id in (parent_id, child.run_id)
    )
    assert before == after
    assert {("asks", "judge"), ("short", "rule")} <= {(each["id"], each["source"]) for each in after[0]}
