"""review.html: points at their places, texts escaped, nothing asked of the network."""

import pytest

from evaluation.reports.html.page import Assets
from evaluation.reports.html.review import review_page, week_trends
from evaluation.review.weekly import weekly_report
from scripts.run.load import load_rubric
from services.catalog import read_page_assets
from tests.evaluation.review.made_records import human

RUBRIC = load_rubric("chat_flow")
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
    trends = {trend.name: trend for trend in week_trends(weekly_report(made, RUBRIC, "chat_flow"))}
    assert list(trends) == ["reliability", "clarity"], "in the rubric's order, without what nobody scored"
    assert trends["clarity"].axis == trends["reliability"].axis
    assert (trends["clarity"].axis.low, trends["clarity"].axis.high) == (1, 5)
    assert [point.x for point in trends["clarity"].points] == ["16.67%", "50.00%", "83.33%"]
    assert [point.y for point in trends["clarity"].points] == ["0.00%", "50.00%", "100.00%"]
    assert [point.x for point in trends["reliability"].points] == ["16.67%", "83.33%"]


@pytest.mark.parametrize("field", ["notes", "reviewer", "scenario_id"])
def test_hostile_texts_are_shown_and_not_obeyed(field: str) -> None:
    record = human("a", "ana", "2026-11-04", {"clarity": 4}, notes="x", mark="exemplary") | {field: HOSTILE}
    page = review_page(weekly_report([record], RUBRIC, "chat_flow"), Assets(*read_page_assets()))
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "<img" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "{{ 7 * 7 }}" in page
    assert "http://" not in page
    assert "https://" not in page
