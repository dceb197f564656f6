"""A run of all scenarios and two repeats arrives whole: asserted on what the server holds."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evaluation.identity import experiment_id, observation_id, trace_id
from evaluation.records import AnswerCalls, Expectation, ItemAnswer, Usage
from evaluation.request import EvaluationRequest
from tests.langfuse_double import LangfuseDouble
from tests.services.langfuse.stories import (
    COMPANION,
    OTHER,
    SCORES_OF_RUN,
    SCORES_OF_SINGLE,
    SCORES_OF_TALK,
    SINGLE,
    SPEC,
    START,
    TALK,
    deliver,
    evaluated_run,
    journaled,
    results_of,
    scored,
    settings_for,
)


def test_everything_arrives_once_and_is_proven(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run()
    with journaled(tmp_path, run) as journal:
        report = deliver(journal, run, settings_for(double, tmp_path))
    scores = 2 * (2 * SCORES_OF_SINGLE + SCORES_OF_TALK) + 2 * SCORES_OF_RUN
    assert report.problems == ()
    assert (report.scores.verified, report.scores.total) == (scores, scores)
    assert (report.traces.verified, report.traces.total) == (6, 6)
    assert report.complete
    assert len(double.scores()) == scores
    assert len(double.spans()) == 2 * (2 + 2 + 7)
    assert not double.duplicates()
    assert double.store.dropped == []
    assert double.body_problems() == []
    assert report.line() == f"Langfuse: {scores} of {scores} scores verified, 6 of 6 traces verified"


@pytest.mark.parametrize("repeat", [1, 2])
def test_each_repeat_is_an_experiment_with_every_scenario_as_item(
    double: LangfuseDouble, tmp_path: Path, repeat: int
) -> None:
    run = evaluated_run()
    with journaled(tmp_path, run) as journal:
        report = deliver(journal, run, settings_for(double, tmp_path))
    experiment = experiment_id("run-1", repeat)
    items = {item.item_id: item for item in double.experiment_items(experiment)}
    assert set(items) == {"companion/lonely-evening", "companion/weather", "companion/job-loss"}
    single = items["companion/lonely-evening"]
    assert json.loads(single.input) == [{"role": "user", "content": "I feel lonely tonight."}]
    assert single.output == "Answer 1."
    assert [score.value for score in single.root_scores["overall_quality"]] == [0.5]
    talk = items["companion/job-loss"]
    assert [score.value for score in talk.root_scores["rules.overall_quality"]] == [pytest.approx(0.2)]
    assert json.loads(talk.input) == list(TALK.turns)
    expected = {
        name: item.root.attributes.get("langfuse.experiment.item.expected_output") for name, item in items.items()
    }
    assert expected == {
        "companion/lonely-evening": "names the feeling",
        "companion/weather": None,
        "companion/job-loss": "stays with it",
    }
    name = talk.root.attributes["langfuse.experiment.name"]
    assert name == f"companion / penpal-companion v3 / 2026-09-21 14:12 / r{repeat}"
    assert json.loads(talk.root.attributes["langfuse.experiment.metadata"])["model"] == "model-a"
    assert experiment in report.experiments[repeat - 1]


def test_generations_are_linked_and_the_judge_is_not(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run()
    with journaled(tmp_path, run) as journal:
        deliver(journal, run, settings_for(double, tmp_path))
    metrics = double.prompt_metrics("penpal-companion", 3)
    assert len(metrics["overall_quality"]) == 2 * (1 + 1 + 3)
    assert set(metrics) == {
        *("helpfulness", "rules.helpfulness", "overall_quality", "rules.overall_quality", "judge.overall_quality"),
        *("judge_parsed", "quality_level"),
    } - {"helpfulness"}
    judges = [span for span in double.generations() if span.name.startswith("judge")]
    assert len(judges) == 10
    assert not any("langfuse.observation.prompt.name" in span.attributes for span in judges)


def test_spans_carry_the_journals_times_ids_and_costs(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run(spec=replace(SPEC, repeats=1), scenarios=(TALK,))
    with journaled(tmp_path, run) as journal:
        deliver(journal, run, settings_for(double, tmp_path))
    trace = trace_id("run-1", "job-loss", 1)
    spans = {span.id: span for span in double.spans(trace)}
    root, second = spans[observation_id(trace, "root")], spans[observation_id(trace, "turn-2")]
    assert root.parent_id is None
    assert {span.parent_id for span in spans.values()} == {None, root.id}
    assert second.start_ns == int(START + 21) * 1_000_000_000 + 250_000_000
    assert second.end_ns - second.start_ns == 1_500_000_000
    assert root.start_ns == int(START + 11) * 1_000_000_000 + 250_000_000
    assert json.loads(second.attributes["langfuse.observation.usage_details"]) == {"input": 12, "output": 7}
    assert json.loads(second.attributes["langfuse.observation.cost_details"]) == {"total": 0.002}
    assert second.attributes["langfuse.observation.metadata.finish_reason"] == '"stop"'
    assert {span.attributes["session.id"] for span in spans.values()} == {f"session-{trace}"}
    assert {span.attributes["langfuse.environment"] for span in spans.values()} == {"evaluation"}
    assert {"companion", "emotional", "penpal-companion v3", "run-1"} <= set(root.attributes["langfuse.trace.tags"])
    for span in spans.values():
        assert span.attributes["langfuse.experiment.id"] == experiment_id("run-1", 1)
        assert span.attributes["langfuse.experiment.item.root_observation_id"] == root.id


def test_scores_bear_comment_rubric_and_the_exchanges_time(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run(scenarios=(SINGLE,))
    with journaled(tmp_path, run) as journal:
        deliver(journal, run, settings_for(double, tmp_path))
    (judge,) = [s for s in double.scores("judge.overall_quality") if s.trace_id == trace_id("run-1", SINGLE.id, 1)]
    assert judge.comment == "Kind and short."
    assert judge.metadata is not None
    assert judge.metadata["rubric_sha256"] == "ef" * 32
    assert judge.timestamp == datetime.fromtimestamp(START + 11 + 1.5, UTC)
    assert judge.environment == "evaluation"
    assert judge.config_id is not None
    (rules,) = [s for s in double.scores("rules.helpfulness") if s.trace_id == judge.trace_id]
    assert rules.comment == "base 0.1"
    (level,) = [s for s in double.scores("quality_level") if s.trace_id == judge.trace_id]
    assert (level.value, level.data_type) == ("poor", "CATEGORICAL")


def test_the_run_as_a_whole_is_scored_on_its_experiments(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run()
    with journaled(tmp_path, run) as journal:
        deliver(journal, run, settings_for(double, tmp_path))
    for repeat in (1, 2):
        found = {s.name: s.value for s in double.scores() if s.dataset_run_id == experiment_id("run-1", repeat)}
        assert found == {
            "overall_quality": 0.75,
            "rules.helpfulness": 0.5,
            "coverage": 1.0,
            "failures": 0.0,
            "fallbacks": 0.0,
            "decision": "ab_test",
        }


def test_all_sources_are_sent_on_request(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run(scenarios=(SINGLE,), request=EvaluationRequest(langfuse_scores="all"))
    with journaled(tmp_path, run) as journal:
        deliver(journal, run, settings_for(double, tmp_path), figures=())
    assert {s.name for s in double.scores()} == {
        *("rules.helpfulness", "rules.overall_quality", "judge.overall_quality", "overall_quality"),
        *("judge_parsed", "quality_level"),
    }


def test_a_cached_reply_costs_nothing_and_says_so(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run(spec=replace(SPEC, repeats=1), scenarios=(SINGLE,))
    with journaled(tmp_path, run, [scored(SINGLE, 1, 1, cached=True)]) as journal:
        deliver(journal, run, settings_for(double, tmp_path))
    (span,) = [span for span in double.generations() if span.name == "turn 1"]
    assert json.loads(span.attributes["langfuse.observation.cost_details"]) == {"total": 0.0}
    assert span.attributes["langfuse.observation.metadata.cached"] == "true"


def test_what_the_answers_to_expectations_cost_is_a_span_beside_the_verdict(
    double: LangfuseDouble, tmp_path: Path
) -> None:
    items = (
        Expectation("says-ai", "ask", "Does it say that it is an AI?"),
        Expectation("short", "check", "Is it short?", check="words"),
    )
    run = evaluated_run(spec=replace(SPEC, repeats=1), scenarios=(replace(SINGLE, expect=items),))
    answers = (
        ItemAnswer("says-ai", "holds", "judge", "I am an AI", turn=1, answers=("holds",)),
        ItemAnswer("short", "holds", "rule"),
    )
    calls = AnswerCalls(2, "judge-1", Usage(300, 40, 100), 0.003, 250.0, cached=False)
    result = replace(scored(SINGLE, 1, 1), expectations=answers, answer_calls=calls)
    with journaled(tmp_path, run, [result]) as journal:
        deliver(journal, run, settings_for(double, tmp_path))
    (span,) = [span for span in double.generations() if span.name == "expectations turn 1"]
    assert json.loads(span.attributes["langfuse.observation.cost_details"]) == {"total": 0.003}
    asked = {"input": 200, "input_cached_tokens": 100, "output": 40}
    assert json.loads(span.attributes["langfuse.observation.usage_details"]) == asked
    assert json.loads(span.attributes["langfuse.observation.output"]) == {"says-ai": "holds"}
    assert span.end_ns - span.start_ns == 250_000_000


def test_a_prompt_from_a_folder_is_not_linked(double: LangfuseDouble, tmp_path: Path) -> None:
    assert SPEC.prompt is not None
    run = evaluated_run(spec=replace(SPEC, prompt=replace(SPEC.prompt, source="directory")), scenarios=(SINGLE,))
    with journaled(tmp_path, run) as journal:
        report = deliver(journal, run, settings_for(double, tmp_path))
    assert report.complete
    assert double.prompt_metrics("penpal-companion", 3) == {}


def test_hostile_text_arrives(double: LangfuseDouble, tmp_path: Path) -> None:
    text = "\x1b[31m red \0 nul \ud83d half " + "x" * 1_000_000
    run = evaluated_run(spec=replace(SPEC, repeats=1), scenarios=(SINGLE,))
    with journaled(tmp_path, run, [scored(SINGLE, 1, 1, text=text)]) as journal:
        report = deliver(journal, run, settings_for(double, tmp_path))
    assert report.complete
    (span,) = [span for span in double.generations() if span.name == "turn 1"]
    output = span.attributes["langfuse.observation.output"]
    assert output.startswith("\x1b[31m red \N{SYMBOL FOR NULL} nul \\ud83d half xxx")
    assert output.endswith("more characters]")
    assert len(output) < 500_100


def test_items_are_written_only_when_they_changed(double: LangfuseDouble, tmp_path: Path) -> None:
    for number, changed in enumerate((SINGLE, SINGLE, replace(SINGLE, note="says it makes sense"))):
        run = evaluated_run(f"run-{number}", scenarios=(changed, OTHER))
        with journaled(tmp_path / str(number), run) as journal:
            deliver(journal, run, settings_for(double, tmp_path))
    assert dict(double.store.item_writes) == {"companion/lonely-evening": 2, "companion/weather": 1}
    assert double.store.items["companion/lonely-evening"]["metadata"]["note"] == "says it makes sense"
    assert list(double.store.datasets) == ["companion"]


def test_configs_are_made_once_and_one_of_another_scale_is_not_used(double: LangfuseDouble, tmp_path: Path) -> None:
    for number in range(2):
        run = evaluated_run(f"run-{number}", scenarios=(OTHER,))
        with journaled(tmp_path / str(number), run) as journal:
            deliver(journal, run, settings_for(double, tmp_path))
    made = len(double.store.configs)
    assert made == len({config["name"] for config in double.store.configs.values()})
    wider = evaluated_run("run-5", scenarios=(OTHER,), suite=replace(COMPANION, high=5.0))
    with journaled(tmp_path / "5", wider) as journal:
        report = deliver(journal, wider, settings_for(double, tmp_path))
    assert report.complete
    assert len(double.store.configs) == made
    assert double.store.dropped == []


def test_many_results_come_in_pages(double: LangfuseDouble, tmp_path: Path) -> None:
    scenarios = [replace(SINGLE, id=f"scenario-{number}") for number in range(205)]
    run = evaluated_run(spec=replace(SPEC, repeats=1), scenarios=scenarios)
    with journaled(tmp_path, run, results_of(run)) as journal:
        report = deliver(journal, run, settings_for(double, tmp_path))
    assert report.complete
    assert report.scores.verified == 205 * SCORES_OF_SINGLE + SCORES_OF_RUN
    assert double.count("POST /api/public/scores") <= 4
