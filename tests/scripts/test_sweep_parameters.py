"""The sweep as its users run it: one command, one group, and the same files however often it was killed."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.runs.upkeep import remove
from services.journal import Journal
from services.rehearsal.options import RehearsalOptions
from services.settings import Settings
from tests.browser import Browser, browser_path
from tests.langfuse_double.double import LangfuseDouble
from tests.page_faults import find_faults
from tests.pages import table_after
from tests.scripts.commands import Finished, document, lines, run, server, started
from tests.scripts.test_interruption import wait_for_calls
from tests.scripts.test_with_langfuse import keys

MODULE = "scripts.sweep_parameters"
FILES = {"report.html", "sweep.md", "sweep.csv", "sweep.json"}
FEW = ("--vary", "temperature=0.3,1.2", "--vary", "top_p=0.5,1", "--limit", "12")
RUN_ID = re.compile(r"\d{8}T\d{6}Z-[a-z0-9-]+")


def sweep(*arguments: str, runs: Path, **settings: str) -> Finished:
    return run(*arguments, runs=runs, module=MODULE, **settings)


def group(runs: Path) -> Path:
    """The folder of the one sweep there is."""
    (found,) = (path.parent for path in runs.glob("*/sweep.json"))
    return found


def of_runs(runs: Path) -> list[Path]:
    """The folders of its runs, in the order of the grid."""
    return [runs / setting["run_id"] for setting in document(group(runs), "sweep.json")["settings"]]


def without_ids(text: str) -> str:
    return RUN_ID.sub("ID", text)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Finished]:
    """Three temperatures over the tasks for a quick look, on the embedded rehearsal model."""
    runs = tmp_path_factory.mktemp("runs")
    return runs, sweep("--tag", "smoke", "--repeats", "2", runs=runs)


def test_a_sweep_leaves_its_files_and_those_of_every_run(done: tuple[Path, Finished]) -> None:
    runs, finished = done
    assert finished.code == 0, finished.err
    folder = group(runs)
    assert {path.name for path in folder.iterdir()} == FILES
    assert all((path.stat().st_mode & 0o777) == 0o600 for path in folder.iterdir())
    found = document(folder, "sweep.json")
    assert [setting["name"] for setting in found["settings"]] == [
        "temperature 0.3",
        "temperature 0.7",
        "temperature 1.2",
    ]
    manifests = [document(path, "manifest.json") for path in of_runs(runs)]
    assert {manifest["group_id"] for manifest in manifests} == {folder.name}
    assert [manifest["spec"]["parameters"]["temperature"] for manifest in manifests] == [0.3, 0.7, 1.2]
    assert all(manifest["spec"]["prompt"] is None and manifest["spec"]["judge"] is None for manifest in manifests)
    for path, setting in zip(of_runs(runs), found["settings"], strict=True):
        assert {"report.html", "results.jsonl", "summary.json"} <= {file.name for file in path.iterdir()}
        summary = document(path, "summary.json")["metrics"]["heuristic"]["overall"]
        assert setting["metrics"]["overall"]["mean"] == summary["mean"]
        beside = f"one setting of a sweep: {setting['name']}; beside the others in {folder.name}/report.html"
        assert beside in (path / "report.html").read_text(encoding="utf-8")
        assert all(not line["context"] for line in lines(path))
    assert "REHEARSAL MODEL" in finished.out
    assert max(map(len, finished.out.replace(str(runs), "runs").splitlines())) <= 80
    assert str(folder / "report.html") in finished.out.replace("\n", "")


def test_the_prompts_are_read_as_tasks_and_the_texts_vary_with_the_temperature(done: tuple[Path, Finished]) -> None:
    runs, _ = done
    said = [[line["response"] for line in lines(path)] for path in of_runs(runs)]
    assert len({json.dumps(each) for each in said}) == 3
    assert all(text.count(".") >= 1 and len(text.split()) > 8 for texts in said for text in texts)


def test_the_table_for_spreadsheets(done: tuple[Path, Finished]) -> None:
    runs, _ = done
    head, *rows = (group(runs) / "sweep.csv").read_text(encoding="utf-8").splitlines()
    assert head.startswith("setting,run_id,setting.temperature,metric,n,planned,clusters,mean,ci95_low,ci95_high")
    assert "by the table: mean is" in head and "by the lists: low" in head
    assert len(rows) == 3 * 7


def test_every_field_is_documented(done: tuple[Path, Finished]) -> None:
    found = document(group(done[0]), "sweep.json")
    parts = (found["settings"][0], found["best"]["overall"], found["effects"][0], found["expected"][0])
    named = {key for part in (found, *parts, found["distributions"]["overall"], found["factors"][0]) for key in part}
    documented = {
        word
        for rows in table_after("docs/run-files.md", "fields: sweep.json")
        for row in rows
        for cell in row
        for word in re.findall(r"`([^`]+)`", cell)
    }
    assert sorted(named - documented) == []


def test_as_json_and_resumed_to_itself(done: tuple[Path, Finished]) -> None:
    runs, _ = done
    before = {path.name: path.read_bytes() for path in group(runs).iterdir()}
    again = sweep("--resume", "last", "--json", "--quiet", runs=runs)
    assert again.code == 0, again.err
    assert json.loads(again.out) == document(group(runs), "sweep.json")
    assert {path.name: path.read_bytes() for path in group(runs).iterdir()} == before


def test_a_dry_run_says_what_it_would_take(tmp_path: Path) -> None:
    planned = sweep(*FEW, "--dry-run", "--quiet", runs=tmp_path)
    assert planned.code == 0, planned.err
    assert "exchanges       48" in planned.out
    assert list(tmp_path.glob("*/")) == []


def test_a_killed_sweep_is_resumed_as_a_whole_by_one_command(tmp_path: Path) -> None:
    undisturbed, killed = tmp_path / "undisturbed", tmp_path / "killed"
    with server() as endpoint:
        assert sweep(*FEW, "--quiet", runs=undisturbed, **endpoint.settings).code == 0
    with server(RehearsalOptions(latency_ms=60)) as endpoint:
        with started(*FEW, "--concurrency", "4", runs=killed, module=MODULE, **endpoint.settings) as process:
            wait_for_calls(endpoint, process, 20)
            process.kill()
            process.wait()
        resumed = sweep("--resume", "last", "--quiet", runs=killed, **endpoint.settings)
        assert resumed.code == 0, resumed.err
        # Those in flight when it died, and one answer on its way to the disk for each of the 6 open cells.
        assert endpoint.stats()["repeated_after_answer"] <= 4 + 6
    assert findings(killed) == findings(undisturbed)


def findings(runs: Path) -> dict[str, Any]:
    """The contents of the files of a sweep, without ids and addresses."""
    folder = group(runs)
    found: dict[str, Any] = {
        name: re.sub(r"http://127.0.0.1:\d+", "", without_ids((folder / name).read_text(encoding="utf-8")))
        for name in ("sweep.json", "sweep.md", "sweep.csv")
    }
    found["responses"] = [[(line["scenario_id"], line["response"]) for line in lines(path)] for path in of_runs(runs)]
    return found


def test_where_nothing_was_answered_the_files_say_so(tmp_path: Path) -> None:
    with server(RehearsalOptions(empty=1.0)) as endpoint:
        failed = sweep("--vary", "temperature=0.3,1.2", "--limit", "3", "--quiet", runs=tmp_path, **endpoint.settings)
    assert failed.code == 3, failed.err
    said = " ".join(failed.out.split())
    assert "NO VERDICT: no exchange has an overall in both runs" in said
    assert "2 of 2 settings are incomplete" in said and "not scored" in said
    assert {path.name for path in group(tmp_path).iterdir()} == FILES


def test_a_parameter_that_the_endpoint_refuses_is_named(tmp_path: Path) -> None:
    flags = ("--vary", "temperature=0.3,1.2", "--vary", "max_tokens=50,60", "--limit", "10", "--quiet")
    with server(RehearsalOptions(refuse_temperature=True, refuse_max_tokens=True)) as endpoint:
        done = sweep(*flags, runs=tmp_path, **endpoint.settings)
    assert done.code == 0, done.err
    notes = document(group(tmp_path), "sweep.json")["notes"]
    assert len(notes) == 1 and notes[0].startswith("temperature was not sent: the endpoint refuses it for rehearsal")


def test_what_is_stopped_by_its_cost_says_how_all_of_it_goes_on(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text('as_of: "2026-11-20"\nmodels:\n  rehearsal: {input: 1000, output: 1000}\n')
    with server() as endpoint:
        stopped = sweep(
            *FEW, "--quiet", "--concurrency", "1", "--max-cost", "3", "--prices", str(prices), runs=tmp_path,
            **endpoint.settings,
        )  # fmt: skip
    assert stopped.code == 3, stopped.err
    said = " ".join(stopped.out.split())
    assert "4 of 4 settings are incomplete; go on with all of them: make sweep ARGS=" in said
    assert "coverage" in said and "best overall" not in said


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--vary", "temprature=1,2"), "did you mean temperature?"),
        (("--vary", "temperature=0.3,0.7", "--temperature", "1"), "temperature is given twice"),
        (("--vary", "model=a,b"), "the rehearsal model is the only one"),
        (("--prompt", "v2", "--prompt", "v2"), "asked for twice"),
        (("--expected", "nowhere.yaml"), "no set of expected ranges 'nowhere.yaml'"),
        (("--resume", "last"), "there is no run yet"),
    ],
)
def test_a_mistake_is_one_line(tmp_path: Path, arguments: tuple[str, ...], complaint: str) -> None:
    refused = sweep(*arguments, "--quiet", runs=tmp_path)
    assert refused.code == 2
    assert complaint in refused.err
    assert refused.err.count("\n") == 1


def test_a_setting_that_is_scored_again_is_a_run_of_its_own(tmp_path: Path) -> None:
    assert sweep("--vary", "temperature=0.3,1.2", "--limit", "2", "--quiet", runs=tmp_path).code == 0
    assert run("last", "--no-judge", "--quiet", runs=tmp_path, module="scripts.rescore_run").code == 0
    (rescored,) = tmp_path.glob("*-rescored-*")
    assert "setting of a sweep" not in (rescored / "report.html").read_text(encoding="utf-8")
    refused = sweep("--resume", rescored.name, "--quiet", runs=tmp_path)
    assert refused.code == 2
    assert "is no sweep's" in refused.err


def test_what_is_no_sweep_is_not_resumed_as_one(tmp_path: Path) -> None:
    assert run("--prompt", "v3", "--limit", "2", "--quiet", runs=tmp_path).code == 0
    refused = sweep("--resume", "last", "--quiet", runs=tmp_path)
    assert refused.code == 2
    assert "is no sweep's: go on with make eval" in refused.err


@pytest.mark.parametrize("module", ["scripts.evaluate_prompts", "scripts.evaluate_chat_flow"])
def test_another_command_leads_to_the_one_that_goes_on_with_a_sweep(done: tuple[Path, Finished], module: str) -> None:
    runs, _ = done
    name = of_runs(runs)[0].name
    refused = run("--resume", name, "--quiet", runs=runs, module=module)
    assert refused.code == 2
    assert refused.err.splitlines() == [
        f'error: run {name} is one setting of a sweep: go on with all of it: make sweep ARGS="--resume {name}"'
    ]


def test_a_sweep_that_lost_a_setting_is_not_gone_on_with_and_goes_with_its_last_run(tmp_path: Path) -> None:
    assert sweep("--vary", "temperature=0.3,1.2", "--limit", "2", "--quiet", runs=tmp_path).code == 0
    first, second = (path.name for path in of_runs(tmp_path))
    folder = group(tmp_path)
    with Journal.open(tmp_path / "evals.db") as journal:
        remove([first], journal, Settings(runs_dir=tmp_path))
    assert folder.is_dir()
    refused = sweep("--resume", second, "--quiet", runs=tmp_path)
    assert refused.code == 2
    assert "only 1 of 2 settings of this sweep are in the journal" in refused.err
    with Journal.open(tmp_path / "evals.db") as journal:
        remove([second], journal, Settings(runs_dir=tmp_path))
    assert not folder.exists()


def test_prompts_vary_too(tmp_path: Path) -> None:
    flags = ("--prompt", "v2", "--prompt", "v3", "--vary", "temperature=0.5", "--limit", "10", "--quiet")
    assert sweep(*flags, runs=tmp_path).code == 0
    names = [setting["name"] for setting in document(group(tmp_path), "sweep.json")["settings"]]
    assert names == ["penpal-companion v2", "penpal-companion v3"]
    assert document(group(tmp_path), "sweep.json")["effects"] == []


def test_every_setting_is_an_experiment_of_its_own(tmp_path: Path) -> None:
    with LangfuseDouble() as langfuse, server() as endpoint:
        flags = ("--vary", "temperature=0.3,1.2", "--limit", "10", "--quiet")
        sent = sweep(*flags, runs=tmp_path, **endpoint.settings, **keys(langfuse))
        assert sent.code == 0, sent.err + sent.out[-1000:]
        reports = [document(path, "summary.json")["langfuse"] for path in of_runs(tmp_path)]
        assert all(report["pending"] == report["rejected"] == 0 < report["verified"] for report in reports)
        assert len({tuple(report["experiments"]) for report in reports}) == 2
        names = {
            str(span.attributes[name])
            for span in langfuse.spans()
            for name in span.attributes
            if name.endswith("experiment.name")
        }
        assert len(names) == 2
        assert all("temperature 0.3" in name or "temperature 1.2" in name for name in names)
        assert langfuse.body_problems() == [] and not langfuse.duplicates()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = browser_path()
    if program is None:
        pytest.skip("no Chromium is installed (Debian: apt-get install chromium)")
    opened = Browser(program)
    yield opened
    opened.close()


@pytest.mark.slow
def test_the_page_has_no_fault_draws_its_pictures_and_is_printed(done: tuple[Path, Finished], browser: Browser) -> None:
    assert browser.do(find_faults(browser.page, group(done[0]) / "report.html")) == []
    assert browser.do(browser.page.run("document.querySelectorAll('#list li').length")) > 10
    for drawn in (".heat td.h10", ".curves polyline", ".curves polygon", ".trade circle", ".forest .dot"):
        assert browser.do(browser.page.run(f"document.querySelectorAll('{drawn}').length")) > 0, drawn
    assert browser.do(browser.page.printed()).startswith(b"%PDF")
