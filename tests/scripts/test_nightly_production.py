"""Nights that watch production's responses beside the invented scenarios: alarms, causes, and what is no baseline."""

import json
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from services.rehearsal.options import RehearsalOptions
from tests.langfuse_double import LangfuseDouble
from tests.langfuse_double.production import ANSWERS, SECOND_NS, USER_TEXTS, of_openai, turns, write
from tests.scripts.commands import Finished
from tests.scripts.nights import PROMPT, Place, free_port

FAST = ("--no-judge", "--no-latest")
TRACES = (*FAST, "--traces", "--traces-requests-per-minute", "1000000", "--traces-sample")
WATCHED = (*TRACES, "120")
FEW = (*TRACES, "12")
GOOD, BAD = (ANSWERS[0], ANSWERS[1], ANSWERS[4]), (ANSWERS[2], ANSWERS[3])

pytestmark = pytest.mark.slow


def answer_users(double: LangfuseDouble, count: int, answers: Sequence[str], prefix: str, days: float = 3) -> None:
    """Traces of the live version over the last days, by forty users."""
    start, step = time.time_ns() - int(days * 86_400) * SECOND_NS, int(days * 86_400) * SECOND_NS // (count + 1)
    played = [
        replace(
            turn,
            asked=f"{USER_TEXTS[turn.number % len(USER_TEXTS)]} ({turn.number})",
            answered=answers[turn.number // 2 % len(answers)],
            start_ns=start + turn.number * step,
            version=3,
        )
        for turn in turns(count, seed=prefix)
    ]
    write(double, played, [of_openai], prefix=prefix)


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """v3 in production with good responses; a night approved, and its sample of production as well."""
    with LangfuseDouble() as langfuse:
        place = Place(tmp_path_factory.mktemp("watched") / "machine", langfuse, free_port())
        place.settings["LANGFUSE_TRACING_ENABLED"] = "false"
        assert place.command("scripts.push_prompts", "--yes").code == 0
        place.move_label(3)
        answer_users(langfuse, 300, GOOD, "good")
        first = place.night(None, *WATCHED)
        assert first.code == 2, first.err
        for name in (place.answer()["runs"]["production"], place.answer()["sample"]):
            approved = place.command("scripts.approve_baseline", name)
            assert approved.code == 0, approved.err
        yield place


@pytest.fixture
def place(watched: Place, tmp_path: Path) -> Iterator[Place]:
    """A machine of its own; what was written to Langfuse meanwhile is taken out again."""
    store = watched.langfuse.store
    with store.lock:
        kept = list(store.spans), {trace: list(spans) for trace, spans in store._by_trace.items()}
    yield watched.copied(tmp_path / "machine")
    watched.langfuse.heal()
    with store.lock:
        store.spans[:] = kept[0]
        store._by_trace.clear()
        store._by_trace.update(kept[1])


def approve(place: Place) -> Finished:
    """The sample of the newest night becomes the approved one."""
    return place.command("scripts.approve_baseline", place.answer()["sample"])


def approved_file(place: Place) -> Path:
    return place.folder / "baselines" / f"{PROMPT}@production.json"


def words(done: Finished) -> str:
    return " ".join(done.out.split())


def test_without_an_approved_sample_there_is_no_all_clear_and_its_own_can_be_approved(place: Place) -> None:
    approved_file(place).unlink()
    done = place.night(None, *WATCHED)
    assert done.code == 2, done.err + done.out
    assert "NO BASELINE" in done.out and "there is no approved sample of production's responses" in words(done)
    sample = place.answer()["sample"]
    assert f"next: make approve-baseline RUN={sample}" in words(done)
    assert (place.runs / sample / "summary.md").is_file()
    approved = approve(place)
    assert approved.code == 0, approved.err
    assert "penpal-companion v3 in production" in approved.out and "from 120 responses of" in approved.out
    path = approved_file(place)
    text = path.read_text()
    assert "user-" not in text and "example.org" not in text and ANSWERS[0][:20] not in text, "means alone are kept"
    well = place.night(None, *WATCHED)
    assert well.code == 0, well.err + well.out
    assert "PRODUCTION HOLDS" in well.out and "production's responses hold: overall 0.000" in words(well)
    assert place.answer()["headline"].endswith("; production's responses hold, overall 0.000")
    assert "together at most 0.3 false alarms in 30 unchanged nights" in words(well)
    watch = place.answer()["production_watch"]
    assert (watch["state"], watch["version"], place.answer()["production"]) == ("holds", 3, 0.0)
    again = approve(place)
    assert "before: sample" in again.out


def test_a_fall_of_production_alone_is_of_what_users_write(place: Place) -> None:
    answer_users(place.langfuse, 600, BAD, "bad", days=2)
    done = place.night(None, *WATCHED)
    assert done.code == 1, done.err + done.out
    assert "ALARM: PRODUCTION IS WORSE" in done.out
    assert "penpal-companion v3 in production answers its users worse than in the approved sample" in words(done)
    assert "production's responses fell and the invented scenarios hold" in words(done)
    assert "goes with other shares of kinds of messages" in words(done)
    answer = place.answer()
    assert answer["state"] == "alarm" and answer["gate"]["passed"] is True
    assert answer["production"] < -0.02 and answer["production_watch"]["checks"][0]["raised"]
    cases = (place.runs / "nightly" / "latest" / "junit.xml").read_text()
    assert 'classname="production"' in cases and "<failure" in cases
    page = (place.runs / "nightly" / "latest" / "report.html").read_text()
    assert "Production&#39;s responses against the approved sample" in page or "Production's responses" in page


def test_a_fall_of_both_is_of_prompt_or_model(place: Place) -> None:
    answer_users(place.langfuse, 600, BAD, "bad", days=2)
    done = place.night(RehearsalOptions(forgetful=1.0), *WATCHED)
    assert done.code == 1, done.err + done.out
    assert "both fell: the cause is what they share, the prompt or the model" in words(done)
    assert "is worse than its baseline" in words(done) and "answers its users worse" in words(done)


def test_few_responses_are_called_few_and_raise_nothing(place: Place) -> None:
    answer_users(place.langfuse, 600, BAD, "bad", days=2)
    done = place.night(None, *FEW)
    assert done.code == 0, done.err + done.out
    refused = approve(place)
    assert refused.code == 2 and "is small: 12 responses of" in refused.err
    assert place.answer()["headline"].endswith("; too few of production's responses to say how they are")
    assert "a small sample, 12 responses of" in words(done) and "it raises no alarm" in words(done)
    assert place.answer()["production_watch"]["state"] == "small"


def test_langfuse_that_stays_away_leaves_the_night_incomplete_and_it_goes_on(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    from services.retrying import Backoff

    monkeypatch.setattr("services.langfuse.asking.PATIENCE", Backoff(attempts=1, first_s=0.01, deadline_s=1))
    place.langfuse.fail("*/v2/observations*", "503", times=None)
    with place.model() as endpoint:
        arguments = ("--limit", "12", "--quiet", *WATCHED)
        done = place.command("scripts.nightly", *arguments, **endpoint.settings)
        assert done.code == 3, done.err + done.out
        assert "production's responses are not watched: Langfuse at" in words(done)
        night, sample, asked = place.answer()["night_id"], place.answer()["sample"], endpoint.stats()["completions"]
        place.langfuse.heal()
        again = place.command("scripts.nightly", *arguments, **endpoint.settings)
        assert again.code == 0, again.err + again.out
        assert endpoint.stats()["completions"] == asked, "the scenarios were answered"
    assert (place.answer()["night_id"], place.answer()["sample"]) == (night, sample)


def test_what_cannot_be_approved_or_held_against_the_approved_sample_says_why(place: Place) -> None:
    sample = place.answer()["sample"]
    steps = place.runs / sample / "steps.jsonl"
    whole = steps.read_text()
    steps.write_text("".join(whole.splitlines(keepends=True)[:-5]))
    unfinished = place.command("scripts.approve_baseline", sample)
    assert unfinished.code == 2 and f'is not finished: go on with make score-traces ARGS="--resume {sample}"' in (
        unfinished.err
    )
    steps.write_text(whole)
    forced = place.command("scripts.approve_baseline", sample, "--force", "why not")
    assert forced.code == 2 and "--force" in forced.err
    assert place.command("scripts.approve_baseline", sample).code == 0
    other = place.night(None, *WATCHED, "--traces-environment", "default")
    assert other.code == 2 and "BASELINE NOT COMPARABLE" in other.out
    assert "is of other responses: environment any" in words(other)
    path = approved_file(place)
    found = json.loads(path.read_text())
    found["sample"]["scored_by"] = "0" * 64
    path.write_text(json.dumps(found))
    rules = place.night(None, *WATCHED)
    assert rules.code == 2 and "was scored by other rules than those of tonight" in words(rules)
    path.write_text("{}")
    broken = place.night(None, *WATCHED)
    assert (
        broken.code == 2
        and "@production.json" in broken.out
        and "make it again with make approve-baseline" in words(broken)
    )


def test_every_drawn_sample_of_an_old_night_goes_but_the_approved_one(place: Place) -> None:
    kept = place.answer()["sample"]
    assert place.night(None, *FEW).code == 0
    gone = place.answer()["sample"]
    for number, path in enumerate(sorted((place.runs / "nightly").glob("2*"))):
        old = path.with_name(f"2026010{number + 1}T000000Z")
        path.rename(old)
        text = (old / "night.json").read_text()
        (old / "night.json").write_text(text.replace(f'"{path.name}"', f'"{old.name}"'))
    place.settings |= {"EVAL_NIGHTLY_KEEP_NIGHTS": "1", "EVAL_NIGHTLY_KEEP_DAYS": "1"}
    assert place.night(None, *FEW).code == 0
    assert (place.runs / kept).is_dir() and not (place.runs / gone).exists()


def test_production_needs_langfuse_and_a_time(place: Place, tmp_path: Path) -> None:
    without = place.night(None, *WATCHED, "--no-langfuse")
    assert without.code == 2 and "--traces does not go with --no-langfuse" in without.err
    days = place.night(None, *FAST, "--traces-days", "3")
    assert days.code == 2 and "go with --traces alone" in days.err
    nothing = place.night(None, *FAST, "--traces", "--traces-days", "0")
    assert nothing.code == 2 and "days" in nothing.err
    shutil.rmtree(tmp_path / "machine" / "runs" / "nightly")


def test_a_server_without_the_list_of_observations_is_named_as_what_failed(place: Place) -> None:
    place.langfuse.fail("*/v2/observations*", "404", times=None)
    done = place.night(None, *WATCHED)
    assert done.code == 2, done.err + done.out
    assert "THE NIGHT FAILED" in done.out and "NOT COMPARABLE" not in done.out
    assert "needs a server 4.0 or newer" in words(done)
    assert place.answer()["production_watch"]["state"] == "failed"
