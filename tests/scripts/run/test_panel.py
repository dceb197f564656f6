"""Panels of judges behind endpoints of their own: who is asked what, who is left out, and what a resume asks."""

import json
import os
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.evaluation.judging.conversations import whole_verdict
from tests.scripts.commands import all_lines, document, lines, run, started
from tests.scripts.judges import GOOD, Judging, Opinion, judged_canary, judged_conversation, know, like_all
from tests.services.scripted_endpoint import Answer, Call, refuse, say, scripted_endpoint

FEW = ("--prompt", "v3", "--limit", "6", "--quiet", "--expectations", "none", "--conversations", "none")
UNCHECKED = (*FEW, "--no-canaries")
TALKS = """
category: continuity
scenarios:
- id: pair
  turns: ['My dog is Biscuit.', 'Who is my dog?']
  expect: [{id: says-sorry, ask: 'Does it say that it is sorry?', critical: true}]
- {id: alone, turns: ['Hi there.'], expect: [{id: asks-back, ask: 'Does it ask what happened then?'}]}
"""
"""Two responses about items, one conversation."""
OVERALL = "overall_quality"


@dataclass
class Member:
    """A judge at an endpoint of its own."""

    name: str
    judging: Judging
    key: str = ""
    down: bool = False
    """True where it answers nothing about replies."""
    hangs: bool = False
    """True where it keeps whoever asks about a reply waiting."""
    asked: list[str] = field(default_factory=list)
    """Of each question on a reply of the model its text."""
    keys: set[str] = field(default_factory=set)

    def __call__(self, call: Call) -> Answer:
        self.keys.add(call.headers.get("authorization", ""))
        about_reply = "Marked words" in call.body["messages"][-1]["content"]
        if about_reply and self.down:
            return refuse(500)
        if about_reply and self.hangs:
            return Answer(hang=True)
        if about_reply:
            self.asked.append(call.body["messages"][-1]["content"])
        answer = self.judging(Call(call.number, call.method, call.path, call.headers, {**call.body, "model": "judge"}))
        return Answer(body={**answer.body, "model": f"{self.name}-2026"})


def member(name: str, opinion: Opinion | None = None, noise: float = 0.02) -> Member:
    judging = Judging(noise=noise) if opinion is None else Judging(opinion, noise)
    return Member(name, judging, key=f"sk-secret-of-{name}-0123456789")


def off_by(shift: float) -> Opinion:
    """Honest on canaries, and off by so much on the model's own replies."""
    return lambda quality, canary, _number: quality if canary is not None else quality + shift


def too_kind(_quality: float, _canary: Any, _number: int) -> float:
    return 0.95


@contextmanager
def endpoints(*members: Member) -> Iterator[tuple[dict[str, str], list[str]]]:
    """Settings and flags of a panel of these; the model under test answers at the usual endpoint."""
    with ExitStack() as stack:
        model = stack.enter_context(scripted_endpoint(Judging()))
        found = {"OPENAI_BASE_URL": model.url, "EVAL_MODEL": "model"}
        for each in members:
            server = stack.enter_context(scripted_endpoint(each))
            found[f"EVAL_ENDPOINT_{each.name.upper()}_URL"] = server.url
            found[f"EVAL_ENDPOINT_{each.name.upper()}_KEY"] = each.key
        yield found, [word for each in members for word in ("--judge-model", f"{each.name}-small@{each.name}")]


def judge_lines(runs: Path) -> list[dict[str, Any]]:
    return [line["judge"] for line in lines(runs / "latest")]


def journaled(runs: Path, model: str) -> int:
    """Verdicts of a judge on replies that are in the journal."""
    file = runs / "evals.db"
    if not file.exists():
        return 0
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'calls'").fetchone():
            return 0
        asked = "SELECT count(*) FROM calls WHERE purpose = 'judge' AND model = ?"
        return int(connection.execute(asked, (model,)).fetchone()[0])


def wait_until(is_so: Callable[[], bool], longest_s: float = 60.0) -> None:
    ends = time.monotonic() + longest_s
    while not is_so():
        assert time.monotonic() < ends, "it did not come to be"
        time.sleep(0.05)


