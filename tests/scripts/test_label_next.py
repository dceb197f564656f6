"""From a run to a verdict in human units: responses are drawn, people label them, and the run is read once more."""

import csv
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from services.record_files import record_problem
from tests.scripts.commands import Finished, run
from tests.scripts.judges import settings, verdict
from tests.services.scripted_endpoint import Answer, Call, say, scripted_endpoint

WORDS = ("amber", "birch", "cedar", "dune", "ember", "fern", "grove", "heath", "iris", "jade")
"""The model ends each reply with one of them: what people think of it rises from the first to the last."""
RATED = ("appropriateness", "conversational_quality", "helpfulness", "emotional_intelligence", "trust_boundaries")


def quality(text: str) -> float:
    """What people give to a response, on every dimension."""
    found = [at for at, word in enumerate(WORDS) if word in text]
    return round(0.35 + 0.05 * found[-1], 2)


def endpoint(call: Call) -> Answer:
    """A model whose replies differ, and a judge with a bias, a slope below that of people, and noise."""
    asked = call.body["messages"][-1]["content"]
    luck = random.Random(asked)
    if call.body["model"] != "judge":
        return say(f"That sounds like a lot. Tell me about the {luck.choice(WORDS)}?")
    said = ["fern", *re.findall("|".join(WORDS), asked)][-1]  # the question of its format holds no reply
    return say(verdict(round(min(1.0, 0.35 + 0.7 * quality(said) + luck.gauss(0, 0.03)), 2)))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    with scripted_endpoint(endpoint) as server:
        done = run(
            *("--prompt", "v3", "--limit", "120", "--no-canaries", "--expectations", "none", "--quiet"),
            runs=folder,
            **settings(server.url),
        )
    assert done.code == 0, done.err
    return folder


def review(runs: Path, *arguments: str) -> Finished:
    done = run(*arguments, runs=runs, module="scripts.review")
    assert done.code == 0, done.err
    return done


def document(runs: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((runs / "latest" / name).read_text(encoding="utf-8"))
    return found


def fill(sheet: Path) -> None:
    """People's values, as grades with a decimal point."""
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row |= {name: f"{quality(row['response']):.2f}" for name in RATED} | {"notes": "by the last word"}
        row["personalization_continuity"] = "n"
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def test_labels_that_were_drawn_give_the_mean_that_people_would_give(runs: Path, tmp_path: Path) -> None:
    first = review(runs, "next", "last", "--count", "50")
    assert "are drawn to be labelled, 0 have a label" in first.out and "probability 0." in first.out
    assert review(runs, "next", "last").out == first.out  # named once more, not drawn once more

    sheet = tmp_path / "sheet.csv"
    review(runs, "sheet", "last", "--next", "--csv", str(sheet))
    fill(sheet)
    taken = run("take", str(sheet), "last", "--reviewer", "ana", runs=runs, module="scripts.review")
    records = [json.loads(line) for line in (runs / "reviews" / "ana.jsonl").read_text().splitlines()]
    assert len(records) >= 30, taken.err
    for record in records:
        assert record_problem(record) == ""
        assert 0 < record["inclusion"]["probability"] <= 1
        assert record["inclusion"]["draw"] == record["run_id"]

    assert document(runs, "summary.json")["human_units"] is None
    report = run("report", "last", runs=runs, module="scripts.manage_runs")
    assert report.code == 0, report.err
    human = document(runs, "summary.json")["human_units"]
    found = human["metrics"]["trust_boundaries"]
    lines = [json.loads(line) for line in (runs / "latest" / "results.jsonl").read_text().splitlines()]
    everyone = sum(quality(line["response"]) for line in lines) / len(lines)
    raw = document(runs, "summary.json")["metrics"]["combined"]["trust_boundaries"]
    assert not raw["ci95"][0] <= everyone <= raw["ci95"][1]
    # The draw follows the run's id: one run in twenty lies outside its interval, and hardly any twice as far away.
    low, high = found["corrected"]["ci95"]
    assert low - (high - low) / 2 <= everyone <= high + (high - low) / 2
    assert high < raw["ci95"][0] or raw["ci95"][1] < low
    assert (found["raw"], human["lacking"]) == (pytest.approx(raw["mean"]), [])
    for name in ("summary.md", "report.html"):
        assert "In human units" in (runs / "latest" / name).read_text(encoding="utf-8")
    shown = run("show", "last", runs=runs, module="scripts.manage_runs")
    assert "In human units" in shown.out and "corrected" in shown.out

    away = (runs / "reviews").rename(tmp_path / "reviews")  # a file of labels bears their probabilities itself
    named = run("show", "last", "--json", runs=runs, module="scripts.manage_runs", EVAL_HUMAN=str(away / "ana.jsonl"))
    away.rename(runs / "reviews")
    assert json.loads(named.out)["human_units"]["metrics"]["trust_boundaries"] == found


def test_a_file_of_labels_is_named_by_a_setting(runs: Path, tmp_path: Path) -> None:
    empty = tmp_path / "labels.jsonl"
    empty.write_text("")
    for name, words in ((str(empty), "holds no review"), (str(tmp_path / "gone.jsonl"), "there is no such file")):
        done = run("show", "last", runs=runs, module="scripts.manage_runs", EVAL_HUMAN=name)
        assert done.code == 2 and words in done.err and "EVAL_HUMAN" in done.err


def test_other_responses_are_drawn_under_another_seed(runs: Path) -> None:
    review(runs, "next", "last", "--count", "20", "--seed", "7")
    before = next((runs / "reviews" / "draws").glob("*.jsonl")).read_text().splitlines()
    review(runs, "next", "last", "--count", "20", "--seed", "8")
    after = next((runs / "reviews" / "draws").glob("*.jsonl")).read_text().splitlines()
    drawn = [{line for line in lines[1:] if json.loads(line)["probability"]} for lines in (before, after)]
    assert drawn[0] and drawn[1] and drawn[0] != drawn[1]


def test_what_is_no_draw_is_refused_and_a_file_of_records_is_not_drawn_from(runs: Path, tmp_path: Path) -> None:
    sheet = ("sheet", "--file", "x.jsonl", "--next", "--csv", str(tmp_path / "s.csv"))
    done = run(*sheet, runs=runs, module="scripts.review")
    assert done.code == 2 and "--next" in done.err
    path = next((runs / "reviews" / "draws").glob("*.jsonl"))
    whole = path.read_text()
    path.write_text("{}\n")
    done = run("next", "last", runs=runs, module="scripts.review")
    path.write_text(whole)
    assert done.code == 2 and str(path) in done.err
