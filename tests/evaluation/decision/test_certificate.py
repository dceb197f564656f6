"""A certificate's id follows from its content, and what differs from it has a path."""

import json
from typing import Any

import pytest

from evaluation.decision.certificate import ABSENT, Certificate, document_digest, parse_certificate, unequal
from evaluation.errors import ParseError

PINNED = {"name": "companion", "version": "2.0.4", "sha256": "ab"}
RUN: dict[str, Any] = {
    "role": "candidate",
    "run_id": "r1",
    "prompt": {"name": "p", "version": None, "sha256": "cd"},
    "model": "m",
    "parameters": {"temperature": 0.7},
    "judge": "j",
    "rubric": PINNED,
    "scenarios": PINNED,
    "expectations": None,
    "scorer": "ef",
    "code": None,
    "digests": {},
    "files": {"results.jsonl": "00"},
    "figures": {"counts": {"scored": 3}},
}
CONTENT: dict[str, Any] = {
    "issued_at": "2026-11-28T05:13:09Z",
    "host": "http://127.0.0.1",
    "project": "project",
    "label": "production",
    "moved_from": 2,
    "prompt": {"name": "p", "version": 3, "sha256": "cd"},
    "proof": "decision",
    "gate": "deploy",
    "verdict": "deploy",
    "said": "DEPLOY",
    "tool": "1",
    "terms": {},
    "waivers": [],
    "runs": [RUN],
    "figures": {},
}


def certificate(**changes: Any) -> Certificate:
    return parse_certificate(json.dumps({**CONTENT, **changes}), "c.json").with_id()


def test_the_id_is_that_of_the_content_and_the_moment_is_none_of_it() -> None:
    made = certificate()
    assert len(made.id) == 64 and made.content_id() == made.id
    assert certificate(issued_at="2027-01-01T00:00:00Z").id == made.id
    others = [
        certificate(**changes)
        for changes in ({"moved_from": 1}, {"label": "staging"}, {"said": "x"}, {"runs": [{**RUN, "model": "n"}]})
    ]
    assert len({made.id, *(each.id for each in others)}) == 5


def test_written_and_read_it_is_the_same() -> None:
    made = certificate()
    read = parse_certificate(made.model_dump_json(indent=2), "c.json")
    assert read == made and read.content_id() == made.id
    assert "does not find forgery" in read.finds


@pytest.mark.parametrize(
    "changes",
    [{"kind": "receipt"}, {"gate": "open"}, {"runs": []}, {"moved_from": "2"}, {"more": 1}, {"schema_version": 2}],
)
def test_what_is_none_is_refused_with_its_field(changes: dict[str, Any]) -> None:
    with pytest.raises(ParseError, match=rf"^c\.json: is no certificate \({next(iter(changes))}"):
        certificate(**changes)


def test_what_differs_has_its_path() -> None:
    one = {"a": {"mean": 0.5, "n": 3}, "b": [1, 2], "c": None, "gone": True}
    other = {"a": {"mean": 0.5000001, "n": 3}, "b": [1, 3], "c": 0, "new": "x"}
    assert list(unequal(one, other)) == [
        ("a.mean", 0.5, 0.5000001),
        ("b[1]", 2, 3),
        ("c", None, 0),
        ("gone", True, ABSENT),
        ("new", ABSENT, "x"),
    ]
    assert list(unequal({"a": [1]}, {"a": [1, 2]})) == [("a", [1], [1, 2])]


@pytest.mark.parametrize(("one", "other"), [(0.1 + 0.2, 0.3), ((1, 2), [1, 2]), (1.0, 1), ("x", "x")])
def test_the_last_digit_of_a_float_and_the_kind_of_a_list_are_no_difference(one: object, other: object) -> None:
    assert list(unequal({"v": one}, {"v": other})) == []


@pytest.mark.parametrize(("one", "other"), [(True, 1), (None, False), ("1", 1)])
def test_values_of_another_kind_differ(one: object, other: object) -> None:
    assert list(unequal({"v": one}, {"v": other})) == [("v", one, other)]


def test_what_commands_write_once_more_is_no_part_of_a_hash() -> None:
    summary = {"metrics": {"mean": 0.5}, "langfuse": None}
    assert document_digest("summary.json", summary) == document_digest("summary.json", {**summary, "langfuse": 1})
    assert document_digest("summary.json", summary) != document_digest("summary.json", {**summary, "metrics": {}})
    assert document_digest("manifest.json", summary) != document_digest("manifest.json", {**summary, "langfuse": 1})
