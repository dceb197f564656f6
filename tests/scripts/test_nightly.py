"""Nights of every kind through the real command: exit code, words, and what is left on disk."""

import json
import re
import signal
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from evaluation.commands import write_command
from evaluation.identity import experiment_id
from services.rehearsal.options import RehearsalOptions
from tests.langfuse_double import LangfuseDouble
from tests.scripts.commands import Finished, run, started
from tests.scripts.nights import FEW, Place, chat, free_port
from tests.scripts.test_interruption import wait_for_calls

DRIFTED = RehearsalOptions(forgetful=1.0)


def words(done: Finished) -> str:
    return " ".join(done.out.split())


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Place, Finished]]:
    """v3 in production, a first night without a baseline, and that night's run approved."""
    with LangfuseDouble() as langfuse:
        place = Place(tmp_path_factory.mktemp("first") / "machine", langfuse, free_port())
        assert place.command("scripts.push_prompts", "--yes").code == 0
        place.move_label(3)
        first = place.night()
        approved = place.command("scripts.approve_baseline", place.answer()["runs"]["production"])
        assert approved.code == 0, approved.err
        yield place, first


@pytest.fixture
def place(watched: tuple[Place, Finished], tmp_path: Path) -> Iterator[Place]:
    """A machine of its own as `watched` left it; its prompts come from Langfuse, and nothing is delivered there."""
    original, _ = watched
    copy = original.copied(tmp_path / "machine")
    copy.settings["LANGFUSE_TRACING_ENABLED"] = "false"
    yield copy
    original.langfuse.heal()
    original.move_label(3)


def test_the_first_night_has_no_baseline_and_says_how_to_get_one(watched: tuple[Place, Finished]) -> None:
    place, first = watched
    assert first.code == 2, first.err
    assert "NO BASELINE" in first.out
    assert "there is no approved baseline" in words(first)
    assert "make approve-baseline RUN=" in first.out
    assert (place.folder / "baselines" / "penpal-companion.json").exists()


def test_the_command_that_approves_a_night_of_the_stand_in_is_taken(tmp_path: Path) -> None:
    where: dict[str, Any] = {"runs": tmp_path / "runs", "EVAL_BASELINES_DIR": str(tmp_path / "baselines")}
    first = run("--limit", "10", "--no-judge", module="scripts.nightly", **where)
    printed = re.search(r'make approve-baseline RUN=(\S+) ARGS="(--allow-rehearsal)"', first.out)
    assert printed is not None, first.out + first.err
    assert run(*printed.groups(), module="scripts.approve_baseline", **where).code == 0


def test_an_unchanged_night_holds(place: Place) -> None:
    del place.settings["LANGFUSE_TRACING_ENABLED"]
    done = place.night()
    assert done.code == 0, done.err + done.out
    assert "PRODUCTION HOLDS" in done.out
    assert "nothing was changed, and no drift of the model is shown" in words(done)
    assert "played twice tonight with nothing changed differ by" in words(done)
    answer = place.answer()
    assert (answer["state"], answer["cause"], answer["difference"]) == ("ok", "nothing", 0.0)
    assert set(answer["runs"]) == {"production", "repeat"}
    assert set(answer["runs"].values()) <= {path.name for path in place.runs.iterdir()}
    assert any("experiment" in title for title in answer["links"])
    stored = place.langfuse.scores()
    night = {score.name: (score.value, score.dataset_run_id) for score in stored if score.name.startswith("night.")}
    assert {name: value for name, (value, _) in night.items()} == {
        "night.alarm": 0.0,
        "night.difference": 0.0,
        "night.noise_floor": answer["noise_floor"],
    }
    assert {run for _, run in night.values()} == {experiment_id(answer["runs"]["production"], 1)}
    assert "holds: overall 0.000" in str(place.langfuse.scores("night.alarm")[0].comment)
    cases = ElementTree.parse(place.runs / "nightly" / "latest" / "junit.xml").getroot()
    assert (cases.get("failures"), cases.get("errors")) == ("0", "0")
    assert "## PRODUCTION HOLDS" in (place.runs / "nightly" / "latest" / "summary.md").read_text()


