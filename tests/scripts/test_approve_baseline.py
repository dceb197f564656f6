"""A run may become a baseline, or is refused with the reason."""

import json
from pathlib import Path

import pytest

from services.rehearsal.options import RehearsalOptions
from tests.scripts.commands import Finished, document, run, server
from tests.scripts.judges import Judging, settings
from tests.services.scripted_endpoint import scripted_endpoint

FEW = ("--prompt", "v3", "--limit", "12", "--quiet")


def approve(runs: Path, *arguments: str) -> Finished:
    settings = {"EVAL_BASELINES_DIR": str(runs / "baselines")}
    return run("last", *arguments, runs=runs, module="scripts.approve_baseline", **settings)


def test_a_rehearsal_is_refused_unless_it_is_allowed(tmp_path: Path) -> None:
    assert run(*FEW, runs=tmp_path).code == 0
    refused = approve(tmp_path)
    assert refused.code == 2
    assert "answered by the rehearsal model" in refused.err and "--allow-rehearsal" in refused.err
    assert not (tmp_path / "baselines").exists()
    done = approve(tmp_path, "--allow-rehearsal")
    assert done.code == 0, done.err
    assert "v3 of run" in done.out and "12 scenarios x 1 repeat" in done.out and "review and commit it" in done.out
    assert document(tmp_path / "baselines", "penpal-companion.json")["rehearsal"] is True
    again = approve(tmp_path, "--allow-rehearsal")
    assert "before: run" in again.out


def test_a_failed_gate_and_an_unfit_judge_take_force_and_a_reason(tmp_path: Path) -> None:
    with server(RehearsalOptions(judge_mode="random")) as endpoint:
        assert run(*FEW, "--gate", "deploy", runs=tmp_path, **endpoint.settings).code == 1
    refused = approve(tmp_path)
    assert refused.code == 2
    assert (
        "known quality" in refused.err and "its gate deploy failed" in refused.err and "--force REASON" in refused.err
    )
    assert approve(tmp_path, "--force", " ").code == 2
    done = approve(tmp_path, "--force", "the judge is being replaced")
    assert done.code == 0, done.err
    assert document(tmp_path / "baselines", "penpal-companion.json")["forced"] == "the judge is being replaced"


@pytest.mark.parametrize(
    ("names", "more", "fault"),
    [
        (("judge-1",), ("--no-canaries",), "the judge was not checked"),
        (("judge-1", "judge-2"), (), "the judge changed within the run"),
    ],
)
def test_a_baseline_against_which_no_night_can_pass_says_so(
    tmp_path: Path, names: tuple[str, ...], more: tuple[str, ...], fault: str
) -> None:
    """And the night that is held against it names what helps: an approval of its own run, not one more night."""
    judging = Judging(names=names)
    with scripted_endpoint(judging) as endpoint:
        arguments = (*FEW[2:], "--judge-format", "json")
        given = {**settings(endpoint.url), "EVAL_BASELINES_DIR": str(tmp_path / "baselines")}
        assert run("--prompt", "production", *arguments, *more, runs=tmp_path, **given).code == 0
        done = approve(tmp_path)
        assert done.code == 0
        assert f"no night passes against it: baseline v2: {fault}" in done.out
        judging.names = ("judge-1",)
        night = run(*arguments, runs=tmp_path, module="scripts.nightly", **given)
    assert night.code == 1
    assert "NOT MEASURED" in night.out
    assert (
        f"next: make approve-baseline RUN={document(tmp_path / 'nightly/latest', 'night.json')['runs']['production']}"
        in (" ".join(night.out.split()))
    )


def test_missing_answers_cannot_be_forced(tmp_path: Path) -> None:
    with server(RehearsalOptions(empty=0.3, faults_on="generation")) as endpoint:
        assert run(*FEW, runs=tmp_path, **endpoint.settings).code == 3
    refused = approve(tmp_path, "--force", "in a hurry")
    assert refused.code == 2
    assert "is incomplete" in refused.err and "--resume" in refused.err


def test_a_gate_of_a_comparison_counts_too(tmp_path: Path) -> None:
    with server() as endpoint:
        compared = run(
            *("--base", "v3", "--prompt", "v1", "--limit", "12", "--gate", "no_regression", "--quiet"),
            runs=tmp_path,
            module="scripts.compare_prompts",
            **endpoint.settings,
        )
    assert compared.code == 1, compared.err
    candidate = json.loads((next(tmp_path.glob("*-v1-*")) / "decision.json").read_text())["run_id"]
    settings = {"EVAL_BASELINES_DIR": str(tmp_path / "baselines")}
    refused = run(candidate, runs=tmp_path, module="scripts.approve_baseline", **settings)
    assert refused.code == 2
    assert "its gate no_regression failed" in refused.err
