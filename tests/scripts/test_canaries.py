"""A judge is put to the test before it is believed: a fair one passes, and each kind of bad one is caught."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from evaluation.rubrics.canary import MOST_CALLS, Canary
from evaluation.rubrics.conversation_canary import MOST_CONVERSATIONS
from services.journal import Journal
from services.rehearsal.options import JudgeMode, RehearsalOptions
from tests.scripts.commands import ROOT, Finished, document, lines, run, server, uncritical_set
from tests.scripts.judges import Judging, Opinion, honest, settings
from tests.services.scripted_endpoint import Answer, Call, refuse, say, scripted_endpoint

FEW = ("--prompt", "v3", "--limit", "6", "--quiet", "--expectations", "none")
ALONE = ("--conversations", "none")
ALL_CALLS = MOST_CALLS + MOST_CONVERSATIONS
"""Of a run in which conversations are judged too."""
ITEMS_TOO = ("--prompt", "v3", "--limit", "3", "--quiet")
LONG = pytest.mark.long
GRID = [
    pytest.param(mode, form, marks=() if turn == place else LONG)
    for turn, mode in enumerate(("lenient", "random", "obedient"))
    for place, form in enumerate(("schema", "json", "text"))
]
"""Every kind of bad judge, in every form of an answer; the tests play each once, and the long tests the rest."""


@pytest.mark.parametrize("form", ["schema", "json", "text"])
def test_a_fair_judge_passes(tmp_path: Path, form: str) -> None:
    done = run(*FEW, "--judge-format", form, runs=tmp_path)
    assert done.code == 0, done.err
    report = document(tmp_path / "latest", "summary.json")["canaries"]
    assert report["passed"] is True
    assert report["asked"] == report["answered"] == MOST_CALLS
    assert len(report["overalls"]) == 46
    assert "unfit" not in done.out


@pytest.mark.parametrize(("mode", "form"), GRID)
def test_a_bad_judge_marks_the_run_and_keeps_every_gate_shut(tmp_path: Path, mode: str, form: str) -> None:
    with server(RehearsalOptions(judge_mode=mode)) as endpoint:  # type: ignore[arg-type]
        arguments = (*FEW, "--judge-format", form, "--gate", "ab_test")
        done = run(*arguments, runs=tmp_path, **endpoint.settings)
    folder = tmp_path / "latest"
    report = document(folder, "summary.json")["canaries"]
    assert report["passed"] is False
    assert done.code == 1
    assert any("known quality" in reason for reason in document(folder, "decision.json")["gate"]["reasons"])
    assert "known quality" in " ".join(done.out.split())
    assert "quality" in (folder / "summary.md").read_text(encoding="utf-8")
    if mode == "obedient":
        assert all("injected" in miss for miss in report["missed"]), "an obedient judge is fair to honest texts"
    assert "NO VERDICT: the judge is unfit: combined overall quality" in done.out


def test_canaries_are_asked_again_whenever_the_judge_is_asked_anything_and_never_twice_in_a_run(tmp_path: Path) -> None:
    arguments = (*FEW, "--judge-format", "schema", "--cache", "all")
    with server() as endpoint:
        asked, reused = [], []
        for more in (("--limit", "3"), (), (), ("--no-canaries",)):
            before = endpoint.stats()["completions"]
            assert run(*arguments, *more, runs=tmp_path, **endpoint.settings).code == 0
            asked.append(endpoint.stats()["completions"] - before)
            report = document(tmp_path / "latest", "summary.json")
            reused.append(None if report["canaries"] is None else report["canaries"]["reused"])
            assert (report["usage"]["checks"]["calls"] == ALL_CALLS) is (reused[-1] == 0)
            assert run("--resume", "last", "--quiet", runs=tmp_path, **endpoint.settings).code == 0
            assert endpoint.stats()["completions"] == before + asked[-1], "resuming asks nothing again"
        planned = report["counts"]["planned"]
    conversations = report["conversations"]["counts"]["planned"]
    first = asked[0] - ALL_CALLS
    assert asked == [first + ALL_CALLS, 2 * planned + conversations - first + ALL_CALLS, 0, 0]
    assert reused == [0, 0, MOST_CALLS, None]


PRICES = "as_of: 2026-11-01\nmodels: {model: {input: 0, output: 0}, judge: {input: 100000, output: 0}}\n"
"""A verdict costs 1 USD."""
JUDGED = (
    *("--prompt", "v3", "--limit", "12", "--quiet", "--expectations", "none"),
    *("--judge-format", "json", "--cache", "all"),
)
MANY = (*JUDGED, "--limit", "24")
"""As many as a gate needs to open at the lower end of its interval."""


def too_kind(_quality: float, _canary: Canary | None, _number: int) -> float:
    return 0.8


@pytest.mark.parametrize("more", [("--limit", "30"), ("--repeats", "2")])
def test_no_verdict_is_taken_from_a_run_whose_judge_failed(tmp_path: Path, more: tuple[str, ...]) -> None:
    """A lenient judge's verdicts, and one more from the now honest judge, would pass by the honest canaries alone."""
    judging, whole = Judging(too_kind), ("--scenarios", uncritical_set(tmp_path), "--gate", "ab_test")
    with scripted_endpoint(judging) as endpoint:
        first = run(*MANY, *whole, runs=tmp_path, **settings(endpoint.url))
        played, heard = judging.verdicts.count(""), len(judging.conversations)
        judging.opinion = honest
        second = run(*MANY, *more, *whole, runs=tmp_path, **settings(endpoint.url))
    assert first.code == 1
    summary = document(tmp_path / "latest", "summary.json")
    counts, conversations = summary["counts"]["planned"], summary["conversations"]
    assert summary["cached"]["verdicts"] == conversations["cached"] == 0
    assert judging.verdicts.count("") - played == counts > played, "every reply is judged by the honest judge"
    assert len(judging.conversations) - heard == conversations["counts"]["planned"] > 0, "and every conversation"
    assert second.code == 0, second.out


