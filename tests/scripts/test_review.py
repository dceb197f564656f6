"""make review and make review-report as people use them: in a terminal, through a pipe, and with files."""

import csv
import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pexpect
import pytest

from services.record_files import record_problem
from tests.evaluation.review.made_records import FLOW_METRICS, human, minimum, text_minimum
from tests.scripts.commands import ROOT, Finished, environment, run
from tests.scripts.forked import interruptible

ONE = ("y", "y", "n", "", "4", "3 slow", "5", "5", "4", "Good enough for a weekday.", "")
"""The answers to one flow."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of twelve flows by the embedded assistant."""
    folder = tmp_path_factory.mktemp("runs")
    done = run("--limit", "12", "--quiet", "--no-judge", runs=folder, module="scripts.evaluate_chat_flow")
    assert done.code == 0, done.err
    return folder


def review(runs: Path, *arguments: str) -> Finished:
    return run(*arguments, runs=runs, module="scripts.review")


def report(runs: Path, *arguments: str) -> Finished:
    return run(*arguments, runs=runs, module="scripts.review_report")


def piped(runs: Path, answers: tuple[str, ...], *arguments: str) -> Finished:
    typed = "".join(f"{answer}\n" for answer in answers)
    return run("walk", *arguments, runs=runs, module="scripts.review", stdin=typed)


@contextmanager
def terminal(runs: Path, reviews: Path, reviewer: str = "ana", rows: int = 200) -> Iterator[Any]:
    """A session in a real terminal."""
    child = pexpect.spawn(
        sys.executable,
        ["-m", "scripts.review", "walk", "last", "--reviewer", reviewer, "--reviews", str(reviews)],
        cwd=str(ROOT),
        env=environment(runs, {"TERM": "xterm-256color"}),
        encoding="utf-8",
        timeout=30,
        preexec_fn=interruptible,
        dimensions=(rows, 80),
    )
    try:
        child.expect("Enter to begin")
        child.sendline("")
        yield child
    finally:
        child.close(force=True)


def answer(child: Any, *answers: str) -> None:
    """Types one flow's answers, each at its question."""
    for prompt, text in zip((r"\[y/n\]",) * 4 + (r"\[1-5\]",) * 5 + ("> ", "Mark this one"), answers, strict=True):
        child.expect(prompt)
        child.sendline(text)


def saved(reviews: Path, reviewer: str = "ana") -> list[dict[str, Any]]:
    path = reviews / f"{reviewer}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


# --- in the terminal --------------------------------------------------------------------------------------------------


def heard(child: Any, number: int, words: str) -> None:
    """Sends the signal until the session answers: one that comes while a prompt is drawn waits for the next key."""
    for _ in range(10):
        child.kill(number)
        if child.expect([words, pexpect.TIMEOUT], timeout=3) == 0:
            return
    raise AssertionError(f"{words!r} was never said")


def test_ten_records_reviewed_interrupted_and_resumed(runs: Path, tmp_path: Path) -> None:
    with terminal(runs, tmp_path) as child:
        for _ in range(4):
            answer(child, *ONE)
            child.expect("Saved: Input Understanding 4")
        child.expect(r"\[y/n\]")
        child.sendline("y")
        child.expect(r"\[y/n\]")  # an interrupt that overtakes an answer discards it with what the terminal holds
        heard(child, signal.SIGINT, "4 reviews saved")
        child.expect("go on with: make review RUN=.* REVIEWER=ana")
        child.expect(pexpect.EOF)
        child.wait()
        assert child.exitstatus == 130
    with terminal(runs, tmp_path) as child:
        for _ in range(3):
            answer(child, *ONE)
            child.expect("Saved")
        child.expect(r"\[y/n\]")
        assert len(saved(tmp_path)) == 7, "each review is in the file before the next question"
        os.kill(child.pid, signal.SIGKILL)
        child.expect(pexpect.EOF)
    with terminal(runs, tmp_path) as child:
        for _ in range(3):
            answer(child, *ONE)
            child.expect("Saved")
        child.expect(r"\[y/n\]")
        child.sendeof()
        child.expect("3 reviews saved")
        child.expect(pexpect.EOF)
        child.wait()
        assert child.exitstatus == 0
    records = saved(tmp_path)
    assert len({record["exchange_id"] for record in records}) == len(records) == 10
    assert [problem for record in records if (problem := record_problem(record))] == []
    assert {record["scores"]["overall"] for record in records} == {4.2}
    assert (tmp_path / "ana.jsonl").stat().st_mode & 0o777 == 0o600


