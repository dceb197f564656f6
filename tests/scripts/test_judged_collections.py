"""A collection under a judge: a sample of its rows, or all of them, judged once, whatever ends the command."""

import json
import math
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from evaluation.errors import UsageError
from scripts.scoring.part import by_engine
from services.collected.parts import plan_parts
from services.rehearsal.options import RehearsalOptions
from tests.batch_endpoint import batch_endpoint
from tests.scripts.batches import in_short_batches
from tests.scripts.commands import Finished, run, server, started
from tests.scripts.test_collections import ROWS, lines, summary

pytestmark = pytest.mark.slow

MODULE = "scripts.score_responses"
BY = ("--by", "model", "--time", "at", "--cluster", "user")
PRICES = 'as_of: "2026-11-01"\nmodels:\n  rehearsal-judge: {input: 10, output: 10}\n'


def judge(folder: Path, name: str, *arguments: str, **settings: str) -> Finished:
    runs = folder.parent / f"{folder.name}-runs"
    return run(name, "--output", f"{folder}/", "--quiet", *BY, *arguments, runs=runs, module=MODULE, **settings)


def judged_lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "judged.jsonl").read_text().splitlines()]


def draw_of(folder: Path) -> Any:
    return json.loads((folder / "judge.json").read_text())["draw"]


def of_many(tmp_path: Path) -> str:
    """360 rows: those of the other tests three times, each with an id of its own."""
    rows = [{**row, "id": f"{row['id']}-{time}"} for time in range(3) for row in ROWS]
    return lines(tmp_path / "r.jsonl", rows)


def test_a_sample_is_judged_once_and_stands_for_all_rows(tmp_path: Path) -> None:
    name = of_many(tmp_path)
    with server() as endpoint:
        done = judge(tmp_path / "out", name, "--judge", "30", **endpoint.settings)
        assert done.code == 0, done.err
        asked = endpoint.stats()["completions"]
        before = (tmp_path / "out" / "judged.jsonl").read_bytes(), summary(tmp_path / "out")
        again = judge(tmp_path / "out", name, "--judge", "30", **endpoint.settings)
        unasked = judge(tmp_path / "out", name, **endpoint.settings)
        assert endpoint.stats()["completions"] == asked
    assert again.out == unasked.out == done.out
    assert ((tmp_path / "out" / "judged.jsonl").read_bytes(), summary(tmp_path / "out")) == before
    found, judged = summary(tmp_path / "out")["judge"], judged_lines(tmp_path / "out")
    assert found["sampled"] is True and found["coverage"]["judged"] == len(judged) == 30
    assert found["coverage"]["candidates"] == 360
    # What was judged of a stratum stands for all of it.
    for stratum, sizes in found["strata"].items():
        of = [line for line in judged if line["stratum"] == stratum]
        assert len(of) == sizes["drawn"] and {line["weight"] for line in of} == {sizes["rows"] / sizes["drawn"]}
    assert math.fsum(line["weight"] for line in judged) == pytest.approx(360)
    for source in ("judge", "combined"):
        weighted = math.fsum(line["weight"] * line["scores"][source]["overall_quality"] for line in judged)
        assert found["metrics"][source]["overall_quality"]["mean"] == pytest.approx(weighted / 360)
    assert "from 30\njudged of 360" in done.out and "a sample: 30 of 360 were drawn" in done.out
    assert found["by"]["model"]["a"]["overall_quality"]["small_sample"] is True
    assert "small sample" in done.out
    page = (tmp_path / "out" / "report.html").read_text()
    assert "from 30 judged of 360" in page and "a sample: 30 of 360 were drawn" in page
    assert max(len(line) for line in done.out.splitlines() if str(tmp_path) not in line) <= 80


def test_where_all_rows_fit_all_are_judged_and_none_has_a_weight(tmp_path: Path) -> None:
    name = lines(tmp_path / "r.jsonl", [{**ROWS[0], "id": "\ud800"}, *ROWS[1:8], {"id": "none", "user_input": "Hi."}])
    done = judge(tmp_path / "out", name, "--judge", "500", "--expectations", "none")
    assert done.code == 3, "a row cannot be scored"
    found, judged = summary(tmp_path / "out")["judge"], judged_lines(tmp_path / "out")
    assert (found["sampled"], found["coverage"]["judged"], found["stand_in"]) == (False, 8, True)
    assert {line["weight"] for line in judged} == {1.0}
    mean = math.fsum(line["scores"]["judge"]["overall_quality"] for line in judged) / 8
    assert found["metrics"]["judge"]["overall_quality"]["mean"] == pytest.approx(mean)
    (folder,) = (tmp_path / "out-runs").glob("2*-out-judged-*")
    assert "weights" not in json.loads((folder / "inputs.json").read_text())["inputs"]
    assert "all responses were given to the judge" in done.out and "REHEARSAL JUDGE" in done.out
    assert "a small sample (8 responses)" in done.out
    assert "rehearsal judge" in (tmp_path / "out" / "report.html").read_text().lower()