def test_verdicts_of_an_honest_judge_are_taken_and_those_of_one_that_was_not_checked_are_not(tmp_path: Path) -> None:
    judging = Judging()
    with scripted_endpoint(judging) as endpoint:
        reused = []
        for more in (("--no-canaries",), ("--no-canaries",), (), (), ("--no-canaries",)):
            assert run(*JUDGED, *more, runs=tmp_path, **settings(endpoint.url)).code == 0
            reused.append(document(tmp_path / "latest", "summary.json")["cached"]["verdicts"])
    planned = document(tmp_path / "latest", "summary.json")["counts"]["planned"]
    assert reused == [0, planned, 0, planned, planned]


def test_no_verdict_is_taken_from_a_judge_that_passed_on_other_canaries(tmp_path: Path) -> None:
    """Canaries that ask for little let a lenient judge pass, and are no check under those that a rubric has now."""
    rubric, shipped = tmp_path / "own.yaml", (ROOT / "evaluation/rubrics/companion.yaml").read_text(encoding="utf-8")
    easy = yaml.safe_load(shipped)
    for canary in easy["judge"]["canaries"]:
        canary.update(level=0.42 if canary["level"] < 0.5 else 0.73, response=f"{canary['response']} So it is.")
    judging = Judging(lambda quality, canary, _: quality if canary is None else 0.42 if canary.poor else 0.73)
    arguments = (*JUDGED, "--rubric", str(rubric))
    with scripted_endpoint(judging) as endpoint:
        for text in (yaml.safe_dump(easy, allow_unicode=True), shipped):
            rubric.write_text(text, encoding="utf-8")
            assert run(*arguments, runs=tmp_path, **settings(endpoint.url)).code == 0
            judging.opinion = honest
    summary = document(tmp_path / "latest", "summary.json")
    assert (summary["cached"]["verdicts"], summary["canaries"]["fit"]) == (0, True)
    assert summary["cached"]["replies"] > 0


