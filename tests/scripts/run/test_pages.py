"""The pages that commands leave, and the one that is written again for a stored run."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from markupsafe import escape

from tests.browser import Browser, browser_path
from tests.evaluation.reports.html.pages import data_of
from tests.page_faults import find_faults
from tests.scripts.commands import ROOT, document, only_run, run

MOST_BYTES = {345: 1_500_000, 1000: 3_000_000}
"""Exchanges, as in the shipped set and in a large run -> of their page."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One evaluation of a few scenarios, and a comparison after it."""
    folder = tmp_path_factory.mktemp("runs")
    first = run("--prompt", "v3", "--tag", "smoke", "--quiet", runs=folder)
    assert first.code == 0, first.err
    return folder


@pytest.fixture(scope="module")
def first(runs: Path) -> Path:
    """The folder of the first run."""
    return only_run(runs)


@pytest.fixture(scope="module")
def page(first: Path) -> str:
    """report.html of the first run, before there is another."""
    return (first / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def compared(runs: Path, page: str) -> Path:
    """The candidate's folder: the first run, which is taken as it is, against a new one of another version."""
    flags = ("--base", "v2", "--prompt", "v3", "--tag", "smoke", "--quiet")
    done = run(*flags, runs=runs, module="scripts.compare_prompts")
    assert done.code == 0, done.err
    assert "comparison.html" in done.out
    (found,) = runs.glob("*/comparison.html")
    return found.parent


def test_a_run_leaves_a_page_for_its_owner_alone(first: Path, page: str) -> None:
    assert ((first / "report.html").stat().st_mode & 0o777) == 0o600
    assert "May this prompt go live?" in page and "Rehearsal model: a scripted stand-in" in page
    summary = document(first, "summary.json")
    data = data_of(page)
    assert len(data["rows"]) == summary["counts"]["planned"] > 10
    overall = summary["metrics"]["combined"]["overall_quality"]
    assert f"<b>{overall['mean']:.2f}</b> <span>[{overall['ci95'][0]:.2f}, {overall['ci95'][1]:.2f}]" in page
    assert all(str(escape(reason)) in page for reason in summary["decision"]["reasons"])
    assert_is_light(page)


def assert_is_light(page: str) -> None:
    """At any number of exchanges that hold as much as these do, each with texts and scenarios of its own."""
    data = data_of(page)
    grows = json.dumps(
        [data[part] for part in ("rows", "texts", "scenarios")], ensure_ascii=False, separators=(",", ":")
    )
    of_one = len(grows.encode()) / len(data["rows"])
    rest = len(page.encode()) - len(grows.encode())
    sizes = {count: rest + of_one * count for count in MOST_BYTES}
    assert {count: size for count, size in sizes.items() if size > MOST_BYTES[count]} == {}


def test_a_comparison_is_as_light(compared: Path) -> None:
    assert_is_light((compared / "comparison.html").read_text(encoding="utf-8"))


def test_the_page_is_written_again_and_only_the_page(runs: Path, first: Path, page: str) -> None:
    folder = first
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    (folder / "report.html").unlink()
    done = run("report", folder.name, runs=runs, module="scripts.manage_runs")
    assert (done.code, done.out.strip()) == (0, str(folder / "report.html")), done.err
    again = (folder / "report.html").read_text(encoding="utf-8")
    assert data_of(again) == data_of(page)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} | {"report.html": b""} == before | {
        "report.html": b""
    }
    as_json = run("report", folder.name, "--json", runs=runs, module="scripts.manage_runs")
    assert json.loads(as_json.out) == {"file": str(folder / "report.html")}


def test_traces_are_linked_where_langfuse_holds_them(runs: Path, first: Path, page: str) -> None:
    assert data_of(page)["sides"][0]["traces"] == ""
    folder = first
    summary = document(folder, "summary.json")
    url = "https://langfuse.example/project/p1/experiments/results?baseline=x"
    (folder / "summary.json").write_text(json.dumps({**summary, "langfuse": {"url": url}}))
    try:
        assert run("report", folder.name, runs=runs, module="scripts.manage_runs").code == 0
        data = data_of((folder / "report.html").read_text(encoding="utf-8"))
    finally:
        (folder / "summary.json").write_text(json.dumps(summary))
    assert data["sides"][0]["traces"] == "https://langfuse.example/project/p1/traces/"
    lines = (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    assert data["rows"][0][3][0]["x"] == json.loads(lines[0])["trace_id"]


def test_a_comparison_leaves_a_page_and_the_trend_knows_earlier_runs(compared: Path, page: str) -> None:
    both = (compared / "comparison.html").read_text(encoding="utf-8")
    assert "Is v3 better than v2?" in both
    data = data_of(both)
    assert [side["name"] for side in data["sides"]] == ["v2", "v3"]
    assert all(None not in row[3] for row in data["rows"])
    assert data["sides"][1]["run"] == compared.name
    (later,) = (path for path in compared.parent.glob("*-v2-*/report.html"))
    assert 'id="trend"' in later.read_text(encoding="utf-8") and 'id="trend"' not in page


def test_the_templates_engine_waits_for_the_end_of_the_run() -> None:
    code = "import scripts.workflow, scripts.compare.compare, scripts.run.output, sys; print('jinja2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = browser_path()
    if program is None:
        pytest.skip("no Chromium is installed (Debian: apt-get install chromium)")
    opened = Browser(program)
    yield opened
    opened.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["report.html", "comparison.html"])
def test_what_a_command_left_has_no_fault(name: str, compared: Path, browser: Browser) -> None:
    assert browser.do(find_faults(browser.page, compared / name)) == []
    assert browser.do(browser.page.run("document.querySelectorAll('#list li').length")) > 10