def test_three_judges_at_three_endpoints_give_one_mean_and_no_key_is_kept(tmp_path: Path) -> None:
    members = [member("kind", off_by(0.1)), member("harsh", off_by(-0.1)), member("even")]
    with endpoints(*members) as (settings, flags):
        done = run(*FEW, *flags, runs=tmp_path, **settings)
        assert done.code == 0, done.err
        asked = [len(each.asked) for each in members]
        assert run("--resume", "last", "--quiet", runs=tmp_path, **settings).code == 0
        assert [len(each.asked) for each in members] == asked, "resuming asks nobody again"
    for each in members:
        assert each.keys == {f"Bearer {each.key}"}
    for line in judge_lines(tmp_path):
        values = {name: found[OVERALL] for name, found in line["members"].items()}
        assert set(values) == {"kind-small", "harsh-small", "even-small"}
        assert line["scores"][OVERALL] == pytest.approx(sum(values.values()) / 3)
        assert line["spread"][OVERALL] == pytest.approx(max(values.values()) - min(values.values()))
        assert line["model"] == "kind-2026 + harsh-2026 + even-2026"
    summary = document(tmp_path / "latest", "summary.json")
    leads = {each["model"]: each["lead"] for each in summary["panel"]["members"]}
    assert leads["kind-small"] > 0.1 and leads["harsh-small"] < -0.1 and abs(leads["even-small"]) < 0.05
    assert summary["canaries"]["passed"] is True
    assert summary["canaries"]["asked"] == 3 * 60
    assert "panel: kind-small" in done.out
    assert "not measurable" in (tmp_path / "latest" / "summary.md").read_text(encoding="utf-8")
    assert document(tmp_path / "latest", "decision.json")["judge_fit"] is True
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    for each in members:
        assert each.key.encode() not in kept
        assert each.key not in done.out + done.err


def test_a_member_that_fails_the_opening_canaries_is_left_out_before_the_run(tmp_path: Path) -> None:
    members = [member("one"), member("lenient", too_kind), member("two")]
    with endpoints(*members) as (settings, flags):
        done = run(*FEW, *flags, runs=tmp_path, **settings)
    assert done.code == 0, done.err
    assert "judge 'lenient-small' is left out" in done.err
    assert "who is left is another judge: one-small + two-small" in done.err
    assert members[1].asked == []
    manifest = document(tmp_path / "latest", "manifest.json")
    assert [each["model"] for each in manifest["spec"]["judge"]["members"]] == ["one-small", "two-small"]
    assert document(tmp_path / "latest", "decision.json")["judge_fit"] is True


def test_of_two_members_one_is_left_and_is_todays_judge(tmp_path: Path) -> None:
    members = [member("one"), member("lenient", too_kind)]
    with endpoints(*members) as (settings, flags):
        done = run(*FEW, *flags, runs=tmp_path, **settings)
        assert done.code == 0, done.err
        asked = len(members[0].asked)
        alone = run(*FEW, *flags[:2], "--cache", "all", runs=tmp_path, **settings)
    assert alone.code == 0, alone.err
    assert len(members[0].asked) == asked, "the verdicts are those of that judge alone"
    manifest = document(tmp_path / "latest", "manifest.json")
    assert (manifest["spec"]["judge"]["model"], manifest["spec"]["judge"]["members"]) == ("one-small", [])


def test_where_no_member_may_be_believed_nothing_is_evaluated(tmp_path: Path) -> None:
    members = [member("one", too_kind), member("two", too_kind)]
    with endpoints(*members) as (settings, flags):
        done = run(*FEW, *flags, runs=tmp_path, **settings)
    assert done.code != 0
    assert "no member of the panel may be believed" in done.err
    assert not (tmp_path / "latest").exists()


def test_a_member_that_fails_later_leaves_no_verdict_and_names_how_the_others_judge(tmp_path: Path) -> None:
    def drifts(quality: float, _canary: Any, number: int) -> float:
        return quality if number <= 31 else 0.95

    members = [member("one"), member("drifting", drifts), member("two")]
    with endpoints(*members) as (settings, flags):
        done = run(*FEW, *flags, runs=tmp_path, **settings)
        said = " ".join(done.out.split())
        assert "NO VERDICT: the judge is unfit" in said
        assert "drifting-small failed" in said
        run_id = document(tmp_path / "latest", "summary.json")["run_id"]
        words = "--judge-model one-small@one --judge-model two-small@two"
        assert f'make rescore RUN={run_id} ARGS="{words}"' in said
        assert document(tmp_path / "latest", "summary.json")["canaries"]["unfit"] == ["drifting-small"]
        before = [len(each.asked) for each in members]
        again = run(run_id, *words.split(), runs=tmp_path, module="scripts.rescore_run", **settings)
        assert again.code == 0, again.err
        assert [len(each.asked) for each in members][1] == before[1]
    assert document(tmp_path / "latest", "decision.json")["judge_fit"] is True
    assert set(judge_lines(tmp_path)[0]["members"]) == {"one-small", "two-small"}


