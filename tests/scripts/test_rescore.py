"""Scoring a stored run again: a run of its own, with the replies of its parent and not one generation."""

from pathlib import Path

import pytest

from services.rehearsal.options import RehearsalOptions
from tests.scripts.commands import Server, all_lines, document, lines, run, server

FIRST = (
    "--prompt",
    "v3",
    "--limit",
    "6",
    "--quiet",
    "--no-canaries",
    "--judge-format",
    "schema",
    "--expectations",
    "none",
)


def made(endpoint: Server) -> dict[str, int]:
    return {purpose: sum(outcomes.values()) for purpose, outcomes in endpoint.stats()["by_purpose"].items()}


def rescored(runs: Path, endpoint: Server, *arguments: str, code: int = 0) -> Path:
    """The folder of the newest run, after the last one was scored again."""
    done = run("last", "--quiet", *arguments, runs=runs, module="scripts.rescore_run", **endpoint.settings)
    assert done.code == code, done.err
    return (runs / "latest").resolve()


def replies(folder: Path) -> list[tuple[object, ...]]:
    return [(line["scenario_id"], line["turn"], line["response"], line["state"]) for line in lines(folder)]


def test_the_same_judge_makes_no_call_at_all(tmp_path: Path) -> None:
    with server() as endpoint:
        assert run(*FIRST, runs=tmp_path, **endpoint.settings).code == 0
        parent = (tmp_path / "latest").resolve()
        before = made(endpoint)
        child = rescored(tmp_path, endpoint)
        assert made(endpoint) == before
    assert child != parent
    assert document(child, "manifest.json")["parent_run_id"] == parent.name
    assert document(child, "manifest.json")["digests"] == document(parent, "manifest.json")["digests"]
    assert replies(child) == replies(parent)
    assert [line["scores"] for line in lines(child)] == [line["scores"] for line in lines(parent)]
    assert all(line["cached"] and line["judge"]["cached"] for line in lines(child))
    assert document(child, "summary.json")["cost_usd"] == 0


def test_another_judge_is_asked_and_nobody_else(tmp_path: Path) -> None:
    with server(RehearsalOptions(any_model=True)) as endpoint:
        assert run(*FIRST, runs=tmp_path, **endpoint.settings).code == 0
        before = made(endpoint)
        arguments = ("--judge-model", "another", "--judge-format", "text", "--no-canaries")
        child = rescored(tmp_path, endpoint, *arguments)
        after = made(endpoint)
    assert after["generation"] == before["generation"]
    assert after["judge"] - before["judge"] == len(all_lines(child))
    assert document(child, "manifest.json")["spec"]["judge"]["model"] == "another"
    assert all(set(line["scores"]["judge"]) == {"overall_quality"} for line in lines(child))


def test_without_a_judge_the_rules_alone_score_again(tmp_path: Path) -> None:
    with server() as endpoint:
        assert run(*FIRST, runs=tmp_path, **endpoint.settings).code == 0
        before = made(endpoint)
        rubric = tmp_path / "mine.yaml"
        shipped = Path("evaluation/rubrics/companion.yaml").read_text(encoding="utf-8")
        assert shipped.count("deploy: 0.7") == 1
        rubric.write_text(shipped.replace("deploy: 0.7", "deploy: 0.99"), encoding="utf-8")
        child = rescored(tmp_path, endpoint, "--no-judge", "--rubric", str(rubric))
        assert made(endpoint) == before
    assert document(child, "decision.json")["source"] == "heuristic"
    assert document(child, "decision.json")["verdict"] != "deploy"
    assert all(line["judge"] is None for line in lines(child))


def test_what_failed_before_stays_failed_and_a_rescored_run_can_be_resumed(tmp_path: Path) -> None:
    with server(RehearsalOptions(empty=0.4, faults_on="generation")) as endpoint:
        assert run(*FIRST, runs=tmp_path, **endpoint.settings).code == 3
        parent = (tmp_path / "latest").resolve()
        before = made(endpoint)
        child = rescored(tmp_path, endpoint, code=3)
        assert run("--resume", child.name, "--quiet", runs=tmp_path, **endpoint.settings).code == 3
        assert made(endpoint)["generation"] == before["generation"]
    assert replies(child) == replies(parent)
    assert document(child, "summary.json")["counts"] == document(parent, "summary.json")["counts"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [(("nope",), "nope"), (("last", "--rubric", "nope"), "nope"), (("last", "--suite", "x"), "x")],
)
def test_a_wrong_argument_is_one_line_and_two(tmp_path: Path, arguments: tuple[str, ...], named: str) -> None:
    assert run("--prompt", "v3", "--limit", "2", "--quiet", "--no-judge", runs=tmp_path).code == 0
    done = run(*arguments, runs=tmp_path, module="scripts.rescore_run")
    assert (done.code, done.out) == (2, "")
    assert named in done.err
    assert "Traceback" not in done.err