def test_scoring_again_keeps_the_verdicts_of_an_honest_judge_alone(tmp_path: Path) -> None:
    judging = Judging()
    again, judged = ("last", "--gate", "ab_test", "--quiet"), (*MANY, "--scenarios", uncritical_set(tmp_path))
    with scripted_endpoint(judging) as endpoint:
        assert run(*judged, runs=tmp_path, **settings(endpoint.url)).code == 0
        asked = len(judging.verdicts)
        assert run(*again, runs=tmp_path, module="scripts.rescore_run", **settings(endpoint.url)).code == 0
        assert len(judging.verdicts) == asked
        assert document(tmp_path / "latest", "summary.json")["canaries"]["reused"] == MOST_CALLS
        assert "as answered in earlier runs" in (tmp_path / "latest" / "summary.md").read_text(encoding="utf-8")
        judging.opinion, other = too_kind, tmp_path / "other"
        assert run(*judged, runs=other, **settings(endpoint.url)).code == 0
        asked = len(judging.verdicts)
        judging.opinion = honest
        assert run(*again, runs=other, module="scripts.rescore_run", **settings(endpoint.url)).code == 0
        assert len(judging.verdicts) > asked, "what the failed judge said is asked again"


def test_a_gate_without_a_checked_judge_is_refused_after_the_run(tmp_path: Path) -> None:
    judging = Judging()
    with scripted_endpoint(judging) as endpoint:
        done = run(*JUDGED, "--no-canaries", "--gate", "ab_test", runs=tmp_path, **settings(endpoint.url))
    decision = document(tmp_path / "latest", "decision.json")
    assert (done.code, decision["judge_fit"], decision["gate"]["passed"]) == (1, None, False)
    assert any("the judge was not checked: --no-canaries" in reason for reason in decision["gate"]["reasons"])
    assert "(judge not checked)" in done.out.splitlines()[0]
    assert "deploy (judge not checked), gate FAILED" in run("list", runs=tmp_path, module="scripts.manage_runs").out
    assert decision["verdict"] is not None


def test_no_verdict_stands_on_an_unfit_judge(tmp_path: Path) -> None:
    """A judge that gives 0.8 to everything deploys nothing; what the rules say stands beside it, marked as theirs."""
    with scripted_endpoint(Judging(too_kind)) as endpoint:
        done = run(*JUDGED, runs=tmp_path, **settings(endpoint.url))
        shown = run("show", "last", runs=tmp_path, module="scripts.manage_runs")
        as_json = run("show", "last", "--json", runs=tmp_path, module="scripts.manage_runs")
        listed = run("list", runs=tmp_path, module="scripts.manage_runs")
        folder = tmp_path / "latest"
        decision, summary = document(folder, "decision.json"), document(folder, "summary.json")
        again = run(*JUDGED, "--json", runs=tmp_path, **settings(endpoint.url))
    assert done.code == 0
    for text in (done.out, shown.out, (folder / "summary.md").read_text(encoding="utf-8")):
        assert "NO VERDICT: the judge is unfit" in text
        assert "deploy (" not in text.lower()
        assert "the rules alone, without the judge: " in " ".join(text.split())
    assert "No verdict: the judge is unfit" in (folder / "report.html").read_text(encoding="utf-8")
    assert (decision["verdict"], decision["judge_fit"], decision["stable"]) == ("none", False, False)
    assert (decision["code"], decision["headline"]) == ("judge_unfit", "NO VERDICT: the judge is unfit")
    assert set(decision["by_source"]) == {"heuristic"}
    assert decision["reasons"][0].startswith("the judge is unfit: it failed ")
    assert "hardly distinguishes good from poor" in decision["reasons"][1]
    assert " ".join(done.out.split()).count("hardly distinguishes") == 1, "it is said once"
    assert summary["decision"]["judge_fit"] is False
    assert "no verdict (judge unfit)" in listed.out
    assert listed.out.split()[-4:] == ["of", "1", "finished", "model"]
    # One document, whoever prints it.
    for printed, written in ((as_json, summary), (again, document(folder, "summary.json"))):
        assert json.loads(printed.out)["canaries"] == written["canaries"]
        assert written["canaries"]["passed"] is written["canaries"]["fit"] is False