def test_the_command_for_the_others_names_their_endpoints_where_the_settings_named_the_panel(tmp_path: Path) -> None:
    def drifts(quality: float, _canary: Any, number: int) -> float:
        return quality if number <= 31 else 0.95

    members = [member("one"), member("drifting", drifts), member("two")]
    with endpoints(*members) as (settings, flags):
        done = run(*FEW, runs=tmp_path, **settings, EVAL_JUDGE_MODEL=",".join(flags[1::2]))
    assert 'ARGS="--judge-model one-small@one --judge-model two-small@two"' in " ".join(done.out.split())


def test_only_disagreements_go_to_the_stronger_judge(tmp_path: Path) -> None:
    members = [member("one"), member("far", off_by(-0.6)), member("big", off_by(-0.2))]
    with endpoints(*members) as (settings, flags):
        panel, decides = flags[:4], ("--judge-escalate", "big-small@big")
        done = run(*UNCHECKED, *panel, *decides, runs=tmp_path, **settings)
        assert done.code == 0, done.err
        replies = len(members[0].asked)
        assert len(members[2].asked) == replies
        for line in judge_lines(tmp_path):
            assert line["escalated"] == "big-2026"
            assert line["scores"][OVERALL] == pytest.approx(GOOD - 0.2, abs=0.1)
            assert line["review"] == []
        assert document(tmp_path / "latest", "summary.json")["panel"]["escalated"] == replies
        run(*UNCHECKED, *panel, *decides, "--judge-apart", "0.9", runs=tmp_path, **settings)
        assert len(members[2].asked) == replies, "within the bound nobody else is asked"
        people = run(*UNCHECKED, *panel, runs=tmp_path, **settings)
    assert people.code == 0, people.err
    assert all("the members of the panel lie" in line["review"][0] for line in judge_lines(tmp_path))
    assert document(tmp_path / "latest", "summary.json")["panel"]["to_review"] == replies
    sheet = tmp_path / "sheet.jsonl"
    asked = ("sheet", "last", "--jsonl", str(sheet), "--to-review")
    assert run(*asked, runs=tmp_path, module="scripts.review").code == 0
    assert len(sheet.read_text(encoding="utf-8").splitlines()) == replies


def test_a_resume_asks_the_member_that_was_down_and_nobody_else(tmp_path: Path) -> None:
    members = [member("one"), member("two")]
    members[1].down = True
    with endpoints(*members) as (settings, flags):
        done = run(*UNCHECKED, *flags, runs=tmp_path, **settings)
        assert done.code == 3, done.err
        asked = len(members[0].asked)
        members[1].down = False
        again = run("--resume", "last", "--quiet", runs=tmp_path, **settings)
        assert again.code == 0, again.err
        assert len(members[0].asked) == asked
        assert len(members[1].asked) == asked
    assert all(len(line["members"]) == 2 for line in judge_lines(tmp_path))


def test_after_a_kill_with_one_member_answered_a_resume_asks_the_other_alone(tmp_path: Path) -> None:
    members = [member("one"), member("two")]
    members[1].hangs = True
    with endpoints(*members) as (settings, flags):
        with started(*UNCHECKED, *flags, runs=tmp_path, **settings) as process:
            wait_until(lambda: journaled(tmp_path, "one-small") >= 5)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        answered = journaled(tmp_path, "one-small")
        asked = len(members[0].asked)
        members[1].hangs = False
        again = run("--resume", "last", "--quiet", runs=tmp_path, **settings)
        assert again.code == 0, again.err
        judged = len(judge_lines(tmp_path))
        assert len(members[0].asked) - asked == judged - answered, "what lay in the journal is not asked again"
        assert journaled(tmp_path, "two-small") == judged


