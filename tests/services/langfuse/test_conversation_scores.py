"""What a judge says of a conversation as a whole: on its root, beside the means of its turns, read back and counted."""

from dataclasses import replace
from pathlib import Path

from evaluation.identity import observation_id, trace_id
from evaluation.judging.conversations.asking import whole_conversation
from evaluation.records import Result, Score, Verdict
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from services.langfuse.score_names import MAX_NAME, conversation_name, kinds_of_run
from tests.evaluation.judging.conversations import NAMES
from tests.evaluation.judging.verdicts import judge_rubric
from tests.langfuse_double import LangfuseDouble
from tests.services.langfuse.stories import (
    COMPANION,
    SINGLE,
    SPEC,
    TALK,
    deliver,
    evaluated_run,
    journaled,
    record,
    scored,
    settings_for,
)

USUAL = EvaluationRequest()
RATIONALE = dict.fromkeys(NAMES, "write to ada@example.org about turn 2")


def judged_run(request: EvaluationRequest = USUAL) -> Run:
    suite = replace(COMPANION, judge=judge_rubric())
    return evaluated_run(spec=replace(SPEC, repeats=1), scenarios=(SINGLE, TALK), suite=suite, request=request)


def turns() -> list[Result]:
    return [scored(SINGLE, 1, 1), *(scored(TALK, 1, turn) for turn in (1, 2, 3))]


def whole(value: float = 0.3) -> Result:
    conversation = whole_conversation([each.exchange for each in turns()[1:]], TALK)
    assert conversation is not None
    scores = [Score(name, "judge", value) for name in NAMES[1:]]
    absent = Score("memory", "judge", None, applicable=False, reason="nothing of it")
    verdict = Verdict(dict.fromkeys(NAMES[1:], value), "", True, "{}", "judge-a", rationale=RATIONALE)
    return Result(conversation, "scored", (absent, *scores), verdict, scope="conversation")


def on_root(double: LangfuseDouble) -> dict[str, object]:
    root = observation_id(trace_id("run-1", TALK.id, 1), "root")
    return {score.name: score.value for score in double.scores() if score.observation_id == root}


def test_scores_stand_on_the_root_and_what_is_absent_has_none(double: LangfuseDouble, tmp_path: Path) -> None:
    run = judged_run()
    with journaled(tmp_path / "evals.db", run, [*turns(), whole()]) as journal:
        report = deliver(journal, run, settings_for(double, tmp_path))
    assert report.complete, report.problems
    found = on_root(double)
    assert {name: value for name, value in found.items() if "conversation" in name} == {
        "judge.conversation.consistency": 0.3,
        "judge.conversation.boundaries_held": 0.3,
        "judge.conversation.ending": 0.3,
    }
    assert [span.name for span in double.generations() if "conversation" in span.name] == ["judge conversation"]
    assert not double.duplicates()


def test_a_verdict_that_comes_with_a_resume_is_added_to_what_is_there(double: LangfuseDouble, tmp_path: Path) -> None:
    run = judged_run()
    with journaled(tmp_path / "evals.db", run, turns()) as journal:
        assert deliver(journal, run, settings_for(double, tmp_path)).complete
        assert not [name for name in on_root(double) if "conversation" in name]
        record(journal, run, [whole(0.7)])
        report = deliver(journal, run, settings_for(double, tmp_path))
    assert report.complete, report.problems
    assert on_root(double)["judge.conversation.ending"] == 0.7
    assert not double.duplicates()


def test_every_name_has_a_config_and_fits() -> None:
    names = {kind.name for kind in kinds_of_run(judged_run())}
    asked = {conversation_name("companion", name) for name in NAMES}
    assert asked <= names and max(map(len, asked)) <= MAX_NAME
    assert not asked & {kind.name for kind in kinds_of_run(judged_run(EvaluationRequest(conversations="none")))}
