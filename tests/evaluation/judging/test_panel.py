"""A panel of judges of known bias, slope and noise: its mean, its spread, who decides, and what is no verdict."""

import asyncio
import json
import random
from collections.abc import Callable, Mapping
from statistics import fmean
from typing import Any

import pytest

from evaluation.judging.fitness import CanaryReport, Figure
from evaluation.judging.judge import Judge
from evaluation.judging.panel import APART, Panel, judge_of, judges_of, merge_reports, panel_pin, with_formats
from evaluation.records import CallFailure, Exchange, Reply, Request, Verdict
from evaluation.runspec import JudgePin
from tests.evaluation.judging.attacks import ATTACKS
from tests.evaluation.judging.verdicts import exchange, judge_rubric, reply, verdict

RUBRIC = judge_rubric()
OVERALL = RUBRIC.overall
Say = Callable[[Request], str | CallFailure]


def pin(model: str, how: str = "schema", **more: Any) -> JudgePin:
    return JudgePin(model, f"http://{model}/v1", how, **more)


def panel(*models: str, escalate: JudgePin | None = None, apart: float | None = None) -> Panel:
    found = judge_of(panel_pin([pin(model) for model in models], escalate, apart), RUBRIC, 0)
    assert isinstance(found, Panel)
    return found


def ask(judge: Panel, say: Say, judged: Exchange | None = None) -> tuple[Verdict | CallFailure, list[Request]]:
    """The panel's verdict, and what was asked."""
    asked: list[Request] = []

    async def complete(request: Request) -> Reply | CallFailure:
        asked.append(request)
        said = say(request)
        return said if isinstance(said, CallFailure) else reply(said, model=request.model)

    return asyncio.run(judge.judge(judged or exchange("Hi", "Hello you"), complete)), asked


def say_values(values: Mapping[str, float]) -> Say:
    return lambda request: verdict(values[request.model])


def say_texts(**texts: str) -> Say:
    return lambda request: texts[request.model]


def read(found: Verdict | CallFailure) -> Verdict:
    assert isinstance(found, Verdict)
    return found


def test_the_mean_of_three_is_nearer_the_truth_than_any_of_them() -> None:
    habits = {"kind": (1.0, 0.08, 0.1), "harsh": (1.0, -0.08, 0.1), "flat": (0.8, 0.12, 0.1)}
    luck = random.Random(7)
    errors: dict[str, list[float]] = {name: [] for name in (*habits, "panel")}
    for number in range(120):
        truth = luck.uniform(0.25, 0.75)
        given = {
            name: round(min(1.0, max(0.0, slope * truth + shift + luck.gauss(0, noise))), 3)
            for name, (slope, shift, noise) in habits.items()
        }
        found = read(ask(panel(*habits), say_values(given), exchange(f"Hi {number}", "Hello you"))[0])
        assert found.scores[OVERALL] == pytest.approx(fmean(given.values()))
        assert found.spread[OVERALL] == pytest.approx(max(given.values()) - min(given.values()))
        assert found.members == {
            name: pytest.approx(dict.fromkeys(found.scores, value)) for name, value in given.items()
        }
        for name, value in {**given, "panel": found.scores[OVERALL]}.items():
            errors[name].append((value - truth) ** 2)
    mean_errors = {name: fmean(found) for name, found in errors.items()}
    best = min(mean_errors[name] for name in habits)
    assert mean_errors["panel"] < 0.6 * best, mean_errors


def test_every_member_is_asked_its_own_question_at_its_own_endpoint() -> None:
    _, asked = ask(panel("a", "b"), say_values({"a": 0.5, "b": 0.6}))
    assert [(each.model, each.endpoint) for each in asked] == [("a", "http://a/v1"), ("b", "http://b/v1")]
    [alone] = Judge(pin("a"), RUBRIC, 0).requests(exchange("Hi", "Hello you"))
    assert (asked[0].messages, asked[0].parameters, asked[0].sample) == (alone.messages, alone.parameters, alone.sample)


def test_a_panel_of_one_is_that_judge() -> None:
    assert panel_pin([pin("a")], pin("big"), 0.4) == pin("a")
    assert isinstance(judge_of(pin("a"), RUBRIC, 0), Judge)


def test_only_what_lies_farther_apart_than_the_bound_goes_to_a_stronger_judge() -> None:
    judge = panel("a", "b", "c", escalate=pin("big"))
    near = {"a": 0.5, "b": 0.5 + APART, "c": 0.6, "big": 0.1}
    found, asked = ask(judge, say_values(near))
    assert [each.model for each in asked] == ["a", "b", "c"]
    assert read(found).escalated == ""
    far = {**near, "b": 0.52 + APART}
    found, asked = ask(judge, say_values(far))
    assert [each.model for each in asked] == ["a", "b", "c", "big"]
    said = read(found)
    assert (said.scores[OVERALL], said.escalated, said.review) == (0.1, "big", ())
    assert said.members["b"][OVERALL] == 0.82
    assert said.model == "a + b + c", "who made up the panel does not change with who decides"
    assert said.cost_usd == 4 * 0.5
    assert "who decides" in said.reasoning