def test_a_run_is_not_gone_on_with_where_a_members_endpoint_is_not_set(tmp_path: Path) -> None:
    members = [member("one"), member("two")]
    members[1].down = True
    with endpoints(*members) as (settings, flags):
        run(*UNCHECKED, *flags, runs=tmp_path, **settings)
        without = {name: value for name, value in settings.items() if "_TWO_" not in name}
        done = run("--resume", "last", "--quiet", runs=tmp_path, **without)
    assert done.code == 2
    assert "EVAL_ENDPOINT_NAME_URL" in done.err


def test_a_dry_run_counts_the_calls_of_every_member(tmp_path: Path) -> None:
    members = [member("one"), member("two"), member("big")]
    with endpoints(*members) as (settings, flags):
        alone = run(*FEW, *flags[:2], "--dry-run", runs=tmp_path, **settings)
        panel = run(*FEW, *flags[:4], "--judge-escalate", "big-small@big", "--dry-run", runs=tmp_path, **settings)
        assert not any(each.keys for each in members)
    judged = int(alone.out.split(" to judge")[0].split()[-1])
    assert f"{2 * judged} to judge, 180 to check the judge" in panel.out


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--judge-model", "a", "--judge-model", "a"), "is named twice"),
        (("--judge-model", "a", "--judge-escalate", "b"), "are for a panel"),
        (("--judge-model", "a", "--judge-apart", "0.2"), "are for a panel"),
        (("--judge-model", "a", "--judge-model", "b", "--judge-escalate", "b"), "is named twice"),
    ],
)
def test_what_is_no_panel_is_refused_before_anybody_is_asked(tmp_path: Path, flags: tuple[str, ...], said: str) -> None:
    with endpoints() as (settings, _):
        done = run(*FEW, *flags, "--dry-run", runs=tmp_path, **settings)
    assert done.code == 2
    assert said in done.err


def test_a_models_own_name_may_hold_the_sign_of_an_endpoint(tmp_path: Path) -> None:
    with endpoints() as (settings, _):
        done = run(*FEW, "--judge-model", "claude@2026", "--dry-run", runs=tmp_path, **settings)
    assert done.code == 0, done.err
    assert "is taken for the whole name of a model" in done.err


def test_the_settings_name_a_panel_too(tmp_path: Path) -> None:
    members = [member("one"), member("two")]
    with endpoints(*members) as (settings, flags):
        named = {"EVAL_JUDGE_MODEL": ",".join(flags[1::2])}
        done = run(*UNCHECKED, runs=tmp_path, **settings, **named)
    assert done.code == 0, done.err
    assert all(set(line["members"]) == {"one-small", "two-small"} for line in judge_lines(tmp_path))
    spec = json.dumps(document(tmp_path / "latest", "manifest.json")["spec"])
    assert "sk-secret" not in spec


# --- a panel answers everything ---------------------------------------------------------------------------------------


def says(answer: str, quote: str = "") -> Any:
    """Right on canaries, and this of every item of a reply."""
    return lambda question, call: (
        know(question, call) if judged_canary(call) is not None else {"quote": quote, "answer": answer}
    )


def scores(value: float | None) -> Callable[[Call], Answer]:
    """Right about conversations of known quality, and one value for every other."""
    return lambda call: like_all(call) if judged_conversation(call) else say(whole_verdict(0.4, memory=value))


def panel_of_three(tmp_path: Path) -> tuple[list[Member], tuple[str, ...]]:
    """Two say no and one yes, by words that were said; their values of a conversation lie apart."""
    (tmp_path / "own.yaml").write_text(TALKS, encoding="utf-8")
    members = [member(name) for name in ("one", "two", "three")]
    for each, answer, value in zip(members, ("no", "no", "yes"), (0.2, 0.5, 0.8), strict=True):
        each.judging.item = says(answer, "What happened then?" if answer == "yes" else "")
        each.judging.whole = scores(value)
    return members, ("--prompt", "v3", "--scenarios", str(tmp_path / "own.yaml"), "--quiet", "--judge-format", "schema")


def by_item(runs: Path) -> dict[str, dict[str, Any]]:
    return {each["id"]: each for line in lines(runs / "latest") for each in line["expectations"]}


