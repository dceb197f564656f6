"""A look in words: the first sentence of every verdict, how much longer, and what is worth a note."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pytest

from evaluation.ab.judge import judge_look
from evaluation.ab.look import Guardrail, Look, Reading, read_tally
from evaluation.ab.outlook import look_ahead
from evaluation.ab.plan import Plan
from evaluation.reports.ab import describe_look
from evaluation.reports.markdown import to_markdown
from evaluation.reports.terminal import to_terminal
from tests.evaluation.ab.made import PLAN, SEQUENCE, day, generation, reading, tally_of


def told(found: Reading, plan: Plan = PLAN, *, notes: Sequence[str] = ()) -> str:
    """What a terminal shows of a first look, on one line."""
    return " ".join(shown(found, plan, notes=notes).split())


def shown(found: Reading, plan: Plan = PLAN, *, notes: Sequence[str] = ()) -> str:
    look = judge_look(plan, found, [], day(99))
    assert look is not None
    ahead = look_ahead(plan, found, look, [])
    return to_terminal(describe_look(plan, look, found, [look], ahead, notes=notes), color=False)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            partial(reading, effect=0.05),
            "BETTER: v3 is better than v2: rules.overall_quality is higher, by +0.050 [0.0",
        ),
        (partial(reading, effect=-0.05), "WORSE: v3 is worse than v2: rules.overall_quality is lower, by -0.050 [-0.0"),
        (
            partial(reading, (1_000, 1_000), 0.001, until=30),
            "EQUIVALENT: v3 and v2 are alike: rules.overall_quality differs by +0.001",
        ),
        (partial(reading, effect=0.01), "NOT DECIDED YET: rules.overall_quality differs by +0.010 [-0.0"),
        (partial(reading, until=1), "NOT DECIDED YET: so early a look can find nothing"),
        (
            partial(reading, until=30, effect=0.01),
            "UNDECIDED: the horizon has passed, and rules.overall_quality differs by +0.01",
        ),
        (
            partial(reading, (63, 70)),
            "TOO EARLY: 63 and 70 users have a score, and a first look takes 100 of each version",
        ),
        (partial(reading, (63, 70), until=30), "TOO FEW USERS: the horizon has passed"),
        (partial(reading, (1_023, 800)), "SPLIT BROKEN: 1,023 : 800 users, where 50 : 50 was planned (p "),
        (
            lambda: replace(reading(), scored_p=1e-4),
            "SCORES MISSING: the split of users is sound, that of those with",
        ),
        (partial(reading, spread=0.0), "NO VERDICT: all users have the same rules.overall_quality"),
    ],
)
def test_the_first_sentence_says_the_verdict(found: Callable[[], Reading], said: str) -> None:
    assert said in told(found())


def test_means_are_not_shown_before_anything_may_be_tested() -> None:
    assert "0.70" not in told(reading((63, 70)))
    assert "0.700" in told(reading())


def test_how_much_longer_is_said() -> None:
    text = told(reading((600, 600), spread=0.5))
    assert (
        "about 15 days and 1,200 users more at the rate so far until the horizon: by then a difference of 0.057" in text
    )
    assert "to find the margin of 0.02 it is 2" in text and "days too short" in text
    assert "about 10 days and 89 users more at the rate so far until a first look" in told(reading((60, 73)))
    assert "until the interval is as narrow as the margin" in told(reading(plan=SEQUENCE), SEQUENCE)
    assert "cannot be said" in told(reading((0, 0)))


def test_what_limits_a_verdict_is_noted() -> None:
    found = reading(effect=0.05)
    arms = tuple(replace(arm, crossed=20) for arm in found.arms)
    crossed = replace(found, arms=(arms[0], arms[1]))
    assert "40 of 600 users met both versions" in told(crossed)
    assert "rather too large" in told(found)
    assert "sure but small" in told(reading((1_000, 1_000), 0.015, spread=0.02), replace(PLAN, margin=0.05))
    assert "few scored responses stand for many" in told(replace(found, evenness=0.3))
    assert "count once their first 7 days" in told(replace(reading(plan=SEQUENCE), waiting=12), SEQUENCE)


def test_where_there_is_nothing_to_compare_it_is_said_why() -> None:
    assert "no generation of this prompt has begun between 2026-11-16 and 2026-12-01" in told(reading((0, 0)))
    others = replace(reading((0, 0)), left_out={"of another version": 7})
    assert "no generation is of this test" in told(others)
    unscored = read_tally(PLAN, tally_of(generation(f"{at}", at % 2, 1) for at in range(40)), day(15), {}, None)
    assert "no response has this score: put scores there with make score-traces" in told(unscored)
    assert "no response" not in told(unscored, replace(PLAN, measure="cost"))


def test_a_decided_test_names_the_look_that_decided_it() -> None:
    first = judge_look(PLAN, reading(effect=0.05), [], day(15))
    assert isinstance(first, Look)
    today = reading((500, 500), 0.01, until=20)
    text = to_terminal(describe_look(PLAN, first, today, [first], None), color=False)
    assert "BETTER" in text and "decided at look 1, 2026-12-01" in " ".join(text.split())


def test_guardrails_have_the_digits_of_their_errors() -> None:
    found = reading()
    assert found.found is not None
    cheap = replace(
        found.found,
        base=replace(found.found.base, mean=0.0012),
        other=replace(found.found.other, mean=0.0013),
        difference=0.0001,
        se=0.00001,
    )
    rail = Guardrail("cost in USD", cheap, cheap.interval())
    assert "0.001200 0.001300 +0.000100 [0.000080, 0.000120]" in told(replace(found, guardrails=(rail,)))


def test_names_from_outside_steer_nothing_and_lines_keep_their_width() -> None:
    evil = "\x1b[31m<b>*x*</b> | \u202e" * 3
    plan = replace(PLAN, name="n", prompt=evil, measure=evil, environments=(evil,))
    for found in (reading(effect=0.05), reading(), reading((1_023, 800)), reading((5, 5))):
        text = shown(found, plan, notes=[evil])
        assert "\x1b" not in text and "\u202e" not in text
        assert max(map(len, text.splitlines())) <= 80
    look = judge_look(plan, reading(), [], day(99))
    assert look is not None
    page = to_markdown(describe_look(plan, look, reading(), [look], None))
    assert "\x1b" not in page and "`" in page