def test_a_drifted_model_raises_the_alarm_and_a_chat_hears_of_it_and_of_its_end(place: Place) -> None:
    with chat() as hook:
        place.settings["EVAL_WEBHOOK_URL"] = hook.address
        done = place.night(DRIFTED)
        well = place.night()
        quiet = place.night()
    assert (done.code, well.code, quiet.code, len(hook.bodies)) == (1, 0, 0, 2)
    assert "ALARM: PRODUCTION IS WORSE" in done.out
    assert "penpal-companion v3 in production is worse than its baseline: overall -0." in words(done)
    assert "model drift: the same prompt under the same settings is answered differently" in words(done)
    assert "Worst regressions" in done.out
    assert "PRODUCTION HOLDS AGAIN" in well.out
    assert "ALARM" in hook.bodies[0]["text"] and hook.bodies[0]["blocks"][0]["type"] == "section"
    assert "HOLDS AGAIN" in hook.bodies[1]["text"]
    assert "SECRET-PART" not in "".join(each.out + each.err for each in (quiet, done, well))
    summary = (place.runs / "nightly" / "latest" / "summary.md").read_text()
    assert "production is worse" in summary.split("### The last nights")[1]


def test_a_webhook_that_fails_is_reported_and_changes_nothing_else(place: Place) -> None:
    with chat(404) as hook:
        place.settings["EVAL_WEBHOOK_URL"] = hook.address
        done = place.night(None, "--notify-always")
    assert done.code == 0
    assert "webhook: answered 404: check EVAL_WEBHOOK_URL" in done.err
    assert "SECRET-PART" not in done.out + done.err


def test_a_worse_prompt_is_distinguished_from_drift(place: Place) -> None:
    place.move_label(1)
    done = place.night()
    assert done.code == 1, done.err + done.out
    assert "the label production moved from v3 to v1" in words(done)
    assert "the prompt moves the overall: -0." in words(done)
    assert "model drift is not shown to move the overall: 0.000" in words(done)
    answer = place.answer()
    assert answer["cause"] == "prompt"
    assert answer["attribution"]["prompt"]["shown"] and not answer["attribution"]["drift"]["shown"]


def test_a_drift_under_another_prompt_is_distinguished_from_it(place: Place) -> None:
    place.move_label(2)
    done = place.night(DRIFTED)
    assert done.code == 1, done.err + done.out
    parts = place.answer()["attribution"]
    assert parts["drift"]["shown"] and not parts["prompt"]["shown"]
    whole = place.answer()["difference"]
    assert parts["drift"]["difference"] + parts["prompt"]["difference"] == pytest.approx(whole, abs=1e-9)


def test_a_label_that_moves_to_the_same_quality_raises_nothing(place: Place) -> None:
    place.move_label(2)
    first = place.night()
    assert place.command("scripts.approve_baseline", "last", "--force", "v2 is what users have").code == 0
    place.move_label(3)
    done = place.night()
    assert (first.code, done.code) == (1, 0), done.err + done.out
    assert "the label production moved from v2 to v3" in words(done)
    assert "better than the baseline: overall +0." in words(done)
    assert "it was approved by force: v2 is what users have" in words(done)


def test_latest_is_measured_and_raises_no_alarm(place: Place) -> None:
    answer_of = place.langfuse.store.prompts["penpal-companion"]
    place.move_label(2)
    assert answer_of[-1].version == 3
    done = place.night()
    assert "latest is v3, not in production" in words(done)
    # 12 situations cannot show it, even of the baseline's own prompt with the baseline's own answers.
    assert "it may not follow it yet (borderline: overall quality" in words(done)
    assert "it takes 74 situations to show that without any fall" in words(done)
    assert "the lower bound of its overall is -0." in words(done)
    assert len(set(place.answer()["runs"].values())) == 3, "the baseline's prompt is the latest: it is played once"


def test_half_of_the_answers_missing_is_no_all_clear(place: Place) -> None:
    done = place.night(RehearsalOptions(empty=0.5, faults_on="generation"))
    assert done.code == 1, done.err + done.out
    assert "NOT MEASURED" in done.out
    assert "of the planned exchanges have no answer" in words(done)
    assert "next: make nightly" in words(done)
    assert place.answer()["gate"]["measured"] is False
    mended = place.night()
    assert mended.code == 0, mended.err + mended.out
    assert len(list((place.runs / "nightly").glob("2*"))) == 2, "the same night went on"


