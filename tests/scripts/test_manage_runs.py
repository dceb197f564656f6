"""The runs in the journal: listed, shown, held against each other, exported, pruned."""

import csv
import json
import os
import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.scripts.commands import ROOT, Finished, document, run
from tests.scripts.commands import lines as lines_of
from tests.services.scripted_endpoint import say, scripted_endpoint


def manage(*arguments: str, runs: Path) -> Finished:
    return run(*arguments, runs=runs, module="scripts.manage_runs")


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = tmp_path_factory.mktemp("runs")
    for prompt in ("v1", "v3"):
        assert run("--prompt", prompt, "--limit", "12", "--quiet", runs=runs).code == 0
    return runs


def test_list_shows_the_newest_first(two_runs: Path) -> None:
    rows = json.loads(manage("list", "--json", runs=two_runs).out)
    assert [row["prompt"]["version"] for row in rows] == [3, 1]
    assert all(row["verdict"] and row["overall"] for row in rows)
    listing = manage("list", runs=two_runs)
    head, below, *lines = listing.out.splitlines()
    assert (head, below.split()[:2]) == ("Run  verdict, marks", ["Made", "(UTC)"])
    assert [line.split()[0] for line in lines[::2]] == [row["run_id"] for row in rows]
    assert all(len(line) <= 80 for line in listing.out.splitlines())
    row = rows[0]
    played = lines_of(two_runs / "latest")
    assert (row["scenarios"], row["exchanges"]) == (12, len(played))
    for shown in (row["created_at"][:10], f"12 / {len(played)}", "$0.00", f"{row['overall']:.2f} of 1", "finished"):
        assert shown in lines[1]
    assert ", rehearsal" in lines[0]


def test_no_two_scales_look_alike(tmp_path: Path) -> None:
    assert run("--prompt", "v3", "--limit", "2", "--quiet", runs=tmp_path).code == 0
    assert run("--limit", "2", "--quiet", runs=tmp_path, module="scripts.evaluate_chat_flow").code == 0
    flow, companion = manage("list", runs=tmp_path).out.splitlines()[3::2]
    assert re.search(r" [1-5]\.\d\d of 5 ", flow)
    assert re.search(r" 0\.\d\d of 1 ", companion)
    assert [row["scale"] for row in json.loads(manage("list", "--json", runs=tmp_path).out)] == [[1, 5], [0, 1]]


def test_state_and_verdict_are_two_things(tmp_path: Path) -> None:
    """A finished run, one that a process works on, one that was killed, and one whose suite this version lacks."""
    assert run("--prompt", "v3", "--limit", "11", "--gate", "deploy", "--quiet", runs=tmp_path).code in (0, 1)
    (finished,) = json.loads(manage("list", "--json", runs=tmp_path).out)
    gate = "gate passed" if document(tmp_path / "latest", "decision.json")["gate"]["passed"] else "gate FAILED"
    line = manage("list", runs=tmp_path).out.splitlines()[2]
    assert line.endswith(f", rehearsal, {gate}")
    copies = {"20990101T000001Z-at-work": "running", "20990101T000002Z-killed": "running", "20990101T000003Z-lost": "x"}
    with sqlite3.connect(tmp_path / "evals.db") as journal:
        names = [row[1] for row in journal.execute("PRAGMA table_info(runs)") if row[1] != "id"]
        for run_id, state in copies.items():
            values = ", ".join({"run_id": f"'{run_id}'", "state": f"'{state}'"}.get(name, name) for name in names)
            journal.execute(f"INSERT INTO runs ({', '.join(names)}) SELECT {values} FROM runs WHERE run_id = ?",
                            (finished["run_id"],))  # fmt: skip
            (tmp_path / run_id).mkdir()
        journal.execute("UPDATE runs SET state = 'finished', spec = replace(spec, '\"suite\":\"companion\"', "
                        "'\"suite\":\"gone\"') WHERE run_id LIKE '%-lost'")  # fmt: skip
    journal.close()
    (tmp_path / "20990101T000001Z-at-work" / "lock").write_text(str(os.getpid()))
    (tmp_path / "20990101T000002Z-killed" / "lock").write_text("")
    shutil.copy(tmp_path / "latest" / "decision.json", tmp_path / "20990101T000003Z-lost" / "decision.json")
    rows = {row["run_id"]: row for row in json.loads(manage("list", "--json", runs=tmp_path).out)}
    assert [rows[run_id]["state"] for run_id in copies] == ["running", "interrupted", "finished"]
    assert [rows[run_id]["verdict"] is None for run_id in copies] == [True, True, finished["verdict"] is None]
    assert rows["20990101T000003Z-lost"]["scale"] is None
    shown = manage("list", runs=tmp_path)
    assert shown.code == 0, shown.err
    assert "20990101T000002Z-killed  -, rehearsal" in shown.out


