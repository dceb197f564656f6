"""runs/index.html: a line for each run, comparison, night and sweep, true after every command; and what opens it."""

import json
import re
import shutil
import sqlite3
import webbrowser
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from evaluation.reports.entries import Entry
from scripts.run.index import write_index
from services.journal import Journal
from services.settings import Settings, read_settings
from tests.evaluation.reports.html.index_pages import entry
from tests.scripts.commands import Finished, document, run

FEW = ("--limit", "11", "--quiet")


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = tmp_path_factory.mktemp("runs")
    for prompt in ("v1", "v3"):
        assert run("--prompt", prompt, *FEW, runs=runs).code == 0
    sides = ("--base", "v1", "--prompt", "v3", "--gate", "no_regression")
    assert run(*sides, *FEW, runs=runs, module="scripts.compare_prompts").code in (0, 1)
    return runs


@pytest.fixture
def folder(compared: Path, tmp_path: Path) -> Path:
    """A copy of two runs and their comparison, to be changed."""
    return Path(shutil.copytree(compared, tmp_path / "runs", symlinks=True))


def rows(runs: Path) -> list[tuple[str, str, str]]:
    """Kind, id and words of each row of the index."""
    page = (runs / "index.html").read_text("utf-8")
    found = []
    for row in re.findall(r"<tr data-kind.*?</tr>", page):
        kind = row.partition('data-kind="')[2].partition('"')[0]
        name = re.search(r'<small class="id">([^ <]*)', row)
        assert name is not None
        found.append((kind, unescape(name[1]), " ".join(re.sub(r"<[^>]+>", " ", row).split())))
    return found


def ids(runs: Path) -> list[str]:
    return sorted(path.parent.name for path in runs.glob("*/manifest.json") if not path.parent.is_symlink())


def manage(*arguments: str, runs: Path) -> Finished:
    return run(*arguments, runs=runs, module="scripts.manage_runs")


def of_folder(runs: Path) -> Settings:
    return replace(read_settings(), runs_dir=runs)


def test_runs_and_their_comparison_have_a_line_with_their_figures(compared: Path) -> None:
    found = rows(compared)
    first, second = ids(compared)
    assert [(kind, name) for kind, name, _ in found] == [("comparison", second), ("run", second), ("run", first)]
    overall = document(compared / second, "comparison.json")["overall"]
    assert f"{overall['difference']:+.3f}" in found[0][2]
    decision = document(compared / second, "decision.json")
    assert f"{decision['overall']['mean']:.2f} [{decision['overall']['ci95'][0]:.2f}, " in found[1][2]
    gate = "gate passed" if decision["gate"]["passed"] else "gate failed"
    assert gate in found[0][2] and gate in found[1][2]
    assert all("rehearsal" in words for _, _, words in found)
    page = (compared / "index.html").read_text("utf-8")
    for place in re.findall(r'<th scope="row"><a href="([^"]+)"', page):
        assert (compared / place).is_file()


def test_no_file_of_a_run_is_opened(folder: Path) -> None:
    before = (folder / "index.html").read_text("utf-8")
    for run_id in ids(folder):
        shutil.rmtree(folder / run_id)
    with Journal.in_folder(folder) as journal:
        write_index(journal, of_folder(folder))
    assert (folder / "index.html").read_text("utf-8") == before


def test_pruning_keeps_it_true(folder: Path) -> None:
    second = ids(folder)[1]
    with closing(sqlite3.connect(folder / "evals.db")) as connection:
        connection.execute("UPDATE runs SET created_at = created_at - 864000")
        connection.commit()
    assert manage("prune", "--keep", "1", "--yes", runs=folder).code == 0
    assert {name for _, name, _ in rows(folder)} == {second}
    assert [kind for kind, _, _ in rows(folder)] == ["comparison", "run"]


def test_a_run_that_was_killed_or_made_before_is_listed_without_a_verdict(folder: Path) -> None:
    first, second = ids(folder)
    with closing(sqlite3.connect(folder / "evals.db")) as connection:
        connection.execute("DELETE FROM entries")
        connection.execute("UPDATE runs SET state = 'running' WHERE run_id = ?", (second,))
        connection.commit()
    with Journal.in_folder(folder) as journal:
        write_index(journal, of_folder(folder))
    (_, newer, killed), (_, older, earlier) = rows(folder)
    assert (newer, older) == (second, first)
    assert killed.endswith("run – - rehearsal not finished")
    assert earlier.endswith("run – - rehearsal not noted")


def test_lines_are_noted_again_from_the_files(folder: Path) -> None:
    before = rows(folder)
    with closing(sqlite3.connect(folder / "evals.db")) as connection:
        connection.execute("DELETE FROM entries")
        connection.commit()
    done = manage("index", runs=folder)
    assert (done.code, done.out) == (0, f"{folder / 'index.html'}: 3 lines\n")
    assert [(kind, name) for kind, name, _ in rows(folder)] == [(kind, name) for kind, name, _ in before]
    assert json.loads(manage("index", "--json", runs=folder).out)["lines"] == 3
    (folder / ids(folder)[0] / "decision.json").write_text("[]")
    assert manage("index", runs=folder).code == 0
    assert len(rows(folder)) == 3


def test_a_line_that_cannot_be_read_is_passed_over(folder: Path) -> None:
    with Journal.in_folder(folder) as journal:
        journal.note_entry("night", "x", {"kind": "night", "name": 7})
        write_index(journal, of_folder(folder))
    assert len(rows(folder)) == 3