def test_the_same_rows_are_drawn_whatever_does_the_parts_and_however_they_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = of_many(tmp_path)
    monkeypatch.setattr("scripts.scoring.judged.judge_given", _refuse)
    drawn = []
    # A cluster gives back what is done in the order in which it is done.
    monkeypatch.setattr("scripts.scoring.drawing.by_engine", lambda *asked: reversed(list(by_engine(*asked))))
    for place, (size, jobs, form) in enumerate(((4_000_000, 1, "jsonl"), (9_000, 1, "csv"), (9_000, 2, "parquet"))):
        monkeypatch.setattr(plan_parts, "__defaults__", (size, 20))
        done = judge(tmp_path / str(place), name, "--judge", "30", "--jobs", str(jobs), "--form", form)
        assert done.code == 2 and "nobody is to be asked" in done.err
        drawn.append(draw_of(tmp_path / str(place)))
    assert drawn[0] == drawn[1] == drawn[2]
    assert judge(tmp_path / "other", name, "--judge", "30", "--seed", "2").code == 2
    other = draw_of(tmp_path / "other")
    assert other["sizes"] == drawn[0]["sizes"] and other["rows"] != drawn[0]["rows"]
    keys = [row["key"] for row in drawn[0]["rows"]]
    assert len(set(keys)) == len(keys) == 30


async def _refuse(*_: object) -> None:
    raise UsageError("nobody is to be asked")


def test_after_a_kill_while_it_is_judged_no_call_is_made_twice(tmp_path: Path) -> None:
    name, out, runs = of_many(tmp_path), tmp_path / "out", tmp_path / "out-runs"
    command = (name, "--output", f"{out}/", *BY, "--judge", "24", "--concurrency", "4")
    with server(RehearsalOptions(latency_ms=15)) as endpoint:
        with started(*command, runs=runs, module=MODULE, **endpoint.settings) as process:
            wait_until(lambda: endpoint.stats()["completions"] >= 60)
            process.kill()
            process.wait()
        before, kept, drawn = endpoint.stats()["completions"], calls_kept(runs), draw_of(out)
        assert kept >= 20
        done = run(*command, "--quiet", runs=runs, module=MODULE, **endpoint.settings)
        assert done.code == 0, done.err
        stats = endpoint.stats()
        assert before < stats["completions"]
        assert stats["repeated_bodies"] <= before - kept, "only what was not in the journal yet is asked again"
    assert draw_of(out) == drawn and len(judged_lines(out)) == 24
    assert summary(out)["judge"]["coverage"]["judged"] == 24
    assert len(list(runs.glob("2*"))) == 1


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline, "it did not come so far"
        time.sleep(0.02)


def calls_kept(runs: Path) -> int:
    with closing(sqlite3.connect(runs / "evals.db")) as journal:
        (count,) = journal.execute("SELECT count(*) FROM calls").fetchone()
    return int(count)


def test_a_judge_in_batches_says_what_it_says_live(tmp_path: Path) -> None:
    name = lines(tmp_path / "r.jsonl", ROWS[:40])
    with batch_endpoint() as endpoint, in_short_batches():
        assert judge(tmp_path / "live", name, "--judge", "12", **endpoint.settings).code == 0
        live = endpoint.live
        done = judge(tmp_path / "batched", name, "--judge", "12", "--batch", **endpoint.settings)
        assert done.code == 0, done.err
        assert endpoint.batches and endpoint.live == live + 1, "the judge is asked for its format before the run"
    assert judged_lines(tmp_path / "live") == judged_lines(tmp_path / "batched")


def test_as_many_rows_are_judged_as_the_money_pays_for(tmp_path: Path) -> None:
    name, prices = of_many(tmp_path), tmp_path / "prices.yaml"
    prices.write_text(PRICES)
    of = ("--expectations", "none", "--conversations", "none", "--prices", str(prices))
    with server() as endpoint:
        settings = endpoint.settings
        unpriced = judge(tmp_path / "a", name, "--judge-cost", "5", **{**settings, "EVAL_JUDGE_MODEL": "mine"})
        assert (unpriced.code, "--judge-cost: no price is known for mine" in unpriced.err) == (2, True), unpriced.err
        little = judge(tmp_path / "b", name, "--judge-cost", "0.01", *of, **settings)
        assert (little.code, "--judge-cost 0.01: is not enough" in little.err) == (2, True), little.err
        assert endpoint.stats()["completions"] == 0
        done = judge(tmp_path / "c", name, "--judge-cost", "4", *of, **settings)
        assert done.code == 0, done.err
        most = judge(tmp_path / "d", name, "--judge-cost", "4", "--judge", "9", *of, **settings)
        assert most.code == 0, most.err
    found = summary(tmp_path / "c")["judge"]["coverage"]
    assert 20 < found["drawn"] == found["judged"] < 360
    assert summary(tmp_path / "d")["judge"]["coverage"]["drawn"] == 9
    (folder,) = (tmp_path / "c-runs").glob("2*")
    spent = json.loads((folder / "summary.json").read_text())["cost_usd"]
    assert 2.4 < spent <= 4