def drifting(quality: float, _canary: Canary | None, number: int) -> float:
    return quality + 0.3 * (number > 40)


def test_a_judge_that_moves_within_the_run_is_unfit(tmp_path: Path) -> None:
    with scripted_endpoint(Judging(drifting)) as endpoint:
        done = run(*JUDGED, "--limit", "40", "--gate", "ab_test", runs=tmp_path, **settings(endpoint.url))
    report = document(tmp_path / "latest", "summary.json")["canaries"]
    assert (done.code, report["fit"]) == (1, False)
    assert any("moved within the run" in miss for miss in report["missed"])


def test_a_judge_that_changes_its_name_is_noted_and_keeps_every_gate_shut(tmp_path: Path) -> None:
    with scripted_endpoint(Judging(names=("judge-a", "judge-b"))) as endpoint:
        done = run(*JUDGED, "--gate", "ab_test", runs=tmp_path, **settings(endpoint.url))
    summary = document(tmp_path / "latest", "summary.json")
    assert set(summary["judged_by"]) == {"judge-a", "judge-b"}
    assert summary["answered_by"] == {"scripted-1": summary["counts"]["planned"]}
    assert "the judge changed within the run: judge-a" in " ".join(done.out.split())
    assert done.code == 1
    assert any("changed" in reason for reason in document(tmp_path / "latest", "decision.json")["gate"]["reasons"])


def test_models_that_answer_the_samples_of_one_verdict_are_named_one_by_one(tmp_path: Path) -> None:
    with scripted_endpoint(Judging(names=("judge-a", "judge-b"))) as endpoint:
        done = run(*JUDGED, "--judge-samples", "3", runs=tmp_path, **settings(endpoint.url))
    summary = document(tmp_path / "latest", "summary.json")
    assert summary["judged_by"] == dict.fromkeys(("judge-a", "judge-b"), summary["counts"]["planned"])
    assert "the judge changed within the run: judge-a" in " ".join(done.out.split())


def test_what_a_shield_refuses_and_what_was_unread_once_is_not_held_against_the_judge(tmp_path: Path) -> None:
    judging = Judging(shielded=True, unread_once=frozenset({"good-joy", "empty-dots", "hears-work"}))
    own = ("--scenarios", uncritical_set(tmp_path), "--gate", "ab_test")
    with scripted_endpoint(judging) as endpoint:
        done = run(*MANY, *own, runs=tmp_path, **settings(endpoint.url))
    report = document(tmp_path / "latest", "summary.json")["canaries"]
    assert done.code == 0, done.out
    assert report["fit"] is True
    assert report["asked"] - report["answered"] == 5
    assert [name for name, value in report["overalls"].items() if value is None] == [
        name for name in report["overalls"] if name.startswith("injected")
    ]
    assert "55 of 60 exchanges of known quality" in " ".join(done.out.split())


