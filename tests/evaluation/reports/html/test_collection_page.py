"""report.html of a collection: every figure at its place, every text escaped, and nothing asked of the network."""

import re
from itertools import pairwise

from evaluation.reports.html.collection import SHOWN
from tests.evaluation.reports.html.collection_pages import METRICS, empty, hostile, long_page, page, summary, tally
from tests.evaluation.reports.html.pages import poles


def test_it_shows_means_groups_weeks_rows_and_reasons() -> None:
    """Of 20 rows the tenths add up to 2 x 45, less 20 of those without an overall and 7 of the error: 63 of 14 rows."""
    found = summary(tally())
    shown = page(found)
    words = " ".join(re.sub(r"<style>.*?</style>|<[^>]+>", " ", shown, flags=re.DOTALL).split())
    for said in (
        "60 responses, suite companion",
        "Overall quality 0.45, 95% interval [",
        "42 of 60 rows with this score",
        "3 rows could not be scored; the reason stands in place of the scores",
        "1 file with irregular quotes stays one part",
        "By model",
        "has no response 3 r7 part-00001.jsonl , part-00000.jsonl , part-00002.jsonl",
        "r1 0.10 part-00001.jsonl logs/a.jsonl , byte 100",
        "logs/a.jsonl 3 part-00000.jsonl",
        "abababababababab",
    ):
        assert said in words, said
    overall = found["metrics"]["overall_quality"]
    assert f"n {overall['n']}" in words


def test_weeks_stand_at_their_dates_and_one_without_a_date_in_the_table_alone() -> None:
    shown = page(summary(tally(weeks=3)))
    places = [place for place, *_ in poles(shown)]
    assert places == ["3.00%", "50.00%", "97.00%"] * len(METRICS)
    assert ">2026-W31</text>" in shown
    assert "(none)" in shown
    weeks = re.findall(r"<title>(2026-W\d\d): 0\.\d\d \[0\.\d\d, 0\.\d\d\], n \d+</title>", shown)
    assert weeks == ["2026-W30", "2026-W31", "2026-W32"] * len(METRICS)


def test_one_week_stands_in_the_middle_and_none_has_no_picture() -> None:
    assert [place for place, *_ in poles(page(summary(tally(weeks=1))))] == ["50.00%"] * len(METRICS)
    found = summary(tally())
    del found["by"]["week"]
    assert poles(page(found)) == []
    assert 'href="#weeks"' not in page(found)


def test_many_weeks_and_groups_are_folded_and_no_labels_touch() -> None:
    shown = long_page()
    assert 'class="curves courses longest"' in shown
    labels = re.findall(r'<text class="(?:start|mid|end)" x="([\d.]+)%" y="13">', shown)
    first = [float(each) for each in labels[: len(labels) // len(METRICS)]]
    assert min(late - early for early, late in pairwise(first)) > 25
    assert f"Show all {len(summary(tally(600, weeks=60))['by']['week'])}" in shown
    assert shown.count('<table class="heat">') == 3
    assert len(re.findall(r'<th scope="row"><bdi>2026-W\d\d', shown.partition('class="rest"')[0])) <= SHOWN


def test_hostile_texts_are_shown_and_not_obeyed() -> None:
    shown = hostile()
    assert "&lt;script&gt;alert(1)" in shown
    assert "\\x1b[2J" in shown
    assert "<script>alert" not in shown
    assert not [sign for sign in "\x1b\u202e\u2028\x00" if sign in shown]
    assert not re.findall(r'(?:href|src)="(?!#|part-\d{5}\.jsonl"|data:,"|\.\.)', shown)
    assert "default-src &#39;none&#39;" in shown


def test_where_nothing_could_be_scored_no_zero_is_shown() -> None:
    shown = empty()
    assert "Nothing could be scored" in shown
    assert not re.findall(r">\s*0\.00", shown)
    assert shown.count("Nothing was scored.") == 2
