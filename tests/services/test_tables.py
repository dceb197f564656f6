"""CSV files: one row is one record for every reader, and no cell is a formula to any spreadsheet."""

import csv
import io
from pathlib import Path
from typing import Any

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.tables import from_cell, plain_text, to_cell, write_csv

BREAKS = ("\r", "\n", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")
BEFORE = (
    *("", " ", "\t", "\r", "\n", "\u00a0", "\u3000", "\ufeff", "\u200b", "\u2060", "\u00ad", "\u034f", "\u3164"),
    *("\ufeff \t", "'", "''"),
)
SIGNS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\ufe62", "\ufe63", "\ufe66", "\ufe6b", "\u2212")
UNSEEN = "".join(BEFORE).replace("'", "")


def read_back(path: Path) -> list[list[list[str]]]:
    """The rows as readers see them: Python's two ways, pandas, and whoever splits the text into lines first."""
    text = path.read_bytes().decode()
    frame = pandas.read_csv(path, header=None, keep_default_na=False, dtype=str)
    return [
        list(csv.reader(io.StringIO(text, newline=""))),
        list(csv.reader(io.StringIO(path.read_text(encoding="utf-8")))),
        frame.to_numpy().tolist(),
        list(csv.reader(text.splitlines(keepends=True))),
    ]


@pytest.mark.parametrize("found", BREAKS, ids=ascii)
def test_a_line_break_ends_no_row_and_no_cell(tmp_path: Path, found: str) -> None:
    path = tmp_path / "table.csv"
    hostile = f"fine{found}=1+cmd|' /C calc'!A0"
    assert write_csv(path, ("a", "b", "c"), [{"a": hostile, "b": 0.5, "c": hostile}, {"a": "x", "b": 1.5}]) == 2
    shown = "fine\n=1+cmd|' /C calc'!A0"
    for rows in read_back(path):
        assert rows == [["a", "b", "c"], [shown, "0.5", shown], ["x", "1.5", ""]]


@pytest.mark.parametrize("separator", [";", "\t", ",", "|"])
def test_no_separator_within_a_text_ends_its_cell(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "table.csv"
    write_csv(path, ("a",), [{"a": f"fine{separator}=1+1"}])
    assert path.read_text(encoding="utf-8") == f'a\n"fine{separator}=1+1"\n'


@pytest.mark.parametrize("before", BEFORE, ids=ascii)
@pytest.mark.parametrize("sign", SIGNS, ids=ascii)
def test_no_cell_begins_like_a_formula(tmp_path: Path, before: str, sign: str) -> None:
    path, text = tmp_path / "table.csv", f"{before}{sign}1+1"
    write_csv(path, ("a", text), [{"a": text, text: -1.5}])
    for head, row in read_back(path):
        assert head[1][0] == row[0][0] == "'"
        assert row[0] == "'" + plain_text(text)
        assert float(row[1]) == -1.5


@pytest.mark.parametrize(
    "text", ["it's fine", "'quoted'", "1-2", "a=b", "me@example.org", "\u2013 she said", "", "x\ty"]
)
def test_any_other_text_stands_as_it_is(text: str) -> None:
    assert to_cell(text) == text


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("'=+-@ \t\n" + "".join(SIGNS) + UNSEEN))))
def test_what_is_written_is_what_is_read(text: str) -> None:
    assert from_cell(to_cell(text)) == plain_text(text)


def test_no_text_ends_a_file_for_readers_that_stop_at_nul(tmp_path: Path) -> None:
    write_csv(tmp_path / "table.csv", ("a", "b"), [{"a": "x\0y", "b": "z"}])
    assert all(rows[1] == ["x\ufffdy", "z"] for rows in read_back(tmp_path / "table.csv"))


def test_a_table_without_rows_has_its_columns(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = []
    assert write_csv(tmp_path / "table.csv", ("a", "b"), rows) == 0
    assert (tmp_path / "table.csv").read_text() == "a,b\n"