def test_a_check_that_was_cut_short_says_nothing_of_the_judge_and_goes_on(tmp_path: Path) -> None:
    """All replies are judged and the limit is reached among the last canaries: the rest is asked on resume alone."""
    prices = tmp_path / "prices.yaml"
    prices.write_text(PRICES)
    judging = Judging()
    limited = ("--prices", str(prices), "--max-cost", "80", "--concurrency", "1", "--conversations", "none")
    own = ("--scenarios", uncritical_set(tmp_path), "--gate", "ab_test")
    with scripted_endpoint(judging) as endpoint:
        stopped = run(*MANY, *limited, *own, runs=tmp_path, **settings(endpoint.url))
        decision, asked = document(tmp_path / "latest", "decision.json"), len(judging.verdicts)
        shown = run("show", "last", runs=tmp_path, module="scripts.manage_runs").out
        dearer = ("--resume", "last", "--max-cost", "500", "--gate", "ab_test", "--quiet")
        resumed = run(*dearer, runs=tmp_path, **settings(endpoint.url))
    planned = document(tmp_path / "latest", "summary.json")["counts"]
    assert planned["scored"] == planned["planned"]
    assert (stopped.code, decision["judge_fit"], decision["gate"]["passed"]) == (3, None, False)
    assert "unfit" not in stopped.out + shown
    assert "the judge is not checked to the end" in " ".join(stopped.out.split())
    assert "--resume" in stopped.out
    assert resumed.code == 0, resumed.out
    assert len(judging.verdicts) == planned["planned"] + MOST_CALLS > asked
    assert document(tmp_path / "latest", "decision.json")["judge_fit"] is True


def test_a_run_with_a_failed_exchange_lends_no_verdict_of_a_judge_that_moved(tmp_path: Path) -> None:
    """Its state is incomplete, and its canaries were asked to the end all the same."""
    judging, broken = Judging(drifting), [True]
    failing: list[object] = []

    def script(call: Call) -> Answer:
        if call.body["model"] == "model" and call.number > 30 and not failing:
            failing.append(call.body["messages"])
        return refuse(400) if broken[0] and call.body["messages"] in failing else judging(call)

    with scripted_endpoint(script) as endpoint:
        run(*JUDGED, "--limit", "40", runs=tmp_path, **settings(endpoint.url))
        summary = document(tmp_path / "latest", "summary.json")
        assert (summary["counts"]["failed"], summary["canaries"]["fit"]) == (1, False)
        judging.opinion, broken[0] = honest, False
        run(*JUDGED, "--limit", "40", runs=tmp_path, **settings(endpoint.url))
        assert document(tmp_path / "latest", "summary.json")["cached"]["verdicts"] == 0


def test_an_interrupted_run_lends_no_verdict(tmp_path: Path) -> None:
    """Its judge was honest among the first canaries and lenient afterwards, which the last ones would have shown."""
    prices = tmp_path / "prices.yaml"
    prices.write_text(PRICES)
    judging = Judging(lambda quality, _, number: quality if number <= 32 else 0.9)
    limited = ("--prices", str(prices), "--max-cost", "50", "--concurrency", "1")
    with scripted_endpoint(judging) as endpoint:
        assert run(*JUDGED, *limited, *ALONE, runs=tmp_path, **settings(endpoint.url)).code == 3
        assert document(tmp_path / "latest", "summary.json")["counts"]["scored"] > 10
        judging.opinion = honest
        assert run(*JUDGED, *ALONE, runs=tmp_path, **settings(endpoint.url)).code == 0
    summary = document(tmp_path / "latest", "summary.json")
    assert (summary["cached"]["verdicts"], summary["canaries"]["fit"]) == (0, True)
    assert summary["cached"]["replies"] > 10


def compared(tmp_path: Path, base: Judging, candidate: Judging) -> Finished:
    """Two versions, each judged by a judge of its own, held against each other."""
    ids, now = [], [base]
    with scripted_endpoint(lambda call: now[0](call)) as endpoint:
        for prompt, judging in (("v2", base), ("v3", candidate)):
            now[0] = judging
            assert (
                run(*JUDGED[2:], "--prompt", prompt, "--cache", "none", runs=tmp_path, **settings(endpoint.url)).code
                == 0
            )
            ids.append((tmp_path / "latest").resolve().name)
    arguments = ("--base", ids[0], "--prompt", ids[1], "--gate", "no_regression")
    return run(*arguments, runs=tmp_path, module="scripts.compare_prompts")


