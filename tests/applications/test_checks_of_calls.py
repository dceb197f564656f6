"""Checks of calls on an application, which answered them itself: it says what it called, and is asked once a turn."""

from pathlib import Path

import yaml

from evaluation.records import Json
from tests.applications.servers import APPLICATIONS, serving
from tests.scripts.commands import lines, only_run, run

ITEMS: Json = [
    {"id": "second-order", "check": "called", "tool": "find_order", "arguments": {"number": 2}, "turn": 2},
    {"id": "first-again", "check": "called", "tool": "find_order", "arguments": {"number": 1}, "turn": 2},
    {"id": "twice", "check": "called_in_order", "tools": ["find_order", "find_order"]},
    {"id": "no-payment", "check": "not_called", "tool": "pay"},
    {"id": "is-json", "check": "schema", "json_schema": {"type": "object"}, "turn": 1},
]
SCENARIOS: Json = {
    "category": "small_talk",
    "scenarios": [
        {
            "id": "orders",
            "turns": ["Where is my order?", "And the other?"],
            "tools": {"find_order": "lost"},
            "expect": ITEMS,
        }
    ],
}


def test_what_an_application_says_that_it_called_is_checked_and_not_answered(tmp_path: Path) -> None:
    make, mapping = APPLICATIONS["ids in paths"]
    (tmp_path / "mapping.yaml").write_text(mapping)
    (tmp_path / "set.yaml").write_text(yaml.safe_dump(SCENARIOS))
    with serving(make()) as seen:
        named = ("--url", seen.url, "--mapping", str(tmp_path / "mapping.yaml"))
        words = ("--scenarios", str(tmp_path / "set.yaml"), "--no-judge", "--quiet")
        done = run(*named, *words, runs=tmp_path / "runs", SHOP_KEY="key-of-the-shop-0815")
    assert done.code == 0, done.err
    found = lines(only_run(tmp_path / "runs"))
    assert [len(line["tool_calls"]) for line in found] == [1, 1]
    assert [line["finish_reason"] for line in found] == ["stop", "stop"]
    outcomes = {answer["id"]: answer["outcome"] for line in found for answer in line["expectations"]}
    assert {name: outcomes[name] for name in (item["id"] for item in ITEMS)} == {
        "second-order": "holds",
        "first-again": "fails",
        "twice": "holds",
        "no-payment": "holds",
        "is-json": "fails",
    }
