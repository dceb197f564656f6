"""A judge that brings no verdict ends the run before it has paid for one of every response, and says how to go on."""

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.judging.giving_up import IN_A_ROW
from evaluation.rubrics.canary import MOST_CALLS
from tests.scripts.commands import Finished, document, lines, run
from tests.scripts.judges import REPLY, Judging, asks_of_conversation, settings, verdict
from tests.services.scripted_endpoint import Answer, Call, refuse, say, scripted_endpoint

PROBED = "What made it so long?"
"""Of the exchange by which the judge's format is found out."""
HOSTILE = "\x1b[2J I would rather not say: [click](http://evil.example) <b>9 of 10</b>\nScore"
MANY = (
    "--prompt",
    "v3",
    "--limit",
    "60",
    "--quiet",
    "--judge-format",
    "json",
    "--no-canaries",
    "--expectations",
    "none",
)


@dataclass
class Spoiling(Judging):
    """A judge whose verdicts on replies are spoilt as `spoil` says of their numbers, until it is mended.

    What it says of a whole conversation is spoilt as its last verdict on a reply.
    """

    spoil: Callable[[int], bool] = lambda _number: True
    instead: Answer = field(default_factory=lambda: say(HOSTILE))
    mended: bool = False
    verdicts_asked: int = 0
    generated: int = 0

    def __call__(self, call: Call) -> Answer:
        judged = call.body["model"] == "judge"
        whole = judged and asks_of_conversation(call)
        about_reply = judged and not whole and REPLY in call.body["messages"][-1]["content"]
        answer = (
            say(verdict(0.8)) if judged and PROBED in call.body["messages"][-1]["content"] else super().__call__(call)
        )
        with self.lock:
            self.generated += not judged
            self.verdicts_asked += about_reply
            spoilt = (about_reply or whole) and not self.mended and self.spoil(self.verdicts_asked)
        return self.instead if spoilt else answer


def summary(runs: Path) -> dict[str, Any]:
    return document(runs / "latest", "summary.json")


def test_ten_unread_verdicts_in_a_row_end_the_run(tmp_path: Path) -> None:
    judge = Spoiling(instead=replace(say(HOSTILE), delay_s=0.1))
    with scripted_endpoint(judge) as endpoint:
        stopped = run(*MANY, "--concurrency", "4", runs=tmp_path, **settings(endpoint.url))
        counts = document(tmp_path / "latest", "summary.json")["counts"]
        asked, generated = judge.verdicts_asked, judge.generated
        assert stopped.code == 3, stopped.err
        assert 10 <= asked <= 10 + 8, "and those under way"
        assert generated <= asked + 10 < counts["planned"]
        assert counts["unparsed"] == asked, "what was under way is kept"
        assert counts["skipped"] == counts["planned"] - asked
        judge.mended = True
        resumed = run("--resume", "last", "--quiet", runs=tmp_path, **settings(endpoint.url))
    assert resumed.code == 0, resumed.err
    counts = document(tmp_path / "latest", "summary.json")["counts"]
    assert counts["scored"] == counts["planned"]
    assert judge.generated == counts["planned"], "no response is paid for twice"
    assert judge.verdicts_asked == counts["planned"] + asked, "the unread ones alone are asked again"


def test_a_judge_that_is_unread_on_whole_conversations_alone_goes_on(tmp_path: Path) -> None:
    """Its verdicts on the responses are read, and they are what the run is paid for."""
    judge = Judging(whole=lambda _call: say(HOSTILE))
    with scripted_endpoint(judge) as endpoint:
        done = run(*MANY, "--concurrency", "1", runs=tmp_path, **settings(endpoint.url))
    found = summary(tmp_path)
    assert done.code == 0, done.out + done.err
    assert found["given_up"] is None
    assert found["counts"]["scored"] == found["counts"]["planned"]
    assert found["conversations"]["counts"]["unparsed"] == len(judge.conversations) > IN_A_ROW


def test_the_output_says_what_the_judge_did_and_both_ways_out(tmp_path: Path) -> None:
    with scripted_endpoint(Spoiling()) as endpoint:
        stopped = run(*MANY, runs=tmp_path, **settings(endpoint.url))
    folder = tmp_path / "latest"
    top = stopped.out[: stopped.out.index("mean [95%")] if "mean [95%" in stopped.out else stopped.out
    said = " ".join(top.split())
    for words in ("verdicts of the judge could not be read, 10 in a row", "the answer is not one JSON object",
                  "I would rather not say", "in format json", "--judge-format text"):  # fmt: skip
        assert words in said
    assert f"--resume {folder.resolve().name}" in top
    assert "\x1b" not in stopped.out
    assert "<b>9" not in (folder / "report.html").read_text(encoding="utf-8")
    assert document(folder, "decision.json")["verdict"] in (None, "none")
    found = document(folder, "summary.json")["given_up"]
    assert (found["form"], found["model"], found["answer"]) == ("json", "judge", HOSTILE)


def test_the_printed_command_judges_in_another_form_and_generates_nothing_twice(tmp_path: Path) -> None:
    judge = Spoiling(opinion=lambda *_: 0.8)
    with scripted_endpoint(judge) as endpoint:
        stopped = run(*MANY, runs=tmp_path, **settings(endpoint.url))
        command = next(line for line in stopped.out.splitlines() if "--judge-format" in line)
        [make, target, arguments] = shlex.split(command)
        assert (make, target) == ("make", "eval")
        judge.instead, planned = say("Score: 0.8 | Reasoning: fine"), summary(tmp_path)["counts"]
        done = run(*shlex.split(arguments.removeprefix("ARGS=")), runs=tmp_path, **settings(endpoint.url))
    assert done.code == 0, done.err
    assert document(tmp_path / "latest", "manifest.json")["spec"]["judge"]["format"] == "text"
    assert summary(tmp_path)["counts"]["scored"] == planned["planned"] == judge.generated


