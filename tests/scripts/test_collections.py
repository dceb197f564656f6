"""Collections of responses: scored in parts by processes or a cluster, with the output of one process."""

import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from services.collected.parts import plan_parts
from tests.scripts.commands import ROOT, Finished, environment, run
from tests.services.collected.serving import SECRETS, serving

TEXT = "I feel sad about my work today and nobody understands what happened at home so tell me something"
WORDS = TEXT.split()
ROWS: list[dict[str, Any]] = [
    {
        "id": f"r{number}",
        "user_input": " ".join(WORDS[number % 5 : number % 5 + 6]),
        "response": " ".join(WORDS[number % 7 :]) + (". What happened?" if number % 3 else "."),
        "user": f"u{number % 9}",
        "model": "ab"[number % 2],
        "at": f"2026-11-{1 + number % 20:02d}T08:00:00Z",
    }
    for number in range(120)
]


def score(folder: Path, *arguments: str) -> Finished:
    return run(*arguments, "--output", f"{folder}/", "--quiet", runs=folder, module="scripts.score_responses")


def lines(path: Path, rows: list[dict[str, Any]] = ROWS) -> str:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(path)


def scores(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for path in sorted(folder.glob("part-*.jsonl")) for line in path.read_text().splitlines()]


def summary(folder: Path) -> Any:
    return json.loads((folder / "summary.json").read_text())


def test_each_form_has_the_same_scores_in_order(tmp_path: Path) -> None:
    import pandas

    rows = [{**row, "lang": "de" if number % 2 else ""} for number, row in enumerate(ROWS)]
    frame = pandas.DataFrame(rows)
    frame.to_csv(tmp_path / "r.csv", index=False)
    frame.to_parquet(tmp_path / "r.parquet")
    given = {
        "jsonl": lines(tmp_path / "r.jsonl", rows),
        "csv": str(tmp_path / "r.csv"),
        "parquet": str(tmp_path / "r.parquet"),
    }
    for form, name in given.items():
        assert score(tmp_path / form, name, "--form", "jsonl").code == 0
    found = {form: scores(tmp_path / form) for form in given}
    assert found["jsonl"] == found["csv"] == found["parquet"]
    assert [row["id"] for row in found["jsonl"]] == [row["id"] for row in ROWS]
    alone = run(given["jsonl"], runs=tmp_path, module="scripts.score_responses")
    assert [json.loads(line)["scores"] for line in alone.out.splitlines()] == [row["scores"] for row in found["jsonl"]]


def test_a_column_that_no_row_has_is_named(tmp_path: Path) -> None:
    name = lines(tmp_path / "r.jsonl", [*ROWS[:5], {"response": "ok"}])
    done = score(tmp_path / "out", name, "--cluster", "usr", "--by", "model", "--time", "att")
    for column in ("'usr'", "'att'"):
        assert f"no row has the column {column}" in " ".join(done.out.split())
        assert f"no row has the column {column}" in html.unescape((tmp_path / "out/report.html").read_text())
    assert summary(tmp_path / "out")["unseen_columns"] == ["att", "usr"]
    score(tmp_path / "as", name, "--cluster", "user")
    assert summary(tmp_path / "as")["unseen_columns"] == []


def test_files_without_a_row_are_one_line_whatever_their_form(tmp_path: Path) -> None:
    for name, text in (("a.jsonl", "\n\n"), ("b.csv", ""), ("c.csv", "id,user_input,response\n")):
        (tmp_path / name).write_text(text)
        done = score(tmp_path / f"of-{name}", str(tmp_path / name))
        assert (done.code, done.err.splitlines()[-1]) == (2, "error: the files hold no row")


def test_tables_come_out_as_tables(tmp_path: Path) -> None:
    import pandas

    name = lines(tmp_path / "r.jsonl", [*ROWS[:5], {"id": "=1+1", "user_input": "a"}])
    for form, read in (("csv", pandas.read_csv), ("parquet", pandas.read_parquet)):
        assert score(tmp_path / form, name, "--form", form, "--explanations").code == 3
        table = read(tmp_path / form / f"part-00000.{form}")
        assert list(table["overall_quality"].notna()) == [*[True] * 5, False]
        assert '"response"' in table["error"].iloc[-1]
        assert "0.6 base" in table["explanations"].iloc[0]
    assert "'=1+1" in (tmp_path / "csv" / "part-00000.csv").read_text()


