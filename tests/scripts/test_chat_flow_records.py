"""What a run of a recipe assistant leaves: evidence and rule beside each score, traces per call, pass^k."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.chat_flow.checks.table import CHECKS
from tests.examples.loopback_assistant import assistant
from tests.scripts.commands import document, lines, only_run, run
from tests.scripts.other_assistant import CASES, MAPPING, other_assistant
from tests.services.scripted_endpoint import Answer, Call, scripted_endpoint

MODULE = "scripts.evaluate_chat_flow"


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.yaml"
    path.write_text(CASES)
    return path


def evaluated(tmp_path: Path, url: str, cases: Path, mapping: str = MAPPING, *more: str) -> tuple[Path, str]:
    file = tmp_path / "mapping.yaml"
    file.write_text(mapping)
    flags = ("--url", url.removesuffix("/v1"), "--mapping", str(file), "--scenarios", str(cases), "--no-judge", *more)
    done = run(*flags, runs=tmp_path / "runs", module=MODULE)
    return only_run(tmp_path / "runs"), done.out


def records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "eval_records.jsonl").read_text().splitlines()]


def test_each_check_has_its_evidence_and_its_rule_beside_its_score(tmp_path: Path, cases: Path) -> None:
    with scripted_endpoint(other_assistant) as endpoint:
        folder, _ = evaluated(tmp_path, endpoint.url, cases)
    for line, record in zip(lines(folder), records(folder), strict=True):
        found = line["checks"]
        assert record["checks"] == found
        assert {name: each["score"] for name, each in found.items()} == line["scores"]["check"]
        for name, check in CHECKS.items():
            assert found[name]["rationale"] == check.meaning and found[name]["evidence"]
    late = {line["scenario_id"]: line["checks"]["time_budget"] for line in lines(folder)}["rice-in-a-hurry"]
    assert (late["score"], "takes 25 minutes" in late["evidence"]) == (0, True)
    rule = f"passes when: {CHECKS['time_budget'].meaning}"
    assert rule in (folder / "summary.md").read_text().replace("`", "").replace("\\", "")


TRACED = (
    (MAPPING.replace("{body: meta.span}", "{body: meta.span, system: arize}"), "their-trace", "arize"),
    (MAPPING, "their-trace", None),
    (MAPPING.replace("meta.span", "meta.nothing"), "", None),
)
"""Mapping file, the trace of a call, and where that is."""


@pytest.mark.parametrize(("mapping", "trace", "system"), TRACED, ids=["named", "unnamed", "none"])
def test_a_call_has_the_trace_that_came_back_with_it(
    mapping: str, trace: str, system: str | None, tmp_path: Path, cases: Path
) -> None:
    with scripted_endpoint(other_assistant) as endpoint:
        folder, _ = evaluated(tmp_path, endpoint.url, cases, mapping)
    for record in records(folder):
        for call in record["calls"]:
            assert (call.get("trace_id", ""), call.get("trace_system")) == (trace, system)
        # The trace that was sent is not where the application's own is.
        assert record["trace_system"] is None
        assert record.get("application_trace_id", "") == trace


def test_a_trace_that_the_application_carried_on_is_where_its_mapping_says(tmp_path: Path, cases: Path) -> None:
    with assistant() as url:
        folder, _ = evaluated(tmp_path, url, cases, "trace_id: {system: arize}\n")
    for record in records(folder):
        assert record["trace_system"] == "arize"
        assert {call["trace_id"] for call in record["calls"]} == {record["trace_id"]}


def test_pass_hat_k_over_repeats_is_in_the_summary_and_shown(tmp_path: Path, cases: Path) -> None:
    seen: list[Call] = []
    cases.write_text(CASES.partition("  - id: rice-in-a-hurry")[0])

    def shaky(call: Call) -> Answer:
        """Fails the third time that somebody chooses."""
        if call.path == "/v2/pick":
            seen.append(call)
            if len(seen) == 3:
                return Answer(500)
        return other_assistant(call)

    with scripted_endpoint(shaky) as endpoint:
        folder, out = evaluated(tmp_path, endpoint.url, cases, MAPPING, "--repeats", "3", "--concurrency", "1")
    repeated = document(folder, "summary.json")["repeated_checks"]
    assert repeated["cases"] == [
        {
            "scenario_id": "rice-and-garlic",
            "repeats": 3,
            "passed": 2,
            "pass_hat": {"1": pytest.approx(2 / 3), "2": pytest.approx(1 / 3), "3": 0.0},
        }
    ]
    assert repeated["pass_hat"] == repeated["cases"][0]["pass_hat"]
    assert "pass^1 0.67, pass^2 0.33, pass^3 0.00" in " ".join(out.split())
    assert "rice-and-garlic: passes in 2 of 3 repeats" in " ".join(out.split())


def test_a_run_without_repeats_says_nothing_of_them(tmp_path: Path, cases: Path) -> None:
    with scripted_endpoint(other_assistant) as endpoint:
        folder, out = evaluated(tmp_path, endpoint.url, cases)
    assert document(folder, "summary.json")["repeated_checks"] is None and "pass^" not in out