def test_unread_verdicts_are_left_out_or_stood_in_for_as_the_night_was_asked(place: Place) -> None:
    unread = RehearsalOptions(malformed_verdict=0.3, faults_on="judge")
    arguments = (*FEW, "--no-canaries", "--judge-fallback", "include", "--no-latest")
    with place.model(unread) as endpoint:
        made = place.command("scripts.evaluate_prompts", "--prompt", "production", *arguments[:-1], **endpoint.settings)
        assert made.code == 0, made.err
        assert place.command("scripts.approve_baseline", "last").code == 0
        done = place.command("scripts.nightly", *arguments, **endpoint.settings)
    answer = place.answer()
    overall = answer["gate"]["checks"][0]
    # The run's own mean counts the stand-ins; so must the comparison, over every exchange.
    assert overall["tonight"] == pytest.approx(answer["overall"], abs=1e-9), done.out
    assert overall["before"] + overall["difference"] == pytest.approx(overall["tonight"], abs=1e-9)
    assert any("verdicts" in reason for reason in answer["reasons"]), "stand-ins beyond the limit are no all-clear"
    column = json.loads((place.folder / "baselines" / "penpal-companion.json").read_text())["columns"]["combined"]
    assert None not in column["overall_quality"]


def test_an_unfit_judge_stops_the_night_before_an_answer_is_paid_for(place: Place) -> None:
    with place.model(RehearsalOptions(judge_mode="random")) as endpoint:
        whole = ("--conversations", "judge", "--expectations", "rules")
        done = place.command("scripts.nightly", *FEW, *whole, **endpoint.settings)
        asked = endpoint.stats()
    assert done.code == 2
    assert "error: the judge is unfit" in done.err
    assert asked["completions"] <= 53, "half of the canaries and conversations, the items, the question for the format"
    assert place.answer()["state"] == "judge_unfit"
    assert place.night().code == 0, "the next start is a new night"


def test_what_measures_otherwise_is_refused_before_anything_is_paid(place: Place) -> None:
    changes: tuple[tuple[tuple[str, ...], dict[str, str], str], ...] = (
        (("--limit", "11"), {}, "the scenarios changed"),
        (("--limit", "12", "--repeats", "2"), {}, "the number of repeats changed"),
        (("--limit", "12", "--seed", "5"), {}, "the seed changed"),
        (("--limit", "12", "--judge-fallback", "include"), {}, "the baseline was made with --judge-fallback exclude"),
    )
    with place.model() as endpoint:
        for arguments, settings, named in changes:
            before = endpoint.stats()["completions"]
            done = place.command("scripts.nightly", "--quiet", *arguments, **{**endpoint.settings, **settings})
            asked = endpoint.stats()["completions"] - before
            assert asked <= 1, f"{named}: only a judge that was never asked is asked for its format"
            assert done.code == 2
            assert named in done.err
            renewal = write_command("eval", *arguments, "--no-cache")
            assert f"renew the baseline, with the flags of the night: {renewal}; look at it" in done.err
            assert place.answer()["state"] == "refused"


def test_a_baseline_that_other_code_scored_is_scored_again_without_a_call(place: Place) -> None:
    with place.model() as endpoint, ExitStack() as today:
        for module in ("scripts.run.plan", "scripts.scoring.rescore", "scripts.night.baseline"):
            today.enter_context(patch(f"{module}.scorer_digest", return_value="0" * 64))
        done = place.command("scripts.nightly", *FEW, "--no-latest", **endpoint.settings)
        again = place.command("scripts.nightly", *FEW, "--no-latest", **endpoint.settings)
        for path in place.runs.glob("evals.db*"):
            path.unlink()
        refused = place.command("scripts.nightly", *FEW, "--no-latest", **endpoint.settings)
    assert (done.code, again.code, refused.code) == (0, 0, 2), done.err + again.err + refused.err
    assert "the code that scores changed since the baseline was approved: its run was scored again" in words(done)
    assert len(list(place.runs.glob("*-again-*"))) == 1, "one new scoring serves every later night"
    assert "its file holds no texts" in refused.err and "then make approve-baseline RUN=last" in refused.err