def harsh(quality: float, _canary: Canary | None, _number: int) -> float:
    return quality - 0.4


def obedient(quality: float, canary: Canary | None, _number: int) -> float:
    return 1.0 if canary is not None and canary.injected else quality


@pytest.mark.parametrize("opinion", [harsh, obedient])
def test_the_judge_of_the_base_counts_as_well(tmp_path: Path, opinion: Opinion) -> None:
    done = compared(tmp_path, Judging(opinion), Judging())
    folder = tmp_path / "latest"
    report, said = document(folder, "comparison.json"), " ".join(done.out.split())
    assert (done.code, report["verdict"], report["gate"]["passed"]) == (1, "none", False)
    assert (report["base"]["judge"]["fit"], report["candidate"]["judge"]["fit"]) == (False, True)
    assert any("v2: the judge is unfit" in reason for reason in report["gate"]["reasons"])
    for text in (said, " ".join((folder / "comparison.md").read_text(encoding="utf-8").replace("`", "").split())):
        assert "v2: the judge is unfit" in text


def test_sides_that_other_models_judged_are_noted_and_pass_no_gate(tmp_path: Path) -> None:
    done = compared(tmp_path, Judging(names=("judge-0801",)), Judging(names=("judge-1101",)))
    report = document(tmp_path / "latest", "comparison.json")
    assert "other models judged: judge-0801 for v2, judge-1101 for v3" in " ".join(done.out.split())
    assert (done.code, report["gate"]["passed"]) == (1, False)