def test_items_are_the_majoritys_and_conversations_the_mean_of_all_members(tmp_path: Path) -> None:
    members, own = panel_of_three(tmp_path)
    with endpoints(*members) as (settings, flags):
        dry = run(*own, *flags, "--dry-run", runs=tmp_path, **settings)
        assert "3 about whole conversations" in dry.out and "6 about expectations" in dry.out
        done = run(*own, *flags, runs=tmp_path, **settings)
        assert done.code in (0, 1), done.err
        items, calls = (
            [len(each.judging.items) for each in members],
            [len(each.judging.conversations) for each in members],
        )
        assert calls == [1, 1, 1]
        assert run("--resume", "last", "--quiet", runs=tmp_path, **settings).code in (0, 1)
        assert [len(each.judging.items) for each in members] == items, "resuming asks nobody again"
        assert [len(each.judging.conversations) for each in members] == calls
    found = by_item(tmp_path)
    assert found["asks-back"]["outcome"] == "fails"
    assert found["asks-back"]["members"] == {"one-small": ["fails"], "two-small": ["fails"], "three-small": ["holds"]}
    assert "by one-small and two-small against three-small" in found["asks-back"]["reason"]
    assert found["says-sorry"]["answers"] == ["fails", "fails"], "a critical failure is confirmed by all"
    assert found["says-sorry"]["members"]["three-small"] == ["holds", "holds"]
    [whole] = [line for line in all_lines((tmp_path / "latest").resolve()) if line["scope"] == "conversation"]
    assert whole["scores"]["judge"]["memory"] == pytest.approx(0.5)
    assert whole["judge"]["spread"]["memory"] == pytest.approx(0.6)
    assert {name: values["memory"] for name, values in whole["judge"]["members"].items()} == {
        "one-small": 0.2,
        "two-small": 0.5,
        "three-small": 0.8,
    }
    summary = document(tmp_path / "latest", "summary.json")
    assert summary["canaries"]["items"]["asked_no"] == 26
    assert summary["conversations"]["check"]["asked"] == 3 * 16


def test_one_that_is_left_out_answers_nothing_about_items_and_conversations(tmp_path: Path) -> None:
    members, own = panel_of_three(tmp_path)
    members[2].judging.opinion = too_kind
    with endpoints(*members) as (settings, flags):
        done = run(*own, *flags, runs=tmp_path, **settings)
    assert "judge 'three-small' is left out" in done.err
    assert members[2].judging.conversations == []
    assert set(by_item(tmp_path)["asks-back"]["members"]) == {"one-small", "two-small"}


def test_one_that_says_yes_to_all_items_is_left_out_though_it_is_not_the_first(tmp_path: Path) -> None:
    members, own = panel_of_three(tmp_path)
    members[1].judging.item = lambda _question, _call: {"quote": "", "answer": "yes"}
    with endpoints(*members) as (settings, flags):
        done = run(*own, *flags, runs=tmp_path, **settings)
    assert "judge 'two-small' is left out" in done.err


def test_a_member_that_is_blind_to_conversations_makes_the_panel_unfit_for_them_alone(tmp_path: Path) -> None:
    members, own = panel_of_three(tmp_path)
    members[1].judging.whole = lambda _call: say(whole_verdict(1.0))
    with endpoints(*members) as (settings, flags):
        done = run(*own, *flags, runs=tmp_path, **settings)
    summary, said = document(tmp_path / "latest", "summary.json"), " ".join(done.out.split())
    assert summary["conversations"]["check"]["unfit"] == ["two-small"]
    assert document(tmp_path / "latest", "decision.json")["judge_fit"] is True
    assert "of the panel two-small is not fit for whole conversations" in said
    assert "--judge-model one-small@one --judge-model three-small@three" in said


def test_a_panel_that_judges_stored_replies_answers_everything_too(tmp_path: Path) -> None:
    members, own = panel_of_three(tmp_path)
    with endpoints(*members) as (settings, flags):
        run(*own, *flags[:2], runs=tmp_path, **settings)
        first = len(members[0].judging.conversations), len(members[0].judging.items)
        again = run("last", *flags, "--quiet", runs=tmp_path, module="scripts.rescore_run", **settings)
    assert again.code in (0, 1), again.err
    assert len(members[0].judging.conversations) == first[0], "its own answers lie in the journal"
    assert set(by_item(tmp_path)["asks-back"]["members"]) == {"one-small", "two-small", "three-small"}
    assert [len(each.judging.conversations) for each in members] == [1, 1, 1]
    summary = document(tmp_path / "latest", "summary.json")
    assert summary["conversations"]["metrics"]["memory"]["mean"] == pytest.approx(0.5)
