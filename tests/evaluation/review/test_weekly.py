"""Two reviewers over three weeks, worked by hand.

One dimension, clarity, from 1 to 5; four scenarios a..d, one run a week. (ana, ben) per scenario, - not reviewed:

    week  a      b      c      d       item means          mean
    W45   5, 5   4, 4   3, 3   4, -    5   4   3   4       4.00
    W46   4, 4   4, 5   3, 3   4, -    4   4.5 3   4       3.875
    W47   2, 2   1, 2   2, 1   2, -    2   1.5 1.5 2       1.75

Standard errors of a plain mean (each scenario is its own situation): s / sqrt(4).
    W45  deviations 1 0 -1 0             sum of squares 2        s^2 = 0.6667     se = 0.4082
    W46  .125 .625 -.875 .125            sum of squares 1.1875   s^2 = 0.3958     se = 0.3146
    W47  .25 -.25 -.25 .25               sum of squares 0.25     s^2 = 0.0833     se = 0.1443
t(0.975, 3) = 3.1824: intervals 4 +- 1.2992, 3.875 +- 1.0011, 1.75 +- 0.4594.

Change W46 -> W47: 1.75 - 3.875 = -2.125; se^2 = 0.09896 + 0.02083 = 0.11979, se = 0.34611;
df = 0.11979^2 / (0.09896^2 / 3 + 0.02083^2 / 3) = 0.014350 / (0.0032643 + 0.0001447) = 4.2095.
t(0.975, 4.2095) = 2.7225 (between 2.7764 at 4 and 2.5706 at 5), so -2.125 +- 0.9423: below 0, a regression.

Krippendorff's alpha, ordinal, W45, units (5,5) (4,4) (3,3): no disagreement, 1.
W46, units (4,4) (4,5) (3,3): values 3 3 4 4 4 5, midranks 3 -> 1, 4 -> 3.5, 5 -> 5.5.
    observed: 2 * 2 * ((3.5 - 4.5)^2 + (5.5 - 4.5)^2) / (2 - 1) = 8
    mean of 1 1 3.5 3.5 3.5 5.5 = 3; squares 4 + 4 + .25 + .25 + .25 + 6.25 = 15; expected: 2 * 6 * 15 / 5 = 36
    alpha = 1 - 8/36 = 0.7778
"""

import re
from typing import Any

import pytest

from evaluation.errors import UsageError
from evaluation.reports.markdown import to_markdown
from evaluation.reports.review import answer, describe_review
from evaluation.reports.terminal import to_terminal
from evaluation.review.weekly import WeeklyReport, report_document, weekly_report
from evaluation.text.safe_text import width
from tests.evaluation.metrics.shipped import chat_flow_rubric
from tests.evaluation.reports.hostile import EVIL
from tests.evaluation.review.made_records import human

WEEKS = {
    "2026-11-04": {"a": (5, 5), "b": (4, 4), "c": (3, 3), "d": (4, None)},
    "2026-11-11": {"a": (4, 4), "b": (4, 5), "c": (3, 3), "d": (4, None)},
    "2026-11-18": {"a": (2, 2), "b": (1, 2), "c": (2, 1), "d": (2, None)},
}
RUBRIC = chat_flow_rubric()


def records() -> list[dict[str, Any]]:
    return [
        human(
            f"{scenario}@{day}",
            reviewer,
            day,
            {"clarity": score},
            other_scores={"judge": {"clarity": min(5, score + 1)}},
        )
        for day, scores in WEEKS.items()
        for scenario, pair in scores.items()
        for reviewer, score in zip(("ana", "ben"), pair, strict=True)
        if score is not None
    ]


@pytest.fixture(scope="module")
def report() -> WeeklyReport:
    return weekly_report(records(), RUBRIC, "chat_flow")


def test_means_and_intervals_by_iso_week(report: WeeklyReport) -> None:
    assert [week.week for week in report.weeks] == ["2026-W45", "2026-W46", "2026-W47"]
    assert [(week.items, week.reviews, week.reviewers) for week in report.weeks] == [(4, 7, ("ana", "ben"))] * 3
    found = [week.dimensions["clarity"].estimate for week in report.weeks]
    assert [each.mean for each in found] == pytest.approx([4.0, 3.875, 1.75])
    assert [each.n for each in found] == [4, 4, 4]
    # SE 0.4082, 0.3146 and 0.1444 on a scale from 1 to 5 are those of 18, 32.7 and 117 trials; t(3) = 3.182.
    for each, ends in zip(found, ((2.540, 4.740), (2.769, 4.567), (1.398, 2.301)), strict=True):
        assert each.ci95 == pytest.approx(ends, abs=1e-3)


def test_the_change_against_the_week_before(report: WeeklyReport) -> None:
    first, second, third = (week.dimensions["clarity"] for week in report.weeks)
    assert first.change is None
    assert second.change is not None
    assert second.change.value == pytest.approx(-0.125)
    assert not second.regressed
    assert third.change is not None
    assert third.change.value == pytest.approx(-2.125)
    assert third.change.ci95 == pytest.approx((-2.125 - 0.9423, -2.125 + 0.9423), abs=2e-3)
    assert third.regressed
    assert third.small, "four situations are few"