def test_sigterm_ends_a_session_like_ctrl_c(runs: Path, tmp_path: Path) -> None:
    with terminal(runs, tmp_path) as child:
        answer(child, *ONE)
        child.expect("Saved")
        child.expect(r"\[y/n\]")
        heard(child, signal.SIGTERM, "1 review saved")
        child.expect(pexpect.EOF)
        child.wait()
        assert child.exitstatus == 130
    assert len(saved(tmp_path)) == 1


def test_a_long_response_comes_screen_by_screen(runs: Path, tmp_path: Path) -> None:
    with terminal(runs, tmp_path, rows=24) as child:
        assert child.expect(["-- more", "-- Enter for the questions"]) == 0
        child.sendline("a")
        child.expect("-- Enter for the questions")
        child.sendline("")
        child.expect(r"Ingredients included\? \[y/n\]")
        child.sendline("q")
        child.expect(pexpect.EOF)


def test_two_sessions_of_one_reviewer_do_not_write_over_each_other(runs: Path, tmp_path: Path) -> None:
    with terminal(runs, tmp_path):
        second = piped(runs, ONE, "last", "--reviewer", "ana", "--reviews", str(tmp_path))
        assert (second.code, second.err.count("\n")) == (2, 1)
        assert "the review of ana is in use" in second.err
        other = piped(runs, ONE, "last", "--reviewer", "ben", "--reviews", str(tmp_path))
        assert other.code == 0, other.err


# --- through a pipe ---------------------------------------------------------------------------------------------------


def test_answers_may_come_through_a_pipe(runs: Path, tmp_path: Path) -> None:
    done = piped(runs, (*ONE, *ONE, "y"), "last", "--reviewer", "ana", "--reviews", str(tmp_path))
    assert done.code == 0, done.err
    assert len(saved(tmp_path)) == 2
    assert "2 reviews saved" in done.err
    assert "\x1b" not in done.out
    assert "What others gave" not in done.out


