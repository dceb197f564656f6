"""Calls in batches: what a live run says, at half the price, whatever goes wrong, and nothing paid twice."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from scripts.run.endpoints import Endpoints
from services.rehearsal.options import RehearsalOptions
from tests.batch_endpoint import BatchEndpoint, Faults, batch_endpoint
from tests.scripts.batches import FEW, evaluate, said
from tests.scripts.commands import ROOT, environment, run, started
from tests.scripts.killed_in_batches import STEPS
from tests.shared import made_once

PRICES = """
as_of: "2026-11-01"
models:
  rehearsal: {input: 1, output: 2}
  rehearsal-judge: {input: 1, output: 2}
"""


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs of an evaluation that asked live."""

    def make(folder: Path) -> None:
        (folder / "prices.yaml").write_text(PRICES)
        with batch_endpoint() as endpoint:
            priced = ("--prices", str(folder / "prices.yaml"))
            assert run(*FEW, *priced, runs=folder / "runs", **endpoint.settings).code == 0
            assert not endpoint.batches

    return made_once(tmp_path_factory, "live", make)


UNCHECKED = (*FEW, "--no-canaries")
"""What becomes of a batch is the same whatever its questions are about."""


def nothing_paid_twice(endpoint: BatchEndpoint) -> bool:
    return set(endpoint.answered.values()) == {1}


def test_it_says_what_a_live_run_says_at_half_the_price(live: Path, tmp_path: Path) -> None:
    with batch_endpoint() as endpoint:
        done = evaluate(endpoint, tmp_path, *FEW, "--batch", "--prices", str(live / "prices.yaml"))
    assert (done.code, done.err) == (0, "")
    assert said(tmp_path) == said(live / "runs")
    assert endpoint.live == 1, "the judge is asked for its format before the run"
    assert nothing_paid_twice(endpoint)
    mine, theirs = (json.loads((runs / "latest" / "summary.json").read_text()) for runs in (tmp_path, live / "runs"))
    assert mine["replies"]["cost_usd"] == pytest.approx(theirs["replies"]["cost_usd"] / 2)
    assert (mine["replies"]["median_ms"], theirs["replies"]["median_ms"] is None) == (None, False)


@pytest.mark.parametrize(
    "faults",
    [
        Faults(upload=2),
        Faults(create=2),
        Faults(create_lost=2),
        Faults(look=3),
        Faults(cut=2),
        Faults(garbled=1),
        Faults(line_errors=3),
        Faults(expires=1),
        Faults(fails=["token_limit_exceeded", "token_limit_exceeded"]),
    ],
    ids=lambda faults: next(name for name, value in vars(faults).items() if value),
)
def test_a_fault_is_met_by_its_rule(live: Path, tmp_path: Path, faults: Faults) -> None:
    unreadable = faults.garbled
    with batch_endpoint(faults=faults) as endpoint:
        done = evaluate(endpoint, tmp_path, *UNCHECKED, "--batch")
    assert (done.code, done.err) == (0, "")
    assert said(tmp_path) == said(live / "runs")
    assert sum(endpoint.answered.values()) == len(endpoint.answered) + unreadable


def test_a_line_that_fails_again_and_again_fails_its_exchange_alone(tmp_path: Path) -> None:
    options = RehearsalOptions()
    with batch_endpoint(options, faults=Faults(line_errors=12)) as endpoint:
        done = evaluate(endpoint, tmp_path, *FEW, "--no-judge", "--batch")
    assert done.code == 3
    assert "HTTP 500 (in 3 batches)" in (tmp_path / "latest" / "summary.md").read_text()