def test_the_summary_has_means_by_column_and_week_and_users_widen_its_intervals(tmp_path: Path) -> None:
    name = lines(tmp_path / "r.jsonl")
    done = score(tmp_path / "a", name, "--by", "model", "--time", "at", "--cluster", "user")
    assert done.code == 0, done.err
    found = summary(tmp_path / "a")
    assert (found["rows"], found["errors"]) == (120, 0)
    assert {name: group["overall_quality"]["n"] for name, group in found["by"]["model"].items()} == {"a": 60, "b": 60}
    assert list(found["by"]["week"]) == ["2026-W44", "2026-W45", "2026-W46", "2026-W47"]
    assert "by week, overall quality" in done.out
    assert max(len(line) for line in done.out.splitlines() if str(tmp_path) not in line) <= 80


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_parts, "__defaults__", (2_000, 20))


@pytest.mark.usefixtures("small_parts")
def test_what_is_done_is_not_done_again_and_the_output_is_that_of_one_go(tmp_path: Path) -> None:
    name = lines(tmp_path / "r.jsonl")
    assert score(tmp_path / "whole", name).code == 0
    assert score(tmp_path / "broken", name).code == 0
    parts = sorted((tmp_path / "broken" / "done").iterdir())
    assert len(parts) > 5
    stamps = {path.name: path.stat().st_mtime_ns for path in parts}
    parts[1].unlink()  # killed before the part was on record
    (tmp_path / "broken" / "part-00003.jsonl").unlink()
    parts[4].write_text("{")
    done = run(name, "--output", f"{tmp_path}/broken/", runs=tmp_path, module="scripts.score_responses")
    assert f"{len(parts) - 3} of {len(parts)} parts are done already" in done.err
    again = {path.name for path in parts if path.stat().st_mtime_ns != stamps[path.name]}
    assert again == {parts[1].name, parts[3].name, parts[4].name}
    assert summary(tmp_path / "broken")["digest"] == summary(tmp_path / "whole")["digest"]
    assert scores(tmp_path / "broken") == scores(tmp_path / "whole")


