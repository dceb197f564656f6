"""Each fault at each stage: after delivery has gone on, there is exactly one of everything."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from evaluation.delivered import LangfuseReport
from evaluation.errors import JournalError, UsageError
from evaluation.identity import experiment_id, trace_id
from evaluation.run import Run
from services.journal import Journal, hold_named
from services.journal.outbox import OPEN, entries
from services.langfuse.delivery import LangfuseAway, sync
from services.langfuse.preflight import LangfuseReady, check_settings, preflight
from services.langfuse.rest import QUICK, LangfuseRest
from services.settings import Settings
from tests.langfuse_double import Kind, LangfuseDouble
from tests.services.langfuse.stories import (
    FIGURES,
    SCORES_OF_RUN,
    SCORES_OF_SINGLE,
    SCORES_OF_TALK,
    SINGLE,
    SPEC,
    TALK,
    VirtualTime,
    decided,
    deliver,
    evaluated_run,
    failed,
    journaled,
    kinds_of,
    record,
    scored,
    settings_for,
)

SCORES = 2 * (2 * SCORES_OF_SINGLE + SCORES_OF_TALK) + 2 * SCORES_OF_RUN
SPANS = 2 * (2 + 2 + 7)
STAGES = (
    *("*/health", "*/projects", "GET */score-configs", "POST */score-configs", "*/v2/datasets*", "GET */dataset-items"),
    *("POST */dataset-items", "*/otel/v1/traces", "POST */scores", "*/v2/observations", "*/v3/scores"),
    "*/experiment-items",
)
FAULTS: tuple[Kind, ...] = ("429", "500", "503", "reset", "reset_after_store")


def synced(journal: Journal, run: Run, settings: Settings, time: VirtualTime | None = None) -> LangfuseReport | None:
    """`make sync` from a process of its own, on virtual time."""
    timing = (time or VirtualTime()).timing()
    reports = asyncio.run(
        sync(settings, journal, lambda _: run, deadline_s=600.0, progress=lambda _: None, timing=timing)
    )
    return reports.get(run.run_id)


def assert_exactly_one_of_everything(double: LangfuseDouble) -> None:
    assert not double.duplicates()
    assert len(double.spans()) == SPANS
    assert len(double.scores()) == SCORES
    names = [config["name"] for config in double.store.configs.values()]
    assert len(names) == len(set(names))
    assert set(double.store.items) == {"companion/lonely-evening", "companion/weather", "companion/job-loss"}
    assert double.body_problems() == []


def delivered_at_last(journal: Journal, run: Run, settings: Settings) -> None:
    """The end of a run and `make sync` after it, until nothing is open."""
    report: LangfuseReport | None = deliver(journal, run, settings)
    for _ in range(len(STAGES)):
        if report is None or report.complete:
            break
        try:
            report = synced(journal, run, settings)
        except LangfuseAway:
            continue
    assert {entry.state for entry in entries(journal, OPEN)} == set()


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_at_every_stage_leaves_exactly_one_of_everything(
    double: LangfuseDouble, tmp_path: Path, kind: Kind
) -> None:
    run = evaluated_run()
    faults = [double.fail(stage, kind, retry_after=3 if kind == "429" else None) for stage in STAGES]
    with journaled(tmp_path, run) as journal:
        delivered_at_last(journal, run, settings_for(double, tmp_path))
    assert [fault.fired for fault in faults] == [1] * len(STAGES)
    assert_exactly_one_of_everything(double)


@pytest.mark.parametrize("stage", [stage for stage in STAGES if "POST" in stage or "otel" in stage])
def test_a_lost_answer_to_one_write_leaves_exactly_one_of_everything(
    double: LangfuseDouble, tmp_path: Path, stage: str
) -> None:
    run = evaluated_run()
    double.fail(stage, "reset_after_store")
    with journaled(tmp_path, run) as journal:
        delivered_at_last(journal, run, settings_for(double, tmp_path))
    assert_exactly_one_of_everything(double)


@pytest.mark.parametrize("stage", ["*/otel/v1/traces", "POST */scores"])
def test_what_keeps_failing_stays_pending_until_it_works(double: LangfuseDouble, tmp_path: Path, stage: str) -> None:
    run = evaluated_run()
    settings = settings_for(double, tmp_path)
    double.fail(stage, "500", times=None)
    with journaled(tmp_path, run) as journal:
        report = deliver(journal, run, settings, deadline_s=100.0)
        assert not report.complete
        assert report.traces.pending + report.scores.pending > 0
        assert "Langfuse at http://127.0.0.1" in report.problems[0]
        double.heal()
        again = synced(journal, run, settings)
        assert again is not None
        assert again.complete
        assert synced(journal, run, settings) is None
    assert_exactly_one_of_everything(double)


def test_a_lost_acknowledgement_of_spans_is_looked_up_and_nothing_is_sent_again(
    double: LangfuseDouble, tmp_path: Path
) -> None:
    run = evaluated_run()
    time = VirtualTime()
    double.fail("*/otel/v1/traces", "reset_after_store")
    with journaled(tmp_path, run) as journal:
        report = deliver(journal, run, settings_for(double, tmp_path), time=time)
    assert report.complete
    assert double.count("*/otel/v1/traces") == 1
    assert time.now >= 60
    assert_exactly_one_of_everything(double)


def test_spans_that_did_not_arrive_are_sent_again_a_minute_later(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run()
    time = VirtualTime()
    double.fail("*/otel/v1/traces", "reset")
    with journaled(tmp_path, run) as journal:
        report = deliver(journal, run, settings_for(double, tmp_path), time=time)
    assert report.complete
    assert double.count("*/otel/v1/traces") == 2
    assert time.now >= 60
    assert_exactly_one_of_everything(double)


def test_spans_that_are_there_in_part_are_unconfirmed(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run(spec=replace(SPEC, repeats=1), scenarios=(TALK,))
    double.fail("*/otel/v1/traces", "reset_after_store")
    with journaled(tmp_path, run) as journal:
        settings = settings_for(double, tmp_path)
        time = VirtualTime()
        stored = double.store.add_spans
        double.store.add_spans = lambda spans: stored(list(spans)[:3])  # type: ignore[method-assign]
        report = deliver(journal, run, settings, time=time)
    assert report.traces.unconfirmed == 1
    assert not report.complete
    assert "4 of 7 observations cannot be read" in report.problems[0]
    assert double.count("*/otel/v1/traces") == 1


def test_a_refused_score_is_found_kept_and_named_and_all_others_arrive(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run()
    settings = settings_for(double, tmp_path)
    double.fail("POST */scores", "reject", times=None, names=["judge_parsed"])
    with journaled(tmp_path, run) as journal:
        report = deliver(journal, run, settings)
        kept = list(entries(journal, ("rejected",)))
    refused = 2 * (1 + 1 + 4)
    assert report.scores.rejected == refused
    assert report.scores.verified == SCORES - refused
    assert not report.complete
    assert len(kept) == refused
    assert kept[0].reason.startswith("judge_parsed of ")
    assert report.problems[0].startswith("refused: score judge_parsed of ")
    assert report.problems[-1] == f"and {refused - 10} more"
    assert not report.waiting
    assert len(double.scores()) == SCORES - refused
    assert not double.duplicates()


def test_a_score_outside_its_scale_is_refused_before_it_is_sent(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run(spec=replace(SPEC, repeats=1), scenarios=(SINGLE,))
    result = scored(SINGLE, 1, 1)
    wrong = result.scores[0]._replace(value=1.5)
    with journaled(tmp_path, run, [replace(result, scores=(wrong, *result.scores[1:]))]) as journal:
        report = deliver(journal, run, settings_for(double, tmp_path), figures=())
        (kept,) = entries(journal, ("rejected",))
    assert kept.reason == "rules.helpfulness of lonely-evening r1: 1.5 is outside 0.0 to 1.0"
    assert (report.scores.rejected, report.scores.verified) == (1, SCORES_OF_SINGLE - 1)
    assert double.store.dropped == []


def test_a_trace_that_the_server_refuses_does_not_hold_up_the_others(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run()
    double.fail("*/otel/v1/traces", "413", times=1)
    with journaled(tmp_path, run) as journal:
        report = deliver(journal, run, settings_for(double, tmp_path))
    assert report.complete
    assert_exactly_one_of_everything(double)


def test_sending_again_after_midnight_replaces(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run()
    settings = settings_for(double, tmp_path)
    moment = datetime(2026, 11, 20, 23, 59, 59, tzinfo=UTC)
    double.settings.clock = lambda: moment
    double.fail("POST */scores", "reset_after_store", times=None)
    with journaled(tmp_path, run) as journal:
        assert not deliver(journal, run, settings, deadline_s=30.0).complete
        double.heal()
        double.settings.clock = lambda: moment + timedelta(minutes=2)
        report = synced(journal, run, settings)
    assert report is not None
    assert report.complete
    assert_exactly_one_of_everything(double)
    assert max(score.writes for score in double.scores()) > 1


def test_what_cannot_be_read_yet_is_waited_for(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run()
    time = VirtualTime()
    double.delay_reading(polls=3)
    with journaled(tmp_path, run) as journal:
        report = deliver(journal, run, settings_for(double, tmp_path), time=time)
    assert report.complete
    assert time.now > 0


def test_what_never_can_be_read_is_named(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run(spec=replace(SPEC, repeats=1), scenarios=(SINGLE,))
    double.delay_reading(polls=10_000)
    with journaled(tmp_path, run) as journal:
        report = deliver(journal, run, settings_for(double, tmp_path), deadline_s=30.0)
    assert not report.complete
    assert "trace of lonely-evening r1: 2 of 2 observations cannot be read" in report.problems
    assert "score rules.helpfulness of lonely-evening r1 cannot be read" in report.problems
    assert (report.scores.delivered, report.scores.verified) == (SCORES_OF_SINGLE + SCORES_OF_RUN, 0)


def test_an_older_server_gets_one_score_per_request(tmp_path: Path) -> None:
    run = evaluated_run(scenarios=(SINGLE,))
    with LangfuseDouble(version="4.16.0", check_bodies=False) as double, journaled(tmp_path, run) as journal:
        report = deliver(journal, run, settings_for(double, tmp_path))
        assert report.complete
        assert double.count("POST */scores") == 2 * (SCORES_OF_SINGLE + SCORES_OF_RUN)
        assert not double.duplicates()


def asked(double: LangfuseDouble, tmp_path: Path, **changes: str) -> LangfuseReady:
    settings = settings_for(double, tmp_path)
    assert settings.langfuse is not None
    access = replace(settings.langfuse, **changes)

    async def ask() -> LangfuseReady:
        async with LangfuseRest(access, backoff=QUICK, timing=VirtualTime().timing()) as rest:
            return await preflight(rest, kinds_of(evaluated_run()))

    return asyncio.run(ask())


def test_preflight_says_what_delivery_needs(double: LangfuseDouble, tmp_path: Path) -> None:
    ready = asked(double, tmp_path)
    assert (ready.links.project_id, ready.score_mode, ready.notes) == ("project-double", "list", ())
    assert set(ready.configs) == {config["name"] for config in double.store.configs.values()}
    assert all(len(name) <= 35 for name in ready.configs)


def test_preflight_reports_single_scores(tmp_path: Path) -> None:
    with LangfuseDouble(version="4.58.2") as double:
        ready = asked(double, tmp_path)
    assert ready.score_mode == "single"
    assert "4.58.2, before 4.59" in ready.notes[0]


def test_preflight_refuses_a_server_before_4(tmp_path: Path) -> None:
    with LangfuseDouble(version="3.150.0") as double, pytest.raises(UsageError, match=r"version 3\.150\.0.*4\.0"):
        asked(double, tmp_path)


def test_preflight_refuses_a_wrong_key_without_showing_it(double: LangfuseDouble, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"refuses the keys \(401\)") as caught:
        asked(double, tmp_path, secret_key="sk-lf-wrong")
    assert "sk-lf-wrong" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_preflight_recognises_another_server(double: LangfuseDouble, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not answer like Langfuse"):
        asked(double, tmp_path, base_url=f"{double.base_url}/elsewhere")


def test_a_sample_rate_below_one_is_refused(double: LangfuseDouble, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"LANGFUSE_SAMPLE_RATE is 0\.5"):
        check_settings(settings_for(double, tmp_path, sample_rate=0.5))


def test_an_unreachable_server_leaves_everything_pending_and_sync_delivers_it(
    double: LangfuseDouble, tmp_path: Path
) -> None:
    run = evaluated_run()
    settings = settings_for(double, tmp_path)
    port = double.port
    double.stop()
    with journaled(tmp_path, run) as journal:
        report = deliver(journal, run, settings)
        assert not report.complete
        assert report.url is None
        assert (report.scores.pending, report.traces.pending) == (SCORES, 6)
        assert "cannot be reached" in report.problems[0]
        with pytest.raises(LangfuseAway, match="nothing was lost"):
            synced(journal, run, settings)
        double.start(port)
        again = synced(journal, run, settings)
    assert again is not None
    assert again.complete
    assert_exactly_one_of_everything(double)


def test_a_second_deliverer_waits_its_turn(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run(scenarios=(SINGLE,))
    settings = settings_for(double, tmp_path)
    with journaled(tmp_path, run) as journal:
        with hold_named(tmp_path, "delivery"):
            report = deliver(journal, run, settings, deadline_s=20.0)
        assert "delivery is in use by process" in report.problems[0]
        assert double.spans() == []
        assert deliver(journal, run, settings).complete
    with pytest.raises(JournalError), hold_named(tmp_path, "delivery"), hold_named(tmp_path, "delivery"):
        raise AssertionError("the lock was given twice")


def test_a_failed_cell_is_shown_as_error_without_link_or_scores(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run(spec=replace(SPEC, repeats=1), scenarios=(SINGLE, TALK))
    with journaled(tmp_path, run, [failed(SINGLE, 1), scored(TALK, 1, 1), failed(TALK, 1, 2)]) as journal:
        report = deliver(journal, run, settings_for(double, tmp_path), figures=())
    assert report.complete
    assert double.scores() == []
    assert double.prompt_metrics("penpal-companion", 3) == {}
    levels = {span.name: span.attributes.get("langfuse.observation.level") for span in double.spans()}
    assert levels["companion/job-loss"] == "ERROR"
    assert double.experiment_items(experiment_id("run-1", 1)) == []
    assert all("run-1" in span.attributes["langfuse.trace.tags"] for span in double.spans())
    errors = [s for s in double.spans(trace_id("run-1", SINGLE.id, 1)) if s.status == "ERROR"]
    assert [span.status_message for span in errors] == ["timeout: no answer within 60 s"]


def test_a_failed_cell_of_a_stopped_run_is_not_shown(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run(spec=replace(SPEC, repeats=1), scenarios=(SINGLE,))
    with journaled(tmp_path, run, [failed(SINGLE, 1)]) as journal:
        deliver(journal, run, settings_for(double, tmp_path), ended=False, figures=())
    assert double.spans() == []


def test_a_resumed_cell_gets_a_trace_of_its_own(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run(spec=replace(SPEC, repeats=1), scenarios=(SINGLE,))
    settings = settings_for(double, tmp_path)
    with journaled(tmp_path, run, [failed(SINGLE, 1)]) as journal:
        assert deliver(journal, run, settings).complete
        record(journal, run, [scored(SINGLE, 1, 1)])
        better = decided("deploy")
        report = deliver(journal, run, settings, figures=better)
        assert report.complete
        assert deliver(journal, run, settings, figures=better).complete
    second = trace_id("run-1", SINGLE.id, 1, attempt=2)
    (item,) = double.experiment_items(experiment_id("run-1", 1))
    assert item.root.trace_id == second
    assert {score.trace_id for score in double.scores() if score.trace_id} == {second}
    assert {span.trace_id for span in double.spans()} == {trace_id("run-1", SINGLE.id, 1), second}
    assert [score.value for score in double.scores("decision")] == ["deploy"]
    assert not double.duplicates()


def test_a_failure_that_was_never_sent_is_not_sent_after_the_success(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run(spec=replace(SPEC, repeats=1), scenarios=(SINGLE,))
    settings = settings_for(double, tmp_path)
    double.fail("*/health", "500", times=None)
    with journaled(tmp_path, run, [failed(SINGLE, 1)]) as journal:
        assert not deliver(journal, run, settings).complete
        double.heal()
        record(journal, run, [scored(SINGLE, 1, 1)])
        assert deliver(journal, run, settings).complete
    assert {span.trace_id for span in double.spans()} == {trace_id("run-1", SINGLE.id, 1, attempt=2)}


def test_figures_are_sent_again_only_when_they_changed(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run(spec=replace(SPEC, repeats=1), scenarios=(SINGLE,))
    settings = settings_for(double, tmp_path)
    changed = decided("deploy")
    with journaled(tmp_path, run) as journal:
        for figures in (FIGURES, FIGURES, changed, FIGURES):
            assert deliver(journal, run, settings, figures=figures).complete
    (decision,) = double.scores("decision")
    assert (decision.value, decision.writes) == ("ab_test", 3)


GENERAL = ("*/scores", "*/v2/observations", "*/v3/scores", "*/experiment*", "*/score-configs", "*/projects")
"""The requests that share the bucket called General API."""


def test_a_small_plan_slows_delivery_down_and_loses_nothing(double: LangfuseDouble, tmp_path: Path) -> None:
    count, allowed = 100, 12
    scenarios = tuple(replace(SINGLE, id=f"scenario-{number}") for number in range(count))
    run = evaluated_run(spec=replace(SPEC, repeats=1), scenarios=scenarios)
    time = VirtualTime()
    bucket = double.limit(*GENERAL, requests=allowed, clock=time.clock)
    with journaled(tmp_path, run) as journal:
        report = deliver(journal, run, settings_for(double, tmp_path), time=time, deadline_s=1200.0)
    assert report.problems == ()
    assert report.complete
    assert report.scores.verified == count * SCORES_OF_SINGLE + SCORES_OF_RUN == len(double.scores())
    assert not double.duplicates()
    windows = time.now / 60
    assert count * SCORES_OF_SINGLE / 100 / allowed < windows < 10
    assert 0 < bucket.refused < 6 * windows


def test_a_request_that_hangs_ends_with_the_deadline(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run(spec=replace(SPEC, repeats=1), scenarios=(SINGLE,))
    double.fail("*/otel/v1/traces", "hang", times=None)
    with journaled(tmp_path, run) as journal:
        report = deliver(journal, run, settings_for(double, tmp_path), deadline_s=0.5)
        assert "did not answer within 0.5 s; go on with make sync" in report.problems[0]
        assert report.traces.pending == 1
        double.heal()
        again = synced(journal, run, settings_for(double, tmp_path))
    assert again is not None
    assert again.complete
    assert not double.duplicates()
