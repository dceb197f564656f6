"""make review ARGS="take ...": what people judged in a page becomes reviews, and what does not fit is named."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.scripts.commands import Finished, run

DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)
MANY = ("--limit", "6", "--quiet", "--no-judge", "--expectations", "none")
AT = "2026-11-28T04:20:12.974Z"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two versions that were compared."""
    folder = tmp_path_factory.mktemp("runs")
    done = run("--base", "v2", "--prompt", "v3", *MANY, runs=folder, module="scripts.compare_prompts")
    assert done.code == 0, done.err
    return folder


def data_of(page: Path) -> dict[str, Any]:
    found = DATA.search(page.read_text(encoding="utf-8"))
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


@pytest.fixture(scope="module")
def page(runs: Path) -> dict[str, Any]:
    """The data of one run's page."""
    return data_of(next(runs.glob("*companion-v3*")) / "report.html")


def judgements(page: dict[str, Any]) -> list[dict[str, Any]]:
    """Every response kept and rated 4, as the page exports it."""
    return [
        {
            "schema_version": 1,
            "kind": "judgement",
            "run_id": page["judging"]["runs"][0],
            "scenario_id": page["scenarios"][scenario]["id"],
            "repeat": repeat,
            "turn": turn,
            "content_sha256": side["h"],
            "rubric_sha256": page["judging"]["rubric"],
            "judgement": "keep",
            "rating": "4",
            "comment": "",
            "blind": True,
            "at": AT,
        }
        for scenario, repeat, turn, [side] in page["rows"]
    ]


def written(path: Path, lines: list[Any]) -> Path:
    path.write_text("".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in lines))
    return path


def review(runs: Path, *arguments: str, stdin: str = "") -> Finished:
    return run(*arguments, runs=runs, module="scripts.review", stdin=stdin)


def newest(folder: Path, reviewer: str = "ana") -> dict[str, dict[str, Any]]:
    """Scenario and turn -> the newest review."""
    lines = map(json.loads, (folder / f"{reviewer}.jsonl").read_text(encoding="utf-8").splitlines())
    return {f"{each['scenario_id']} {each['turn']}": each for each in lines}


def test_the_page_names_its_command_and_what_each_judgement_is_bound_to(page: dict[str, Any]) -> None:
    about = page["judging"]
    assert about["kind"] == "judgement"
    assert [key for key, _, _ in about["grades"]] == ["1", "2", "3", "4", "5"]
    assert about["command"] == f'make review ARGS="take {about["file"]} --reviewer NAME"'
    assert all(re.fullmatch("[0-9a-f]{64}", side["h"]) for *_, [side] in page["rows"])


def test_judgements_are_taken_once_reported_and_calibrated(runs: Path, page: dict[str, Any], tmp_path: Path) -> None:
    lines, folder = judgements(page), tmp_path / "r"
    lines[1] |= {"judgement": "flag", "rating": "1", "comment": '</script>=1+cmd|"/C calc"!A0\x00', "blind": False}
    lines[2] |= {"judgement": "neither", "rating": None, "comment": "To be talked over."}
    file = written(tmp_path / "page.jsonl", lines)
    arguments = ("take", str(file), "--reviewer", "ana", "--reviews", str(folder))
    for _ in range(2):
        done = review(runs, *arguments)
        assert (done.code, done.err) == (0, "")
        assert f"{len(lines)} judgements taken into {folder / 'ana.jsonl'}" in done.out
    found = list(newest(folder).values())
    assert len(found) == len(lines)
    assert [each["judgement"] for each in found[:3]] == ["keep", "flag", "neither"]
    assert found[1]["notes"] == lines[1]["comment"]
    reported = run("--json", "--reviews", str(folder), runs=runs, module="scripts.review_report")
    assert reported.code == 0, reported.err
    figures = json.loads(reported.out)
    assert (figures["reviews"], figures["kept"], figures["flagged"]) == (len(lines), len(lines) - 2, 1)
    assert figures["not_blind"] == 1
    assert [each["text"] for each in figures["flags"]] == [lines[1]["comment"]]
    shown = run("--reviews", str(folder), runs=runs, module="scripts.review_report")
    assert f"judged as a whole: {len(lines) - 2} kept, 1 flagged" in shown.out
    html = (folder / "report" / "companion.html").read_text(encoding="utf-8")
    assert 'id="flagged"' in html and "</script>=1" not in html
    flags = ("--no-judge", "--json", "--output", str(tmp_path / "c"))
    calibrated = run(str(folder / "ana.jsonl"), *flags, runs=runs, module="scripts.calibrate")
    assert calibrated.code == 0, calibrated.err
    measured = json.loads(calibrated.out)
    assert measured["lines"] == len(lines) - 1, "a comment alone rates nothing"
    assert {each["dimension"] for each in measured["agreements"]} == {"overall_quality", "kept"}
    assert measured["scales"]["kept"] == {"worst": 0.0, "best": 1.0, "given": True}
    [kept] = [each for each in measured["agreements"] if (each["dimension"], each["source"]) == ("kept", "heuristic")]
    assert (kept["metric"], kept["n"]) == ("overall_quality", len(lines) - 1)
    assert kept["mae"]["value"] is None and kept["spearman"]["value"] is not None


