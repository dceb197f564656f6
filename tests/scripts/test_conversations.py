"""Whole conversations, judged: from outside, through the whole workflow."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.evaluation.judging.conversations import NAMES, whole_verdict
from tests.scripts.commands import Finished, all_lines, document, run
from tests.scripts.judges import REPLY, Judging, settings
from tests.services.scripted_endpoint import Answer, Call, refuse, say, scripted_endpoint

SCENARIOS = """
category: continuity
scenarios:
- {id: alone, turns: ['Hi there.']}
- {id: pair, turns: ['My dog is Biscuit.', 'Who is my dog?'], expect: [{id: asks-back, check: question}]}
- id: back-again
  turns: ['It is me again.']
  history: [{role: user, content: I fly on Monday.}, {role: assistant, content: Safe travels.}]
- {id: broken, turns: ['Fine.', 'This one fails.', 'And on.']}
"""


class Talking(Judging):
    """Its model answers but for one message, as long as it is broken."""

    broken = True
    warm = False
    """True where it names the temperature that it answers at."""

    def __call__(self, call: Call) -> Answer:
        if self.warm and call.body["model"] != "judge":
            return say(f"{REPLY} At {call.body['temperature']:g}.")
        if self.broken and call.body["messages"][-1]["content"] == "This one fails.":
            return say("", "content_filter")
        return super().__call__(call)


Evaluate = Callable[..., Finished]


@pytest.fixture
def judge() -> Talking:
    return Talking(noise=0.0)


@pytest.fixture
def evaluate(tmp_path: Path, judge: Talking) -> Iterator[Evaluate]:
    (tmp_path / "own.yaml").write_text(SCENARIOS, encoding="utf-8")
    with scripted_endpoint(judge) as server:

        def command(*more: str, module: str = "scripts.evaluate_prompts") -> Finished:
            own = ("--prompt", "v3", "--scenarios", str(tmp_path / "own.yaml"), "--no-canaries", "--quiet")
            new = module == "scripts.evaluate_prompts" and "--resume" not in more
            return run(*(own if new else ()), *more, runs=tmp_path, module=module, **settings(server.url))

        yield command


def latest(runs: Path) -> Path:
    return (runs / "latest").resolve()


def conversations(runs: Path) -> dict[str, Any]:
    found: dict[str, Any] = document(latest(runs), "summary.json")["conversations"]
    return found


def whole_lines(runs: Path) -> list[dict[str, Any]]:
    return [line for line in all_lines(latest(runs)) if line["scope"] == "conversation"]


def test_each_conversation_is_asked_about_once_and_one_that_broke_off_is_not(
    evaluate: Evaluate, judge: Talking, tmp_path: Path
) -> None:
    done = evaluate()
    assert done.code == 3, done.err
    assert len(judge.conversations) == 2
    found, summary = conversations(tmp_path), document(latest(tmp_path), "summary.json")
    assert found["counts"] == {"planned": 3, "scored": 2, "failed": 0, "unparsed": 0, "skipped": 1}
    assert summary["counts"] == {"planned": 7, "scored": 5, "failed": 1, "unparsed": 0, "skipped": 1}
    figures = {name: (each["mean"], each["n"], each["coverage"]) for name, each in found["metrics"].items()}
    assert figures == dict.fromkeys(NAMES, (0.6, 2, 2 / 3))
    assert summary["usage"]["conversations"]["calls"] == 2
    assert not {*summary["metrics"]["judge"]} & {*NAMES}


def test_its_line_stands_behind_those_of_its_turns_with_all_that_was_said(evaluate: Evaluate, tmp_path: Path) -> None:
    evaluate()
    found = all_lines(latest(tmp_path))
    order = [f"{line['scenario_id']} {line['turn']}" for line in found]
    assert order[:5] == ["alone 1", "pair 1", "pair 2", "pair 0", "back-again 1"]
    assert order[5:] == ["back-again 0", "broken 1", "broken 2"]
    pair = whole_lines(tmp_path)[0]
    assert pair["scores"] == {"heuristic": {}, "judge": dict.fromkeys(NAMES, 0.6), "combined": {}}
    assert pair["judge"]["rationale"] == dict.fromkeys(NAMES, "Turn 2 decides.")
    assert pair["context"][0]["content"] == "My dog is Biscuit."
    assert {line["scope"] for line in found} == {"response", "conversation"}


def test_a_resume_asks_about_what_came_to_its_end_since_and_pays_for_nothing_twice(
    evaluate: Evaluate, judge: Talking, tmp_path: Path
) -> None:
    evaluate()
    judge.broken = False
    done = evaluate("--resume", "last")
    assert done.code == 0, done.err
    assert len(judge.conversations) == 3
    assert conversations(tmp_path)["counts"]["scored"] == 3


def test_a_call_that_fails_leaves_the_responses_alone_and_is_made_again_by_a_resume(
    evaluate: Evaluate, judge: Talking, tmp_path: Path
) -> None:
    judge.broken, judge.whole = False, lambda _call: refuse(400, "no")
    done = evaluate()
    assert done.code == 3, done.err
    summary = document(latest(tmp_path), "summary.json")
    assert summary["counts"]["scored"] == summary["counts"]["planned"] == 7
    assert conversations(tmp_path)["counts"]["failed"] == 3
    assert conversations(tmp_path)["failures"][0]["count"] == 3
    assert whole_lines(tmp_path)[0]["error"]["stage"] == "conversation"
    verdicts = len(judge.verdicts)
    judge.whole = Judging().whole
    assert evaluate("--resume", "last").code == 0
    assert conversations(tmp_path)["counts"]["scored"] == 3
    assert len(judge.verdicts) == verdicts


def test_a_verdict_that_cannot_be_read_is_counted_and_asked_for_once_more_by_a_resume(
    evaluate: Evaluate, judge: Talking, tmp_path: Path
) -> None:
    judge.broken, judge.whole = False, lambda _call: say("I liked it.")
    assert evaluate().code == 0
    found = conversations(tmp_path)
    assert (found["counts"]["unparsed"], found["metrics"]["memory"]["mean"]) == (3, None)
    judge.whole = Judging().whole
    assert evaluate("--resume", "last").code == 0
    assert conversations(tmp_path)["counts"]["scored"] == 3


def test_the_same_replies_judged_again_cost_nothing_and_by_another_judge_everything(
    evaluate: Evaluate, judge: Talking, tmp_path: Path
) -> None:
    judge.broken = False
    evaluate()
    before = whole_lines(tmp_path)
    assert evaluate("last", module="scripts.rescore_run").code == 0
    assert len(judge.conversations) == 3
    assert [line["scores"] for line in whole_lines(tmp_path)] == [line["scores"] for line in before]
    assert conversations(tmp_path)["cached"] == 3
    judge.whole = lambda _call: say(whole_verdict(0.2))
    assert evaluate("last", "--cache", "none", module="scripts.rescore_run").code == 0
    assert len(judge.conversations) == 6
    assert conversations(tmp_path)["metrics"]["ending"]["mean"] == 0.2


def test_nobody_is_asked_where_it_is_left_out_where_there_is_no_judge_and_under_a_rubric_without_the_question(
    evaluate: Evaluate, judge: Talking, tmp_path: Path
) -> None:
    judge.broken = False
    (tmp_path / "bare.yaml").write_text(
        'extends: companion\nversion: "9"\njudge: {conversation: null}\n'
        'history: [{version: "9", date: 2026-01-01, changes: [None]}]\n'.replace("2026-01-01", '"2026-01-01"')
    )
    for more in (("--conversations", "none"), ("--no-judge",), ("--rubric", str(tmp_path / "bare.yaml"))):
        assert evaluate(*more).code == 0
        assert conversations(tmp_path) is None and whole_lines(tmp_path) == []
    assert judge.conversations == []


def test_a_dry_run_counts_the_calls_and_makes_none(evaluate: Evaluate, judge: Talking) -> None:
    done = evaluate("--dry-run")
    assert "3 about whole conversations" in done.out
    assert "whole conversations" not in evaluate("--dry-run", "--conversations", "none").out
    assert judge.conversations == []


def test_repeats_are_conversations_of_their_own_under_seeds_of_their_own(evaluate: Evaluate, judge: Talking) -> None:
    judge.broken = False
    evaluate("--repeats", "2")
    assert len({json.dumps(call.body["seed"]) for call in judge.conversations}) == len(judge.conversations) == 6


def test_a_comparison_pairs_conversations_beside_its_verdict(
    evaluate: Evaluate, judge: Talking, tmp_path: Path
) -> None:
    judge.broken = False
    evaluate()
    base = latest(tmp_path).name
    judge.whole = lambda _call: say(whole_verdict(0.2, ending=0.9, memory=None))
    evaluate("--cache", "none", "--seed", "1")
    done = evaluate("--base", base, "--prompt", "last", "--force", module="scripts.compare_prompts")
    found = document(latest(tmp_path), "comparison.json")["conversations"]
    assert {name: row["difference"] for name, row in found.items()} == pytest.approx(
        {"memory": None, "consistency": -0.4, "boundaries_held": -0.4, "ending": 0.3}
    )
    assert {row["role"] for row in found.values()} == {"descriptive"}
    said = " ".join(done.out.split())
    assert "conversations: " in said and "ending +0.3" in said
    page = (latest(tmp_path) / "comparison.html").read_text(encoding="utf-8")
    assert "Conversations as a whole" in page


def by_temperature(call: Call) -> Answer:
    """The judge likes conversations at 0.3, and finds nothing to remember in them."""
    cool = "At 0.3." in call.body["messages"][-1]["content"]
    return say(whole_verdict(0.9, memory=None) if cool else whole_verdict(0.4, memory=None))


def test_three_versions_are_compared_by_their_conversations_pair_by_pair(
    evaluate: Evaluate, judge: Talking, tmp_path: Path
) -> None:
    judge.warm, judge.whole = True, by_temperature
    runs = []
    for temperature in ("0.3", "0.7", "1"):
        evaluate("--temperature", temperature)
        runs.append(latest(tmp_path).name)
    sides = ("--base", runs[0], "--prompt", runs[1], "--prompt", runs[2], "--by", "temperature")
    done = evaluate(*sides, module="scripts.compare_prompts")
    assert done.code == 0, done.err
    written = document(tmp_path / runs[2], "comparison.json")
    assert written["kind"] == "ranking" and len(written["pairs"]) == 3
    for pair in written["pairs"]:
        cool = {runs[0]: 0.9}
        wanted = cool.get(pair["run_id"], 0.4) - cool.get(pair["against"], 0.4)
        rows = pair["conversations"]
        assert rows["consistency"]["difference"] == pytest.approx(wanted)
        assert rows["memory"]["difference"] is None and rows["ending"]["role"] == "descriptive"
    said = " ".join(done.out.split())
    assert "temperature 0.3 minus #" in said and "conversations: memory -, consistency +0.5" in said
    assert all(len(line) <= 80 for line in done.out.splitlines() if not line.startswith(("/", "make ")))
    report = (tmp_path / runs[2] / "comparison.md").read_text(encoding="utf-8")
    assert "Conversations as a whole (descriptive, in no verdict)" in report
    page = (tmp_path / runs[2] / "comparison.html").read_text(encoding="utf-8")
    section = page[page.index('<section id="conversations"') :].partition("</section>")[0]
    assert section.count("<tr>") == 4 and "boundaries held" in section and "+0.5" in section


def test_the_page_holds_each_conversation_with_the_judges_words(
    evaluate: Evaluate, judge: Talking, tmp_path: Path
) -> None:
    judge.whole = lambda _call: say(whole_verdict(0.2, why="It forgot the dog."))
    evaluate()
    page = (latest(tmp_path) / "report.html").read_text(encoding="utf-8")
    section = page[page.index('<section id="conversations"') :].partition("</section>")[0]
    assert "It forgot the dog." in section and "My dog is Biscuit." in section and "<details>" in section
    assert "Conversations as a whole" in (latest(tmp_path) / "summary.md").read_text(encoding="utf-8")


def test_a_line_of_a_conversation_is_no_response_to_score(evaluate: Evaluate, judge: Talking, tmp_path: Path) -> None:
    judge.broken = False
    evaluate()
    written = latest(tmp_path) / "results.jsonl"
    done = evaluate(str(written), module="scripts.score_responses")
    assert done.code == 0, done.err
    scored = [json.loads(line)["id"] for line in done.out.splitlines()]
    assert len(scored) == 7 and not any(name.endswith("/0") for name in scored)


def test_a_run_that_is_killed_between_the_answer_and_its_result_pays_for_nothing_twice(
    evaluate: Evaluate, judge: Talking, tmp_path: Path
) -> None:
    judge.broken = False
    evaluate()
    asked = len(judge.conversations), len(judge.verdicts)
    with closing(sqlite3.connect(tmp_path / "evals.db")) as journal, journal:
        assert journal.execute("DELETE FROM results WHERE turn = 0").rowcount == 3
        journal.execute("UPDATE runs SET state = 'running'")
    assert evaluate("--resume", "last").code == 0
    assert (len(judge.conversations), len(judge.verdicts)) == asked
    assert conversations(tmp_path)["counts"]["scored"] == 3
