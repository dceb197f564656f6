"""A report of a run says how far its judge agrees with people as soon as that was measured, and of no other judge."""

from pathlib import Path

from tests.scripts.commands import document, run, server
from tests.scripts.test_calibrate import calibrate, rated

FEW = ("--prompt", "v3", "--limit", "3", "--expectations", "none", "--conversations", "none")


def test_a_judge_that_was_calibrated_is_known_and_another_is_not(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    with server() as endpoint:
        before = run(*FEW, runs=runs, **endpoint.settings)
        assert "judge and combined not known" in before.out
        done = calibrate(tmp_path, rated(24), **endpoint.settings)
        assert done.code == 0, done.err
        after = run(*FEW, runs=runs, **endpoint.settings)
        found = document(runs / "latest", "summary.json")["agreement"]
        assert found["judge"]["origin"] == "calibration"
        assert (found["judge"]["n"], found["judge"]["earlier"]) == (24, "")
        assert f"judge {found['judge']['rho']:.2f}" in after.out
        page = (runs / "latest" / "report.html").read_text(encoding="utf-8")
        assert "Agreement with people" in page and "a calibration" in page
        other = run(*FEW, "--judge-format", "text", runs=runs, **endpoint.settings)
    assert "judge and combined not known" in other.out
    assert document(runs / "latest", "summary.json")["agreement"]["judge"] is None


def test_the_rules_of_the_shipped_rubric_are_known_from_public_ratings(tmp_path: Path) -> None:
    done = run(*FEW, "--no-judge", runs=tmp_path)
    found = document(tmp_path / "latest", "summary.json")["agreement"]
    assert list(found) == ["heuristic"]
    assert (found["heuristic"]["origin"], found["heuristic"]["data"]) == ("shipped", "conture.dev")
    assert "agreement with people: rules 0." in done.out
