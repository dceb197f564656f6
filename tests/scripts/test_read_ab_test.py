"""An A/B test read look by look, against a double with two versions in production."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from services.retrying import Backoff
from tests.evaluation.ab.made import PLAN as PLANNED
from tests.langfuse_double.double import LangfuseDouble
from tests.langfuse_double.production import CHATS, MONDAY_NS, SINCE, UNTIL, Turn, of_texts, write
from tests.langfuse_double.production import turns as spread_turns
from tests.scripts.ab_production import COST, DAY_NS, add_versions, keys_of, played, put_score, write_test
from tests.scripts.commands import Finished, run

MODULE = "scripts.read_ab_test"
VERSIONS = ("--base", "v2", "--prompt", "v3")
PLAN = (*VERSIONS, "--since", "2026-11-16", "--margin", "0.02", "--requests-per-minute", "1000000")
HORIZON = (*PLAN, "--horizon", "28")
NAME = "v2-vs-v3"


@pytest.fixture(scope="module")
def busy() -> Iterator[LangfuseDouble]:
    """400 users in two weeks; version 3 is better by 0.06."""
    with LangfuseDouble() as double:
        add_versions(double)
        write_test(double, played(400), 0.06)
        yield double


@pytest.fixture
def langfuse() -> Iterator[LangfuseDouble]:
    with LangfuseDouble() as double:
        add_versions(double)
        yield double


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> "Clock":
    return Clock(monkeypatch)


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self.set(14)

    def set(self, day: float) -> None:
        """So many days after the test began."""
        at = datetime.fromtimestamp((MONDAY_NS + day * DAY_NS) / 1e9, UTC).isoformat(timespec="milliseconds")
        self._monkeypatch.setattr("scripts.ab.look.now", lambda: at.replace("+00:00", "Z"))


def ab(runs: Path, double: LangfuseDouble, *arguments: str, **settings: str) -> Finished:
    return run(*arguments, runs=runs, module=MODULE, **keys_of(double), **settings)


def file_of(runs: Path, name: str, test: str = NAME) -> Path:
    return runs / "ab" / test / name


def looks_of(runs: Path, test: str = NAME) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file_of(runs, "looks.jsonl", test).read_text().splitlines()]


def summary_of(runs: Path, test: str = NAME) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file_of(runs, "summary.json", test).read_text())
    return found


@pytest.mark.slow
def test_a_test_is_read_look_by_look_until_it_is_decided(busy: LangfuseDouble, tmp_path: Path, clock: Clock) -> None:
    verdicts = []
    for day in (1, 8, 8, 13, 14, 30):
        clock.set(day)
        done = ab(tmp_path, busy, *HORIZON)
        assert done.code == 0, done.err
        verdicts.append(summary_of(tmp_path)["verdict"])
    assert verdicts == ["early", "open", "open", "better", "better", "better"]
    looks = looks_of(tmp_path)
    assert [look["verdict"] for look in looks] == ["early", "open", "better"], (
        "the same data and a decided test add none"
    )
    spent = [look["spent"] for look in looks]
    assert spent == sorted(spent) and spent[0] == 0 < spent[-1] < 0.05
    summary = summary_of(tmp_path)
    assert sum(arm["units"] for arm in summary["arms"].values()) == 400
    assert summary["guardrails"]["cost in USD"]["base"] == pytest.approx(0.0012)
    assert summary["plan"]["horizon"] == "2026-12-14T00:00:00.000Z"
    assert done.out.splitlines()[1].startswith("BETTER: v3 is better than v2: rules.overall_quality is higher, by +0.0")
    assert "decided at look 3, 2026-11-29" in done.out
    assert max(map(len, done.out.splitlines())) <= 80 or "/" in max(done.out.splitlines(), key=len)
    files = list((tmp_path / "ab" / NAME).iterdir())
    assert {path.name for path in files} == {"plan.json", "looks.jsonl", "summary.json", "summary.md", "lock"}
    assert "example.org" not in "".join(path.read_text() for path in files)
    assert all(path.stat().st_mode & 0o077 == 0 for path in files)
    assert busy.count("POST *") == 0, "nothing is written there"


@pytest.mark.slow
def test_without_a_horizon_users_count_once_their_window_has_passed(
    busy: LangfuseDouble, tmp_path: Path, clock: Clock
) -> None:
    done = ab(tmp_path, busy, *PLAN, "--name", "open-end", "--window", "5", "--json")
    assert done.code == 0, done.err
    summary = json.loads(done.out)
    assert summary == summary_of(tmp_path, "open-end")
    assert summary["verdict"] == "better" and summary["look"]["spent"] == 0
    assert sum(summary["look"]["users"]) + summary["waiting"] == 400
    assert summary["plan"]["window"] == 5
    clock.set(3)
    early = ab(tmp_path, busy, *PLAN, "--name", "days", "--window", "2")
    assert summary_of(tmp_path, "days")["look"]["verdict"] == "early"
    assert "count once their first 2 days have passed" in early.out


@pytest.mark.parametrize(
    "changed",
    [
        ("--margin", "0.03"), ("--horizon", "29"), ("--horizon", "2026-12-15"), ("--unit", "session"),
        ("--split", "60:40"), ("--alpha", "0.1"), ("--measure", "cost"), ("--since", "2026-11-17"), ("--users", "500"),
        ("--environment", "production"), ("--lower-is-better",), ("--prompt", "v1"),
    ],
)  # fmt: skip
def test_a_look_under_another_plan_is_refused_in_one_line(
    busy: LangfuseDouble, tmp_path: Path, changed: tuple[str, ...]
) -> None:
    planned = replace(PLANNED, horizon="2026-12-14T00:00:00.000Z")
    file_of(tmp_path, "plan.json").parent.mkdir(parents=True)
    file_of(tmp_path, "plan.json").write_text(json.dumps(planned.to_json()))
    done = ab(tmp_path, busy, "--name", NAME, *changed)
    assert done.code == 2 and len(done.err.splitlines()) == 1
    assert "was planned with" in done.err and "--name" in done.err
    assert not file_of(tmp_path, "looks.jsonl").exists()


@pytest.mark.slow
def test_the_same_plan_in_other_words_is_the_same(busy: LangfuseDouble, tmp_path: Path, clock: Clock) -> None:
    clock.set(1)
    assert ab(tmp_path, busy, *HORIZON).code == 0
    same = ("--horizon", "2026-12-14", "--split", "1:1", "--margin", ".02", "--since", "2026-11-16T01:00:00+01:00")
    done = ab(tmp_path, busy, "--name", NAME, "--base", "penpal-companion@2", *same)
    assert done.code == 0, done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "say which versions are compared"),
        (VERSIONS, "say with --since when the test began"),
        ((*VERSIONS, "--since", "2026-11-16"), "say with --margin"),
        (("--name", "new"), "say with --base"),
        ((*PLAN, "--horizon", "2026-11-01"), "is not after --since"),
        ((*PLAN, "--horizon", "soon"), "is no time"),
        ((*PLAN, "--unit", "session"), "needs --horizon"),
        ((*HORIZON, "--window", "7"), "does not go with --horizon"),
        ((*PLAN, "--prompt", "v2"), "are both v2"),
        ((*PLAN, "--prompt", "v9"), "v9"),
        ((*PLAN, "--split", "50"), "is no split"),
        ((*PLAN, "--margin", "0"), "above 0"),
        ((*PLAN, "--name", "../up"), "is not a run's name"),
        ((*VERSIONS, "--margin", "0.02", "--since", "2999-01-01"), "--since 2999-01-01: is in the future"),
    ],
)
def test_what_cannot_be_planned_is_said_in_one_line(
    busy: LangfuseDouble, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = ab(tmp_path, busy, *arguments)
    assert done.code == 2 and len(done.err.splitlines()) == 1, done.err
    assert said in done.err
    assert not list(tmp_path.glob("ab/*/plan.json"))


def test_without_keys_there_is_nothing_to_read(tmp_path: Path) -> None:
    done = run(*PLAN, runs=tmp_path, module=MODULE)
    assert done.code == 2 and "LANGFUSE_PUBLIC_KEY" in done.err


def test_a_broken_split_is_said_and_nothing_compared(langfuse: LangfuseDouble, tmp_path: Path, clock: Clock) -> None:
    write_test(langfuse, played(400, of_candidate=0.65), 0.5)
    done = ab(tmp_path, langfuse, *HORIZON)
    assert done.code == 0, done.err
    assert "SPLIT BROKEN" in done.out and "nothing is compared" in done.out
    (look,) = looks_of(tmp_path)
    assert (look["verdict"], look["spent"], look["difference"]) == ("split_broken", 0.0, None)


def test_what_is_no_response_of_the_test_is_in_no_figure(
    langfuse: LangfuseDouble, tmp_path: Path, clock: Clock
) -> None:
    turns = played(30)
    traces = write_test(langfuse, turns, 0.0)
    nobody = [replace(turn, user="") for turn in played(4, seed=1)]
    beside: dict[str, tuple[dict[str, Any], list[Turn]]] = {
        "of an evaluation": ({"langfuse.trace.tags": ["20261120T140203Z-penpal-companion-v3-4f2a9c"]}, turns[:5]),
        "in the environment of evaluations": ({"langfuse.environment": "evaluation"}, turns[:6]),
        "of another version": ({}, [replace(turn, version=1) for turn in turns[:7]]),
        "without a user": ({}, nobody),
    }
    for number, (attributes, some) in enumerate(beside.values()):
        write(langfuse, some, (of_texts,), prefix=f"beside {number}", **attributes)
    failed = write(langfuse, turns[:8], (of_texts,), prefix="failed", **{"langfuse.observation.level": "ERROR"})
    for turn, trace in zip(turns, failed, strict=False):
        put_score(langfuse, turn, trace, 0.1)
    put_score(langfuse, turns[0], traces[0], "good", data_type="CATEGORICAL")
    put_score(langfuse, turns[0], traces[0], 0.5, trace_id=None, observation_id=None, session_id="s")
    with langfuse.store.lock:
        langfuse.store.add_spans([langfuse.store.spans[0]])
    done = ab(tmp_path, langfuse, *HORIZON)
    assert done.code == 0, done.err
    summary = summary_of(tmp_path)
    assert summary["left_out"] == {
        **{reason: len(some) for reason, (_, some) in beside.items()},
        "sent twice": 1,
        "scores of other generations": 8,
        "scores that are no numbers": 1,
        "scores of a session or an experiment": 1,
    }
    arms = summary["arms"].values()
    assert sum(arm["generations"] for arm in arms) == sum(arm["scored"] for arm in arms) == len(turns)
    assert sum(arm["failed"] for arm in arms) == 8


def test_scores_of_traces_and_of_a_part_of_all_responses_count(
    langfuse: LangfuseDouble, tmp_path: Path, clock: Clock
) -> None:
    turns = played(40)
    traces = write(langfuse, turns, (of_texts,), **COST)
    for turn, trace in list(zip(turns, traces, strict=True))[::2]:
        put_score(langfuse, turn, trace, 0.5, observation_id=None)
    done = ab(tmp_path, langfuse, *HORIZON)
    assert done.code == 0, done.err
    arms = summary_of(tmp_path)["arms"].values()
    assert sum(arm["scored"] for arm in arms) == (len(turns) + 1) // 2
    assert sum(arm["frame"] for arm in arms) == len(turns)


def test_sessions_may_be_assigned_and_cost_be_the_measure(
    langfuse: LangfuseDouble, tmp_path: Path, clock: Clock
) -> None:
    turns = [replace(turn, session=f"s{turn.number}", version=2 + turn.number % 2) for turn in played(150)]
    write(langfuse, turns, (of_texts,), **COST)
    dear = {"langfuse.observation.cost_details": '{"total": 0.0024}'}
    write(langfuse, [turn for turn in turns if turn.version == 3], (of_texts,), prefix="dear", **dear)
    done = ab(tmp_path, langfuse, *HORIZON, "--unit", "session", "--measure", "cost")
    assert done.code == 0, done.err
    summary = summary_of(tmp_path)
    assert summary["plan"]["lower_is_better"] is True
    assert summary["verdict"] == "alike" or summary["look"]["difference"] == pytest.approx(0.0006)
    assert sum(arm["units"] for arm in summary["arms"].values()) == len(turns)
    assert list(summary["guardrails"]) == ["share of errors"]


def test_a_label_that_moved_is_said_and_changes_nothing(langfuse: LangfuseDouble, tmp_path: Path, clock: Clock) -> None:
    write_test(langfuse, played(20), 0.0)
    plan = ("--base", "v2", "--prompt", "live", *PLAN[4:], "--horizon", "28")
    assert ab(tmp_path, langfuse, *plan).code == 0
    with langfuse.store.lock:
        for row in langfuse.store.prompts["penpal-companion"]:
            row.labels = ["live"] if row.version == 1 else []
    done = ab(tmp_path, langfuse, *plan)
    assert done.code == 0, done.err
    assert "label live was at v3" in done.out and "is at v1 now" in " ".join(done.out.split())
    assert set(summary_of(tmp_path, "v2-vs-live")["arms"]) == {"v2", "v3"}


@pytest.mark.slow
def test_a_torn_line_was_never_shown_and_any_other_stops_the_test(
    busy: LangfuseDouble, tmp_path: Path, clock: Clock
) -> None:
    for day in (1, 8):
        clock.set(day)
        assert ab(tmp_path, busy, *HORIZON).code == 0
    path = file_of(tmp_path, "looks.jsonl")
    whole = path.read_text()
    path.write_text(whole[:-20])
    done = ab(tmp_path, busy, *HORIZON)
    assert done.code == 0, done.err
    again = [json.loads(line) for line in path.read_text().splitlines() if line.endswith("}")]
    assert [(look["number"], look["verdict"]) for look in again] == [(1, "early"), (2, "open")]
    assert ab(tmp_path, busy, *HORIZON).code == 0, "the torn line stays where it is"
    for spoiled in ("{}\n" + whole, whole.splitlines()[1] + "\n"):
        path.write_text(spoiled)
        done = ab(tmp_path, busy, *HORIZON)
        assert done.code == 2 and "line 1 is not the next look" in done.err and len(done.err.splitlines()) == 1
    file_of(tmp_path, "plan.json").write_text("{}")
    done = ab(tmp_path, busy, *HORIZON)
    assert done.code == 2 and "is no plan of a test" in done.err


def test_a_first_look_that_is_refused_leaves_no_plan(langfuse: LangfuseDouble, tmp_path: Path, clock: Clock) -> None:
    langfuse.fail("*/v3/scores", "403", times=None)
    refused = ab(tmp_path, langfuse, *HORIZON)
    assert (refused.code, "refuses the keys" in refused.err) == (2, True)
    assert not file_of(tmp_path, "plan.json").exists()
    langfuse.heal()
    other = ab(tmp_path, langfuse, *HORIZON, "--margin", "0.03")
    assert other.code == 0, other.err
    assert json.loads(file_of(tmp_path, "plan.json").read_text())["margin"] == 0.03


@pytest.mark.slow
def test_a_server_that_stays_away_costs_no_look(
    langfuse: LangfuseDouble, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.langfuse.asking.PATIENCE", Backoff(attempts=2, first_s=0.01))
    write_test(langfuse, played(20), 0.0)
    langfuse.fail("*/v3/scores", "500", times=None)
    done = ab(tmp_path, langfuse, *HORIZON)
    assert done.code == 3, done.err
    assert "look again with the same command" in done.err
    assert not file_of(tmp_path, "looks.jsonl").exists() and not file_of(tmp_path, "plan.json").exists()
    langfuse.heal()
    assert ab(tmp_path, langfuse, *HORIZON).code == 0
    looks = looks_of(tmp_path)
    langfuse.fail("*/v3/scores", "500", times=None)
    done = ab(tmp_path, langfuse, *HORIZON)
    assert (done.code, "look again with make ab" in done.err) == (3, True), done.err
    assert looks_of(tmp_path) == looks


@pytest.mark.slow
def test_scores_that_were_written_back_for_a_sample_are_read(
    langfuse: LangfuseDouble, tmp_path: Path, clock: Clock
) -> None:
    turns = list(spread_turns(120, versions=(2, 3)))
    write(langfuse, turns, CHATS)
    sampled = ("--since", SINCE, "--until", UNTIL, "--sample", "40", "--write-back", *PLAN[-2:])
    done = run(*sampled, runs=tmp_path / "sample", module="scripts.score_traces", **keys_of(langfuse))
    assert done.code == 0, done.err
    done = ab(tmp_path, langfuse, *HORIZON)
    assert done.code == 0, done.err
    arms = summary_of(tmp_path)["arms"].values()
    assert sum(arm["scored"] for arm in arms) == 40
    assert sum(arm["frame"] for arm in arms) == len(turns)
    assert summary_of(tmp_path)["verdict"] in ("early", "split_broken")