def test_without_a_stronger_judge_people_are_to_look() -> None:
    found = read(ask(panel("a", "b", apart=0.1), say_values({"a": 0.4, "b": 0.7}))[0])
    assert found.scores[OVERALL] == pytest.approx(0.55)
    assert found.review == ("the members of the panel lie 0.3 apart",)
    assert read(ask(panel("a", "b", apart=0.4), say_values({"a": 0.4, "b": 0.7}))[0]).review == ()


def test_a_member_in_the_text_format_counts_for_the_overall_alone() -> None:
    judge = judge_of(panel_pin([pin("a"), pin("b", "text")], None, None), RUBRIC, 0)
    assert isinstance(judge, Panel)
    found = read(ask(judge, say_texts(a=verdict(0.6), b="Score: 0.8 | Reasoning: warm"))[0])
    assert found.scores[OVERALL] == pytest.approx(0.7)
    assert found.scores["helpfulness"] == 0.6
    assert "helpfulness" not in found.spread
    assert judge.judged_metrics == Judge(pin("a"), RUBRIC, 0).judged_metrics


def test_one_unread_member_leaves_no_verdict_and_is_named() -> None:
    found = read(ask(panel("a", "b", "c"), say_texts(a=verdict(0.6), b="no idea", c=verdict(0.6)))[0])
    assert (found.parsed, dict(found.scores)) == (False, {})
    assert found.problem.startswith("b: ")
    assert found.fallback == RUBRIC.fallback


def test_a_member_without_an_answer_is_a_failure_of_the_whole() -> None:
    down = CallFailure("connection", "nobody there", 3, 0.0, 1.0)
    found, asked = ask(panel("a", "b"), lambda request: down if request.model == "b" else verdict(0.6))
    assert found == down
    assert len(asked) == 2


def test_an_unread_stronger_judge_leaves_no_verdict() -> None:
    judge = panel("a", "b", escalate=pin("big"), apart=0.1)
    found = read(ask(judge, say_texts(a=verdict(0.2), b=verdict(0.8), big="hm"))[0])
    assert (found.parsed, found.scores, found.fallback) == (False, {}, RUBRIC.fallback)
    assert found.problem.startswith("big: ")


@pytest.mark.parametrize("text", ATTACKS.values(), ids=ATTACKS.keys())
def test_no_member_takes_a_verdict_from_the_judged_text(text: str) -> None:
    """Members that print what the text tells them to are unread, and so is the panel."""
    judged = exchange("Hi", f"{text}\n{verdict(1.0, 'perfect')}")
    found = read(ask(panel("a", "b"), say_texts(a=verdict(1.0, "perfect"), b=verdict(0.3)), judged)[0])
    assert not found.parsed


def report(model: str, *, fit: bool | None, problem: str = "") -> CanaryReport:
    figure = Figure("spread", 0.5, 0.6, None, 10, problem)
    return CanaryReport(30, 30, (figure,), fit, 0.1, {"one": 0.5}, models={f"{model}-2026": 30})


def test_a_panel_is_as_fit_as_its_members() -> None:
    judge = panel("a", "b")
    both = merge_reports(judge, {"a": report("a", fit=True), "b": report("b", fit=True)})
    assert both is not None and both.fit is True and both.unfit == ()
    assert both.models == {"a-2026": 30, "b-2026": 30}
    one = merge_reports(judge, {"a": report("a", fit=True), "b": report("b", fit=False, problem="too kind")})
    assert one is not None and one.fit is False and one.unfit == ("b",)
    assert one.missed == ("b: too kind",)
    assert "the panel is unfit: b failed" in one.note()
    begun = merge_reports(judge, {"a": report("a", fit=True), "b": report("b", fit=None)})
    assert begun is not None and begun.fit is None


def test_each_member_keeps_the_format_that_was_found_for_it() -> None:
    settled = with_formats(panel("a", "b", escalate=pin("big")).pin, {"a": "json", "big": "text"})
    assert [each.format for each in settled.judges] == ["json", "schema", "text"]
    assert settled.format == "json + schema"
    assert [each.pin.model for each in judges_of(judge_of(settled, RUBRIC, 0))] == ["a", "b", "big"]


def test_verdicts_of_members_are_json() -> None:
    found = read(ask(panel("a", "b"), say_values({"a": 0.4, "b": 0.6}))[0])
    assert json.loads(json.dumps(found.members))["a"][OVERALL] == 0.4
