"""Files of evaluation records: broken lines are named and kept, nothing is written twice, a torn line harms none."""

import json
from pathlib import Path

import pytest

from evaluation.errors import UsageError
from services.record_files import AppendedFile, BrokenLine, append_new, keep_aside, read_records
from tests.evaluation.review.made_records import minimum

BROKEN = [
    (b"not json\n", "not JSON: Expecting value at column 1"),
    (b'{"eval_id": "e"\n', "not JSON"),
    (b"[1]\n", "not a JSON object but list"),
    (b"\xff\xfe\n", "not UTF-8 at byte 0"),
    (json.dumps(minimum(scores={"clarity": 9})).encode() + b"\n", "scores.clarity"),
    (json.dumps(minimum(scores={"clarity": float("nan")})).encode() + b"\n", "NaN is no number"),
    (b"[" * 100_000 + b"\n", "nested too deep"),
]


def test_broken_lines_are_reported_by_number_and_kept_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    good = json.dumps(minimum()).encode() + b"\n"
    path.write_bytes(b"\xef\xbb\xbf" + good + b"\n" + b"".join(line for line, _ in BROKEN) + good)
    found = list(read_records(path))
    broken = [each for each in found if isinstance(each, BrokenLine)]
    assert [each for each in found if not isinstance(each, BrokenLine)] == [minimum(), minimum()]
    assert [each.number for each in broken] == list(range(3, 3 + len(BROKEN)))
    for each, (_, problem) in zip(broken, BROKEN, strict=True):
        assert problem in each.problem
    aside = keep_aside(path, broken)
    assert aside is not None
    assert aside.name == "records.jsonl.rejected"
    assert aside.read_bytes() == b"".join(line for line, _ in BROKEN)
    keep_aside(path, broken)
    assert aside.read_bytes() == b"".join(line for line, _ in BROKEN), "kept once, however often they are read"


def test_records_are_appended_once(tmp_path: Path) -> None:
    path = tmp_path / "docs" / "evals_runs.jsonl"
    first, second = minimum(eval_id="a"), minimum(eval_id="b")
    assert append_new(path, [first]) == (1, 0)
    assert append_new(path, [first, second, second]) == (1, 2)
    assert [json.loads(line)["eval_id"] for line in path.read_text().splitlines()] == ["a", "b"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_record_that_does_not_fit_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    with pytest.raises(ValueError, match=r"scores\.clarity"):
        append_new(path, [minimum(scores={"clarity": 9})])
    assert path.read_text() == ""


def test_a_line_that_a_crash_tore_does_not_swallow_the_next(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(json.dumps(minimum()) + "\n" + '{"eval_id": "to')
    with AppendedFile(path) as file:
        file.write(minimum(eval_id="next"))
        file.sync()
    found = list(read_records(path))
    assert [isinstance(each, BrokenLine) for each in found] == [False, True, False]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"missing\.jsonl"):
        list(read_records(tmp_path / "missing.jsonl"))
