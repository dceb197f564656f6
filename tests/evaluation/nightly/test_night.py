"""Changes, the sources of a difference, nights that go on, are posted, are pruned; and hostile text."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from evaluation.comparison.compare import Comparison, compare
from evaluation.comparison.gate import RegressionRules
from evaluation.nightly.alarm import LEAST, night_gate, noise_floor, repeat_seed, repeated_scenarios, unsteady
from evaluation.nightly.attribution import COMPARED, attribute, changes_between
from evaluation.nightly.baseline import Approval
from evaluation.nightly.night import (
    BATCHES_GO_ON_HOURS,
    GOES_ON_HOURS,
    NIGHT,
    Night,
    NightReport,
    NightState,
    beyond_policy,
    goes_on,
    longest_age,
    recovers,
    sparkline,
    worth_posting,
)
from evaluation.reports.markdown import MOST_BYTES, to_markdown
from evaluation.reports.night_message import night_message
from evaluation.reports.nightly import banners, describe_night
from evaluation.reports.terminal import to_terminal
from evaluation.runspec import PromptPin, RunSpec, TextPin
from evaluation.statistics.student_t import critical
from evaluation.summary.languages import LanguageSummary
from tests.evaluation.comparison.examples import (
    JUDGE,
    OVERALL,
    SUITE,
    Answers,
    answered_run,
    overall_run,
    run_of,
    scenario,
    spec,
)
from tests.evaluation.reports.hostile import EVIL

LEVELS = [0.6 + number % 7 / 50 for number in range(24)]
RULES = RegressionRules(margins={"overall": 0.02})


def compared(before: float, after: float, *, version: int = 1, spread: float = 0.001) -> Comparison:
    """Two runs of 24 situations whose overalls lie so far from common levels."""
    base = overall_run([level + before for level in LEVELS], version=1)
    shifted = [level + after + spread * (number % 3 - 1) for number, level in enumerate(LEVELS)]
    return compare(base, overall_run(shifted, version=version), suite=SUITE, by=COMPARED)


@pytest.mark.parametrize(
    ("tonight", "cause", "refused"),
    [
        (spec(1), "nothing", ""),
        (spec(2), "prompt", ""),
        (spec(1, prompt=PromptPin("penpal", 9, "production", f"{1:064d}", "langfuse")), "nothing", ""),
        (spec(1, model="model-b"), "model", ""),
        (spec(1, parameters={"temperature": 0.1, "max_tokens": 300}), "model", ""),
        (spec(2, endpoint="https://other.test/v1"), "prompt and model", ""),
        (spec(1, judge=replace(JUDGE, model="judge-b")), "nothing", "the judge changed"),
        (spec(1, judge=replace(JUDGE, format="schema")), "nothing", "the judge changed"),
        (spec(1, scorer="0" * 64), "nothing", "the code that scores changed"),
        (spec(1, rubric=TextPin("example", "1.1", "x" * 64)), "nothing", "the rubric changed"),
        (spec(1, scenarios=TextPin("example", "11", "x" * 64)), "nothing", "the scenarios changed"),
        (spec(2, repeats=3, seed=1), "prompt", "the number of repeats and the seed changed"),
    ],
)
def test_changes_are_sorted(tonight: RunSpec, cause: str, refused: str) -> None:
    found = changes_between(spec(1), tonight)
    assert found.cause == cause
    assert found.refusal.startswith(refused) and bool(found.refusal) == bool(refused)
    assert bool(found.details) == (cause != "nothing")


def test_an_edit_behind_a_version_number_is_named() -> None:
    pin = PromptPin("penpal", 1, "production", "f" * 64, "langfuse")
    assert "v1 does not hold the text that it held" in changes_between(spec(1), spec(1, prompt=pin)).details[0]


def test_a_fall_raises_the_alarm_and_a_small_or_noisy_one_does_not() -> None:
    calm = compared(0.0, 0.0)
    found = night_gate(compared(0.0, -0.05), calm, SUITE, RULES)
    assert [check.metric for check in found.raised] == ["overall"]
    assert found.measured is False, "the components have no values here, and missing data keep the gate shut"
    sure_but_small = night_gate(compared(0.0, -0.01), calm, SUITE, RULES).checks[0]
    assert sure_but_small.surely and not sure_but_small.raised
    loud = compared(0.0, 0.0, spread=0.3)
    noisy = night_gate(compared(0.0, -0.05), loud, SUITE, RULES).checks[0]
    assert noisy.surely and noisy.floor is not None and noisy.floor > 0.05 and not noisy.raised
    likely = night_gate(compared(0.0, -0.05, spread=0.13), calm, SUITE, RULES).checks[0]
    assert likely.p is not None and 0.005 < likely.p < 0.05 and not likely.surely and not likely.raised
    better = night_gate(compared(0.0, 0.05), calm, SUITE, RULES).checks[0]
    assert better.surely and not better.raised


def test_the_noise_floor_is_scaled_to_the_night() -> None:
    repeat = compare(
        overall_run([0.5, 0.6] * 6), overall_run([0.52, 0.58, *[0.5, 0.6] * 5], version=1), suite=SUITE, by=("seed",)
    )
    row, small = compared(0.0, 0.0).primary, repeat.primary
    assert row is not None and small is not None and small.estimate.se is not None
    # 12 situations measured, 24 in the night: the root of a half.
    assert noise_floor(row, repeat) == pytest.approx(critical(0.95, 11) * small.estimate.se * 0.5**0.5)
    assert noise_floor(row, None) is None
    assert not unsteady(repeat)
    moved = compared(0.0, -0.2)
    assert unsteady(moved)
    assert noise_floor(row, moved) == pytest.approx(0.2)


def test_what_is_played_twice_follows_from_the_date() -> None:
    scenarios = [scenario(number, situation=f"c{number // 2}") for number in range(200)]
    chosen = repeated_scenarios(scenarios, "2026-11-20")
    assert chosen == repeated_scenarios(scenarios, "2026-11-20")
    assert chosen != repeated_scenarios(scenarios, "2026-11-21")
    assert len(chosen) == 50
    clusters = {each.id: each.cluster for each in scenarios}
    assert all(sum(clusters[name] == clusters[other] for other in chosen) == 2 for name in chosen)
    assert len(repeated_scenarios(scenarios[:30], "2026-11-20")) == LEAST
    assert len(repeated_scenarios(scenarios[:8], "2026-11-20")) == 8
    assert repeat_seed(0, "2026-11-20") != repeat_seed(0, "2026-11-21")


def test_parts_are_distinguished() -> None:
    prompt = changes_between(spec(1), spec(2))
    whole = compared(0.0, -0.06, version=2)
    found = attribute(prompt, whole, (compared(0.0, 0.0), compared(0.0, -0.06, version=2)))
    assert [(part.name, part.shown) for part in found.parts] == [("drift", False), ("prompt", True)]
    assert found.sentences[0].startswith("the prompt moves the overall: -0.060")
    assert found.sentences[1].startswith("model drift is not shown to move the overall")
    apart = attribute(prompt, whole, unresolved="v1 is gone")
    assert "cannot be distinguished" in apart.sentences[0] and "v1 is gone" in apart.sentences[0]
    drift = attribute(changes_between(spec(1), spec(1)), compared(0.0, -0.06))
    assert drift.sentences[0].startswith("model drift: the same prompt")
    model = attribute(changes_between(spec(1), spec(1, model="b")), compared(0.0, -0.06))
    assert model.sentences[0].startswith("same prompt, other model or settings")


def night(state: NightState = "ok", day: int = 20, **changes: object) -> Night:
    made = Night(f"202611{day:02d}T020000Z", "penpal", {"limit": 3}, state, runs={"production": f"run-{day}"})
    return replace(made, **changes)  # type: ignore[arg-type]


def test_a_record_comes_back_whole() -> None:
    made = night("alarm", reasons=("worse",), overall=0.7, difference=-0.1, version="v3", headline="it fell")
    assert NIGHT.validate_python(made.to_json() | {"of a later version": 1}) == made
    assert made.date == "2026-11-20"


def test_a_night_that_was_stopped_in_batches_is_taken_up_by_that_of_the_next_day() -> None:
    ages = {
        (state, in_batches): longest_age([night(state)], GOES_ON_HOURS, in_batches=in_batches)
        for state in ("running", "interrupted", "incomplete", "ok")
        for in_batches in (True, False)
    }
    assert {asked for asked, hours in ages.items() if hours > 24} == {("running", True), ("interrupted", True)}
    assert set(ages.values()) == {GOES_ON_HOURS, BATCHES_GO_ON_HOURS}
    assert longest_age([night("running")], math.inf, in_batches=True) == math.inf
    assert longest_age([], GOES_ON_HOURS, in_batches=True) == GOES_ON_HOURS


@pytest.mark.parametrize(
    ("made", "prompt", "arguments", "hours", "goes"),
    [
        (night("interrupted"), "penpal", {"limit": 3}, 1.0, True),
        (night("running"), "penpal", {"limit": 3}, 11.9, True),
        (night("unmeasured"), "penpal", {"limit": 3}, 1.0, True),
        (night("ok"), "penpal", {"limit": 3}, 1.0, False),
        (night("alarm"), "penpal", {"limit": 3}, 1.0, False),
        (night("interrupted"), "other", {"limit": 3}, 1.0, False),
        (night("interrupted"), "penpal", {"limit": 4}, 1.0, False),
        (night("interrupted"), "penpal", {"limit": 3}, 12.1, False),
        (night("interrupted", runs={}), "penpal", {"limit": 3}, 1.0, False),
    ],
)
def test_which_night_goes_on(made: Night, prompt: str, arguments: object, hours: float, goes: bool) -> None:
    assert goes_on(made, prompt, arguments, hours) is goes


@pytest.mark.parametrize(
    ("states", "posted", "again"),
    [
        (("ok",), False, False),
        (("ok", "ok"), False, False),
        (("ok", "alarm"), True, False),
        (("alarm", "alarm"), True, False),
        (("alarm", "ok"), True, True),
        (("alarm", "interrupted", "ok"), True, True),
        (("alarm", "ok", "ok"), False, False),
        (("no_baseline", "ok"), True, False),
        (("failed",), True, False),
    ],
)
def test_what_people_hear_of(states: tuple[NightState, ...], posted: bool, again: bool) -> None:
    *earlier, last = [night(state, day) for day, state in enumerate(states, start=1)]
    assert worth_posting(last, earlier) is posted
    assert recovers(last, earlier) is again


def test_what_is_pruned() -> None:
    nights = [night(day=day) for day in range(1, 11)]
    assert [each.night_id[6:8] for each in beyond_policy(nights, 3, "2026-11-06")] == ["01", "02", "03", "04", "05"]
    assert [each.night_id[6:8] for each in beyond_policy(nights, 8, "2026-11-06")] == ["01", "02"]
    assert beyond_policy(nights, 20, "2026-12-01") == []


def test_the_trend_in_one_line() -> None:
    assert sparkline([0.1, None, 0.2, 0.15]) == "▁ █▄"
    assert sparkline([0.5, 0.5]) == "▄▄"
    assert sparkline([None]) == " "


def hostile_report() -> NightReport:
    whole = compared(0.0, -0.2)
    gate = night_gate(whole, compared(0.0, 0.0), SUITE, RULES)
    evil = night("alarm", prompt=EVIL, version=EVIL, headline=EVIL, baseline_run_id=EVIL, runs={"production": EVIL})
    return NightReport(
        night=evil,
        earlier=[night("ok", day, version=EVIL) for day in range(1, 20)],
        gate=gate,
        comparison=whole,
        approval=Approval.model_construct(
            run_id=EVIL, approved_at=EVIL, evaluated_at=EVIL, forced=EVIL, rehearsal=True
        ),
        links={EVIL: EVIL, "trace": "javascript:alert(1)", "run": "https://langfuse.test/a"},
        notes=(EVIL,) * 500,
        next_command=EVIL,
    )


@pytest.mark.slow
def test_hostile_text_has_no_effect_anywhere() -> None:
    report = hostile_report()
    page = to_markdown(describe_night(report))
    assert len(page.encode()) < MOST_BYTES
    for line in page.splitlines():
        bare = "".join(line.split("`")[::2])
        assert not any(sign in bare for sign in ("<script", "@everyone", "](", "javascript", "evil.example"))
    shown = to_terminal(describe_night(report))
    assert "\x1b" not in shown and "\u202e" not in shown
    body = night_message(report, "https://ci.test/1")
    text = body["text"] + "".join(block["text"]["text"] for block in body["blocks"])
    assert "<script" not in text and "@everyone" not in text and "javascript:alert(1)|" not in text
    assert "<https://langfuse.test/a|run>" in text and "<https://ci.test/1|this night>" in text
    assert all(len(block["text"]["text"]) <= 2_500 for block in body["blocks"])


def test_metrics_that_only_one_run_has_do_not_hide_a_fall() -> None:
    base = run_of({OVERALL: LEVELS}, [scenario(number) for number in range(24)])
    found = night_gate(compare(base, base, suite=SUITE, by=COMPARED), None, SUITE, RULES)
    assert found.checks[0].floor is None and not found.raised


def answered(values: Sequence[float], *, failed: int = 0) -> Comparison:
    """A night like its baseline, but for so many exchanges that failed."""
    runs = [answered_run(Answers(values, judged=True, failed=frozenset(range(count)))) for count in (0, failed)]
    return compare(*(replace(run, judge_fit=True) for run in runs), suite=SUITE, by=COMPARED)


def test_below_ten_situations_a_night_is_not_measured_whatever_the_rules_allow() -> None:
    whole = answered([0.6, 0.7, 0.8])
    gate = night_gate(whole, None, SUITE, RegressionRules(min_clusters=2))
    few = "too few scenarios to decide (3 situations, 10 needed)"
    assert (gate.passed, gate.measured, gate.reasons) == (False, False, (few,))
    report = NightReport(night("unmeasured", headline=f"penpal: {few}"), gate=gate, comparison=whole)
    assert to_terminal(describe_night(report)).startswith("TOO FEW SCENARIOS TO DECIDE (3 situations, 10 needed)\n")
    assert "TOO FEW SCENARIOS TO DECIDE (3 situations, 10 needed)" in night_message(report)["text"]


@pytest.mark.parametrize(("missing", "said"), [(2, "PRODUCTION HOLDS"), (3, "NOT MEASURED")])
def test_what_a_night_lacks_stands_before_its_answer(missing: int, said: str) -> None:
    whole = answered([0.6] * 100, failed=missing)
    gate = night_gate(whole, None, SUITE, RULES)
    assert gate.measured == (missing == 2)
    report = NightReport(night("incomplete" if gate.measured else "unmeasured"), gate=gate, comparison=whole)
    first = to_terminal(describe_night(report), columns=200).splitlines()[0]
    assert first == f"INCOMPLETE ({200 - missing} of 200 exchanges have a score, {missing} failed): {said}"


def test_a_night_says_whose_language_packs_nobody_reviewed() -> None:
    whole = compared(0.0, 0.0)
    german = replace(whole.candidate.summary, languages=LanguageSummary({"de": 1}, 0, 0, ()))
    found = replace(whole, candidate=replace(whole.candidate, summary=german))
    said = banners(NightReport(night("ok"), comparison=found))
    assert any(each.startswith("NOT REVIEWED: the language pack of German") for each in said)
    assert not any("REVIEWED" in each for each in banners(NightReport(night("ok"), comparison=whole)))
