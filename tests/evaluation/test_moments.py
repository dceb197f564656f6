from datetime import UTC, datetime, timedelta, timezone

import pytest

from evaluation.moments import in_utc, iso, iso_seconds, moment, week_of

EIGHT = datetime(2026, 11, 16, 8, tzinfo=UTC)


def test_a_moment_is_read_in_utc_whatever_zone_it_names() -> None:
    texts = ("2026-11-16T08:00:00Z", "2026-11-16T08:00:00", "2026-11-16T10:00:00+02:00", "2026-11-16T08:00:00.000Z")
    assert {moment(text) for text in texts} == {EIGHT}
    assert moment("2026-11-16") == EIGHT - timedelta(hours=8)
    with pytest.raises(ValueError, match="soon"):
        moment("soon")
    with pytest.raises(OverflowError):
        in_utc(datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1))))


def test_a_moment_is_written_in_one_form_to_the_millisecond_or_to_the_second() -> None:
    assert iso(EIGHT + timedelta(microseconds=1_999)) == "2026-11-16T08:00:00.001Z"
    assert iso_seconds(EIGHT.timestamp() + 0.999) == "2026-11-16T08:00:00Z"
    assert moment(iso(EIGHT)) == moment(iso_seconds(EIGHT.timestamp())) == EIGHT


def test_a_week_belongs_to_the_year_of_its_thursday() -> None:
    found = {day: week_of(moment(day)) for day in ("2026-11-16", "2027-01-03", "2027-01-04", "2024-12-30")}
    assert list(found.values()) == ["2026-W47", "2026-W53", "2027-W01", "2025-W01"]
