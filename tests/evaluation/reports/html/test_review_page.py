"""review.html: points at their places, texts escaped, nothing asked of the network."""

import pytest

from evaluation.reports.html.figures import Axis
from evaluation.reports.html.review import review_page, week_axis, week_trends
from evaluation.review.weekly import weekly_report
from tests.evaluation.metrics.shipped import chat_flow_rubric
from tests.evaluation.reports.html.pages import assets, poles
from tests.evaluation.review.made_records import human

RUBRIC = chat_flow_rubric()
HOSTILE = "<img src=x onerror=alert(1)> \x1b[2J \u202e{{ 7 * 7 }}"


def test_all_dimensions_share_one_axis_and_weeks_keep_their_places() -> None:
    made = [
        human(f"{scenario}@{day}", "ana", day, {"clarity": score, **more})
        for day, score, more in (
            ("2026-11-04", 5, {"reliability": 1.0}),
            ("2026-11-11", 3, {}),
            ("2026-11-18", 1, {"reliability": 3.0}),
        )
        for scenario in "ab"
    ]
    report = weekly_report(made, RUBRIC, "chat_flow")
    assert list(week_trends(report)) == ["reliability", "clarity"], "in the rubric's order, without what nobody scored"
    assert week_axis(report) == Axis(1, 5)
    places = [(place, mean) for place, _, _, mean in poles(review_page(report, assets()))]
    assert places[:2] == [("16.67%", "100.00%"), ("83.33%", "50.00%")]
    assert places[2:] == [("16.67%", "0.00%"), ("50.00%", "50.00%"), ("83.33%", "100.00%")]


@pytest.mark.parametrize("field", ["notes", "reviewer", "scenario_id"])
def test_hostile_texts_are_shown_and_not_obeyed(field: str) -> None:
    record = human("a", "ana", "2026-11-04", {"clarity": 4}, notes="x", mark="exemplary") | {field: HOSTILE}
    page = review_page(weekly_report([record], RUBRIC, "chat_flow"), assets())
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "<img" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "{{ 7 * 7 }}" in page
    assert "http://" not in page
    assert "https://" not in page
