"""Where baselines lie: names that are no file names, damage, and the runs that they protect."""

from pathlib import Path

import pytest

from evaluation.errors import UsageError
from services.baselines import baseline_path, baseline_run_ids, read_baseline, write_baseline


@pytest.mark.parametrize("name", ["team/penpal", "../../etc/passwd", "a b", "", ".hidden", "x" * 200, "ä", "con\x00"])
def test_every_name_stays_in_the_folder(tmp_path: Path, name: str) -> None:
    path = baseline_path(tmp_path, name)
    assert path.parent == tmp_path
    assert path.suffix == ".json" and len(path.name) < 100
    assert path != baseline_path(tmp_path, f"{name}-")


def test_a_plain_name_is_the_file_name(tmp_path: Path) -> None:
    assert baseline_path(tmp_path, "penpal-companion").name == "penpal-companion.json"


def test_reading_and_writing(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "a.json"
    assert read_baseline(path) is None
    write_baseline(path, '{"run_id": "r1"}')
    assert read_baseline(path) == '{"run_id": "r1"}'
    assert path.stat().st_mode & 0o777 == 0o644
    (path.parent / "b.json").write_text("broken")
    (path.parent / "c.json").write_bytes(b"\xff\xfe")
    assert baseline_run_ids(path.parent) == {"r1"}
    assert baseline_run_ids(tmp_path / "none") == set()
    with pytest.raises(UsageError, match=r"c\.json: is not UTF-8 text"):
        read_baseline(path.parent / "c.json")