def test_a_team_shares_a_part(runs: Path, tmp_path: Path) -> None:
    everything = ONE * 12
    for reviewer in ("ana", "ben"):
        flags = ("--team", "ana,ben", "--overlap", "0.25", "--reviews", str(tmp_path))
        done = piped(runs, everything, "last", "--reviewer", reviewer, *flags)
        assert done.code == 0, done.err
        assert "all done" in done.err
        assert "3 of them shared with the team" in done.out
    by = {name: {record["exchange_id"] for record in saved(tmp_path, name)} for name in ("ana", "ben")}
    assert len(by["ana"] & by["ben"]) == 3
    assert len(by["ana"] | by["ben"]) == 12


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("walk", "last", "--reviewer", "../ana"), "use letters, digits"),
        (("walk", "--reviewer", "ana"), "name what is to be reviewed"),
        (("walk", "last", "--file", "x", "--reviewer", "ana"), "name what is to be reviewed"),
        (("walk", "--file", "missing.jsonl", "--reviewer", "ana"), "missing.jsonl: cannot be read"),
        (("walk", "no-such-run", "--reviewer", "ana"), "there is no run 'no-such-run'"),
        (("walk", "last", "--reviewer", "ana", "--team", "ben,cem"), "is not in the team"),
        (("send",), "nothing to send"),
        (("ratings", "--output", "x.jsonl"), "there is no review of suite 'companion'"),
    ],
)
def test_what_cannot_be_done_is_reported_in_one_line(
    runs: Path, tmp_path: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    done = review(runs, *arguments, "--reviews", str(tmp_path))
    assert complaint in done.err + done.out
    assert "Traceback" not in done.err
    assert (done.code, (done.err + done.out).count("\n")) in ((2, 1), (0, 1))


# --- records of runs, and from elsewhere ------------------------------------------------------------------------------


def test_a_run_leaves_valid_records_and_adds_them_to_a_file_once(runs: Path, tmp_path: Path) -> None:
    folder = (runs / "latest").resolve()
    records = [json.loads(line) for line in (folder / "eval_records.jsonl").read_text().splitlines()]
    assert len(records) == 12
    assert [problem for record in records if (problem := record_problem(record))] == []
    target = str(tmp_path / "evals_runs.jsonl")
    first = run("export", "last", "--records", target, runs=runs, module="scripts.manage_runs")
    again = run("export", "last", "--records", target, runs=runs, module="scripts.manage_runs")
    assert first.out == f"12 records added to {target}, 0 were there\n"
    assert again.out == f"0 records added to {target}, 12 were there\n"
    stored = [json.loads(line) for line in Path(target).read_text().splitlines()]
    assert stored == records


def test_records_from_elsewhere_are_reviewed_and_broken_lines_kept(runs: Path, tmp_path: Path) -> None:
    path = tmp_path / "theirs.jsonl"
    path.write_text(f"{json.dumps(minimum())}\nnot json\n{json.dumps(minimum(scores={'clarity': 9}))}\n")
    done = piped(runs, ONE, "--file", str(path), "--reviewer", "ana", "--reviews", str(tmp_path / "r"))
    assert done.code == 3
    assert "theirs.jsonl:2: not JSON" in done.err
    assert "theirs.jsonl:3: scores.clarity" in done.err
    assert (tmp_path / "theirs.jsonl.rejected").read_text().startswith("not json\n")
    (record,) = saved(tmp_path / "r")
    assert (record["reviews"], record["trace_id"]) == ("e-1", "t-1")


# --- offline ----------------------------------------------------------------------------------------------------------


def test_a_sheet_goes_out_and_comes_back(runs: Path, tmp_path: Path) -> None:
    path, reviews = tmp_path / "sheet.csv", ("--reviews", str(tmp_path / "r"))
    assert review(runs, "sheet", "last", "--csv", str(path)).code == 0
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12
    assert not any(cell.lstrip().startswith(("=", "+", "@")) for row in rows for cell in row.values())
    for row in rows[:3]:
        row |= dict.fromkeys(FLOW_METRICS, "4.0") | {"notes": "Fine; mostly.", "mark": "e"}
    rows[0] |= dict.fromkeys(FLOW_METRICS, "4")
    rows[1] |= {"clarity": "5 short and clear"}
    rows[1] |= {name: "4" for name in FLOW_METRICS if name != "clarity"}
    rows[2] |= {"clarity": "9"}
    rows[3] |= {"exchange_id": "someone else's", "clarity": "4"}
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
    done = review(runs, "take", str(path), "last", "--reviewer", "ana", *reviews)
    assert done.code == 3
    assert "row 4: " in done.err
    assert "row 5: exchange_id" in done.err
    assert "2 reviews taken" in done.out
    first, second = saved(tmp_path / "r")
    assert first["scores"]["overall"] == 4.0
    assert (second["scores"]["clarity"], second["rationale"]["clarity"]) == (5.0, "short and clear")
    assert (first["notes"], first["mark"]) == ("Fine; mostly.", "exemplary")
    examples = tmp_path / "examples.yaml"
    assert review(runs, "examples", "--output", str(examples), *reviews).out.startswith("2 examples")
    assert "Fine; mostly." in examples.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "form", [{}, {"lineterminator": "\r", "quoting": csv.QUOTE_ALL}, {"delimiter": ";"}, {"delimiter": "\t"}], ids=str
)
def test_a_sheet_of_hostile_texts_is_one_row_each_and_comes_back(
    runs: Path, tmp_path: Path, form: dict[str, Any]
) -> None:
    """Whatever the texts hold, and as spreadsheets write it back: with rows of nothing at the end."""
    ids, said = ["=1\u200b+2", "\ufeff@a\rb"], "fine\r=1+cmd|' /C calc'!A0"
    source, path = tmp_path / "theirs.jsonl", tmp_path / "sheet.csv"
    records = [text_minimum(exchange_id=each, suite="companion", response={"text": said}) for each in ids]
    source.write_text("".join(f"{json.dumps(each)}\n" for each in records))
    assert review(runs, "sheet", "--file", str(source), "--csv", str(path)).code == 0
    rows = list(csv.DictReader(path.read_bytes().decode().splitlines(keepends=True)))
    assert [row["response"] for row in rows] == ["fine\n=1+cmd|' /C calc'!A0"] * 2
    assert all(row["exchange_id"].startswith("'") for row in rows)
    questions = [name for name in rows[0] if not rows[0][name] and name not in ("notes", "mark")]
    for row in rows:
        row |= dict.fromkeys(questions, "0.5") | {"notes": "- so so\nand = so on"}
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), **form)
        writer.writeheader()
        writer.writerows([*rows, {}, {}])
    done = review(runs, "take", str(path), "--file", str(source), "--reviewer", "ana", "--reviews", str(tmp_path / "r"))
    assert (done.code, done.err) == (0, "")
    assert [each["exchange_id"] for each in saved(tmp_path / "r")] == ids
    assert {each["notes"] for each in saved(tmp_path / "r")} == {"- so so\nand = so on"}


