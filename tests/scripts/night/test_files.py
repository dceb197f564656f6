"""Nights on disk."""

from dataclasses import replace
from pathlib import Path

from scripts.night.files import new_night, read_nights, write_night


def test_nights_that_begin_in_the_same_second_are_kept_apart_and_in_order(tmp_path: Path) -> None:
    for state in ("alarm", "ok", "ok"):
        write_night(tmp_path, replace(new_night(tmp_path, 1_790_000_000.25, "penpal", {}), state=state))
    found = read_nights(tmp_path, "penpal")
    assert [night.state for night in found] == ["alarm", "ok", "ok"]
    assert [night.night_id for night in found] == ["20260921T141320Z", "20260921T141321Z", "20260921T141322Z"]