@pytest.mark.parametrize(
    ("faults", "why"),
    [
        (Faults(fails=["model_not_found"]), "refuses batch batch_1 (model_not_found: it says model_not_found)"),
        (Faults(no_credit=1), "it has no credit left"),
        (Faults(cancelled=1), "batch batch_1 was cancelled at the server: go on to send its rest once more"),
    ],
)
def test_what_ends_the_run_is_one_line_and_a_resume_goes_on(
    live: Path, tmp_path: Path, faults: Faults, why: str
) -> None:
    with batch_endpoint(faults=faults) as endpoint:
        done = evaluate(endpoint, tmp_path, *UNCHECKED, "--batch")
        assert done.code == 2
        assert why in done.err
        assert "go on" in done.err
        assert evaluate(endpoint, tmp_path, "--resume", "last", "--quiet").code == 0
    assert said(tmp_path) == said(live / "runs")
    assert nothing_paid_twice(endpoint)


def test_an_endpoint_without_batches_is_one_line(tmp_path: Path) -> None:
    with batch_endpoint() as endpoint:
        endpoint.url = endpoint.url.replace("/v1", "/v1/elsewhere")
        done = evaluate(endpoint, tmp_path, *FEW, "--no-judge", "--batch")
    assert done.code == 2
    assert "has no batches" in done.err


def test_the_rehearsal_model_has_no_batches(tmp_path: Path) -> None:
    done = run(*FEW, "--batch", runs=tmp_path)
    assert (done.code, done.err.splitlines()[-1].startswith("error: --batch: the rehearsal model")) == (2, True)


def test_ctrl_c_leaves_the_batch_at_work_and_a_resume_takes_it_up(live: Path, tmp_path: Path) -> None:
    with batch_endpoint(faults=Faults(never=True)) as endpoint:
        with started(*FEW, "--batch", runs=tmp_path, **endpoint.settings) as process:
            assert endpoint.has_batch.wait(60)
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=30)
        assert process.returncode == 130
        assert "--resume" in out
        endpoint.faults.never = False
        assert evaluate(endpoint, tmp_path, "--resume", "last", "--quiet").code == 0
    assert said(tmp_path) == said(live / "runs")
    assert nothing_paid_twice(endpoint)


def test_with_auto_a_batch_that_never_starts_is_ended_and_its_rest_asked_live(live: Path, tmp_path: Path) -> None:
    with batch_endpoint(faults=Faults(never=True)) as endpoint:
        done = evaluate(endpoint, tmp_path, *UNCHECKED, "--batch", "auto", "--batch-hours", "0.00001")
    assert (done.code, done.err) == (0, "")
    assert said(tmp_path) == said(live / "runs")
    assert {batch.status for batch in endpoint.batches.values()} == {"cancelled"}


def test_a_process_that_is_killed_loses_and_doubles_nothing(live: Path, tmp_path: Path) -> None:
    killed_and_taken_up(live, tmp_path, "after the making")


@pytest.mark.long
@pytest.mark.parametrize("step", STEPS)
def test_whichever_step_it_is_killed_at(live: Path, tmp_path: Path, step: str) -> None:
    killed_and_taken_up(live, tmp_path, step)


def killed_and_taken_up(live: Path, runs: Path, step: str) -> None:
    with batch_endpoint(looks=1) as endpoint:
        killed = subprocess.run(
            [sys.executable, "-m", "tests.scripts.killed_in_batches", step, *FEW, "--batch"],
            cwd=ROOT,
            env=environment(runs, endpoint.settings),
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert killed.returncode == -9, killed.stderr
        done = evaluate(endpoint, runs, "--resume", "last", "--quiet")
    assert (done.code, done.err) == (0, "")
    assert said(runs) == said(live / "runs")
    assert nothing_paid_twice(endpoint)


def test_an_endpoint_is_known_by_the_variable_of_its_address() -> None:
    usual, other = cast(Any, object()), cast(Any, object())
    endpoints = Endpoints(usual, {"same": usual, "my_judge": other})
    assert endpoints.variable_of(usual) == "OPENAI_BASE_URL"
    assert endpoints.variable_of(other) == "EVAL_ENDPOINT_MY_JUDGE_URL"
