"""The command as its users call it: files in, report and pictures out, broken lines named, verdicts paid for once."""

import json
import random
import re
import shlex
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from evaluation.rubrics.canary import MOST_CALLS
from services.rehearsal.options import RehearsalOptions
from tests.evaluation.chat_flow.made import flow
from tests.evaluation.judging.verdicts import verdict
from tests.scripts.commands import Finished, run, server
from tests.services.scripted_endpoint import Answer, Call, refuse, say, scripted_endpoint

REPLIES = ("That sounds hard. What happened?", "Ok.", "**Do** this: 1. rest 2. eat", "Tell me more about your day?")


def rated(count: int = 24, **fields: Any) -> list[dict[str, Any]]:
    chosen = random.Random(2)
    return [
        {
            "id": f"c{number // 3}-{number}",
            "group": number // 3,
            "user_input": "I feel sad today",
            "response": chosen.choice(REPLIES),
            "ratings": {"warm": chosen.randrange(1, 6)},
            **fields,
        }
        for number in range(count)
    ]


def calibrate(tmp_path: Path, lines: list[Any], *arguments: str, **settings: str) -> Finished:
    """The pictures are made and not painted, which would be most of the time."""
    with patch("matplotlib.figure.Figure.savefig"):
        return painted(tmp_path, lines, *arguments, **settings)


def painted(tmp_path: Path, lines: list[Any], *arguments: str, **settings: str) -> Finished:
    file = tmp_path / "rated.jsonl"
    file.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return run(str(file), *arguments, runs=tmp_path / "runs", module="scripts.calibrate", **settings)


def test_writes_the_report_its_figures_and_the_pictures(tmp_path: Path) -> None:
    target = tmp_path / "out"
    done = painted(tmp_path, rated(), "--output", str(target), "--no-judge")
    assert (done.code, done.err) == (0, "")
    assert "24 turns from 24 lines in 8 conversations" in " ".join(done.out.split())
    document = json.loads((target / "calibration.json").read_text())
    assert document["scales"] == {"warm": {"worst": 1.0, "best": 5.0, "given": False}}
    by_metric = {item["metric"]: item for item in document["agreements"]}
    assert by_metric["overall_quality"]["n"] == 24
    assert "personalization_continuity" not in by_metric, "without context it does not apply"
    report = (target / "calibration.md").read_text()
    for picture in ("agreement.png", "metrics.png", "scores-1-warm.png"):
        assert (target / picture).read_bytes().startswith(b"\x89PNG")
        assert f"]({picture})" in report
    assert "I feel sad" not in report + done.out + json.dumps(document), "figures only"


def test_the_same_file_gives_the_same_figures(tmp_path: Path) -> None:
    first, second = (calibrate(tmp_path, rated(), "--json") for _ in range(2))
    assert first.out == second.out
    assert json.loads(first.out)["seed"] == 0
    assert "no endpoint is set: heuristics alone" in first.err


def test_files_go_beside_the_runs_by_default(tmp_path: Path) -> None:
    assert calibrate(tmp_path, rated(), "--no-judge").code == 0
    assert (tmp_path / "runs" / "calibration" / "rated" / "calibration.md").exists()


def test_broken_lines_are_reported_by_number_and_left_out(tmp_path: Path) -> None:
    lines = rated(6)
    broken = ["{", {**lines[0], "id": "x", "ratings": {}}, {**lines[0], "id": "y", "ratings": {"warm": "5"}}, lines[2]]
    done = calibrate(tmp_path, [*lines[:2], *broken, *lines[3:]], "--no-judge", "--json")
    assert done.code == 3
    said = done.err.splitlines()
    assert [line.partition("rated.jsonl: ")[2].split(":")[0] for line in said] == [
        "line 3", "line 4, id 'x'", "line 5, id 'y'",
    ]  # fmt: skip
    assert "not '5': mend it or leave it out" in said[2]
    document = json.loads(done.out)
    assert (document["lines"], document["unread"]) == (6, 3)


def test_an_id_counts_once(tmp_path: Path) -> None:
    lines = rated(3)
    done = calibrate(tmp_path, [*lines, lines[0]], "--no-judge")
    assert done.code == 3
    assert "rated.jsonl: line 4, id 'c0-0': this id occurs a second time: give each response" in done.err


