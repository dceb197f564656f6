"""People compare two versions: in the terminal, on a sheet, and beside the judge."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.scripts.commands import Finished, document, run

MANY = ("--limit", "12", "--quiet")


def review(*arguments: str, runs: Path, stdin: str = "") -> Finished:
    return run(*arguments, runs=runs, module="scripts.review", stdin=stdin)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two versions that were compared head to head."""
    folder = tmp_path_factory.mktemp("runs")
    asked = ("--base", "v2", "--prompt", "v3", *MANY, "--head-to-head", "--expectations", "none")
    done = run(*asked, runs=folder, module="scripts.compare_prompts")
    assert done.code == 0, done.err
    return folder


def answers(runs: Path, reviewer: str) -> list[dict[str, Any]]:
    path = runs / "reviews" / "pairs" / f"{reviewer}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_session_goes_on_where_it_ended(runs: Path) -> None:
    begun = review("--pairs", "v2", "v3", "--reviewer", "ana", runs=runs, stdin="1\n2 kinder\nq\n")
    assert begun.code == 0, begun.err
    assert "2 answers saved" in begun.err and "10 to go" in begun.err
    assert "make review" in begun.err and "--pairs v2 v3" in begun.err
    rest = review("walk", "--pairs", "v2", "v3", "--reviewer", "ana", runs=runs, stdin="t\n" * 20)
    assert "10 answers saved" in rest.err, rest.err
    found = answers(runs, "ana")
    assert len(found) == len({each["pair"] for each in found}) == 12
    assert (found[0]["answer"], found[1]["remark"]) == ("first", "kinder")
    assert {each["base"] for each in found} == {"penpal-companion v2"}
    shown = begun.out + rest.out
    assert "v2" not in shown and "v3" not in shown
    assert all(len(line) <= 80 for line in shown.splitlines())


def test_a_sheet_names_no_version_and_comes_back(runs: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "pairs.csv"
    written = review("sheet", "--pairs", "v2", "v3", "--csv", str(sheet), runs=runs)
    assert written.code == 0, written.err
    assert "v2" not in sheet.read_text() and "v3" not in sheet.read_text()
    with sheet.open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12
    for number, row in enumerate(rows[:6]):
        row["answer (1, 2, t)"] = ("1", "2.0", "t", "1 warm", "nonsense", "")[number]
    with sheet.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    taken = review("take", str(sheet), "--pairs", "v2", "v3", "--reviewer", "ben", runs=runs)
    assert taken.code == 3
    assert "3 answers taken" in taken.out and "row 6" in taken.err
    other = review("take", str(sheet), "--pairs", "v2", "v3", "--seed", "9", "--reviewer", "eve", runs=runs)
    assert "another order" in other.err


def test_people_stand_beside_the_judge_in_both_reports(runs: Path) -> None:
    for name, typed in (("cid", "1\n2\n" * 12), ("dot", "2\n1\n" * 12)):
        assert review("walk", "--pairs", "v2", "v3", "--reviewer", name, runs=runs, stdin=typed).code == 0
    report = run("--json", runs=runs, module="scripts.review_report")
    assert report.code == 0, report.err
    [found] = json.loads(report.out)["pairs"]
    assert found["people"]["people"] >= 2
    assert found["people"]["with_judge"] == 12
    assert found["judge"] == "rehearsal-judge"
    assert (runs / "reviews" / "report" / "pairs.md").read_text().strip()
    again = ("--base", "v2", "--prompt", "v3", *MANY, "--head-to-head", "--expectations", "none")
    compared = run(*again, runs=runs, module="scripts.compare_prompts")
    assert "people: v3 wins" in " ".join(compared.out.split())
    [path] = runs.glob("*Z-*/comparison.json")
    written = document(path.parent, "comparison.json")["head_to_head"]["people"]
    assert written["answers"] == found["people"]["answers"]
    assert written["win_rate"] == pytest.approx(found["people"]["tally"]["rate"]["mean"])
    # The other way round it is the other share.
    ids = [folder.name for folder in sorted(runs.glob("*Z-penpal*"), key=lambda each: "-v2-" in each.name)]
    back = ("--base", ids[0], "--prompt", ids[1], "--head-to-head", "--no-judge", "--quiet", "--json")
    turned = json.loads(run(*back, runs=runs, module="scripts.compare_prompts").out)["head_to_head"]["people"]
    assert turned["win_rate"] == pytest.approx(1 - written["win_rate"])


def test_what_cannot_be_paired_is_refused_with_what_to_do(runs: Path) -> None:
    unknown = review("--pairs", "v2", "v9", "--reviewer", "ana", runs=runs)
    assert unknown.code == 2
    assert "'v9'" in unknown.err and "make compare BASE=v2 PROMPT=v9" in unknown.err
    both = review("walk", "last", "--pairs", "v2", "v3", "--reviewer", "ana", runs=runs)
    assert both.code == 2
    assert "--pairs names both sides itself" in both.err


def test_a_broken_line_is_named_and_the_rest_counts(runs: Path) -> None:
    assert review("walk", "--pairs", "v2", "v3", "--reviewer", "gil", runs=runs, stdin="1\n" * 12).code == 0
    path = runs / "reviews" / "pairs" / "fay.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"kind": "pair"}\nnonsense\n')
    report = run("--json", runs=runs, module="scripts.review_report")
    path.unlink()
    assert report.code == 3
    assert "fay.jsonl:1" in report.err and "fay.jsonl:2" in report.err
    [found] = json.loads(report.out)["pairs"]
    assert found["people"]["people"] >= 1
