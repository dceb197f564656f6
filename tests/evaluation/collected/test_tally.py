"""What the rows of parts add up to: the same however they are cut, with the mean and error of the rows."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.collected.tally import ALL, BUCKETS, CLASSES, MOST_GROUPS, OTHERS, Tally, bucket_of
from evaluation.reports.collected import describe_collection
from evaluation.reports.markdown import to_markdown
from evaluation.statistics.clusters import WeightedValue, weighted_estimate

SCALE = (0.0, 1.0)
ROWS = st.lists(
    st.tuples(
        st.text(max_size=3),
        st.sampled_from(["a", "b", "c"]),
        st.one_of(st.none(), st.floats(0, 1, allow_subnormal=False)),
    ),
    min_size=1,
    max_size=40,
)


def tally_of(rows: list[tuple[str, str, float | None]]) -> Tally:
    tally = Tally(["m"], SCALE)
    for cluster, group, value in rows:
        tally.add(cluster, [("g", group)], {"m": value}, language={"a": "de", "b": ""}.get(group, "en"))
    return tally


@given(ROWS, st.integers(0, 40))
def test_parts_add_up_to_the_whole(rows: list[tuple[str, str, float | None]], cut: int) -> None:
    whole, joined = tally_of(rows), tally_of(rows[:cut])
    joined.join(Tally.from_json(tally_of(rows[cut:]).to_json(), ["m"], SCALE))
    one, two = whole.groups[ALL]["m"], joined.groups[ALL]["m"]
    assert (one.numbers, one.classes, one.missing) == (two.numbers, two.classes, two.missing)
    assert two.sums == pytest.approx(one.sums)
    assert whole.groups.keys() == joined.groups.keys()
    assert whole.languages == joined.languages
    assert sum(one.classes) + one.missing == whole.rows == joined.rows


@given(ROWS)
def test_the_mean_is_that_of_the_rows_and_the_error_that_of_the_buckets(
    rows: list[tuple[str, str, float | None]],
) -> None:
    values = [value for _, _, value in rows if value is not None]
    found = tally_of(rows).summary()["metrics"]["m"]
    assert found["n"] == len(values)
    if values:
        assert found["mean"] == pytest.approx(math.fsum(values) / len(values))
        by_row = [WeightedValue("", str(bucket_of(cluster)), 1.0, value) for cluster, _, value in rows]
        expected = weighted_estimate(by_row, SCALE)
        assert found["se"] == pytest.approx(expected.se, abs=1e-9) if expected.se is not None else found["se"] is None


def test_users_who_differ_widen_the_interval() -> None:
    alone, alike = Tally(["m"], SCALE), Tally(["m"], SCALE)
    for number in range(4_000):
        value = float(number % 40 < 20)
        alone.add(str(number), [], {"m": value})
        alike.add(str(number % 40), [], {"m": value})
    errors = [tally.summary()["metrics"]["m"]["se"] for tally in (alone, alike)]
    assert errors[0] == pytest.approx(0.5 / math.sqrt(4_000), rel=0.1)
    assert errors[1] == pytest.approx(0.5 / math.sqrt(40), rel=0.1)


def test_a_column_of_many_values_keeps_the_first_and_counts_the_others_together() -> None:
    tally = Tally(["m"], SCALE)
    for number in range(MOST_GROUPS + 50):
        tally.add(str(number), [("user", str(number))], {"m": 1.0})
    groups = tally.summary()["by"]["user"]
    assert len(groups) == MOST_GROUPS + 1
    assert groups[OTHERS]["m"]["n"] == 50


def test_a_value_that_has_a_mean_of_its_own_has_all_its_rows_in_it() -> None:
    whole, joined = Tally(["m"], SCALE), Tally(["m"], SCALE)
    for part in range(3):
        tally = Tally(["m"], SCALE)
        for number in range(MOST_GROUPS + 100):  # each part meets the values in another order
            group = [("user", f"{(number * 7 + part * 131) % (MOST_GROUPS + 100):03}")]
            for into in (whole, tally):
                into.add(str(number), group, {"m": 1.0})
        joined.join(Tally.from_json(tally.to_json(), ["m"], SCALE))
    for found in (whole, joined):
        numbers = {value: metrics["m"]["n"] for value, metrics in found.summary()["by"]["user"].items()}
        assert numbers == {OTHERS: 300, **{f"{number:03}": 3 for number in range(MOST_GROUPS)}}


def test_values_at_both_ends_are_in_the_first_and_the_last_class() -> None:
    tally = tally_of([("a", "a", 0.0), ("b", "a", 1.0)])
    assert tally.groups[ALL]["m"].classes == [1, *[0] * (CLASSES - 2), 1]


def test_a_bucket_does_not_depend_on_the_process() -> None:
    assert [bucket_of(text) for text in ("", "user-1", "\ud800")] == [
        bucket_of(text) for text in ("", "user-1", "\ud800")
    ]
    assert bucket_of("user-1") == 53 < BUCKETS


def test_rows_that_could_not_be_scored_are_counted() -> None:
    tally = Tally(["m"], SCALE)
    tally.add_error()
    assert (tally.summary()["rows"], tally.summary()["errors"]) == (1, 1)


def test_a_record_holds_no_empty_bucket() -> None:
    assert len(json.dumps(tally_of([("a", "a", 0.5), ("b", "a", None)]).to_json())) < 400


def test_the_report_says_what_the_others_are() -> None:
    tally = Tally(["m"], SCALE)
    for number in range(MOST_GROUPS + 50):
        tally.add(str(number), [("user", str(number))], {"m": 1.0})
    text = to_markdown(describe_collection({"suite": "s", **tally.summary()}, ["m"], "out"))
    assert f"{OTHERS} counts the 50 responses of all" in text


def test_the_report_says_whose_language_packs_nobody_reviewed() -> None:
    tally = Tally(["m"], SCALE)
    for language in ("en", "de", "de"):
        tally.add("u", [], {"m": 0.5}, language=language)
    summary = {**tally.summary(), "suite": "s", "parts": 1}
    assert summary["languages"] == {"de": 2, "en": 1}
    assert "the language pack of German was reviewed by no native speaker" in to_markdown(
        describe_collection(summary, ["m"], "out")
    )