@pytest.mark.usefixtures("small_parts")
def test_several_files_are_one_collection(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    lines(folder / "b.jsonl", ROWS[60:])
    lines(folder / "a.jsonl", ROWS[:60])
    assert score(tmp_path / "out", str(folder)).code == 0
    assert [row["id"] for row in scores(tmp_path / "out")] == [row["id"] for row in ROWS]


def test_what_cannot_be_meant_is_one_line(tmp_path: Path) -> None:
    name = lines(tmp_path / "r.jsonl", ROWS[:3])
    assert score(tmp_path / "out", name).code == 0
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").touch()
    for arguments, why in (
        ((tmp_path / "out", lines(tmp_path / "other.jsonl")), "holds the output of other files, rules or forms"),
        ((tmp_path / "full", name), "is not empty: choose another --output"),
        ((tmp_path / "new", str(tmp_path / "none.jsonl")), "there is no file of responses"),
        ((tmp_path / "new", name, "--by", "week", "--time", "at"), "--by week: the weeks of --time have this name too"),
    ):
        done = score(*arguments)
        assert (done.code, done.out) == (2, ""), done
        assert why in done.err.splitlines()[-1]


KILLING = """
import os, sys
import services.collected.parts as parts
parts.plan_parts.__defaults__ = (1_000, 20)
import scripts.scoring.part as part
from scripts.score_responses import main

def once(job, piece):
    sign = os.path.join(job.folder, "killed")
    if piece.number == 5 and not os.path.exists(sign):
        open(sign, "w").close()
        os.kill(os.getpid(), 9)
    return part.score_part(job, piece)

if __name__ == "__main__":
    import scripts.scoring.collection as collection
    collection.score_part = once
    sys.exit(main(sys.argv[1:]))
"""


def killing(folder: Path, name: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """A worker is killed at its sixth part, once."""
    program = folder.parent / "killing.py"
    program.write_text(KILLING)
    return subprocess.run(
        [sys.executable, str(program), name, "--output", f"{folder}/", "--quiet", "--jobs", "2", *arguments],
        cwd=ROOT,
        env=environment(folder.parent, {}) | {"PYTHONPATH": f"{ROOT}{os.pathsep}{folder.parent}"},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_the_parts_that_are_done(tmp_path: Path) -> None:
    name = lines(tmp_path / "r.jsonl")
    killed = killing(tmp_path / "out", name)
    assert killed.returncode == 3
    assert "the same command goes on with the parts that are not done" in killed.stderr
    assert killing(tmp_path / "out", name).returncode == 0
    assert [row["id"] for row in scores(tmp_path / "out")] == [row["id"] for row in ROWS]


@pytest.mark.long
def test_on_a_cluster_the_end_of_a_worker_costs_nothing_but_its_parts(tmp_path: Path) -> None:
    name = lines(tmp_path / "r.jsonl")
    assert score(tmp_path / "one", name).code == 0
    done = killing(tmp_path / "out", name, "--engine", "dask")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "out" / "killed").exists()
    assert scores(tmp_path / "out") == scores(tmp_path / "one")
    ids = [[row["id"] for row in summary(tmp_path / name)["lowest"]["overall_quality"]] for name in ("one", "out")]
    assert ids[0] == ids[1]


@pytest.mark.long
def test_a_scheduler_that_does_not_answer_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.collected.engines.SCHEDULER_S", 1.0)
    done = score(tmp_path / "out", lines(tmp_path / "r.jsonl"), "--engine-address", "tcp://127.0.0.1:9")
    assert (done.code, done.out) == (2, "")
    assert "no Dask scheduler answers there" in done.err


def test_rows_whose_id_or_text_no_json_has_are_rows_all_the_same(tmp_path: Path) -> None:
    from datetime import UTC, datetime

    import pyarrow
    from pyarrow import parquet

    good, bad = ROWS[0]["response"].encode(), b"\xff"
    table = {
        "id": pyarrow.array([datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2)]),
        "user_input": ["a", "b"],
        "response": pyarrow.array([good, bad], pyarrow.binary()).view(pyarrow.string()),
    }
    parquet.write_table(pyarrow.table(table), tmp_path / "r.parquet")
    (tmp_path / "r.jsonl").write_text('{"id": NaN, "user_input": "a", "response": "b"}\n')
    done = score(tmp_path / "out", str(tmp_path / "r.parquet"), str(tmp_path / "r.jsonl"), "--form", "jsonl")
    assert done.code == 3
    first, second, third = scores(tmp_path / "out")
    assert (first["id"], "scores" in first) == ("2026-01-01 00:00:00+00:00", True)
    assert "cannot be read" in second["error"]
    assert (third["id"], "scores" in third) == ("r.jsonl:0", True)


def test_the_output_is_for_its_owner_alone(tmp_path: Path) -> None:
    assert score(tmp_path / "out", lines(tmp_path / "r.jsonl")).code == 0
    left = [path for path in (tmp_path / "out").rglob("*") if path.stat().st_mode & 0o077]
    assert not left
    assert not (tmp_path / "out").stat().st_mode & 0o077


def test_an_input_that_became_shorter_leaves_no_part_of_before(tmp_path: Path) -> None:
    name = lines(tmp_path / "r.jsonl", ROWS[:5])
    assert score(tmp_path / "out", name).code == 0
    for folder, ending in ((tmp_path / "out", "jsonl"), (tmp_path / "out" / "done", "json")):
        (folder / f"part-00001.{ending}").write_text("{}\n")
    lines(tmp_path / "r.jsonl", ROWS[:3])
    assert score(tmp_path / "out", name).code == 0
    assert [row["id"] for row in scores(tmp_path / "out")] == ["r0", "r1", "r2"]


def test_output_in_the_folder_of_the_input_is_no_input(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    lines(tmp_path / "logs" / "r.jsonl", ROWS[:3])
    for _ in range(2):
        assert score(tmp_path / "logs" / "out", str(tmp_path / "logs")).code == 0
    assert summary(tmp_path / "logs" / "out")["rows"] == 3


def test_a_file_is_the_same_from_whichever_folder_it_is_named(tmp_path: Path) -> None:
    name = lines(tmp_path / "r.jsonl", ROWS[:3])
    assert score(tmp_path / "out", name).code == 0
    assert score(tmp_path / "out", os.path.relpath(name, ROOT)).code == 0
    assert json.loads((tmp_path / "out" / "job.json").read_text())["files"] == [name]


def test_of_an_address_nothing_is_kept_that_opens_it_and_a_new_signature_goes_on(tmp_path: Path) -> None:
    content = Path(lines(tmp_path / "r.jsonl")).read_bytes().replace(b'"id": "r7", ', b"")
    how: dict[str, Any] = {}
    with serving(content, how) as address:
        how["read"] = 403
        refused = score(tmp_path / "out", address)
        assert (refused.code, refused.out) == (3, "")
        assert "access is refused (HTTP 403)" in refused.err
        assert "the same command goes on with the parts that are not done" in refused.err
        how.clear()
        assert score(tmp_path / "out", address).code == 0
        again = score(tmp_path / "out", address.replace("deadbeef", "feedbeef"), "--json")
        assert "parts are done already" in again.err
        other = score(tmp_path / "out", f"{address}&id=2")
        assert (other.code, "holds the output of other files" in other.err) == (2, True)
    files = {path: path.read_text(errors="replace") for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert {"job.json", "report.html", "summary.md", "part-00000.jsonl"} <= {path.name for path in files}
    said = [*files.values(), refused.err, again.out, again.err, other.err]
    assert not [secret for secret in (*SECRETS, "ann:", "feedbeef") for text in said if secret in text]
    # A row without an id is named by its file and place, without the query.
    assert scores(tmp_path / "out")[7]["id"] == f"r.jsonl:{sum(map(len, content.splitlines(keepends=True)[:7]))}"


@pytest.mark.usefixtures("small_parts")
def test_a_table_with_irregular_quotes_is_said_to_stay_one_part(tmp_path: Path) -> None:
    for name in ("a", "b"):
        text = 'id,user_input,response\n1,hi,a 5" pipe\n' + "2,hi,What happened?\n" * 200
        (tmp_path / f"{name}.csv").write_text(text)
    done = score(tmp_path / "out", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"))
    assert done.code == 0, done.err
    assert "a.csv: irregular quotes: it stays one part, which one process does alone; so does 1 more file" in done.err
    assert summary(tmp_path / "out")["uncut"] == {"irregular quotes": 2}
    for said in (done.out, (tmp_path / "out" / "report.html").read_text()):
        assert "2 files with irregular quotes stay one part" in " ".join(said.split())


@pytest.mark.usefixtures("small_parts")
def test_figures_lead_to_rows_and_errors_to_their_parts(tmp_path: Path) -> None:
    rows = [*ROWS[:60], {"id": "no response", "user_input": "a"}, *ROWS[60:]]
    name = lines(tmp_path / "r.jsonl", rows)
    assert score(tmp_path / "out", name, "--time", "at", "--by", "model").code == 3
    found, out = summary(tmp_path / "out"), scores(tmp_path / "out")
    lowest = found["lowest"]["overall_quality"]
    by_score = sorted((row["scores"]["overall_quality"], row["id"]) for row in out if "error" not in row)
    assert [(row["value"], row["id"]) for row in lowest] == by_score[:10]
    content = Path(name).read_bytes()
    for row in lowest:
        assert (row["file"], row["unit"]) == (name, "byte")
        assert json.loads(content[row["place"] :].partition(b"\n")[0])["id"] == row["id"]
        assert row["id"] in (tmp_path / "out" / f"part-{row['part']:05d}.jsonl").read_text()
    (reason,) = found["reasons"]
    assert (reason["reason"], reason["count"], reason["first"]["id"]) == (
        '"response" must be a string', 1, "no response",
    )  # fmt: skip
    page = (tmp_path / "out" / "report.html").read_text()
    links = set(re.findall(r'href="(part-[^"]*)"', page))
    assert f"part-{reason['parts'][0]:05d}.jsonl" in links
    assert not [link for link in links if not (tmp_path / "out" / link).exists()]
