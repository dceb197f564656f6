"""How a collection is cut: each line in one part, whatever the lines hold and wherever the cuts fall."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.errors import UsageError
from services.collected.parts import find_files, plan_parts
from services.collected.reading import Row, read_rows


def rows_of(path: Path, part_bytes: int) -> list[Row]:
    return [row for part in plan_parts([str(path)], part_bytes) for row in read_rows(part)]


@given(st.lists(st.integers(0, 30), max_size=20), st.integers(1, 80), st.booleans())
def test_every_line_is_in_one_part_wherever_the_cuts_fall(
    tmp_path_factory: pytest.TempPathFactory, lengths: list[int], part_bytes: int, ended: bool
) -> None:
    lines = [f'{{"id": {number}, "x": "{"ü" * length}"}}' for number, length in enumerate(lengths)]
    path = tmp_path_factory.mktemp("cut") / "lines.jsonl"
    path.write_text("\n".join(lines) + "\n" * ended, encoding="utf-8")
    found = rows_of(path, part_bytes)
    assert [row.record["id"] for row in found] == list(range(len(lines)))
    assert [row.place for row in found] == [row.place for row in rows_of(path, 10_000)]


def test_broken_lines_are_rows_with_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_bytes(b'{"id": 1}\n{\n\n\xff\n[]\n')
    assert [(row.place, bool(row.problem)) for row in rows_of(path, 5)] == [
        (0, False),
        (10, True),
        (13, True),
        (15, True),
    ]


def test_a_table_keeps_breaks_and_quotes_in_its_fields(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(
        'id,user_input,response,context\n1,"a\nb","say ""c""","[{""role"": ""user"", ""content"": ""hi""}]"\n2,x\n'
    )
    first, second = rows_of(path, 10)
    assert first.record == {
        "id": "1", "user_input": "a\nb", "response": 'say "c"', "context": [{"role": "user", "content": "hi"}],
    }  # fmt: skip
    assert "another number of fields" in second.problem


def test_rows_of_parquet_are_cut_within_row_groups(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet as parquet

    path = tmp_path / "rows.parquet"
    table = pyarrow.Table.from_pylist([{"id": f"r{number}", "response": None} for number in range(5_000)])
    parquet.write_table(table, path, row_group_size=2_300)
    parts = plan_parts([str(path)], part_rows=1_100)
    assert len(parts) == 5
    found = [row for part in parts for row in read_rows(part)]
    assert [row.record for row in found] == [{"id": f"r{number}"} for number in range(5_000)]
    assert [row.place for row in found] == list(range(5_000))


def test_files_are_found_by_name_folder_and_pattern(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.csv", "deep/c.jsonl", "notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = [str(tmp_path / name) for name in ("a.csv", "b.jsonl", "deep/c.jsonl")]
    assert find_files([str(tmp_path)]) == found
    assert find_files([str(tmp_path / "*.jsonl"), str(tmp_path)]) == [found[1], found[0], found[2]]
    with pytest.raises(UsageError, match="there is no file of responses"):
        find_files([str(tmp_path / "*.parquet")])
    with pytest.raises(UsageError, match="its name does not say what it is"):
        find_files([str(tmp_path / "notes.txt")])


def test_a_part_of_a_file_that_changed_is_another(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 1}\n')
    before = plan_parts([str(path)])[0].key
    path.write_text('{"id": 22}\n')
    assert plan_parts([str(path)])[0].key != before


def test_a_quote_that_is_never_closed_is_a_row_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text('id,response\n1,a\n2,"never closed\n3,b\n')
    rows = [row for part in plan_parts([str(tmp_path / "r.csv")]) for row in read_rows(part)]
    assert [bool(row.problem) for row in rows] == [False, True]


def test_a_row_of_a_table_that_is_not_utf8_takes_no_other_with_it(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_bytes("id,response\n1,a\n2,caf\xe9\n3,b\n".encode("latin-1"))
    assert [row.problem for row in rows_of(tmp_path / "r.csv", 100)] == ["", "not UTF-8", ""]


def test_two_columns_of_one_name_are_no_row_if_they_are_read(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet as parquet

    (tmp_path / "r.csv").write_text("id,response,note,response\n1,a,b,c\n2,a,b,c\n")
    columns = [pyarrow.array(["1", "2"])] * 3
    parquet.write_table(pyarrow.table(columns, names=["id", "response", "response"]), tmp_path / "r.parquet")
    for name in ("r.csv", "r.parquet"):
        (part,) = plan_parts([str(tmp_path / name)])
        found = [row.problem for row in read_rows(part, {"id", "response"})]
        assert found == ["has two columns of one name, 'response'"] * 2
        assert not any(row.problem for row in read_rows(part, {"id", "note"}))


FIELDS = st.text(st.sampled_from('ab,"\n\ré'), max_size=6)


@given(st.lists(st.tuples(FIELDS, FIELDS), max_size=12), st.integers(1, 40), st.integers(1, 50), st.booleans())
def test_a_table_has_the_same_rows_wherever_it_is_cut(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], part_bytes: int, block: int, marked: bool
) -> None:
    path = tmp_path_factory.mktemp("cut") / "table.csv"
    with path.open("w", encoding="utf-8-sig" if marked else "utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([("id", "a\nb"), *rows])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("services.collected.tables.BLOCK", block)
        found = rows_of(path, part_bytes)
    assert [tuple(row.record.values()) for row in found] == rows
    assert found == rows_of(path, 10_000)
    assert len({row.place for row in found}) == len(rows)


def test_a_long_table_has_several_parts(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("id,response\n" + "".join(f"{number},text\n" for number in range(1_000)))
    parts = plan_parts([str(path)], 1_000)
    assert len(parts) == 9
    assert [row.record["id"] for part in parts for row in read_rows(part)] == [str(number) for number in range(1_000)]


@pytest.mark.parametrize("field", ['a 5" pipe', '"never closed'])
def test_a_table_whose_quotes_say_nothing_is_one_part(tmp_path: Path, field: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(f"id,response\n1,{field}\n" + "2,x\n" * 100)
    assert len(plan_parts([str(path)], 50)) == 1


def test_only_the_columns_that_are_needed_are_read_of_parquet(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet as parquet

    path = tmp_path / "rows.parquet"
    row = {"id": "1", "vector": [0.5] * 3, "context": [{"role": "user", "content": "hi"}]}
    parquet.write_table(pyarrow.Table.from_pylist([row]), path)
    (part,) = plan_parts([str(path)])
    assert [each.record for each in read_rows(part, {"id", "context"})] == [{"id": "1", "context": row["context"]}]
    assert [each.record for each in read_rows(part, {"nothing"})] == [row]


@pytest.mark.parametrize(
    ("name", "why"),
    [("s3://bucket/a.jsonl", "Install s3fs"), ("foo://bucket/a.jsonl", "Protocol not known: foo")],
)
def test_an_address_that_nobody_reaches_is_one_line(name: str, why: str) -> None:
    def unreached(_name: str) -> None:
        raise (ImportError if "s3" in name else ValueError)(why)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(UsageError, match=why):
        patch.setattr("fsspec.core.url_to_fs", unreached)
        find_files([name])


def test_a_signed_address_is_one_file_and_no_pattern() -> None:
    address = "https://files.example/a.jsonl?X-Signature=a*b[c]&k=?"
    assert find_files([address]) == [address]