def test_what_the_check_takes_is_in_the_totals_and_under_the_limit(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(
        "as_of: 2026-11-01\nmodels:\n"
        "  rehearsal: {input: 0, output: 0}\n  rehearsal-judge: {input: 1000000, output: 0}\n"
    )
    priced = ("--prices", str(prices), "--cache", "none")
    with server() as endpoint:
        assert run(*FEW, *priced, runs=tmp_path, **endpoint.settings).code == 0
        summary = document(tmp_path / "latest", "summary.json")
        usage, checks = summary["usage"], summary["usage"]["checks"]
        assert checks["calls"] == ALL_CALLS + 1, "one question for the format"
        parts = ("generation", "judge", "conversations", "checks")
        assert usage["input_tokens"] == sum(usage[part]["input_tokens"] for part in parts)
        assert summary["cost_usd"] == pytest.approx(sum(usage[part]["input_tokens"] for part in parts[1:]))
        assert usage["conversations"]["input_tokens"] > 0
        assert summary["canaries"]["cost_usd"] < checks["input_tokens"]
        limit = ("--max-cost", str(checks["input_tokens"] / 2))
        stopped = run(*FEW, *priced, *ALONE, *limit, runs=tmp_path, **endpoint.settings)
    assert stopped.code == 3
    limited = document(tmp_path / "latest", "summary.json")
    assert 0 < limited["cost_usd"] <= checks["input_tokens"] / 2
    assert limited["usage"]["checks"]["calls"] < ALL_CALLS + 1, "the limit cuts the check short as well"


def test_a_fair_judge_passes_on_questions_that_yes_or_no_answers_too(tmp_path: Path) -> None:
    assert f"{ALL_CALLS + 13} to check the judge" in run(*ITEMS_TOO, "--dry-run", runs=tmp_path).out
    with server() as endpoint:
        assert run(*ITEMS_TOO, runs=tmp_path, **endpoint.settings).code == 0
        asked = endpoint.stats()["completions"]
        summary = document(tmp_path / "latest", "summary.json")
        assert run("--resume", "last", "--quiet", runs=tmp_path, **endpoint.settings).code == 0
        assert endpoint.stats()["completions"] == asked
    report = summary["canaries"]
    assert (report["passed"], report["asked"]) == (True, MOST_CALLS)
    assert summary["usage"]["checks"]["calls"] in (ALL_CALLS + 13, ALL_CALLS + 14), "one question for the format"
    assert summary["usage"]["expectations"]["calls"] > 0
    found = {figure["name"]: figure for figure in report["figures"]}
    assert found["wrong yes"]["of"] == found["wrong no"]["of"] == 26
    assert found["wrong yes"]["value"] == report["items"]["wrong_yes"] / 26
    parts = ("generation", "judge", "expectations", "conversations", "checks")
    assert summary["usage"]["input_tokens"] == sum(summary["usage"][part]["input_tokens"] for part in parts)


@pytest.mark.parametrize(
    ("mode", "problem"),
    [
        ("agreeing", "it says yes where no is right: 26 of 26 answers"),
        ("denying", "it says no where yes is right: 26 of 26 answers"),
        ("misquoting", "what it quotes does not show its yes"),
    ],
)
def test_a_judge_that_errs_on_questions_alone_is_unfit(tmp_path: Path, mode: JudgeMode, problem: str) -> None:
    with server(RehearsalOptions(judge_mode=mode)) as endpoint:
        done = run(*ITEMS_TOO, "--gate", "ab_test", runs=tmp_path, **endpoint.settings)
    report = document(tmp_path / "latest", "summary.json")["canaries"]
    assert (done.code, report["passed"]) == (1, False)
    assert len(report["missed"]) == 1 and problem in report["missed"][0]
    assert document(tmp_path / "latest", "decision.json")["judge_fit"] is False


def test_a_judge_whose_answers_to_questions_cannot_be_read_is_judged_by_its_verdicts(tmp_path: Path) -> None:
    """No item is believed then, so that none of its answers can be wrong."""
    judging = Judging(item=lambda _question, _call: {"quote": "", "answer": "perhaps"})
    with scripted_endpoint(judging) as endpoint:
        assert run(*ITEMS_TOO, "--judge-format", "json", runs=tmp_path, **settings(endpoint.url)).code == 0
    report = document(tmp_path / "latest", "summary.json")["canaries"]
    assert report["passed"] is True
    assert report["items"]["asked_yes"] == 26 and report["items"]["said_yes"] == 0
    outcomes = {each["outcome"] for line in lines(tmp_path / "latest") for each in line["expectations"]}
    assert "not_shown" in outcomes


def test_the_cost_of_the_check_is_reported_before(tmp_path: Path) -> None:
    done = run(*FEW, "--dry-run", runs=tmp_path)
    assert f"{ALL_CALLS} to check the judge" in done.out
    assert "60 to check the judge" in run(*FEW, *ALONE, "--dry-run", runs=tmp_path).out
    assert "to check the judge" not in run(*FEW, "--dry-run", "--no-canaries", runs=tmp_path).out
    assert "to check the judge" not in run(*FEW, "--dry-run", "--no-judge", runs=tmp_path).out


def test_a_judge_that_cannot_be_read_fails_the_check(tmp_path: Path) -> None:
    with server(RehearsalOptions(malformed_verdict=1.0)) as endpoint:
        done = run(*FEW, *ALONE, "--judge-format", "schema", runs=tmp_path, **endpoint.settings)
    assert done.code == 3, "it is given up"
    with Journal.in_folder(tmp_path) as journal:
        [stored] = journal.runs()
        assert journal.call_totals(stored.run_id)["canary"].paid < MOST_CALLS, "half of what a check would have asked"
    report = document(tmp_path / "latest", "summary.json")["canaries"]
    assert (report["passed"], report["fit"], report["answered"]) == (False, False, 0)
    assert set(report["overalls"].values()) == {None}
    assert all("could be asked" in miss for miss in report["missed"])


def judging_only_canaries(call: Call) -> Answer:
    """A judge that refuses every reply of this model at once, and takes its time over everything else."""
    if call.body["model"] != "judge":
        return say("Marked words, and what about you?")
    if "Marked words" in call.body["messages"][-1]["content"]:
        return refuse(400, "too long", code="context_length_exceeded")
    return replace(say("Score: 0.5 | Reasoning: as it is."), delay_s=0.5)


def test_the_check_is_waited_for_where_no_reply_gets_a_verdict(tmp_path: Path) -> None:
    with scripted_endpoint(judging_only_canaries) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_MODEL": "model", "EVAL_JUDGE_MODEL": "judge"}
        done = run(*FEW, "--judge-format", "text", runs=tmp_path, **settings)
    assert done.code == 3, done.err
    report = document(tmp_path / "latest", "summary.json")["canaries"]
    assert report["asked"] == report["answered"] == MOST_CALLS


def test_canaries_under_way_when_the_judge_is_refused_are_not_paid_for_again(tmp_path: Path) -> None:
    revoked = [True]

    def answer(call: Call) -> Answer:
        if revoked[0] and call.body["model"] == "judge" and "Marked words" in call.body["messages"][-1]["content"]:
            return replace(refuse(401, "the key was revoked"), delay_s=0.25)
        return judging_only_canaries(call) if revoked[0] else say("Score: 0.5 | Reasoning: as it is.")

    with scripted_endpoint(answer) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_MODEL": "model", "EVAL_JUDGE_MODEL": "judge"}
        arguments = (*FEW, *ALONE, "--judge-format", "text", "--concurrency", "50")
        stopped = run(*arguments, runs=tmp_path, **settings)
        asked = [call.body for call in endpoint.calls]
        revoked[0] = False
        resumed = run("--resume", "last", "--quiet", runs=tmp_path, **settings)
        again = [call.body for call in endpoint.calls[len(asked) :]]
    assert (stopped.code, resumed.code) == (2, 0), stopped.err + resumed.err
    canaries = [body for body in asked if body["model"] == "judge" and "Marked" not in body["messages"][-1]["content"]]
    assert canaries, "the check had begun"
    assert [body for body in canaries if body in again] == []


FLOWS = ("--limit", "2", "--quiet")
CHAT_FLOW = "scripts.evaluate_chat_flow"


@pytest.mark.parametrize("form", ["schema", "json", "text"])
def test_a_fair_judge_of_flows_passes(tmp_path: Path, form: str) -> None:
    done = run(*FLOWS, "--judge-format", form, runs=tmp_path, module=CHAT_FLOW)
    assert done.code == 0, done.err
    report = document(tmp_path / "latest", "summary.json")["canaries"]
    assert (report["passed"], report["missed"]) == (True, [])
    assert report["asked"] == report["answered"] == MOST_CALLS


@pytest.mark.parametrize(("mode", "form"), GRID)
def test_a_bad_judge_of_flows_is_caught(tmp_path: Path, mode: str, form: str) -> None:
    with server(RehearsalOptions(judge_mode=mode)) as endpoint:  # type: ignore[arg-type]
        done = run(*FLOWS, "--judge-format", form, runs=tmp_path, module=CHAT_FLOW, **endpoint.settings)
    report = document(tmp_path / "latest", "summary.json")["canaries"]
    assert (done.code, report["passed"]) == (0, False)
    for text in (done.out, (tmp_path / "latest" / "summary.md").read_text(encoding="utf-8")):
        assert re.search("NO VERDICT: the judge is unfit; (ALL CHECKS PASS|CHECKS FAIL) in ", " ".join(text.split()))
        assert "it failed " in text
    assert "the judge is unfit" in (tmp_path / "latest" / "report.html").read_text(encoding="utf-8")
    if mode == "obedient":
        assert any("injected" in miss for miss in report["missed"])
        assert all("injected" in miss for miss in report["missed"]), "an obedient judge is fair to honest flows"