def test_agreement_of_the_two(report: WeeklyReport) -> None:
    first, second, third = (week.dimensions["clarity"].agreement for week in report.weeks)
    assert (first.shared, second.shared) == (3, 3)
    assert first.alpha == pytest.approx(1.0)
    assert second.alpha == pytest.approx(1 - 8 / 36)
    # (2,2) (1,2) (2,1): two 1s and four 2s, midranks 1 -> 1, 2 -> 4.
    # observed: in two units 2 * 2 * (1.5^2 + 1.5^2) = 18 each, 36; mean 3, squares 4 * 1 + 2 * 4 = 12,
    # expected 2 * 6 * 12 / 5 = 28.8
    assert third.alpha == pytest.approx(1 - 36 / 28.8)
    assert report.agreement["clarity"].shared == 9


def test_people_beside_the_judge(report: WeeklyReport) -> None:
    (row,) = [row for row in report.calibration.agreements if row.source == "judge"]
    # The judge's value of an item is that of the record read last for it: ana's score + 1, at most 5, or ben's.
    assert (row.dimension, row.metric, row.n) == ("clarity", "clarity", 12)
    assert row.bias.value is not None
    assert row.bias.value > 0


def test_a_review_counts_in_the_week_of_its_response_unless_asked_otherwise() -> None:
    late = human(
        "a@x",
        "ana",
        "2026-11-04",
        {"clarity": 4},
    )
    late["reviewed_at"] = "2026-11-18T09:00:00Z"
    assert [week.week for week in weekly_report([late], RUBRIC, "chat_flow").weeks] == ["2026-W45"]
    assert [week.week for week in weekly_report([late], RUBRIC, "chat_flow", week_of="review").weeks] == ["2026-W47"]


@pytest.mark.parametrize(
    ("moment", "week"),
    [
        ("2026-01-01T00:00:00Z", "2026-W01"),
        ("2027-01-01T12:00:00Z", "2026-W53"),
        ("2024-12-30T00:00:00Z", "2025-W01"),
        ("2026-11-16T00:30:00+02:00", "2026-W46"),
    ],
)
def test_iso_weeks_in_utc(moment: str, week: str) -> None:
    record = {**human("a", "ana", "2026-11-04", {"clarity": 4}), "timestamp": moment}
    assert weekly_report([record], RUBRIC, "chat_flow").weeks[0].week == week


def test_remarks_stand_under_their_dimension_and_marks_in_their_lists() -> None:
    scores = {"clarity": 2.0, "reliability": 5.0}
    made = [
        human("a", "ana", "2026-11-04", scores, notes="Too terse.", rationale={"reliability": "No fault."}),
        human("b", "ana", "2026-11-04", {"clarity": 3.0, "reliability": 3.0}, notes="Middling.", mark="exemplary"),
        human("c", "ben", "2026-11-04", {"clarity": None}, unclear=["clarity"], mark="unclear", notes="Which steps?"),
    ]
    found = weekly_report(made, RUBRIC, "chat_flow")
    assert [(each.dimension, each.text) for each in found.remarks] == [
        ("reliability", "No fault."),
        ("clarity", "Too terse."),
        ("", "Middling."),
        ("", "Which steps?"),
    ]
    assert [(each.dimension, each.text) for each in found.unclear] == [("clarity", "Which steps?")]
    assert [each.scenario_id for each in found.exemplary] == ["b"]


def test_other_suites_and_other_sources_stay_out() -> None:
    others = [{**records()[0], "suite": "companion"}, {**records()[0], "source": "judge"}]
    with pytest.raises(UsageError, match="there is no review of suite 'chat_flow'"):
        weekly_report(others, RUBRIC, "chat_flow")


def test_another_scale_is_refused_and_an_unknown_metric_named() -> None:
    strange = human("a", "ana", "2026-11-04", {"clarity": 0.5}, scale={"low": 0, "high": 1})
    with pytest.raises(UsageError, match="runs from 0 to 1, rubric chat_flow from 1 to 5"):
        weekly_report([strange], RUBRIC, "chat_flow")
    own = human("a", "ana", "2026-11-04", {"clarity": 4, "wit": 2})
    assert weekly_report([own], RUBRIC, "chat_flow").unknown == ("wit",)


def test_the_document_says_what_regressed(report: WeeklyReport) -> None:
    weeks = report_document(report)["weeks"]
    assert [week["dimensions"]["clarity"]["regressed"] for week in weeks] == [False, False, True]


def test_the_first_week_leads_with_its_overall_where_there_is_one() -> None:
    scored = [human(f"{name}@2026-11-04", "ana", "2026-11-04", {"clarity": 4, "overall": 4.5}) for name in "abc"]
    assert answer(weekly_report(scored, RUBRIC, "chat_flow")) == "4.50 of 5 overall; no week before to compare with"
    unscored = [human(f"{name}@2026-11-04", "ana", "2026-11-04", {"clarity": 4}) for name in "abc"]
    assert answer(weekly_report(unscored, RUBRIC, "chat_flow")) == "No week before to compare with"


def test_the_report_names_what_fell_and_a_hostile_remark_has_no_effect() -> None:
    remark = human("a@2026-11-18", EVIL, "2026-11-18", {"clarity": 1}, notes=EVIL)
    found = weekly_report([*records(), remark], RUBRIC, "chat_flow")
    text = to_terminal(describe_review(found))
    assert "REGRESSED: clarity -" in text and "\x1b" not in text and "\u202e" not in text
    assert max(map(width, text.splitlines())) <= 80
    page = to_markdown(describe_review(found, detail=True))
    assert page.startswith("## 1 dimension lower than the week before\n")
    assert [page.count(f"### `2026-W{week}`") for week in (45, 46, 47)] == [1, 1, 1]
    assert not any(sign in re.sub(r"`[^`\n]*`", "", page) for sign in ("<script", "@everyone", "](", "javascript"))
