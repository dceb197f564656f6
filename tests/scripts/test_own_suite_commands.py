"""A suite of one's own in the other commands: named by its path, and with few, many, judged or ruled metrics."""

import csv
import json
import shutil
from pathlib import Path

import pytest

from tests.langfuse_double.double import LangfuseDouble
from tests.scripts.commands import Finished, run
from tests.scripts.support_bot import RUBRIC, SCENARIOS, write_support_bot

HELPDESK = "./mine/helpdesk"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace whose suite lies in no folder of suites and is no setting: its path alone names it."""
    write_support_bot(tmp_path)
    (tmp_path / "prompt-eval.toml").write_text('prompt = "support-bot@v2"\n', encoding="utf-8")
    shutil.move(tmp_path / "suites/support", tmp_path / HELPDESK)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tests.scripts.commands.ROOT", tmp_path)
    return tmp_path


def started(module: str, *arguments: str, **settings: str) -> Finished:
    return run(*arguments, runs=Path("runs").absolute(), module=f"scripts.{module}", **settings)


def done(module: str, *arguments: str, **settings: str) -> Finished:
    finished = started(module, *arguments, **settings)
    assert finished.code == 0, finished.err
    return finished


def evaluated(*arguments: str, suite: str = HELPDESK, **settings: str) -> dict[str, object]:
    flags = ("--suite", suite, "--no-canaries", "--quiet", "--json", *arguments)
    found: dict[str, object] = json.loads(done("evaluate_prompts", *flags, **settings).out)
    return found


def test_a_run_is_scored_under_another_suite_and_back(folder: Path) -> None:
    first = evaluated()
    as_companion = done("rescore_run", str(first["run_id"]), "--suite", "companion", "--quiet", "--json")
    there = json.loads(as_companion.out)
    assert there["suite"] == "companion"
    assert "conversational quality" in done("manage_runs", "show", there["run_id"]).out
    back = json.loads(done("rescore_run", there["run_id"], "--suite", HELPDESK, "--quiet", "--json").out)
    assert back["suite"] == "helpdesk"
    assert set(back["metrics"]["combined"]) == {"resolution", "brevity", "overall"}
    assert "resolution" in done("manage_runs", "show", back["run_id"]).out


def test_a_run_is_scored_under_another_rubric_wherever_its_suite_lies_now(folder: Path) -> None:
    first = evaluated()
    (folder / "team.yaml").write_text(RUBRIC.replace("base: 0.5", "base: 0.4"), encoding="utf-8")
    shutil.move(folder / "mine", folder / "moved")
    again = done("rescore_run", str(first["run_id"]), "--rubric", "team.yaml", "--quiet", "--json")
    assert json.loads(again.out)["suite"] == "helpdesk"
    assert "expectations are those that the run was played with" in again.err


def test_expectations_of_today_are_those_of_the_file_that_was_named(folder: Path) -> None:
    first = evaluated()
    path = folder / HELPDESK / "scenarios/billing.yaml"
    path.write_text(SCENARIOS.replace("Does it blame", "Does it scold"), encoding="utf-8")
    again = done("rescore_run", str(first["run_id"]), "--json")
    assert "others than were played with in 1 scenario" in again.err


def test_reviews_of_a_suite_that_a_path_names_are_reported_and_calibrated(folder: Path) -> None:
    first = str(evaluated()["run_id"])
    done("manage_runs", "export", first, "--records", "records.jsonl")
    done("review", "sheet", "--file", "records.jsonl", "--csv", "sheet.csv")
    with Path("sheet.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for number, row in enumerate(rows):
        row["resolution"], row["brevity"] = ("0.2", "0.9") if number % 2 else ("0.8", "0.3")
    with Path("sheet.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    done("review", "take", "sheet.csv", "--file", "records.jsonl", "--reviewer", "ana")
    assert "resolution" in done("review_report").out
    assert "resolution" in done("review_report", "--suite", HELPDESK).out
    ratings = done("review", "ratings", "--suite", HELPDESK, "--output", "ratings.jsonl")
    assert f"--suite {HELPDESK}" in ratings.out
    done("calibrate", "ratings.jsonl", "--suite", HELPDESK, "--no-judge")
    done("calibrate", "ratings.jsonl", "--suite", "helpdesk", "--no-judge")


def test_two_suites_of_one_name_are_not_compared(folder: Path) -> None:
    shutil.copytree(folder / HELPDESK, folder / "other/helpdesk")
    path = folder / "other/helpdesk/rubric.yaml"
    path.write_text(RUBRIC.replace("base: 0.5", "base: 0.4"), encoding="utf-8")
    first, second = str(evaluated()["run_id"]), str(evaluated(suite="./other/helpdesk")["run_id"])
    refused = started("compare_prompts", "--base", first, "--prompt", second, "--quiet")
    assert refused.code == 2
    assert "rubric.sha256" in refused.err
    done("compare_prompts", "--base", first, "--prompt", second, "--by", "rubric", "--quiet")


CRITERIA = "criteria: [{from: 0.6, to: 1.0, label: Good, text: Yes}, {from: 0.0, to: 0.5, label: Poor, text: No}]"
RULE = "base: 0.5, adjustments: [{when: word_count, at_least: 1, at_most: 40, add: +0.5}]"


def metric(name: str, rule: str = "") -> str:
    return f"  {name}: {{definition: Whether it is so., {CRITERIA}{', ' if rule else ''}{rule}}}\n"


SHAPES = {
    "rules alone": metric("brevity", RULE) + metric("other", RULE),
    "a judge alone": metric("clarity") + metric("warmth"),
    "one rule": metric("brevity", RULE),
    "one judged": metric("clarity"),
    "twelve": "".join(metric(f"metric_{number}", RULE if number % 2 else "") for number in range(12)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_of_suite_is_evaluated_compared_and_reported(folder: Path, shape: str) -> None:
    rubric = folder / HELPDESK / "rubric.yaml"
    rubric.write_text(f"name: shape\nmetrics:\n{SHAPES[shape]}", encoding="utf-8")
    first = evaluated("--prompt", "v1")
    names = {line.split(":")[0].strip() for line in SHAPES[shape].splitlines()}
    metrics = first["metrics"]
    assert isinstance(metrics, dict)
    found = {name for source in metrics.values() for name in source}
    assert found == names | {"overall"}
    compared = done("compare_prompts", "--base", "v1", "--prompt", "v2", "--suite", HELPDESK, "--no-canaries")
    assert "overall" in compared.out
    folder_of_run = Path("runs") / str(first["run_id"])
    written = {path.name for path in folder_of_run.iterdir()}
    assert {"report.html", "summary.md", "junit.xml"} <= written
    page = (folder_of_run / "report.html").read_text(encoding="utf-8")
    assert all(name in page for name in names)


def test_a_suite_that_plays_a_model_needs_no_prompt(folder: Path) -> None:
    (folder / HELPDESK / "suite.yaml").write_text("plays: model\n", encoding="utf-8")
    assert evaluated()["prompt"] is None


def test_scores_bear_the_suites_name_in_langfuse(folder: Path) -> None:
    with LangfuseDouble() as double:
        keys = {
            "LANGFUSE_PUBLIC_KEY": double.public_key,
            "LANGFUSE_SECRET_KEY": double.secret_key,
            "LANGFUSE_BASE_URL": double.base_url,
        }
        done("push_prompts", "--yes", **keys)
        first = evaluated("--deliver-rehearsal", "--prompt", "support-bot@v2", **keys)
        assert double.body_problems() == [] and not double.duplicates()
        names = {score.name for score in double.scores()}
        assert {"helpdesk.resolution", "helpdesk.brevity", "helpdesk.overall"} <= names
        assert all(name.startswith("helpdesk.") for name in names)
        synced = done("sync_langfuse", "--quiet", **keys)
    report = first["langfuse"]
    assert isinstance(report, dict) and report["rejected"] == 0 and report["delivered"] == report["verified"] > 0
    assert "Langfuse has confirmed everything" in synced.out


JUDGED = f"name: judged\nmetrics:\n{SHAPES['one judged']}"


@pytest.mark.parametrize(
    ("module", "arguments", "said"),
    [
        ("sweep_parameters", ("--quiet",), "has no rule, and a sweep asks no judge: compare two settings: "),
        ("score_responses", ("replies.jsonl",), "has no rule, and responses of a file are scored by rules alone"),
        ("crisis_table", (), "name a rubric of the companion suite, whose replies this table scores"),
        ("stuffing_table", (), "name a rubric of the companion suite, whose replies this table scores"),
        ("mutation_test", (), "score none of the metrics that edits of a companion's replies should move"),
    ],
)
def test_a_command_of_rules_refuses_a_suite_without_any(
    folder: Path, module: str, arguments: tuple[str, ...], said: str
) -> None:
    (folder / HELPDESK / "rubric.yaml").write_text(JUDGED, encoding="utf-8")
    (folder / "replies.jsonl").write_text('{"id": "a", "user_input": "Hi", "response": "Ho"}\n', encoding="utf-8")
    refused = started(module, *arguments, "--suite", HELPDESK)
    assert refused.code == 2
    assert said in refused.err


def test_a_table_of_shipped_replies_says_whose_they_are(folder: Path) -> None:
    (folder / HELPDESK / "rubric.yaml").write_text(f"name: ruled\nmetrics:\n{SHAPES['one rule']}", encoding="utf-8")
    assert "these replies are a companion's" in done("crisis_table", "--suite", HELPDESK).err