def test_what_was_judged_before_the_money_was_spent_is_a_sample_too(tmp_path: Path) -> None:
    name, prices = of_many(tmp_path), tmp_path / "prices.yaml"
    prices.write_text(PRICES)
    of = ("--judge", "40", "--expectations", "none", "--prices", str(prices), "--concurrency", "1")
    with server() as endpoint:
        stopped = judge(tmp_path / "out", name, *of, "--max-cost", "1", **endpoint.settings)
        assert stopped.code == 3, stopped.err
        partly = summary(tmp_path / "out")["judge"]
        assert partly["incomplete"] is True and 0 < partly["coverage"]["open"] < 40
        assert "rows not judged yet" in stopped.out
        done = judge(tmp_path / "out", name, *of, "--max-cost", "100", **endpoint.settings)
        assert done.code == 0, done.err
        assert endpoint.stats()["repeated_after_answer"] == 0
    assert summary(tmp_path / "out")["judge"]["coverage"]["judged"] == 40


def test_what_cannot_be_meant_is_one_line(tmp_path: Path) -> None:
    name = lines(tmp_path / "r.jsonl", ROWS[:20])
    out = tmp_path / "out"
    assert judge(out, name, "--judge", "4", "--expectations", "none").code == 0
    away = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    for folder, arguments, settings, why in (
        (out, ("--judge", "5"), {}, "a judge was given rows by --judge 4 and --seed 1: give the same"),
        (out, ("--judge", "4", "--seed", "2"), {}, "a judge was given rows by --judge 4 and --seed 1"),
        (out, ("--judge", "4", "--expectations", "judge"), {}, "--expectations cannot change"),
        (out, ("--judge", "4", "--by", "user"), {}, "a judge was asked about other rows, columns or rules"),
        (tmp_path / "b", ("--judge", "60000"), {}, "at most 50,000 rows are judged at a time"),
        (tmp_path / "c", ("--judge", "4"), away, "no judge is named"),
        (tmp_path / "d", ("--judge", "4", "--suite", "text_quality"), {}, "asks no judge"),
    ):
        done = judge(folder, name, *arguments, **settings)
        assert (done.code, why in done.err.splitlines()[-1]) == (2, True), done.err
    assert not (tmp_path / "c").exists(), "found out before anything is scored"
    alone = run(name, "--judge", "4", runs=tmp_path, module=MODULE)
    assert (alone.code, "--judge is for a collection" in alone.err) == (2, True)
    unasked = run(name, "--output", f"{tmp_path}/e/", "--max-cost", "4", runs=tmp_path, module=MODULE)
    assert (unasked.code, "--max-cost is of a judge" in unasked.err) == (2, True)


def test_a_run_that_the_journal_lost_is_not_paid_for_again(tmp_path: Path) -> None:
    name, of = lines(tmp_path / "r.jsonl", ROWS[:6]), ("--judge", "3", "--expectations", "none")
    assert judge(tmp_path / "out", name, *of).code == 0
    elsewhere = run(name, "--output", f"{tmp_path}/out/", *BY, *of, runs=tmp_path / "other", module=MODULE)
    assert (elsewhere.code, "its judge was asked from" in elsewhere.err) == (2, True)
    (tmp_path / "out-runs" / "evals.db").unlink()
    lost = judge(tmp_path / "out", name, *of)
    assert (lost.code, "the journal has lost run" in lost.err) == (2, True), lost.err


def test_texts_are_masked_before_a_judge_is_sent_them(tmp_path: Path) -> None:
    row = {**ROWS[0], "user_input": "Write to ana.perez@example.org.", "response": "I wrote to bo@example.org."}
    context = [{"role": "user", "content": "I am cy@example.org"}, {"role": "assistant", "content": "Hello!"}]
    name = lines(tmp_path / "r.jsonl", [{**row, "context": context}])
    done = judge(tmp_path / "out", name, "--judge", "1", "--expectations", "none", LANGFUSE_MASK="email")
    assert done.code == 0, done.err
    texts = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path.name != "r.jsonl"]
    assert any(b"[email]" in text for text in texts)
    assert not any(name in text for text in texts for name in (b"ana.perez", b"bo@example", b"cy@example"))