def test_broken_foreign_and_tampered_lines_are_named_and_the_rest_counts(
    runs: Path, page: dict[str, Any], tmp_path: Path
) -> None:
    lines = judgements(page)
    good = lines[0] | {"judgement": "flag"}
    wrong = [
        lines[1] | {"run_id": "20200101T000000Z-other"},
        lines[1] | {"content_sha256": "0" * 64},
        lines[1] | {"rubric_sha256": "0" * 64},
        lines[1] | {"scenario_id": "nowhere"},
        lines[1] | {"rating": "11"},
        lines[1] | {"judgement": "superb"},
        '{"kind": "judgement", "run_id": ',
        lines[1] | {"kind": "preference"},
    ]
    # The good line comes first, once more in another mood, and last; a blank line counts in the numbers.
    file = written(tmp_path / "page.jsonl", [lines[0], "", *wrong, good])
    done = review(runs, "take", str(file), "--reviewer", "ana", "--reviews", str(tmp_path / "r"))
    assert done.code == 3
    assert "2 judgements taken" in done.out
    named = done.err.splitlines()
    begins = (
        *("run_id '20200101T000000Z-other'", "content_sha256 '000000000000'", "rubric_sha256 '000000000000'"),
        *("scenario_id 'nowhere', repeat 1, turn", "rating: '11' is no score", "judgement: 'superb'", "not JSON"),
        "answer: is missing",
    )
    assert len(named) == len(begins) + 1
    for number, (said, begin) in enumerate(zip(named, begins, strict=False), start=3):
        # Of a preference the first fault is a key that it does not have.
        expected = "unknown key" if number == 10 else begin
        assert said.startswith(f"{file}: line {number}: ") and expected in said
    assert "taken again replaces" in named[-1]
    assert [each["judgement"] for each in newest(tmp_path / "r").values()] == ["flag"]


def test_a_file_that_names_no_run_that_is_here_or_is_taken_for_another_is_refused(
    runs: Path, page: dict[str, Any], tmp_path: Path
) -> None:
    lines = judgements(page)
    reviews = ("--reviewer", "ana", "--reviews", str(tmp_path / "r"))
    nowhere = written(tmp_path / "nowhere.jsonl", [each | {"run_id": "20200101T000000Z-other"} for each in lines])
    done = review(runs, "take", str(nowhere), *reviews)
    assert done.code == 2 and "20200101T000000Z-other" in done.err
    broken = written(tmp_path / "broken.jsonl", [lines[0] | {"turn": "one"}])
    done = review(runs, "take", str(broken), *reviews)
    assert done.code == 2
    assert "no line can be taken; the first: line 1: turn: 'one'" in done.err
    file = written(tmp_path / "page.jsonl", lines)
    other = next(runs.glob("*companion-v2*")).name
    done = review(runs, "take", str(file), other, *reviews)
    assert done.code == 3
    assert f"this file is taken for {other}" in done.err and "0 judgements taken" in done.out
    for more in (("--pairs", "v2", "v3"), ("--file", str(file))):
        done = review(runs, "take", str(file), *more, *reviews)
        assert done.code == 2 and f"leave out {more[0]}" in done.err
    assert not (tmp_path / "r" / "ana.jsonl").read_text()


