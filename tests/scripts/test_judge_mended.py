"""A judge that could not be read and was mended: what it said is asked for again, and nothing else is paid twice."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

import pytest

from evaluation.judging.canaries import TRIES
from evaluation.rubrics.canary import MOST_CALLS, Canary
from services.journal import Journal
from tests.langfuse_double.double import LangfuseDouble
from tests.scripts.commands import Finished, document, lines, run
from tests.scripts.judges import Judging, asks_of_conversation, judged_canary, settings
from tests.scripts.test_with_langfuse import keys
from tests.services.scripted_endpoint import Answer, Call, refuse, say, scripted_endpoint

FEW = ("--prompt", "v3", "--limit", "8", "--quiet", "--judge-format", "json", "--expectations", "none")
KINDS = ("generation", "verdict", "conversation", "canary")
SPOILT = "I would rather not put a number on it."


@dataclass
class Mended(Judging):
    """A judge of which every third verdict on a reply, and what it says of some canaries, cannot be read at first."""

    every: int = 3
    canaries_too: bool = False
    mended: bool = False
    asked: list[str] = field(default_factory=list)
    """What each call was about, one of KINDS."""
    spoilt_canaries: int = 0
    """Calls for a canary whose answer could not be read."""

    def __call__(self, call: Call) -> Answer:
        answer = super().__call__(call)
        canary = judged_canary(call) if call.body["model"] == "judge" else None
        kind = "canary" if canary is not None else kind_of(call)
        with self.lock:
            self.asked.append(kind)
            spoilt = kind == "verdict" and self.asked.count("verdict") % self.every == 0
            if canary is not None and self.canaries_too and not self.mended and is_spoilt(canary):
                self.spoilt_canaries += 1
                spoilt = True
        return say(SPOILT) if spoilt and not self.mended else answer

    def since(self, before: int) -> dict[str, int]:
        """How often each kind was asked after so many calls."""
        return {kind: self.asked[before:].count(kind) for kind in KINDS}


def kind_of(call: Call) -> str:
    """What a call is about that is about no canary."""
    if call.body["model"] != "judge":
        return "generation"
    return "conversation" if asks_of_conversation(call) else "verdict"


def is_spoilt(canary: Canary) -> bool:
    """Of one canary in four: too few to give the judge up, and too many to believe it."""
    return crc32(canary.id.encode()) % 4 == 0


def states(runs: Path) -> dict[str, int]:
    counts: dict[str, int] = document(runs / "latest", "summary.json")["counts"]
    return counts


def test_a_resume_asks_for_unread_verdicts_again_once_and_for_nothing_else(tmp_path: Path) -> None:
    judge = Mended()
    with scripted_endpoint(judge) as endpoint:

        def go_on() -> tuple[Finished, dict[str, int]]:
            before = len(judge.asked)
            return run("--resume", "last", "--quiet", runs=tmp_path, **settings(endpoint.url)), judge.since(before)

        assert run(*FEW, runs=tmp_path, **settings(endpoint.url)).code == 0
        first, rows = states(tmp_path), lines((tmp_path / "latest").resolve())
        unread = first["unparsed"]
        assert judge.asked.count("conversation") > 0
        assert unread == first["planned"] // 3 > 0
        _, again = go_on()
        assert again == {"generation": 0, "verdict": unread, "conversation": 0, "canary": 0}, (
            "once, and what was read not at all"
        )
        assert states(tmp_path)["unparsed"] == unread // 3
        judge.mended = True
        done, again = go_on()
        assert done.code == 0, done.err
        assert again == {"generation": 0, "verdict": unread // 3, "conversation": 0, "canary": 0}
        assert go_on()[1] == {"generation": 0, "verdict": 0, "conversation": 0, "canary": 0}
    counts = states(tmp_path)
    assert counts == {**first, "scored": first["planned"], "unparsed": 0}
    read = {row["scenario_id"]: row for row in rows if row["state"] == "scored"}
    for row in lines((tmp_path / "latest").resolve()):
        before = read.get(row["scenario_id"])
        assert row["scores"]["judge"]["overall_quality"] is not None
        assert before is None or before["turn"] != row["turn"] or before == row, "a scored line stays as it was"
    with Journal.in_folder(tmp_path) as journal:
        [stored] = journal.runs()
        totals = journal.call_totals(stored.run_id)
        assert totals["judge"].paid == first["planned"] + unread + unread // 3, "what was paid stays in the journal"
    assert document(tmp_path / "latest", "summary.json")["canaries"]["asked"] == MOST_CALLS


def test_canaries_of_the_run_that_could_not_be_read_are_asked_again(tmp_path: Path) -> None:
    judge = Mended(canaries_too=True)
    with scripted_endpoint(judge) as endpoint:
        broken = run(*FEW, "--gate", "ab_test", runs=tmp_path, **settings(endpoint.url))
        assert broken.code == 1
        assert document(tmp_path / "latest", "summary.json")["canaries"]["fit"] is False
        judge.mended, before = True, len(judge.asked)
        mended = run("--resume", "last", "--quiet", "--gate", "ab_test", runs=tmp_path, **settings(endpoint.url))
    asked = judge.since(before)
    assert (asked["generation"], asked["canary"]) == (0, judge.spoilt_canaries // TRIES)
    assert document(tmp_path / "latest", "summary.json")["canaries"]["fit"] is True
    assert "unfit" not in mended.out


AGAIN: dict[str, Callable[[Path, str], Finished]] = {
    "another run": lambda runs, url: run(*FEW, "--cache", "all", runs=runs, **settings(url)),
    "scored again": lambda runs, url: run("last", "--quiet", runs=runs, module="scripts.rescore_run", **settings(url)),
}


@pytest.mark.parametrize("again", AGAIN.values(), ids=AGAIN.keys())
def test_unread_verdicts_are_not_taken_from_another_run(tmp_path: Path, again: Callable[[Path, str], Finished]) -> None:
    """The judge passed its check, so what it said is lent: but for what nobody could read."""
    judge = Mended()
    with scripted_endpoint(judge) as endpoint:
        assert run(*FEW, runs=tmp_path, **settings(endpoint.url)).code == 0
        first = states(tmp_path)
        judge.mended, before = True, len(judge.asked)
        done = again(tmp_path, endpoint.url)
        assert done.code == 0, done.err
    asked, summary = judge.since(before), document(tmp_path / "latest", "summary.json")
    assert (asked["generation"], asked["verdict"]) == (0, first["unparsed"])
    assert summary["counts"]["unparsed"] == 0
    assert summary["cached"]["verdicts"] == first["scored"]


def test_canaries_that_could_not_be_read_are_not_taken_from_another_run(tmp_path: Path) -> None:
    judge = Mended(every=10**6, canaries_too=True)
    with scripted_endpoint(judge) as endpoint:
        assert run(*FEW, runs=tmp_path, **settings(endpoint.url)).code == 0
        assert judge.spoilt_canaries > MOST_CALLS // 5
        judge.mended, before = True, len(judge.asked)
        done = run("last", "--quiet", runs=tmp_path, module="scripts.rescore_run", **settings(endpoint.url))
    assert done.code == 0, done.err
    assert judge.since(before)["canary"] == MOST_CALLS
    report = document(tmp_path / "latest", "summary.json")["canaries"]
    assert (report["fit"], report["reused"]) == (True, 0)


def test_samples_that_were_read_are_not_asked_for_again(tmp_path: Path) -> None:
    """Of three samples two cannot be read, and so the verdict: the third stays."""
    judge = Mended(every=2)
    few = (*FEW, "--limit", "4", "--no-canaries", "--judge-samples", "3", "--concurrency", "1")
    with scripted_endpoint(judge) as endpoint:
        assert run(*few, runs=tmp_path, **settings(endpoint.url)).code == 0
        rows = lines((tmp_path / "latest").resolve())
        spoilt = [row["judge"]["raw"].count(SPOILT) for row in rows if row["state"] == "unparsed"]
        assert spoilt == [2] * len(spoilt) != []
        judge.mended, before = True, len(judge.asked)
        assert run("--resume", "last", "--quiet", runs=tmp_path, **settings(endpoint.url)).code == 0
    assert judge.since(before) == {"generation": 0, "verdict": sum(spoilt), "conversation": 0, "canary": 0}
    assert all(len(row["judge"]["samples"]) >= 2 for row in lines((tmp_path / "latest").resolve()))


@pytest.mark.parametrize("away", [False, True], ids=["delivered", "away at first"])
def test_langfuse_gets_the_new_verdict_and_scores_and_nothing_twice(tmp_path: Path, away: bool) -> None:
    judge = Mended()
    with LangfuseDouble() as langfuse, scripted_endpoint(judge) as endpoint:
        known = {**settings(endpoint.url), **keys(langfuse)}
        pushed = run("--yes", runs=tmp_path, module="scripts.push_prompts", **keys(langfuse))
        assert pushed.code == 0
        if away:
            langfuse.fail("/api/public/otel/*", "429", times=None, retry_after=30)
            langfuse.fail("POST /api/public/scores", "503", times=None)
        first = run(*FEW, runs=tmp_path, **{**known, "EVAL_DELIVERY_SECONDS": "1"})
        assert first.code == (3 if away else 0), first.out + first.err
        unread = [row["trace_id"] for row in lines((tmp_path / "latest").resolve()) if row["state"] == "unparsed"]
        langfuse.heal()
        judge.mended = True
        done = run("--resume", "last", "--quiet", runs=tmp_path, **known)
        assert done.code == 0, done.out + done.err
        report = document(tmp_path / "latest", "summary.json")["langfuse"]
        assert report["delivered"] == report["verified"] == len(langfuse.scores())
        assert not langfuse.duplicates()
        rows = lines((tmp_path / "latest").resolve())
        parsed = [each for each in langfuse.scores("judge_parsed") if each.observation_id is not None]
        assert {each.value for each in parsed} == {1.0}
        for row in rows:
            at = [each for each in langfuse.scores("overall_quality") if each.trace_id == row["trace_id"]]
            assert round(row["scores"]["combined"]["overall_quality"], 6) in {round(float(a.value), 6) for a in at}
        judged = [span for span in langfuse.spans() if span.name.startswith("judge turn")]
        again = [span.trace_id for span in judged if span.name.endswith("asked again")]
        assert len(judged) == len(rows) + len(again)
        assert sorted(again) == sorted(unread) or away, "what had not gone out shows the new verdict alone"


def test_a_comparison_takes_no_earlier_run_whose_judge_could_not_be_read(tmp_path: Path) -> None:
    judge = Mended()
    compared = ("--base", "v2", "--prompt", "v3", "--limit", "4", "--quiet", "--judge-format", "json", "--no-canaries")
    with scripted_endpoint(judge) as endpoint:

        def compare() -> int:
            before = len(judge.asked)
            done = run(*compared, runs=tmp_path, module="scripts.compare_prompts", **settings(endpoint.url))
            assert done.code == 0, done.err
            return judge.since(before)["generation"]

        first = compare()
        judge.mended = True
        assert compare() == first > 0, "the runs of the broken judge do not stand for new ones"
        assert compare() == 0, "those of the mended one do"


def test_a_resume_whose_format_the_server_refuses_by_now_names_the_command_for_another(tmp_path: Path) -> None:
    judge = Mended()
    with scripted_endpoint(judge) as endpoint:
        assert run(*FEW, "--no-canaries", runs=tmp_path, **settings(endpoint.url)).code == 0

    def without_json(call: Call) -> Answer:
        if "response_format" in call.body:
            return refuse(400, "response_format json_object is not supported here", param="response_format")
        return judge(call)

    with scripted_endpoint(without_json, port=endpoint.port) as upgraded:
        done = run("--resume", "last", runs=tmp_path, **settings(upgraded.url))
    assert done.code == 2, done.err
    assert "--judge-format text --cache all" in done.err
