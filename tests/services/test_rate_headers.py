import pytest

from services.retrying import duration, retry_after, seconds_exhausted

NOW = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7),
        ("0", 0),
        ("1.5", 1.5),
        ("-3", 0),
        ("Tue, 14 Nov 2023 22:14:00 GMT", 40),
        ("Tue, 14 Nov 2023 22:14:00 -0000", 40),
        ("Tue, 14 Nov 2023 23:14:00 +0100", 40),
        ("Tue, 14 Nov 2023 22:00:00 GMT", 0),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("", None),
        ("Tue, 99 Nov 2023 22:14:00 GMT", None),
        ("9" * 100_000, None),
    ],
)
def test_retry_after(value: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": value}, NOW) == seconds


def test_milliseconds_win_and_absence_is_none() -> None:
    assert retry_after({"retry-after-ms": "1500", "retry-after": "9"}, NOW) == 1.5
    assert retry_after({"retry-after-ms": "x", "retry-after": "9"}, NOW) == 9
    assert retry_after({}, NOW) is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("1s", 1),
        ("6m0s", 360),
        ("120ms", 0.12),
        ("1h2m3.5s", 3723.5),
        ("2m", 120),
        ("17", 17),
        ("", None),
        ("m", None),
        ("1d", None),
        (None, None),
        ("1" * 100_000 + "s", None),
    ],
)
def test_duration(value: str | None, seconds: float | None) -> None:
    assert duration(value) == seconds


@pytest.mark.parametrize(
    ("remaining", "reset", "seconds"),
    [("0", "2s", 2), ("0", None, 1), ("0", "?", 1), ("1", "2s", None), (None, "2s", None)],
)
def test_exhausted(remaining: str | None, reset: str | None, seconds: float | None) -> None:
    given = {"x-ratelimit-remaining-requests": remaining, "x-ratelimit-reset-requests": reset}
    assert seconds_exhausted({name: value for name, value in given.items() if value is not None}) == seconds