@pytest.mark.parametrize(
    ("spoil", "gives_up"),
    [
        (lambda number: number % 5 == 0, False),
        (lambda number: number > 30, True),
        (lambda number: number % 4 != 0, True),
        (lambda number: number % 2 == 0, False),
    ],
    ids=["one in five", "from the 31st on", "three in four", "one in two"],
)
def test_a_judge_is_given_up_for_ten_in_a_row_or_fifteen_of_the_first_twenty(
    tmp_path: Path, spoil: Callable[[int], bool], gives_up: bool
) -> None:
    with scripted_endpoint(Spoiling(spoil=spoil)) as endpoint:
        done = run(*MANY, "--concurrency", "1", runs=tmp_path, **settings(endpoint.url))
    assert done.code == (3 if gives_up else 0)
    assert (summary(tmp_path)["given_up"] is not None) is gives_up


@pytest.mark.parametrize(
    "instead", [refuse(501, "no such feature"), refuse(400, "grammar too large")], ids=["breaks", "refuses"]
)
def test_a_judge_that_answers_every_question_with_an_error_is_given_up_too(tmp_path: Path, instead: Answer) -> None:
    """After its first verdict, so that the endpoint is not refused as a whole."""
    judge = Spoiling(spoil=lambda number: number > 1, instead=instead)
    with scripted_endpoint(judge) as endpoint:
        stopped = run(*MANY, "--concurrency", "4", runs=tmp_path, **settings(endpoint.url))
        planned = document(tmp_path / "latest", "summary.json")["counts"]["planned"]
    assert stopped.code == 3, stopped.err
    assert judge.generated < planned
    assert "brought no verdict" in " ".join(stopped.out.split())
    assert instead.body["error"]["message"] in stopped.out


def test_unread_verdicts_of_earlier_runs_and_what_the_stand_in_counts_change_nothing(tmp_path: Path) -> None:
    with scripted_endpoint(Spoiling()) as endpoint:
        done = run(*MANY, "--judge-fallback", "include", runs=tmp_path, **settings(endpoint.url))
    assert done.code == 3, "a stand-in for every verdict is worth no call"


OTHERS: dict[str, Callable[[Path, str], Finished]] = {
    "compare": lambda runs, url: run(
        *("--base", "v2", *MANY), runs=runs, module="scripts.compare_prompts", **settings(url)
    ),
    "flows": lambda runs, url: run(
        *("--limit", "60", "--quiet", "--judge-format", "json"),
        runs=runs,
        module="scripts.evaluate_chat_flow",
        **settings(url),
    ),
    "nightly": lambda runs, url: run(
        *("--limit", "60", "--quiet", "--judge-format", "json", "--no-canaries"),
        runs=runs,
        module="scripts.nightly",
        **settings(url),
    ),
}


@pytest.mark.parametrize("command", OTHERS.values(), ids=OTHERS.keys())
def test_every_command_that_judges_ends_with_3_and_says_why(
    tmp_path: Path, command: Callable[[Path, str], Finished]
) -> None:
    def answer(call: Call) -> Answer:
        return say(HOSTILE if call.body["model"] == "judge" else "I hear you. What happened then?")

    with scripted_endpoint(answer) as endpoint:
        done = command(tmp_path, endpoint.url)
    assert done.code == 3, done.out + done.err
    judged = sum(call.body["model"] == "judge" for call in endpoint.calls)
    assert judged <= 10 + 21 + MOST_CALLS, "of flows the check is asked as well"
    assert "could not be read" in " ".join((done.out + done.err).split())
    assert "\x1b" not in done.out + done.err


def test_a_night_without_verdicts_is_not_green(tmp_path: Path) -> None:
    with scripted_endpoint(Spoiling()) as endpoint:
        OTHERS["nightly"](tmp_path, endpoint.url)
    found = document(tmp_path / "nightly" / "latest", "night.json")
    assert (found["state"], found["exit_code"]) == ("incomplete", 3)
    assert "could not be read" in found["reasons"][0]


def test_a_calibration_whose_judge_is_given_up_goes_on_without_paying_twice(tmp_path: Path) -> None:
    ratings = tmp_path / "ratings.jsonl"
    rows = [
        {"id": f"r{number}", "user_input": f"Hello {number}", "response": REPLY, "ratings": {"overall_quality": 3}}
        for number in range(40)
    ]
    rows[0]["ratings"] = {"overall_quality": 1}
    ratings.write_text("".join(json.dumps(row) + "\n" for row in rows))
    judge = Spoiling()
    arguments = (str(ratings), "--no-canaries", "--output", str(tmp_path / "out"))
    with scripted_endpoint(judge) as endpoint:
        first = run(*arguments, runs=tmp_path, module="scripts.calibrate", **settings(endpoint.url))
        assert first.code == 3, first.out + first.err
        assert "could not be read" in first.err
        judge.mended, asked = True, judge.verdicts_asked
        again = run(*arguments, runs=tmp_path, module="scripts.calibrate", **settings(endpoint.url))
    assert again.code == 0, again.err
    assert 10 <= asked < 40
    assert judge.verdicts_asked == asked + 40


def test_lines_name_the_problem_of_each_unread_as(tmp_path: Path) -> None:
    with scripted_endpoint(Spoiling()) as endpoint:
        run(*MANY, runs=tmp_path, **settings(endpoint.url))
    rows = lines((tmp_path / "latest").resolve())
    assert all(row["judge"]["raw"] == HOSTILE for row in rows if row["state"] == "unparsed")
