"""A run that there is not, given to any command by any flag, ends it before the first call and leaves nothing."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from scripts.compare.sides import names_run
from tests.scripts.commands import ROOT, Finished, only_run, run
from tests.services.scripted_endpoint import ScriptedEndpoint, say, scripted_endpoint

GATE = ("--gate", "no_regression")
COMMANDS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "eval --resume": ("evaluate_prompts", ("--resume", "RUN"), "--resume"),
    "eval-chat --resume": ("evaluate_chat_flow", ("--resume", "RUN"), "--resume"),
    "eval-chat --base": ("evaluate_chat_flow", ("--base", "RUN", *GATE, "--limit", "2"), "--base"),
    "sweep --resume": ("sweep_parameters", ("--resume", "RUN"), "--resume"),
    "compare --resume": ("compare_prompts", ("--prompt", "v1", "--by=model", "--values=a,b", "--resume=RUN"), ""),
    "rescore": ("rescore_run", ("--", "RUN"), "RUN_ID"),
    "approve-baseline": ("approve_baseline", ("--", "RUN"), "RUN_ID"),
    "review walk": ("review", ("walk", "--reviewer", "ana", "--", "RUN"), "RUN_ID"),
    "review sheet": ("review", ("sheet", "--csv", "never.csv", "--", "RUN"), "RUN_ID"),
    "review take": ("review", ("take", "--reviewer", "ana", "--", "never.csv", "RUN"), "RUN_ID"),
    "review queue": ("review", ("queue", "--name", "q", "--", "RUN"), "RUN_ID"),
    "review fetch": ("review", ("fetch", "--name", "q", "--", "RUN"), "RUN_ID"),
    "runs show": ("manage_runs", ("show", "--", "RUN"), "RUN_ID"),
    "runs report": ("manage_runs", ("report", "--", "RUN"), "RUN_ID"),
    "runs diff": ("manage_runs", ("diff", "--", "RUN", "last"), "RUN_ID"),
    "runs diff, second": ("manage_runs", ("diff", "--", "last", "RUN"), "RUN_ID"),
    "runs export": ("manage_runs", ("export", "--csv", "never.csv", "--", "RUN"), "RUN_ID"),
}
MISTYPED = (
    "nope",
    "",
    " ",
    "../latest",
    "LAST",
    "v3",
    "RUN_ID",
    "-",
    "x" * 5_000,
    "<id>x",
    "<id-1>",
    "runs/<id>",
    " <id>",
)
"""`<id>` stands for the id of the run that there is."""
OF_COMPARE = ("<id>x", "<id-1>", "runs/<id>", " <id>", "<id with a small t>", "")
"""Not prompts, for which anything else is taken."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run, by the embedded model."""
    folder = tmp_path_factory.mktemp("runs")
    assert run("--prompt", "v3", "--limit", "2", "--quiet", "--no-judge", runs=folder).code == 0
    return folder


def typed(value: str, runs: Path) -> str:
    run_id = only_run(runs).name
    value = value.replace("<id with a small t>", run_id.replace("T", "t", 1)).replace("<id-1>", run_id[1:])
    return value.replace("<id>", run_id)


def state(runs: Path) -> object:
    """All that a command could leave behind."""
    if not runs.exists():
        return None
    with closing(sqlite3.connect(runs / "evals.db")) as journal:
        rows = [journal.execute(f"SELECT count(*) FROM {table}").fetchone() for table in ("runs", "calls", "results")]
    files = {path.relative_to(runs) for path in runs.rglob("*") if not path.name.startswith("evals.db")}
    return rows, files, (ROOT / "never.csv").exists()