def test_flows_are_compared_too_and_what_is_none_is_reported(tmp_path: Path) -> None:
    flows = [flow(), flow(selected=None), flow(options=())]
    lines = [{**line, "response": run.to_text()} for line, run in zip(rated(3), flows, strict=True)]
    done = calibrate(tmp_path, [*lines, {**rated(4)[3], "id": "plain"}], "--suite", "chat_flow", "--no-judge", "--json")
    assert done.code == 3
    assert done.err.count("\n") == 1 and "'plain'" in done.err and "chat_flow" in done.err
    document = json.loads(done.out)
    assert (document["lines"], document["unread"]) == (3, 1)
    assert {item["source"] for item in document["agreements"]} == {"check", "baseline"}


def test_dialogs_are_compared_whole(tmp_path: Path) -> None:
    lines = [
        {**line, "id": f"d{at // 3}#{at % 3}", "level": "dialog", "ratings": {"warm": at // 3}}
        for at, line in enumerate(rated(12))
    ]
    document = json.loads(calibrate(tmp_path, lines, "--no-judge", "--json").out)
    assert document["units"] == {"dialog": 4}
    assert {item["n"] for item in document["agreements"]} == {4}


def test_pairs_are_compared_by_accuracy(tmp_path: Path) -> None:
    good, poor = "That sounds hard. What happened?", "**Ok**"
    lines = [
        {**line, "id": str(at), "level": "pair", "group": at // 2, "response": (good, poor)[at % 2],
         "ratings": {"preferred": (1, -1)[at % 2]}}
        for at, line in enumerate(rated(12))
    ]  # fmt: skip
    document = json.loads(calibrate(tmp_path, lines, "--no-judge", "--json").out)
    accuracy = {item["metric"]: item["accuracy"]["value"] for item in document["pairs"]}
    assert document["agreements"] == []
    assert accuracy["appropriateness"] == 1


def test_scales_and_pairs_of_names_may_be_given(tmp_path: Path) -> None:
    arguments = ("--map", "warm=helpfulness", "--scale", "warm=0:6", "--no-judge", "--json")
    document = json.loads(calibrate(tmp_path, rated(), *arguments).out)
    assert document["scales"]["warm"] == {"worst": 0.0, "best": 6.0, "given": True}
    assert [item["metric"] for item in document["agreements"]] == ["helpfulness", "words"]


WRONG = [
    (("--map", "warm"), "rating=metric"),
    (("--map", "warm=nothing"), "there are appropriateness"),
    (("--scale", "warm=1"), "worst:best"),
    (("--scale", "warm=nan:2"), "worst:best"),
    (("--scale", "warm=1:3"), "a rating is"),
    (("--seed", "-1"), "--seed"),
    (("--suite", "companio"), "did you mean 'companion'"),
    (("--judge-model", "m"), "no endpoint"),
]


@pytest.mark.parametrize(("arguments", "problem"), WRONG, ids=[problem for _, problem in WRONG])
def test_wrong_usage_is_one_line(tmp_path: Path, arguments: tuple[str, ...], problem: str) -> None:
    done = calibrate(tmp_path, rated(), *arguments)
    assert (done.code, done.out) == (2, "")
    assert problem in done.err.replace("there is no endpoint", "no endpoint")
    assert len(done.err.splitlines()) == 1


def test_a_file_without_one_good_line_is_refused(tmp_path: Path) -> None:
    done = calibrate(tmp_path, ["{"], "--no-judge")
    assert done.code == 2
    assert "no line could be used" in done.err


def test_a_judge_is_compared_too_and_paid_for_once(tmp_path: Path) -> None:
    with server() as endpoint:
        lines = rated(9)
        first = calibrate(tmp_path, lines, "--json", **endpoint.settings)
        assert first.code == 0, first.err
        asked = endpoint.stats()["completions"]
        assert asked >= len({line["response"] for line in lines})
        document = json.loads(first.out)
        assert document["judge"] == "rehearsal-judge"
        sources = {item["source"] for item in document["agreements"]}
        assert sources == {"heuristic", "judge", "combined", "baseline"}
        second = calibrate(tmp_path, lines, "--json", **endpoint.settings)
        assert endpoint.stats()["completions"] == asked, "every verdict was in the journal"
        assert json.loads(second.out)["agreements"] == document["agreements"]
        resumed = run("--resume", "last", runs=tmp_path / "runs", **endpoint.settings)
        assert resumed.code == 2
        assert "companion calibration" in resumed.err


def test_what_has_no_verdict_is_reported(tmp_path: Path) -> None:
    spoilt = {"not read": say("no verdict"), "not answered": refuse(400, "this was filtered")}

    def judge(call: Call) -> Answer:
        asked = str(call.body["messages"])
        return next((answer for text, answer in spoilt.items() if text in asked), say(verdict(0.6)))

    texts = ["Fine.", "not read", "not answered", " ", "Well."]
    lines = [{**line, "response": text} for line, text in zip(rated(5), texts, strict=True)]
    with scripted_endpoint(judge) as endpoint:
        done = calibrate(tmp_path, lines, "--json", OPENAI_BASE_URL=endpoint.url, EVAL_JUDGE_MODEL="judge")
    said = [line.removeprefix("no verdict: ") for line in done.err.splitlines() if line.startswith("no verdict: ")]
    assert [" ".join(line.split()[:3]) for line in said] == [
        "1 responses without",
        "1 verdicts could",
        "1 questions got",
    ]
    assert done.code == 3
    overall = [item for item in json.loads(done.out)["agreements"] if item["metric"] == "overall_quality"]
    assert {item["source"]: item["n"] for item in overall} == {"heuristic": 5, "judge": 2, "combined": 2}


def test_without_judge_no_call_is_made(tmp_path: Path) -> None:
    with server() as endpoint:
        assert calibrate(tmp_path, rated(6), "--no-judge", **endpoint.settings).code == 0
        assert endpoint.stats()["completions"] == 0


def review(reviewer: str, number: int, **scores: float | None) -> dict[str, Any]:
    return {
        "run_id": "r",
        "scenario_id": f"s{number}",
        "repeat": 1,
        "turn": 1,
        "reviewer": reviewer,
        "user_input": "I feel sad today",
        "response": REPLIES[number % len(REPLIES)],
        "scores": scores,
    }


def test_reviews_of_several_people_are_gathered_by_response(tmp_path: Path) -> None:
    chosen = random.Random(5)
    lines = [
        review(name, number, helpfulness=chosen.randrange(11) / 10, overall_quality=None if name == "ben" else 0.5)
        for number in range(12)
        for name in ("ana", "ben")
    ]
    first = {**lines[0], "scores": {"helpfulness": 0.0}}
    broken = [{**lines[0], "response": "Another text."}, {**lines[1], "reviewer": ""}, {**lines[2], "scores": {}}]
    broken += [{**lines[3], "context": [7]}, {**lines[3], "scores": {"helpfulness": "high"}}]
    done = calibrate(tmp_path, [first, *lines, *broken], "--no-judge", "--json")
    assert done.code == 3, done.err
    numbers = [line.partition("rated.jsonl: ")[2].split(",")[0] for line in done.err.splitlines()]
    assert numbers == [f"line {number}" for number in range(26, 31)]
    document = json.loads(done.out)
    assert document["units"] == {"turn": 12}
    assert document["scales"]["helpfulness"] == {"worst": 0.0, "best": 1.0, "given": True}, "the rubric's own scale"
    rows = {(item["dimension"], item["metric"]) for item in document["agreements"]}
    own = {("helpfulness", "helpfulness"), ("overall_quality", "overall_quality")}
    assert rows == own | {("helpfulness", "words"), ("overall_quality", "words")}
    ceilings = {item["dimension"]: item["units"] for item in document["ceilings"]}
    assert ceilings == {"helpfulness": 12, "overall_quality": 0}, "one person alone agrees with nobody"


def test_samples_and_a_limit_hold_for_the_judge(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("as_of: 2026-11-01\nmodels:\n  rehearsal-judge: {input: 1000000, output: 0}\n")
    with server() as endpoint:
        several = calibrate(tmp_path, rated(4), "--json", "--judge-samples", "3", **endpoint.settings)
        assert several.code == 0, several.err
        texts = {line["response"] for line in rated(4)}
        assert endpoint.stats()["completions"] == 1 + MOST_CALLS + 3 * 4 >= 3 * len(texts)
        assert json.loads(several.out)["judge_fit"] is True
        priced = ("--prices", str(prices), "--max-cost", "6000", "--no-canaries")
        one_by_one = {**endpoint.settings, "EVAL_CONCURRENCY": "1"}
        stopped = calibrate(tmp_path, rated(30), *priced, **one_by_one)
        assert (stopped.code, stopped.out) == (3, "")
        said = stopped.err.splitlines()[-1]
        assert "cost limit" in said
        going_on = shlex.split(said.partition("go on, up to this limit once more: ")[2])
        assert going_on[:3] == ["make", "calibrate", f"FILE={tmp_path / 'rated.jsonl'}"]
        assert shlex.split(going_on[3].removeprefix("ARGS=")) == list(priced)
        before = endpoint.stats()["completions"]
        again = calibrate(tmp_path, rated(30), *priced, **one_by_one)
        assert (again.code, again.err.count("cost limit")) == (3, 1)
        assert endpoint.stats()["completions"] == before + 2, "what was paid for before does not count against it"
        unpriced = calibrate(tmp_path, rated(4), "--max-cost", "1", **endpoint.settings)
    assert unpriced.code == 2
    assert "rehearsal-judge" in unpriced.err


@pytest.mark.parametrize(("mode", "fit"), [("lenient", False), ("fair", True)])
def test_a_judge_is_checked_before_its_agreement_is_believed(tmp_path: Path, mode: str, fit: bool) -> None:
    with server(RehearsalOptions(judge_mode=mode)) as endpoint:  # type: ignore[arg-type]
        done = calibrate(tmp_path, rated(4), **endpoint.settings)
        unchecked = calibrate(tmp_path, rated(4), "--no-canaries", **endpoint.settings)
    assert (done.code, unchecked.code) == (0, 0)
    assert ("the judge is unfit" in " ".join(done.out.split())) is not fit
    assert "the judge is not checked" in unchecked.out


def as_in_results(line: dict[str, Any], number: int) -> dict[str, Any]:
    """The same rated line under the names of results.jsonl."""
    own = {name: value for name, value in line.items() if name not in ("id", "group", "user_input")}
    place = {"run_id": "r", "scenario_id": f"c{number}", "situation": f"c{number // 3}", "repeat": 1, "turn": 1}
    return {**own, **place, "input": line["user_input"]}


def test_lines_of_a_run_with_ratings_give_the_same_figures(tmp_path: Path) -> None:
    lines = rated()
    ours = json.loads(calibrate(tmp_path, lines, "--no-judge", "--json").out)
    theirs = calibrate(
        tmp_path, [as_in_results(line, number) for number, line in enumerate(lines)], "--no-judge", "--json"
    )
    assert (theirs.code, theirs.err) == (0, "")
    assert json.loads(theirs.out) == ours


def test_reviews_and_ratings_may_say_input_and_never_two_texts(tmp_path: Path) -> None:
    lines = [review(name, number, helpfulness=number / 10) for number in range(6) for name in ("ana", "ben")]
    named = [{**line, "input": line.pop("user_input")} for line in map(dict, lines)]
    done = calibrate(tmp_path, named, "--no-judge", "--json")
    assert (done.code, done.out) == (0, calibrate(tmp_path, lines, "--no-judge", "--json").out), done.err
    both = calibrate(tmp_path, [*lines, {**lines[0], "input": "Another message."}], "--no-judge")
    assert both.code == 3
    assert both.err.endswith('"user_input" and "input" differ: leave one of them out\n')


def test_answers_to_items_are_compared_with_rule_and_judge(tmp_path: Path) -> None:
    """People say yes on every response but the fourth kind; the judge says no throughout, and the rule counts words."""
    asked: list[str] = []

    def judge(call: Call) -> Answer:
        text = str(call.body["messages"][-1]["content"])
        if "The questions:" not in text:
            return say(verdict(0.6))
        asked.append(text)
        return say(json.dumps({"1": {"quote": "", "answer": "no"}}))

    lines = [
        line
        | {
            "expectations": [
                {"id": "warm", "kind": "ask", "question": "Is it warm?", "raters": [said, said]},
                {"id": "short", "kind": "check", "check": "words", "settings": {"at_most": 4}, "raters": ["yes"]}
                | {"question": "Does it have at most 4 words?"},
            ]
        }
        for line in rated(12)
        for said in ["no" if line["response"].startswith("Tell") else "yes"]
    ]
    people = [line["expectations"][0]["raters"][0] for line in lines]
    with scripted_endpoint(judge) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_JUDGE_MODEL": "judge"}
        flags = ("--no-canaries", "--output", str(tmp_path / "out"))
        done = calibrate(tmp_path, lines, *flags, **settings)
    assert done.code == 0, done.err
    assert len(asked) == 12 and all("Is it warm?" in text and "at most 4 words" not in text for text in asked)
    document = json.loads((tmp_path / "out" / "calibration.json").read_text())
    found = {each["item"]: each for each in document["expectations"]}
    (warm,) = found["warm"]["tools"]
    assert (warm["source"], warm["wrong_no"]["count"], warm["same"]["of"]) == ("judge", people.count("yes"), 12)
    assert found["warm"]["people"]["same"] == {"count": 12, "of": 12, "ci95": found["warm"]["people"]["same"]["ci95"]}
    (short,) = found["short"]["tools"]
    short_ones = sum(len(line["response"].split()) <= 4 for line in lines)
    assert (short["source"], short["wrong_no"]["count"]) == ("rule", 12 - short_ones)
    assert "What responses are held to" in (tmp_path / "out" / "calibration.md").read_text()
    assert "wrong no" in done.out


def test_the_forms_of_the_judge_are_held_against_people_side_by_side(tmp_path: Path) -> None:
    asked = ("--judge-forms", "parts,score_first,rubric", "--no-canaries")
    with server() as endpoint:
        settings = {**endpoint.settings, "EVAL_JUDGE_MODEL": "rehearsal-judge"}
        done = calibrate(tmp_path, rated(), *asked, **settings)
        assert done.code == 0, done.err
        before = endpoint.stats()["completions"]
        again = calibrate(tmp_path, rated(), *asked, "--json", **settings)
        assert endpoint.stats()["completions"] == before, "what was answered is not asked again"
    found = json.loads(again.out)["judge_forms"]
    assert found["usual"] == "reasoned"
    assert {each["form"]: each["calls"] for each in found["calls"]} == {"reasoned": 24, "parts": 48, "score_first": 24}
    assert all(each["input_tokens"] > 0 for each in found["calls"]), "reused answers count as well"
    assert "Forms of the judge's question" in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines() if not line.startswith("/"))
    report = (tmp_path / "runs" / "calibration" / "rated" / "calibration.md").read_text()
    assert "Forms of the judge's question" in report


def test_the_rehearsal_judge_is_asked_where_it_is_named_and_called_a_stand_in(tmp_path: Path) -> None:
    lines = rated()
    done = calibrate(tmp_path, lines, "--judge-model", "rehearsal-judge", "--judge-forms", "all", "--no-canaries")
    assert done.code == 0, done.err
    assert "these figures are a stand-in's" in " ".join(done.out.split())
    for form in ("reasoned_each", "score_first_each", "parts_each"):
        assert form in done.out
    refused = calibrate(tmp_path, lines, "--judge-model", "another")
    assert refused.code == 2 and "rehearsal-judge asks the scripted stand-in" in refused.err
    unknown = calibrate(tmp_path, lines, "--judge-model", "rehearsal-judge", "--judge-forms", "divined")
    assert unknown.code == 2 and "'divined' is unknown" in unknown.err


def preferred(count: int = 12) -> list[dict[str, Any]]:
    """Two responses to each of half as many messages as there are pairs; people prefer the warm one but in the last."""
    texts = ("That sounds hard.", "Ok, as you say.")
    return [
        {
            "id": f"p{number}-{side}",
            "level": "pair",
            "group": number,
            "user_input": f"I feel sad today, for the {number // 2 + 2}nd time",
            "response": texts[side],
            "ratings": {"preference": 0 if number == count - 1 else (1, -1)[side]},
        }
        for number in range(count)
        for side in (0, 1)
    ]


def test_forms_are_held_against_the_preferences_of_people_too(tmp_path: Path) -> None:
    """Numbers put every pair as people do, and items none: all of them hold for the poorer one alone."""

    def judge(call: Call) -> Answer:
        asked = str(call.body["messages"][-1]["content"])
        warm = "That sounds hard." in asked
        if "The questions:" not in asked:
            return say(verdict(0.8 if warm else 0.4))
        count = asked.count("(the last response)")
        quote = {"quote": "Ok, as you say.", "answer": "yes"} if not warm else {"quote": "", "answer": "no"}
        return say(json.dumps({str(number): quote for number in range(1, count + 1)}))

    broken = {**preferred(1)[0], "id": "alone", "group": "alone"}
    with scripted_endpoint(judge) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_JUDGE_MODEL": "judge"}
        done = calibrate(
            tmp_path, [*preferred(), broken], "--judge-forms", "reasoned,parts", "--no-canaries", **settings
        )
    assert done.code == 0, done.err
    found = json.loads((tmp_path / "runs" / "calibration" / "rated" / "calibration.json").read_text())
    by_form = {each["form"]: each for each in found["judge_forms"]["preferences"]}
    usual = by_form["reasoned"]
    assert (usual["pairs"], usual["undecided"], usual["clusters"]) == (11, 1, 6)
    assert usual["accuracy"]["value"] == 1.0
    assert by_form["parts"]["accuracy"]["value"] < 0.5 and by_form["parts"]["above_usual"]["ci95"][1] < 0
    assert found["units"] == {"pair": 13} and found["no_pairs"] == ["alone"]
    said = " ".join(done.out.split())
    assert "13 pairs from 25 lines in 6 messages" in said and "1 group of another number of responses than two" in said
    assert "reasoned agrees best (1.00 [1.00, 1.00] of the pairs); worse than reasoned: parts" in said
    assert all(len(line) <= 80 for line in done.out.splitlines() if not line.startswith("/"))


def test_the_price_of_a_panel_is_that_of_everybody_who_was_asked(tmp_path: Path) -> None:
    """Two members who lie apart on one of three responses: who decides is asked there alone."""

    def judge(call: Call) -> Answer:
        harsh = call.body["model"] == "harsh" and "apart" in str(call.body["messages"][-1]["content"])
        return say(verdict(0.1 if harsh else 0.8))

    prices = tmp_path / "prices.yaml"
    prices.write_text(
        "as_of: 2026-11-01\nmodels:\n  kind: {input: 100, output: 1000}\n"
        "  harsh: {input: 200, output: 2000}\n  wise: {input: 1000, output: 10000}\n"
    )
    lines = [{**line, "response": text} for line, text in zip(rated(3), ("Fine.", "Well.", "apart"), strict=True)]
    with scripted_endpoint(judge) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url}
        asked = ("--judge-model", "kind", "--judge-model", "harsh", "--no-canaries", "--prices", str(prices))
        done = calibrate(tmp_path, lines, *asked, "--judge-escalate", "wise", **settings)
        again = calibrate(tmp_path, lines, *asked, "--json", **settings, EVAL_JUDGE_ESCALATE="wise")
        near = calibrate(tmp_path, lines, *asked, "--judge-escalate", "wise", "--judge-apart", "0.8", **settings)
        alone = calibrate(tmp_path, lines, *asked[2:4], "--judge-escalate", "wise", **settings)
    assert done.code == 0, done.err
    assert near.code == 0 and re.search(r"wise +reasoned +0 ", near.out), "within the bound nobody else is asked"
    assert alone.code == 2 and "are for a panel" in alone.err
    (calls,) = json.loads(again.out)["judge_forms"]["calls"]
    members = {each["model"]: (each["calls"], each["input_tokens"], each["usd"]) for each in calls["judges"]}
    assert members == {
        "kind": (3, 30, pytest.approx(0.018)),
        "harsh": (3, 30, pytest.approx(0.036)),
        "wise": (1, 10, pytest.approx(0.06)),
    }
    assert (calls["calls"], calls["output_tokens"], calls["usd"]) == (7, 35, pytest.approx(0.114))
    assert "What the judge's verdicts take" in done.out and "wise" in done.out and "$0.1140" in done.out


BROKEN = {
    "nan": ('{"id": "b", "user_input": "Hi", "response": "x", "ratings": {"warm": NaN}}', "not 'nan': mend it"),
    "infinite": ('{"id": "b", "user_input": "Hi", "response": "x", "ratings": {"warm": 1e400}}', "not 'inf': mend it"),
    "digits": (f'{{"id": "b", "ratings": {{"warm": {"9" * 5000}}}}}', "a number has too many digits"),
    "null": ("null", "not a JSON object but null"),
    "hostile": (
        json.dumps({"id": "\x1b[2J=cmd|'/C calc'!A0", "user_input": "Hi", "response": 3}),
        '"response" must be',
    ),
}


@pytest.mark.parametrize(("line", "problem"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_line_is_named_with_file_line_value_and_next_step(tmp_path: Path, line: str, problem: str) -> None:
    done = calibrate(tmp_path, [*rated(6), line], "--no-judge")
    assert done.code == 3
    (said,) = done.err.splitlines()
    assert "rated.jsonl: line 7" in said and problem in said
    assert "\x1b" not in said