def test_whoever_judged_in_a_page_is_asked_by_dimension_still_and_both_are_kept(
    runs: Path, page: dict[str, Any], tmp_path: Path
) -> None:
    folder = tmp_path / "r"
    file = written(tmp_path / "page.jsonl", judgements(page))
    take = ("take", str(file), "--reviewer", "ana", "--reviews", str(folder))
    assert review(runs, *take).code == 0
    walk = ("walk", page["judging"]["runs"][0], "--reviewer", "ana", "--reviews", str(folder), "--limit", "1")
    # Yes to every item, which is no score. The rest are scores with a remark and notes, but no mark: Enter is.
    first = review(runs, *walk, stdin="y\n" * 20 + "4 warm\n" * 7 + "\n")
    assert "1 review saved" in first.err, first.err
    [walked] = [each for each in newest(folder).values() if each["notes"] == "4 warm"]
    assert walked["judgement"] == "keep" and walked["scores"]["helpfulness"] == 0.85
    assert review(runs, *take).code == 0
    [again] = [each for each in newest(folder).values() if each["notes"] == "4 warm"]
    assert again["scores"] == walked["scores"]
    assert "1 done" in review(runs, *walk, stdin="q\n").out


# --- pairs ------------------------------------------------------------------------------------------------------------


def preferences(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The candidate preferred everywhere, shown second."""
    base, candidate = data["judging"]["runs"]
    for place, repeat, turn, sides in data["rows"]:
        scenario = data["scenarios"][place]
        if turn == scenario["turns"] and sides[0]["h"] != sides[1]["h"]:
            yield {
                "schema_version": 1,
                "kind": "preference",
                "base": base,
                "candidate": candidate,
                "scenario_id": scenario["id"],
                "repeat": repeat,
                "base_sha256": sides[0]["h"],
                "candidate_sha256": sides[1]["h"],
                "shown_first": "base",
                "answer": "second",
                "comment": "",
                "blind": False,
                "at": AT,
            }


def test_preferences_of_a_comparison_count_beside_those_of_the_terminal(runs: Path, tmp_path: Path) -> None:
    lines = list(preferences(data_of(next(runs.glob("*/comparison.html")))))
    assert len(lines) >= 4
    turned = lines[0] | {"shown_first": "candidate", "answer": "first", "comment": "kinder", "blind": True}
    wrong = [lines[1] | {"base_sha256": "0" * 64}, lines[1] | {"candidate": "20200101T000000Z-other"}]
    file = written(tmp_path / "pairs.jsonl", [turned, *lines[1:], *wrong])
    for _ in range(2):
        done = review(runs, "take", str(file), "--reviewer", "cid")
        assert done.code == 3
        assert f"{len(lines)} preferences taken" in done.out
        assert f"line {len(lines) + 1}: base_sha256 '000000000000'" in done.err
        assert f"line {len(lines) + 2}: candidate '20200101T000000Z-other'" in done.err
    report = run("--json", runs=runs, module="scripts.review_report")
    assert report.code == 0, report.err
    [found] = json.loads(report.out)["pairs"]
    assert found["people"]["answers"] == len(lines)
    assert found["people"]["tally"]["wins"] == len(lines)
    assert found["not_blind"] == len(lines) - 1
    assert [words for _, _, words in found["remarks"]] == ["kinder"]
    shown = run(runs=runs, module="scripts.review_report").out
    assert f"not blind, and drawn towards versions and scores: {len(lines) - 1} answers" in shown
    for path in (runs / "reviews" / "pairs").glob("*.jsonl"):
        path.unlink()