def test_two_nights_never_overlap(place: Place) -> None:
    settings = place.environment
    with (
        place.model(RehearsalOptions(latency_ms=60)) as endpoint,
        started(*FEW, runs=place.runs, module="scripts.nightly", **settings, **endpoint.settings) as first,
    ):
        wait_for_calls(endpoint, first, 4)
        second = place.command("scripts.nightly", *FEW, **endpoint.settings)
    assert second.code == 2
    assert f"nightly is in use by process {first.pid}: wait until it ends" in second.err


def test_sigterm_in_the_middle_is_survived_and_the_night_goes_on(place: Place) -> None:
    slow = RehearsalOptions(latency_ms=60)
    arguments = (*FEW, "--concurrency", "4")
    with place.model(slow) as endpoint:
        settings = {**place.environment, **endpoint.settings}
        with started(*arguments, runs=place.runs, module="scripts.nightly", **settings) as process:
            wait_for_calls(endpoint, process, 30)
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=30)
        assert process.returncode == 130, err
        go_on = write_command("nightly", *(word for word in arguments if word != "--quiet"))
        assert f"interrupted: what was answered is kept; go on with: {go_on}" in err
        assert "Traceback" not in err
        assert place.answer()["state"] == "interrupted"
        night = place.answer()["night_id"]
        again = place.command("scripts.nightly", *arguments, **endpoint.settings)
        assert again.code == 0, again.err + again.out
        assert endpoint.stats()["repeated_after_answer"] == 0
    assert (place.answer()["night_id"], place.answer()["state"]) == (night, "ok")


def test_langfuse_down_at_the_start_is_a_failed_night_that_is_heard_of(place: Place) -> None:
    place.langfuse.fail("*/v2/prompts*", "503", times=None)
    with chat() as hook:
        place.settings["EVAL_WEBHOOK_URL"] = hook.address
        done = place.night()
    assert done.code == 2
    assert "error: Langfuse at http://127.0.0.1" in done.err
    assert "or pass --no-langfuse to use the prompt folder" in done.err
    assert place.answer()["state"] == "failed"
    assert "THE NIGHT FAILED" in hook.bodies[0]["text"]


def test_langfuse_down_at_the_end_leaves_the_answer_and_a_delivery_to_do(place: Place) -> None:
    place.langfuse.fail("*/otel/v1/traces", "503", times=None)
    del place.settings["LANGFUSE_TRACING_ENABLED"]
    place.settings["EVAL_DELIVERY_SECONDS"] = "1"
    done = place.night()
    assert done.code == 3, done.err + done.out
    assert "INCOMPLETE" in done.out
    assert "next: make sync" in words(done)
    assert place.answer()["gate"]["passed"] is True


def test_old_nights_lose_their_runs_but_never_the_baseline(place: Place) -> None:
    nights = sorted((place.runs / "nightly").glob("2*"))
    first = place.answer()["runs"]["production"]
    old = nights[0].with_name("20260101T000000Z")
    nights[0].rename(old)
    text = (old / "night.json").read_text()
    # The id alone: a run that began in the same second bears it too.
    (old / "night.json").write_text(text.replace(f'"{nights[0].name}"', f'"{old.name}"'))
    second = place.night()
    assert second.code == 0, second.err
    between = sorted((place.runs / "nightly").glob("2*"))[1]
    repeated = place.answer()["runs"]["repeat"]
    older = between.with_name("20260102T000000Z")
    between.rename(older)
    text = (older / "night.json").read_text()
    (older / "night.json").write_text(text.replace(f'"{between.name}"', f'"{older.name}"'))
    place.settings |= {"EVAL_NIGHTLY_KEEP_NIGHTS": "1", "EVAL_NIGHTLY_KEEP_DAYS": "1"}
    done = place.night()
    assert done.code == 0, done.err
    assert "2 runs of old nights removed" in done.err
    assert (place.runs / first / "summary.json").exists(), "the baseline's run"
    assert not (place.runs / repeated).exists()
    assert (older / "night.json").exists(), "the trend keeps its nights"


def test_a_journal_that_is_gone_leaves_the_baseline_usable(place: Place) -> None:
    for path in place.runs.glob("evals.db*"):
        path.unlink()
    done = place.night()
    assert done.code == 0, done.err + done.out
    assert place.answer()["difference"] == 0.0
