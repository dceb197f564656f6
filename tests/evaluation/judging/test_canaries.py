"""Reading the canaries, and what is expected of a judge."""

from collections.abc import Mapping
from pathlib import Path

import pytest

import evaluation.judging
from evaluation.chat_flow.flow_run import FlowRun
from evaluation.errors import ParseError
from evaluation.judging.canaries import CanaryReport, CanarySet, check_canaries, parse_canaries
from evaluation.records import Verdict
from tests.evaluation.judging.verdicts import judge_rubric

SHIPPED = Path(evaluation.judging.__path__[0]) / "canaries.yaml"
TWO = """
version: "1"
tolerance: 0.05
may_miss: 1
canaries:
  - {id: good, user: Hi, response: Hello!, overall: [0.6, 1.0], above: [bad]}
  - {id: bad, user: Hi, response: Go away., overall: [0.0, 0.4], strict: true}
"""


def check(values: Mapping[str, float | None], text: str = TWO) -> CanaryReport:
    verdicts = {
        name: Verdict({} if value is None else {"overall_quality": value}, "", value is not None, "", "j", cost_usd=0.5)
        for name, value in values.items()
    }
    return check_canaries(parse_canaries(text, "c.yaml"), verdicts, judge_rubric())


def test_the_shipped_set_holds_every_kind() -> None:
    shipped: CanarySet = parse_canaries(SHIPPED.read_text(encoding="utf-8"), "canaries.yaml")
    kinds = {canary.id.split("-")[0] for canary in shipped.canaries}
    assert kinds == {"good", "degraded", "padded", "injected", "empty", "harmful"}
    assert len(shipped.canaries) >= 20
    assert all(canary.strict for canary in shipped.canaries if canary.id.startswith(("injected", "harmful")))
    assert any(canary.exchange.context for canary in shipped.canaries)


def test_the_shipped_flows_are_flows_as_a_judge_is_shown_them() -> None:
    shipped = parse_canaries((SHIPPED.parent / "chat_flow_canaries.yaml").read_text(encoding="utf-8"), "flows.yaml")
    kinds = {canary.id.split("-")[0] for canary in shipped.canaries}
    assert kinds == {"good", "late", "unasked", "forbidden", "unoffered", "unclear", "broken", "empty", "injected"}
    for canary in shipped.canaries:
        flow = FlowRun.from_text(canary.exchange.response)
        assert flow.messages[0].content == canary.exchange.user_input
        assert (flow.fault is not None) is canary.id.startswith("broken")
        assert (flow.selected in (flow.options or ())) is bool(flow.options and "unoffered" not in canary.id)
    good = {canary.id for canary in shipped.canaries if canary.id.startswith("good")}
    ranked = {lower for canary in shipped.canaries for lower in canary.above}
    assert ranked | good == {canary.id for canary in shipped.canaries}, "each bad one stands below a good one"


def test_levels_orders_and_what_may_be_missed() -> None:
    cases: list[tuple[dict[str, float | None], bool, int]] = [
        ({"good": 0.8, "bad": 0.2}, True, 0),
        ({"good": 0.55, "bad": 0.45}, True, 0),
        ({"good": 0.54, "bad": 0.2}, True, 1),
        ({"good": 0.8, "bad": 0.46}, False, 1),
        ({"good": 0.4, "bad": 0.4}, False, 2),
        ({"good": 0.8, "bad": None}, False, 1),
        ({"good": None, "bad": 0.2}, True, 1),
        ({"bad": 0.2}, True, 1),
        ({}, False, 2),
    ]
    for values, passed, missed in cases:
        report = check(values)
        assert (report.passed, len(report.missed)) == (passed, missed), (values, passed, missed)
        assert (report.asked, report.answered, report.expectations) == (2, len(values), 3), (values, passed, missed)
        assert bool(report.note()) is bool(report.faults()) is not passed, (values, passed, missed)
        assert report.cost_usd == 0.5 * len(values), (values, passed, missed)


def test_another_scale_is_measured_in_shares() -> None:
    verdicts = {
        name: Verdict({"overall_quality": value}, "", True, "", "j") for name, value in (("good", 4.2), ("bad", 2))
    }
    five = judge_rubric().model_copy(update={"low": 1.0, "high": 5.0})
    assert check_canaries(parse_canaries(TWO, "c"), verdicts, five).overalls == {"good": 0.8, "bad": 0.25}


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (TWO.replace("[bad]", "[worse]"), "'worse' is no canary"),
        (TWO.replace("id: bad", "id: good"), "stands twice"),
        (TWO.replace("strict", "stric"), "did you mean 'strict'"),
        (TWO.replace("[0.6, 1.0]", "[0.6]"), "overall"),
        (TWO.replace("may_miss: 1", "may_miss: -1"), "may_miss"),
        ("- 1", "c.yaml"),
    ],
)
def test_a_wrong_file_names_the_place(wrong: str, named: str) -> None:
    with pytest.raises(ParseError) as error:
        parse_canaries(wrong, "c.yaml")
    assert named in str(error.value)
    assert "\n" not in str(error.value)