def test_damaged_files_of_a_run_do_not_end_the_list(tmp_path: Path) -> None:
    assert run("--prompt", "v3", "--limit", "1", "--no-judge", "--quiet", runs=tmp_path).code == 0
    folder = (tmp_path / "latest").resolve()
    for name in ("decision.json", "summary.json", "manifest.json"):
        (folder / name).write_text('{"gate": {"passed": "\\u001b[2J"}, "counts": 7, "planned_exchanges": "many"}')
    listed = manage("list", runs=tmp_path)
    assert listed.code == 0, listed.err
    assert "\x1b" not in listed.out


def test_show_gives_the_summary_again(two_runs: Path) -> None:
    shown = json.loads(manage("show", "last", "--json", runs=two_runs).out)
    written = document(two_runs / "latest", "summary.json")
    assert shown["metrics"] == written["metrics"]
    assert "overall quality" in manage("show", "last", runs=two_runs).out


def test_diff_names_what_makes_two_runs_incomparable(two_runs: Path) -> None:
    third, first = (row["run_id"] for row in json.loads(manage("list", "--json", runs=two_runs).out))
    assert list(json.loads(manage("diff", first, third, "--json", runs=two_runs).out)) == ["prompt"]
    assert "they measure the same" in manage("diff", first, first, runs=two_runs).out
    unknown = manage("diff", first, "nope", runs=two_runs)
    assert (unknown.code, "nope" in unknown.err) == (2, True)


