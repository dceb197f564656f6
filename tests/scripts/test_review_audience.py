"""Who is speaking: model and judge are shown it, and so are the people who review."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from services.record_files import record_problem
from tests.evaluation.judging.verdicts import verdict
from tests.evaluation.review.made_records import text_minimum
from tests.scripts.commands import Finished, run
from tests.scripts.test_calibrate import rated
from tests.services.scripted_endpoint import Answer, Call, say, scripted_endpoint

AUDIENCE = "a 22-year-old who moved to Berlin last month and knows nobody there"
SCENARIOS = f"""
category: small_talk
scenarios:
- id: alone
  audience: {AUDIENCE}
  turns: ["Nothing to do tonight."]
- id: anyone
  turns: ["It rains again."]
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    file = folder / "two.yaml"
    file.write_text(SCENARIOS, encoding="utf-8")
    done = run("--prompt", "v3", "--scenarios", str(file), "--no-judge", "--quiet", runs=folder)
    assert done.code == 0, done.err
    return folder


def review(runs: Path, *arguments: str, stdin: str = "") -> Finished:
    return run(*arguments, runs=runs, module="scripts.review", stdin=stdin)


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_the_records_of_a_run_say_who_is_speaking(runs: Path) -> None:
    text = (runs / "latest" / "eval_records.jsonl").read_text(encoding="utf-8")
    records = list(map(json.loads, text.splitlines()))
    assert {record["scenario_id"]: record["audience"] for record in records} == {"alone": AUDIENCE, "anyone": ""}
    assert not any(map(record_problem, records))


def test_the_walk_shows_it_before_the_conversation(runs: Path, tmp_path: Path) -> None:
    shown = review(runs, "walk", "last", "--reviewer", "ana", "--reviews", str(tmp_path), stdin="s\n" * 3).out
    said = one_line(shown)
    assert said.count("About the user:") == said.count(f"About the user: {AUDIENCE}") > 0
    assert said.index(AUDIENCE) < said.index("Nothing to do tonight.")
    assert all(len(line) <= 80 for line in shown.splitlines())


def test_both_forms_of_the_sheet_have_a_column_for_it(runs: Path, tmp_path: Path) -> None:
    assert review(runs, "sheet", "last", "--csv", str(tmp_path / "s.csv")).code == 0
    assert review(runs, "sheet", "last", "--jsonl", str(tmp_path / "s.jsonl")).code == 0
    with (tmp_path / "s.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    lines = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text(encoding="utf-8").splitlines()]
    for found in (rows, lines):
        assert {row["scenario_id"]: row["audience"] for row in found} == {"alone": AUDIENCE, "anyone": ""}


def test_a_review_keeps_it_and_records_without_it_are_read(tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    old, new = text_minimum(eval_id="old", trace_id="t-9"), text_minimum(eval_id="new", audience=AUDIENCE)
    file.write_text("".join(json.dumps(record) + "\n" for record in (old, new)), encoding="utf-8")
    typed = "".join(f"{answer}\n" for answer in ("1", "2", "3", "4", "5", "3", "Fine.", "e") * 2)
    reviews = tmp_path / "reviews"
    done = review(tmp_path, "walk", "--file", str(file), "--reviewer", "ana", "--reviews", str(reviews), stdin=typed)
    assert done.code == 0, done.err
    saved = [json.loads(line) for line in (reviews / "ana.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sorted(record.get("audience", "-") for record in saved) == ["-", AUDIENCE]
    examples = tmp_path / "examples.yaml"
    assert review(tmp_path, "examples", "--reviews", str(reviews), "--output", str(examples)).code == 0
    assert one_line(examples.read_text(encoding="utf-8")).count(AUDIENCE) == 1


def calibrated(tmp_path: Path, lines: list[dict[str, Any]]) -> list[str]:
    """The questions that the judge is asked about these lines."""
    asked: list[str] = []

    def judge(call: Call) -> Answer:
        asked.append(str(call.body["messages"][-1]["content"]))
        return say(verdict(0.6))

    file = tmp_path / "rated.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with scripted_endpoint(judge) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_JUDGE_MODEL": "judge"}
        flags = ("--no-canaries", "--json", "--output", str(tmp_path / "out"))
        done = run(str(file), *flags, runs=tmp_path / "runs", module="scripts.calibrate", **settings)
    assert done.code == 0, done.err
    return asked


def test_the_judge_of_rated_lines_is_shown_it(tmp_path: Path) -> None:
    first, *rest = rated(6)
    asked = calibrated(tmp_path, [{**first, "audience": AUDIENCE}, *rest])
    assert sum("About this user:" in text and AUDIENCE in text for text in asked) == 1


def test_the_judge_of_reviewed_records_is_shown_it(tmp_path: Path) -> None:
    lines = [
        text_minimum(
            eval_id=f"{number}-{name}", exchange_id=str(number), source="human", reviewer=name, scenario_id=str(number),
            response={"text": f"Answer {number}."}, **({"audience": AUDIENCE} if number < 2 else {}),
        )
        for number in range(5)
        for name in ("ana", "ben")
    ]  # fmt: skip
    del lines[0]["audience"]  # reviewed before records had it
    asked = calibrated(tmp_path, lines)
    assert sum(AUDIENCE in text for text in asked) == 2


def test_an_audience_that_is_no_text_is_reported_by_line(tmp_path: Path) -> None:
    file = tmp_path / "rated.jsonl"
    lines = [{**line, **({"audience": 7} if number == 1 else {})} for number, line in enumerate(rated(6))]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    flags = ("--no-judge", "--json", "--output", str(tmp_path / "out"))
    done = run(str(file), *flags, runs=tmp_path / "runs", module="scripts.calibrate")
    said = f"{file}: line 2, id 'c0-1': \"audience\" must be a string: who is speaking, in a few words"
    assert (done.code, done.err.strip()) == (3, said)