def test_a_kept_judge_without_a_price_is_refused_under_a_cost_limit(tmp_path: Path) -> None:
    with server() as endpoint:
        assert run(*FIRST, runs=tmp_path, **endpoint.settings).code == 0
        before = made(endpoint)
        flags = ("last", "--quiet", "--max-cost", "1", "--cache", "none")
        done = run(*flags, runs=tmp_path, module="scripts.rescore_run", **endpoint.settings)
        assert done.code == 2
        assert "no price is known" in done.err
        assert made(endpoint) == before


PLAYED = "category: small_talk\nscenarios:\n" + "".join(
    f"- {{id: day-{number}, turns: ['Day {number} was long.']}}\n" for number in range(3)
)
HELD = PLAYED.replace(
    "long.']", "long.'], expect: [{id: asks, check: question}, {id: is-warm, ask: 'Does it say that a day was long?'}]"
)


def test_a_run_from_before_there_were_expectations_is_held_to_those_of_today(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(PLAYED, encoding="utf-8")
    first = ("--prompt", "v3", "--scenarios", str(own), "--quiet", "--no-canaries", "--judge-format", "schema")
    with server() as endpoint:
        assert run(*first, runs=tmp_path, **endpoint.settings).code == 0
        shared = {answer["id"] for line in lines((tmp_path / "latest").resolve()) for answer in line["expectations"]}
        assert not {"asks", "is-warm"} & shared
        own.write_text(HELD.replace("Day 2 was", "Day two was"), encoding="utf-8")
        before = made(endpoint)
        done = run("last", runs=tmp_path, module="scripts.rescore_run", **endpoint.settings)
        assert done.code == 0, done.err
        after = made(endpoint)
        child = (tmp_path / "latest").resolve()
        again = rescored(tmp_path, endpoint)
        assert made(endpoint) == after
    # One question each about the two scenarios that have other items; verdicts and all other answers are kept.
    assert (after["generation"], after["judge"]) == (before["generation"], before["judge"] + 2)
    answers = {
        line["scenario_id"]: {each["id"]: each["source"] for each in line["expectations"]} for line in lines(child)
    }
    assert all({"asks": "rule", "is-warm": "judge"}.items() <= answers[name].items() for name in ("day-0", "day-1"))
    assert not {"asks", "is-warm"} & answers["day-2"].keys()
    assert "expectations are those of today: others than were played with in 2 scenarios" in done.err
    assert "1 scenario is not written as it was played: the expectations of then stay" in done.err
    assert [line["expectations"] for line in lines(again)] == [line["expectations"] for line in lines(child)]


def test_without_its_files_a_run_keeps_its_expectations_and_a_line_says_so(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(HELD, encoding="utf-8")
    assert run("--prompt", "v3", "--scenarios", str(own), "--quiet", "--no-judge", runs=tmp_path).code == 0
    played = [line["expectations"] for line in lines((tmp_path / "latest").resolve())]
    own.unlink()
    done = run("last", "--quiet", "--no-judge", runs=tmp_path, module="scripts.rescore_run")
    assert done.code == 0
    assert "expectations are those that the run was played with, as today's cannot be read" in done.err
    assert [line["expectations"] for line in lines((tmp_path / "latest").resolve())] == played
    assert any(played)


def test_nobody_answers_where_that_is_asked_for(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(HELD, encoding="utf-8")
    assert run("--prompt", "v3", "--scenarios", str(own), "--quiet", "--no-judge", runs=tmp_path).code == 0
    flags = ("last", "--quiet", "--no-judge", "--expectations", "none")
    assert run(*flags, runs=tmp_path, module="scripts.rescore_run").code == 0
    assert not any(line["expectations"] for line in lines((tmp_path / "latest").resolve()))
