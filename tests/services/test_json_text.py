"""JSON as text and back: whatever the journal may be given, exactly, and lines that everybody can read."""

import json
import math
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.json_text import from_json, to_json, to_line

TEXTS = st.text(st.characters())
"""Lone surrogates included."""
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_what_goes_in_comes_out(value: Any) -> None:
    assert from_json(to_json(value)) == value
    assert "\n" not in to_json(value)


@given(VALUES)
def test_the_standard_library_reads_the_same(value: Any) -> None:
    assert json.loads(to_json(value)) == value


def test_mappings_and_tuples_are_objects_and_arrays() -> None:
    assert to_json(MappingProxyType({"a": ("\u2028", 1.5)})) == '{"a":["\u2028",1.5]}'
    assert to_json({"a": MappingProxyType({"b": "\ud800"})}) == '{"a":{"b":"\ud800"}}'


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_a_number_that_json_does_not_have_is_kept_in_the_journal_and_null_in_a_line(value: float) -> None:
    assert repr(from_json(to_json([value]))) == repr([value])
    assert to_line([value]) == "[null]"
    assert to_line(["\ud800", value]) == '["\ud800",null]'


@pytest.mark.parametrize("text", ["", "{", "[1,]", "nil", '{"a":1}x', "[" * 100_000, b'"\xff"'])
def test_what_is_no_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(ValueError):
        from_json(text)