def test_commands_that_end_together_leave_the_lines_of_all(tmp_path: Path) -> None:
    def end(number: int) -> None:
        with Journal.in_folder(tmp_path) as journal:
            line: Entry = entry(number)
            journal.note_entry(line.kind, line.name, line.to_json())
            write_index(journal, of_folder(tmp_path))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(end, range(24)))
    assert {name for _, name, _ in rows(tmp_path)} == {f"run-{number}" for number in range(24)}
    assert [path.name for path in tmp_path.glob(".index.html.*")] == [".index.html.lock"]


def test_a_thousand_lines_are_all_there_and_further_ones_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal.in_folder(tmp_path) as journal:
        for number in range(1000):
            line = entry(number)
            journal.note_entry(line.kind, line.name, line.to_json())
        write_index(journal, of_folder(tmp_path))
        assert len(rows(tmp_path)) == 1000
        assert (tmp_path / "index.html").stat().st_size < 1_500_000
        monkeypatch.setattr("scripts.run.index.MOST", 10)
        write_index(journal, of_folder(tmp_path))
    assert [name for _, name, _ in rows(tmp_path)] == [f"run-{number}" for number in range(999, 989, -1)]
    assert "990 older ones" in (tmp_path / "index.html").read_text("utf-8")


def test_an_index_that_cannot_be_written_changes_no_result(tmp_path: Path) -> None:
    (tmp_path / "index.html").mkdir()
    done = run("--prompt", "v3", *FEW, runs=tmp_path)
    assert done.code == 0
    assert "index.html is not up to date: " in done.err


def test_a_sweep_has_a_line(tmp_path: Path) -> None:
    asked = ("--vary", "temperature=0.3,0.7", "--limit", "2", "--quiet")
    assert run(*asked, runs=tmp_path, module="scripts.sweep_parameters").code == 0
    assert [kind for kind, _, _ in rows(tmp_path)] == ["sweep", "run", "run"]
    (group,) = (path.parent for path in tmp_path.glob("*/sweep.json"))
    assert rows(tmp_path)[0][1] == group.name
    assert f'href="{group.name}/report.html"' in (tmp_path / "index.html").read_text("utf-8")


def test_a_night_has_a_page_and_a_line(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    done = run(*FEW, "--no-latest", runs=runs, module="scripts.nightly", EVAL_BASELINES_DIR=str(tmp_path / "baselines"))
    assert done.code == 2
    (night,) = (path.parent for path in runs.glob("nightly/2*/night.json") if not path.parent.is_symlink())
    played, (kind, name, words) = rows(runs)
    assert (kind, name) == ("night", night.name)  # it began before its run
    assert "no baseline" in words and "rehearsal" in words
    assert f'href="nightly/{night.name}/report.html"' in (runs / "index.html").read_text("utf-8")
    page = (night / "report.html").read_text("utf-8")
    assert "No baseline" in page and "there is no approved baseline" in page
    assert f'href="../../{played[1]}/report.html"' in page


class Browser:
    """Stands in for the browsers of Python's standard library."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, takes: bool = True) -> None:
        self.opened: list[str] = []

        def take(address: str) -> bool:
            self.opened.append(address)
            return takes

        monkeypatch.setattr(webbrowser, "open", take)


def test_open_takes_the_page_that_was_written_last(compared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Browser(monkeypatch)
    first, second = ids(compared)
    for reference, page in (
        ((), f"{second}/comparison.html"),
        ((first,), f"{first}/report.html"),
        (("last",), f"{second}/report.html"),
        (("index",), "index.html"),
    ):
        done = run(*reference, runs=compared, module="scripts.open_page", BROWSER="a-browser")
        assert (done.code, done.out, done.err) == (0, f"{compared / page}\n", "")
        assert browser.opened.pop() == (compared / page).resolve().as_uri()
    done = run("--print", runs=compared, module="scripts.open_page", BROWSER="a-browser")
    assert (done.out, browser.opened) == (f"{compared / second / 'comparison.html'}\n", [])


@pytest.mark.parametrize(("takes", "settings"), [(True, {}), (False, {"BROWSER": "a-browser"})])
def test_without_a_browser_the_path_is_printed(
    takes: bool, settings: dict[str, str], compared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Browser(monkeypatch, takes=takes)
    monkeypatch.setattr("sys.platform", "linux")
    done = run("index", runs=compared, module="scripts.open_page", **settings)
    assert done.code == 0
    assert done.err == f"there is no browser here: open it by hand: {compared / 'index.html'}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [((), "there is no page yet"), (("gone",), "there is no run yet"), (("../x",), "is not a run's name")],
)
def test_what_cannot_be_opened_is_one_line(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    done = run(*arguments, runs=tmp_path, module="scripts.open_page")
    assert (done.code, done.out) == (2, "")
    assert said in done.err and done.err.count("\n") == 1


def test_a_command_opens_its_page_where_it_is_asked_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Browser(monkeypatch)
    with_browser = {"BROWSER": "a-browser"}
    assert run("--prompt", "v1", *FEW, "--dry-run", "--open", runs=tmp_path, **with_browser).code == 0
    assert browser.opened == []
    assert run("--prompt", "v1", "--prompt", "v3", *FEW, "--open", runs=tmp_path, **with_browser).code == 0
    again_scored = ("last", "--no-judge", "--quiet", "--open")
    assert run(*again_scored, runs=tmp_path, module="scripts.rescore_run", **with_browser).code == 0
    both, again = browser.opened
    assert both.endswith("/comparison.html")
    assert "-rescored-" in again and again.endswith("/report.html")
    assert rows(tmp_path)[0][1] in again
