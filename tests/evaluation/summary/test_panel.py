"""A panel's members beside one another: their lead, how far they agree, and whether one prefers its own family."""

import random
from typing import Any

import pytest

from evaluation.judging.panel import MEMBERS_APART
from evaluation.records import Cell, Exchange, Reply, Result, Scenario, Usage, Verdict
from evaluation.summary.families import family_of
from evaluation.summary.panel import FEWEST, PanelSummary, PanelTally

OVERALL = "overall_quality"
GPT, CLAUDE, OWN = "gpt-4.1-mini", "claude-haiku", "our-judge"


def result(number: int, answered_by: str, values: dict[str, float], **changed: Any) -> Result:
    reply = Reply("Hello you", "stop", answered_by, {}, Usage(), 0.0, 0.0)
    spread = {OVERALL: max(values.values()) - min(values.values())}
    verdict = Verdict(
        {OVERALL: sum(values.values()) / len(values)},
        "because",
        parsed=True,
        raw="",
        model=" + ".join(values),
        spread=spread,
        members={name: {OVERALL: value} for name, value in values.items()},
        **changed,
    )
    return Result(Exchange(Cell(f"s{number}", 1), 1, (), "Hi", reply), "scored", (), verdict)


def measured(own: list[Result], beside: list[Result]) -> PanelSummary:
    tally = PanelTally(OVERALL, [Scenario(f"s{number}", "c", ("Hi",)) for number in range(60)])
    for each in own:
        tally.add(each)
    for each in beside:
        tally.add_beside(each)
    found = tally.measure()
    assert found is not None
    return found


def judged(answered_by: str, *, bias: float, noise: float = 0.05, of: int = 40, seed: int = 1) -> list[Result]:
    """Three judges; the one of the gpt family adds `bias` to its own family's words."""
    luck = random.Random(f"{answered_by} {seed}")
    found = []
    for number in range(of):
        truth = luck.uniform(0.4, 0.7)
        values = {
            name: truth + shift + luck.gauss(0, noise) for name, shift in ((GPT, 0.1), (CLAUDE, 0.0), (OWN, -0.05))
        }
        values[GPT] += bias * (family_of(answered_by) == "openai")
        found.append(result(number, answered_by, values))
    return found


def test_a_judge_that_prefers_its_own_familys_words_is_found_out() -> None:
    found = {each.model: each for each in measured(judged("gpt-5", bias=0.15), judged("gemini-3", bias=0.15)).members}
    preference = found[GPT].preference
    assert preference.difference == pytest.approx(0.15, abs=0.04)
    assert preference.ci95 is not None and preference.ci95[0] > 0
    assert (preference.own, preference.others) == (40, 40)
    assert "no response is of its own family" in found[CLAUDE].preference.why_not
    assert "its name says no family" in found[OWN].preference.why_not


def test_a_kind_judge_is_no_one_that_prefers_its_own() -> None:
    covered = 0
    for seed in range(100):
        sides = (judged("gpt-5", bias=0.0, seed=seed), judged("gemini-3", bias=0.0, seed=seed))
        [member] = [each for each in measured(*sides).members if each.model == GPT]
        assert member.lead == pytest.approx(0.125, abs=0.05), "it is kinder than the others throughout"
        ends = member.preference.ci95
        assert ends is not None
        covered += ends[0] <= 0 <= ends[1]
    assert 89 <= covered <= 100


def test_without_words_of_another_family_nothing_is_measured() -> None:
    found = measured(judged("gpt-5", bias=0.15), [])
    assert all(each.preference.difference is None for each in found.members)
    few = measured(judged("gpt-5", bias=0.15), judged("gemini-3", bias=0.0, of=FEWEST - 1))
    assert f"fewer than {FEWEST} situations" in few.members[0].preference.why_not


def test_what_stands_beside_moves_no_mean_of_the_run() -> None:
    own = judged("gpt-5", bias=0.0)
    alone, both = measured(own, []), measured(own, judged("gemini-3", bias=0.0))
    assert [(each.mean, each.lead) for each in alone.members] == [(each.mean, each.lead) for each in both.members]
    assert (alone.judged, alone.pairs, alone.spread) == (both.judged, both.pairs, both.spread)


def test_pairs_say_whether_members_go_together_and_how_far_apart_they_lie() -> None:
    rows = [result(number, "gpt-5", {"a": number / 10, "b": number / 10 + 0.1, "c": 0.5}) for number in range(6)]
    pairs = {(pair.first, pair.second): pair for pair in measured(rows, []).pairs}
    assert pairs["a", "b"].correlation == pytest.approx(1.0)
    assert pairs["a", "b"].apart == pytest.approx(0.1)
    assert pairs["a", "c"].correlation is None


def test_disagreements_are_counted_by_what_became_of_them() -> None:
    values = {"a": 0.2, "b": 0.8}
    rows = [
        result(1, "gpt-5", values, escalated="big"),
        result(2, "gpt-5", values, review=(f"{MEMBERS_APART} 0.6 apart",)),
        result(3, "gpt-5", {"a": 0.5, "b": 0.5}, review=("a: its samples lie 0.3 apart",)),
    ]
    found = measured(rows, [])
    assert (found.judged, found.escalated, found.to_review) == (3, 1, 1)
    assert found.spread[OVERALL] == pytest.approx(0.4)


def test_one_judge_makes_no_panel() -> None:
    tally = PanelTally(OVERALL, [])
    tally.add(result(1, "gpt-5", {"a": 0.5}))
    assert tally.measure() is None


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-4.1-mini", "openai"),
        ("openai/gpt-5", "openai"),
        ("o3-mini", "openai"),
        ("claude-3-5-sonnet@20240620", "anthropic"),
        ("mistral-small", "mistral"),
        ("mixtral-8x7b", "mistral"),
        ("Meta-Llama-3.1-8B", "meta"),
        ("qwen3", "alibaba"),
        ("judge-a", ""),
        ("o-judge", ""),
    ],
)
def test_the_family_is_read_off_the_name(model: str, family: str) -> None:
    assert family_of(model) == family