def made(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def difference(runs: Path, *more: str) -> Finished:
    second, first = (row["run_id"] for row in json.loads(manage("list", "--limit", "2", "--json", runs=runs).out))
    return manage("diff", first, second, *more, runs=runs)


def test_diff_shows_the_texts_and_values_that_differ_and_no_hash(tmp_path: Path) -> None:
    shipped = (ROOT / "evaluation" / "rubrics" / "companion.yaml").read_text(encoding="utf-8")
    judge = (
        "Grade this reply {0}. It is the assistant's response.\n{{{{criteria}}}}\nBefore: {{{{context_summary}}}}\n"
        "User: {{{{user_message}}}}\nReply: {{{{assistant_response}}}}\n"
    )
    for number, (tone, note) in enumerate((("kindly", "Is kind."), ("sternly", "Is firm."))):
        scenario = f"category: small_talk\nscenarios:\n  - {{id: one, turns: ['Hello.'], tags: [t], note: {note}}}\n"
        scenario += f"  - {{id: only-{number}, turns: ['Bye.'], tags: [t], note: n}}\n"
        text = f"---\nconfig:\n  temperature: 0.{number + 3}\n---\nYou are a companion. Speak {tone}. Be brief.\n"
        done = run(
            *("--prompt", made(tmp_path, f"p{number}.md", text), "--quiet"),
            *("--scenarios", made(tmp_path, f"s{number}.yaml", scenario)),
            *(
                "--rubric",
                made(tmp_path, f"r{number}.yaml", shipped.replace("Prompt Evaluation Rubric", f"Title {tone}")),
            ),
            *("--judge-prompt", made(tmp_path, f"j{number}.md", judge.format(tone)), "--no-canaries"),
            runs=tmp_path / "runs",
        )
        assert done.code == 0, done.err
    shown = difference(tmp_path / "runs")
    assert shown.code == 0, shown.err
    lines = shown.out.splitlines()
    for before, after in (
        ("  - Speak kindly.", "  + Speak sternly."),
        ("  - config.temperature: 0.3", "  + config.temperature: 0.4"),
        ("  - title: Title kindly", "  + title: Title sternly"),
        ("  - note: Is kind.", "  + note: Is firm."),
        ("  - only-0", "  + only-1"),
    ):
        assert {before, after} <= set(lines)
    assert [line for line in lines if line.startswith("  - ") and line.endswith("Grade this reply kindly.")]
    assert "Be brief." in shown.out, "what stands beside a change is shown"
    assert not re.search(r"[0-9a-f]{16}", shown.out)
    assert max(map(len, lines)) <= 80


def test_a_long_difference_is_bounded_and_says_where_the_rest_is(tmp_path: Path) -> None:
    """What steers a terminal is shown as its escape, in long lines without a blank too."""
    for number in range(2):
        hostile = f"\x1b[2J\u202e{number}" + "x" * 3000
        text = hostile + "\n" + "\n".join(f"Rule {line} of {number}." for line in range(300))
        given = ("--prompt", made(tmp_path, f"p{number}.md", text), "--limit", "1", "--no-judge", "--quiet")
        assert run(*given, runs=tmp_path / "runs").code == 0
    bounded, whole = difference(tmp_path / "runs"), difference(tmp_path / "runs", "--whole")
    lines = bounded.out.splitlines()
    assert len(lines) < 70
    assert lines[-1].endswith("more lines: add --whole, or read inputs.json of both runs")
    assert len(whole.out.splitlines()) > 600
    assert "\\x1b[2J\\u202e0" in bounded.out
    for shown in (bounded, whole):
        assert max(map(len, shown.out.splitlines())) <= 80
        assert not re.search("[\x1b\u202e]", shown.out)


def test_a_difference_in_blanks_alone_can_be_seen(tmp_path: Path) -> None:
    for number in range(2):
        text = f"You are kind.{' ' * (number + 1)}Be brief.{' ' * number}\nThe end.\n"
        given = ("--limit", "1", "--no-judge", "--quiet")
        assert run("--prompt", made(tmp_path, "p.md", text), *given, runs=tmp_path / "runs").code == 0
    lines = difference(tmp_path / "runs").out.splitlines()
    assert {"  - Be brief.", "  + system: You are kind.  Be brief.\\x20"} <= set(lines)


def test_export_is_a_table_without_formulas(two_runs: Path, tmp_path: Path) -> None:
    scenario = tmp_path / "formula.yaml"
    scenario.write_text(
        "category: small_talk\nscenarios:\n"
        "  - {id: formula, turns: ['=HYPERLINK(\"http://x\")'], tags: [t], note: '@SUM(A1)'}\n"
    )
    runs = tmp_path / "runs"
    assert run("--prompt", "v3", "--scenarios", str(scenario), "--quiet", runs=runs).code == 0
    target = tmp_path / "out.csv"
    done = manage("export", "last", "--csv", str(target), runs=runs)
    assert done.code == 0, done.err
    with target.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 1
    assert rows[0]["input"] == '\'=HYPERLINK("http://x")'
    assert float(rows[0]["combined.overall_quality"]) > 0


EXPECTING = """category: small_talk
scenarios:
  - id: held
    turns: [Hello]
    tags: [t]
    note: greets
    expect:
      - {id: brief, check: words, at_most: 1, critical: true}
      - {id: speaks, check: words, at_least: 1}
      - {id: long, check: words, at_least: 500}
"""


def test_export_has_the_share_met_and_the_ids_that_fail(tmp_path: Path) -> None:
    scenarios, target = tmp_path / "expecting.yaml", tmp_path / "out.csv"
    scenarios.write_text(EXPECTING, encoding="utf-8")
    given = ("--prompt", "v3", "--scenarios", str(scenarios), "--no-judge", "--quiet")
    assert run(*given, runs=tmp_path / "runs").code == 0
    assert manage("export", "last", "--csv", str(target), runs=tmp_path / "runs").code == 0
    with target.open(newline="") as file:
        rows = {row["scenario_id"]: row for row in csv.DictReader(file)}
    held, [line] = (
        rows["held"],
        [line for line in lines_of(tmp_path / "runs" / "latest") if line["scenario_id"] == "held"],
    )
    outcomes = {answer["id"]: answer["outcome"] for answer in line["expectations"]}
    assert {"brief": "fails", "speaks": "holds", "long": "fails"}.items() <= outcomes.items()
    assert float(held["expectations_met"]) == pytest.approx(list(outcomes.values()).count("holds") / len(outcomes))
    assert held["failed_expectations"].split() == [name for name, outcome in outcomes.items() if outcome == "fails"]
    assert held["failed_critical"] == "brief"


def test_export_of_a_run_that_expects_nothing_leaves_these_cells_empty(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    given = ("--prompt", "v3", "--limit", "1", "--no-judge", "--expectations", "none", "--quiet")
    assert run(*given, runs=tmp_path / "runs").code == 0
    assert manage("export", "last", "--csv", str(target), runs=tmp_path / "runs").code == 0
    with target.open(newline="") as file:
        [row] = csv.DictReader(file)
    assert [row[name] for name in ("expectations_met", "failed_expectations", "failed_critical")] == [""] * 3


@pytest.mark.parametrize("found", ["\r", "\r\n", "\v", "\f", "\x85", "\u2028"], ids=ascii)
def test_an_answer_with_line_breaks_is_one_row(tmp_path: Path, found: str) -> None:
    answer, target = f"fine{found}=1+cmd|' /C calc'!A0", tmp_path / "out.csv"
    with scripted_endpoint([say(answer)]) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_MODEL": "m"}
        given = ("--prompt", "v3", "--limit", "2", "--no-judge", "--quiet")
        assert run(*given, runs=tmp_path, **settings).code == 0
    done = manage("export", "last", "--csv", str(target), runs=tmp_path)
    assert done.code == 0, done.err
    rows = list(csv.DictReader(target.read_bytes().decode().splitlines(keepends=True)))
    assert [row["response"] for row in rows] == ["fine\n=1+cmd|' /C calc'!A0"] * len(rows)
    assert done.out == f"{len(rows)} rows in {target}\n"


def test_prune_removes_old_runs_and_their_texts(tmp_path: Path) -> None:
    for prompt in ("v1", "v2"):
        assert run("--prompt", prompt, "--limit", "6", "--quiet", runs=tmp_path).code == 0
    old = json.loads(manage("list", "--json", runs=tmp_path).out)[1]["run_id"]
    assert json.loads(manage("prune", "--keep", "1", "--json", "--yes", runs=tmp_path).out) == {"removed": []}
    with sqlite3.connect(tmp_path / "evals.db") as journal:
        journal.execute("UPDATE runs SET created_at = created_at - 200000 WHERE run_id = ?", (old,))
        before = journal.execute("SELECT count(*) FROM bodies").fetchone()[0]
    journal.close()
    listed = manage("prune", "--keep", "1", "--json", runs=tmp_path)
    assert json.loads(listed.out) == {"would_remove": [old]}
    assert (tmp_path / old).is_dir()
    assert json.loads(manage("prune", "--keep", "1", "--yes", "--json", runs=tmp_path).out) == {"removed": [old]}
    assert not (tmp_path / old).exists()
    journal = sqlite3.connect(tmp_path / "evals.db")
    assert 0 < journal.execute("SELECT count(*) FROM bodies").fetchone()[0] < before
    journal.close()
    kept = manage("show", "last", runs=tmp_path)
    assert kept.code == 0, kept.err
    assert "(missing" not in kept.out
