"""YAML text -> plain values: what each scalar becomes, what is refused, and at which line."""

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from evaluation.errors import ParseError
from evaluation.records import Json
from evaluation.text import yaml_text
from evaluation.text.yaml_text import MAX_CHARACTERS, MAX_DEPTH, line_of, load_yaml, locate

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# only a comment\n", None),
        ("a: ~\nb: null\nc:\n", {"a": None, "b": None, "c": None}),
        ("[true, false]", [True, False]),
        ("[yes, no, on, off, True]", ["yes", "no", "on", "off", "True"]),
        ("[12:30, 2025-08-19, 1_000, 0x1F]", ["12:30", "2025-08-19", "1_000", "0x1F"]),
        ("[1, -2, +3, 0.25, .5, 1e3]", [1, -2, 3, 0.25, 0.5, 1000.0]),
        ("['1', \"true\", 'null']", ["1", "true", "null"]),
        ("[.nan, .inf]", [".nan", ".inf"]),
        ("1: one\ntrue: two\n", {"1": "one", "true": "two"}),
        ("<<: {a: 1}\n", {"<<": {"a": 1}}),
        ("a: |\n  two\n  lines\n", {"a": "two\nlines\n"}),
        ("a: |\n  12\n", {"a": "12\n"}),
        ("a: >-\n  12\n", {"a": "12"}),
        ("- [a, {b: []}]\n- {}\n", [["a", {"b": []}], {}]),
        ("just text", "just text"),
    ],
)
def test_a_value_is_read_as_in_json_and_everything_else_is_text(text: str, value: Json) -> None:
    loaded = load_yaml(text, "f.yaml")
    assert loaded == value
    assert json.dumps(loaded) == json.dumps(value)  # distinguishes 1 from true and 1.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "f.yaml:3: key 'a' is given twice (first in line 1): remove one"),
        ("x:\n  - 1: a\n    '1': b\n", "f.yaml:3: key '1' is given twice (first in line 2): remove one"),
        ("a: null\na: 1\n", "f.yaml:2: key 'a' is given twice (first in line 1): remove one"),
        ("a: &one 1\n", "f.yaml:1: uses '&one': write the value out, or quote the text"),
        ("a: [1]\nb: *one\n", "f.yaml:2: uses '*one': write the value out, or quote the text"),
        ("a: !!set {}\n", "f.yaml:1: uses the tag 'tag:yaml.org,2002:set': remove it, or quote the text"),
        ("a: !!python/object:os.system x\n", "f.yaml:1: uses the tag 'tag:yaml.org,2002:python/object:os.system'"),
        ("a: 1\n---\nb: 1\n", "f.yaml:2: holds a second document ('---'): make it a file of its own"),
        ("? [a]\n: 1\n", "f.yaml:1: has a list or mapping as a key: quote it if it is text"),
        ("a: 1" + "0" * 17 + "e999\n", "f.yaml:1: the number '100000000000000000e999' is too large"),
        ("a: [1\nb: 2\n", "f.yaml:2: is not YAML: "),
        ("a: b: c\n", "f.yaml:1: is not YAML: "),
        ("a: \x00\n", "f.yaml: is not YAML: "),
        ("a: \ud800\n", "f.yaml: holds half of a surrogate pair"),
        ("[" * (MAX_DEPTH + 1), f"f.yaml:1: is nested more than {MAX_DEPTH} levels deep"),
        ("[" * 200_000, f"f.yaml:1: is nested more than {MAX_DEPTH} levels deep"),
        ("a" * (MAX_CHARACTERS + 1), "f.yaml: holds 8,000,001 characters; at most 8,000,000 are read"),
    ],
)
def test_what_is_refused_is_named_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        load_yaml(text, "f.yaml")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_more_values_than_fit_are_refused_before_they_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_text, "MAX_VALUES", 5)
    assert load_yaml("[1, [], {a: 2}]", "f.yaml") == [1, [], {"a": 2}]
    with pytest.raises(ParseError, match=r"^f\.yaml:2: holds more than 5 values: split the file$"):
        load_yaml("[1, [], {a: 2},\n3]", "f.yaml")


def test_a_number_of_more_digits_than_any_setting_has_is_a_float() -> None:
    assert load_yaml("1" + "0" * 20, "f.yaml") == 1e20


TEXT = """\
name: x
items:
  - id: a
    turns: [one, two]
  - id: b
    turns:
      - one
      - two
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 1),
        (("name",), 1),
        (("items",), 2),
        (("items", 0), 3),
        (("items", 0, "turns", 1), 4),
        (("items", 1, "turns"), 6),
        (("items", 1, "turns", 1), 8),
        (("items", 1, "turns", 9), 6),
        (("items", 1, "audience"), 5),
        (("nowhere", 3), 1),
    ],
)
def test_a_path_is_found_at_its_line_or_at_that_of_its_nearest_parent(path: tuple[str | int, ...], line: int) -> None:
    assert line_of(TEXT, path) == line
    assert locate(TEXT, "f.yaml", path) == f"f.yaml:{line}"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**17), 10**17) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(json_values)
def test_json_is_read_as_json_reads_it(value: Json) -> None:
    assert load_yaml(json.dumps(value), "f.yaml") == value


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    try:
        json.dumps(load_yaml(text, "f.yaml"))
    except ParseError as error:
        assert "\n" not in str(error)


@pytest.mark.slow
def test_the_shipped_rubrics_and_scenarios_read_alike_where_the_fast_parser_is_not_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shipped = [path for kind in ("rubrics", "scenarios") for path in (ROOT / "evaluation" / kind).rglob("*.yaml")]
    texts = {str(path): path.read_text(encoding="utf-8") for path in shipped}
    assert texts
    fast = {path: load_yaml(text, path) for path, text in texts.items()}
    monkeypatch.setattr(yaml_text, "_LOADER", yaml.SafeLoader)
    assert {path: load_yaml(text, path) for path, text in texts.items()} == fast


@pytest.mark.parametrize(
    "text",
    [
        "a: [one, two words, \"three, four\"]\nb: [it's, a.m., x_y|z]\n",
        "a: [one\n  two, three,\n\n  four]\n",
        "a: [one,\n  two\n  words , three]\n",
        "a: [one two,three , \"\" ]\n",
        "a: [one  two, null, true, false]\n",
        "a: {b: [c, d], e: [[f, g], [h, i]]}\n",
        "a: see [b, c] there\nd: '[e, f]'\ng: \"[h, i]\"\n",
        "a: >-\n  [b, c]\n  and [d,\n  e]\n# of [f,\ng: [h, i]\n",
        "a: one # of [b,\nc: 1\n",
        "a: [link](b), [c]\n",
        "a: \ue0000\ue000\nb: [c]\n",
    ],
)  # fmt: skip
def test_a_list_of_words_is_read_as_the_parser_reads_it(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def read() -> Json:
        try:
            return load_yaml(text, "f")
        except ParseError as error:
            return str(error)

    soon = read()
    monkeypatch.setattr(yaml_text, "without_lists", lambda _: None)
    assert soon == read()


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("a: [b,\n  c]\nd: [e, f]\n[g, h]: i\n", "f:4"),
        ("a: [b,\n  c]\na: [d]\n", "f:3"),
        ("a: [b, c]\nd: &e [f, g]\n", "f:2"),
        ("a: [b, c] d\n", "f:1"),
    ],
)
def test_an_error_beside_lists_of_words_names_its_line(text: str, where: str) -> None:
    with pytest.raises(ParseError) as caught:
        load_yaml(text, "f")
    assert str(caught.value).startswith(f"{where}: ")