def test_reviews_are_an_input_of_calibration(runs: Path, tmp_path: Path) -> None:
    reviews = tmp_path / "r"
    assert piped(runs, ONE * 12, "last", "--reviewer", "ana", "--reviews", str(reviews)).code == 0
    ratings = tmp_path / "ratings.jsonl"
    done = review(runs, "ratings", "--suite", "chat_flow", "--output", str(ratings), "--reviews", str(reviews))
    assert done.code == 0, done.err
    flags = ("--suite", "chat_flow", "--no-judge", "--json", "--output", str(tmp_path / "c"))
    found = []
    for path in (ratings, reviews / "ana.jsonl"):
        calibrated = run(str(path), *flags, runs=runs, module="scripts.calibrate")
        assert calibrated.code == 0, calibrated.err
        found.append(json.loads(calibrated.out))
    assert found[0] == found[1]
    assert found[0]["lines"] == 12
    assert found[0]["scales"]["overall"] == {"worst": 1.0, "best": 5.0, "given": True}


# --- the report -------------------------------------------------------------------------------------------------------


@pytest.fixture
def reviewed(tmp_path: Path) -> Path:
    """Two reviewers over three weeks: clarity 4, 4 and then 2; see tests/evaluation/review/test_weekly.py."""
    folder = tmp_path / "reviews"
    folder.mkdir()
    for reviewer in ("ana", "ben"):
        made = [
            human(f"{scenario}@{day}", reviewer, day, {"clarity": score + bump}, notes="<script>alert(1)</script> *so*")
            for day, score in (("2026-11-04", 4), ("2026-11-11", 4), ("2026-11-18", 2))
            for bump, scenario in enumerate("ab")
        ]
        (folder / f"{reviewer}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in made))
    return folder


def test_the_weekly_report_in_all_its_forms(runs: Path, reviewed: Path) -> None:
    done = report(runs, "--reviews", str(reviewed))
    assert done.code == 0, done.err
    assert all(len(line) <= 80 for line in done.out.splitlines() if not line.startswith("/"))
    assert re.search(r"clarity +2\.50", done.out)
    assert "-2.00" in done.out
    page = (reviewed / "report" / "chat_flow.html").read_text(encoding="utf-8")
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert 'class="trend"' in page
    assert "http" not in page.replace("http-equiv", "")
    markdown = (reviewed / "report" / "chat_flow.md").read_text(encoding="utf-8")
    assert "| `clarity` | 4.50 | 4.50 | 2.50 |" in markdown
    assert "<script>" not in re.sub(r"`[^`\n]*`", "", markdown)
    figures = json.loads((reviewed / "report" / "chat_flow.json").read_text(encoding="utf-8"))
    assert [week["dimensions"]["clarity"]["estimate"]["mean"] for week in figures["weeks"]] == [4.5, 4.5, 2.5]
    as_json = report(runs, "--reviews", str(reviewed), "--json")
    assert json.loads(as_json.out) == figures


def test_a_broken_review_is_reported_and_the_rest_reported(runs: Path, reviewed: Path) -> None:
    with (reviewed / "ana.jsonl").open("a") as file:
        file.write('{"eval_id": "torn')
    done = report(runs, "--reviews", str(reviewed))
    assert done.code == 3
    assert "ana.jsonl:7: not JSON" in done.err
    assert "12 reviews" in done.out


def test_a_review_cannot_choose_where_its_report_is_written(runs: Path, tmp_path: Path) -> None:
    record = human("a", "ana", "2026-11-04", {"clarity": 4}) | {"suite": "../../escaped"}
    (tmp_path / "ana.jsonl").write_text(json.dumps(record) + "\n")
    done = report(runs, "--reviews", str(tmp_path), "--rubric", "chat_flow")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "cannot name a file" in done.err


def test_without_reviews_one_line_says_how_to_make_some(runs: Path, tmp_path: Path) -> None:
    done = report(runs, "--reviews", str(tmp_path))
    assert (done.code, done.err) == (2, "error: there is no review: make review RUN=last REVIEWER=NAME\n")