def given(module: str, arguments: tuple[str, ...], runs: Path, endpoint: ScriptedEndpoint) -> Finished:
    settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_MODEL": "m", "CHAT_FLOW_URL": endpoint.url}
    before = state(runs)
    done = run(*arguments, runs=runs, module=f"scripts.{module}", **settings)
    assert (done.code, endpoint.calls) == (2, []), done.err
    assert state(runs) == before
    assert done.err.startswith("error: ") and done.err.count("\n") == 1, done.err
    return done


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_refuses_a_run_that_there_is_not(name: str, runs: Path) -> None:
    module, arguments, flag = COMMANDS[name]
    with scripted_endpoint([say("no")]) as endpoint:
        for value in MISTYPED:
            reference = typed(value, runs)
            filled = tuple(
                part.replace("RUN", reference) if part in ("RUN", "--resume=RUN") else part for part in arguments
            )
            done = given(module, filled, runs, endpoint)
            if flag:
                assert f"{flag}: there is no run {reference[:80]!r}" in done.err
                assert only_run(runs).name in done.err
                assert len(done.err) < 400


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("reference", ["last", "20261120T140203Z-penpal-companion-v3-4f2a9c"])
def test_without_any_run_no_folder_is_made(name: str, reference: str, tmp_path: Path) -> None:
    module, arguments, flag = COMMANDS[name]
    filled = tuple(part.replace("RUN", reference) if part in ("RUN", "--resume=RUN") else part for part in arguments)
    with scripted_endpoint([say("no")]) as endpoint:
        done = given(module, filled, tmp_path / "runs", endpoint)
        assert not flag or "there is no run yet" in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", OF_COMPARE)
@pytest.mark.parametrize(
    ("flag", "arguments"),
    [
        ("--base", ("--base", "RUN", "--prompt", "v1")),
        ("--prompt", ("--base", "v1", "--prompt", "RUN")),
        ("--prompt", ("--prompt", "RUN", "--prompt", "v1")),
        ("--base", ("--base", "RUN", "--prompt", "last")),
    ],
)
def test_what_looks_like_a_run_is_no_prompt_to_compare(
    flag: str, arguments: tuple[str, ...], value: str, runs: Path
) -> None:
    reference = typed(value, runs)
    with scripted_endpoint([say("no")]) as endpoint:
        done = given(
            "compare_prompts", tuple(reference if part == "RUN" else part for part in arguments), runs, endpoint
        )
    assert f"error: {flag}" in done.err and repr(reference) in done.err
    assert not value or only_run(runs).name in done.err


def test_a_run_compared_with_itself_and_a_mistyped_prompt_cost_nothing(runs: Path) -> None:
    with scripted_endpoint([say("no")]) as endpoint:
        twice = given("compare_prompts", ("--base", "last", "--prompt", only_run(runs).name), runs, endpoint)
        assert "is named twice" in twice.err
        assert "nope" in given("compare_prompts", ("--base", "nope", "--prompt", "v1"), runs, endpoint).err
        both = ("--base", "last", "--prompt", "last", "--resume", "nope")
        assert "--resume" in given("compare_prompts", both, runs, endpoint).err


def test_a_base_of_another_suite_is_refused_before_the_first_call(runs: Path) -> None:
    before = state(runs)
    with scripted_endpoint([say("no")]) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_MODEL": "m", "CHAT_FLOW_URL": endpoint.url}
        arguments = ("--base", "last", *GATE, "--limit", "2", "--quiet")
        done = run(*arguments, runs=runs, module="scripts.evaluate_chat_flow", **settings)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "suites cannot be compared" in done.err
    assert [call.method for call in endpoint.calls] == ["GET"], "the application was looked for, and asked nothing"
    assert state(runs) == before


def test_the_form_of_the_judges_answers_keeps_no_run_from_its_base(tmp_path: Path) -> None:
    """It is found out by asking, after the check: this judge answers in text alone, which no plan foresees."""
    with scripted_endpoint([say("Score: 4 of 5")]) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_JUDGE_MODEL": "m"}
        arguments = ("--limit", "2", "--quiet")
        module = "scripts.evaluate_chat_flow"
        assert run(*arguments, runs=tmp_path, module=module, **settings).code in (0, 3)
        done = run(*arguments, "--base", "last", *GATE, runs=tmp_path, module=module, **settings)
    assert "cannot be compared" not in done.err and "differ in more" not in done.err
    assert len([path for path in tmp_path.iterdir() if path.is_dir() and not path.is_symlink()]) == 2


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("last", True),
        ("20261120T140203Z-penpal-companion-v3-4f2a9c", True),
        ("20261120t140203-penpal", True),
        ("runs/20261120T140203Z-x/", True),
        ("v3", False),
        ("latest", False),
        ("production", False),
        ("20261120", False),
        ("companion@20261120T140203Z", False),
        ("drafts/20261120T140203.md", False),
    ],
)
def test_what_counts_as_a_run(reference: str, expected: bool) -> None:
    assert names_run(reference) is expected
