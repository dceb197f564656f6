import pytest

from evaluation.text import numbers


def test_scores_and_intervals() -> None:
    assert numbers.score(0.736) == "0.74"
    assert numbers.score(None) == "-"
    assert numbers.interval((0.7, 0.781)) == "[0.70, 0.78]"
    assert numbers.interval(None) == "-"


@pytest.mark.parametrize(
    ("share", "text"),
    [(1.0, "100%"), (0.9999, ">99%"), (0.97, "97%"), (0.0001, "<1%"), (0.0, "0%"), (None, "-")],
)
def test_only_all_is_written_100_percent(share: float | None, text: str) -> None:
    assert numbers.percent(share) == text


@pytest.mark.parametrize(
    ("usd", "text"), [(None, "unknown"), (0.0, "$0.00"), (0.00123, "$0.0012"), (1234.5, "$1,234.50")]
)
def test_money(usd: float | None, text: str) -> None:
    assert numbers.money(usd) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "-"), (8.44, "8.4 s"), (59.96, "1 min 0 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")],
)
def test_durations(seconds: float | None, text: str) -> None:
    assert numbers.duration(seconds) == text


@pytest.mark.parametrize(
    ("value", "bound", "texts"),
    [
        (0.74, 0.7, ("0.74", "0.70")),
        (0.6996, 0.7, ("0.6996", "0.70")),
        (0.7, 0.7, ("0.70", "0.70")),
        (0.7 - 1e-10, 0.7, ("0.70", "0.70")),
        (0.49, 0.725, ("0.49", "0.725")),
    ],
)
def test_a_value_never_looks_like_a_bound_that_it_misses(value: float, bound: float, texts: tuple[str, str]) -> None:
    assert numbers.beside(value, bound) == texts


def test_counts() -> None:
    assert numbers.count(12345) == "12,345"
    assert numbers.count(None) == "-"
    assert (numbers.times(1, "turn"), numbers.times(2, "turn"), numbers.times(0, "turn")) == (
        "1 turn",
        "2 turns",
        "0 turns",
    )


def test_differences_and_what_is_held_against_them() -> None:
    assert [numbers.with_sign(value) for value in (0.0412, -0.0412, 0.0, -0.0001, None)] == [
        *("+0.041", "-0.041", "0.000", "0.000", "-")
    ]
    assert numbers.span((-0.01, 0.02)) == "-0.010 to +0.020"
    assert numbers.span(None) == "-"
    assert [numbers.above(value) for value in (0.0201, 0.02, 0.0199)] == ["0.021", "0.020", "0.020"]
    assert [numbers.p_value(p) for p in (0.0004, 0.0321, 1.0, None)] == ["<0.001", "0.032", "1.000", "-"]
