"""Endpoints that know nothing of structured outputs, and say so in their own ways: one form is found for the run."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.errors import UsageError
from evaluation.judging.asking import FORMATS
from evaluation.judging.judge import Judge
from evaluation.records import CallFailure, Verdict
from scripts.run.judge_format import find_judge_format
from scripts.run.judges import judge_pin
from services.journal import Journal
from services.model.endpoint import open_endpoint
from services.retrying import Retries
from tests.evaluation.judging.verdicts import exchange, judge_rubric, verdict
from tests.scripts.commands import document, lines, run
from tests.services.scripted_endpoint import Answer, Call, refuse, say, scripted_endpoint

FEW = ("--prompt", "v3", "--limit", "2", "--quiet", "--no-canaries", "--expectations", "none")
SETTINGS = {"EVAL_MODEL": "companion", "EVAL_JUDGE_MODEL": "judge"}
LINE = "Score: 0.6 | Reasoning: warm, but it asks nothing"

Judging = Callable[[Any], Answer]


def answering(refusal: Answer, *kinds: str) -> Judging:
    """A judge that refuses these kinds of `response_format`, and answers the rest as asked."""

    def answer(asked: Any) -> Answer:
        kind = None if asked is None else asked["type"]
        return refusal if kind in kinds else say(LINE if kind is None else verdict(0.6))

    return answer


def always(answer: Answer) -> Judging:
    return lambda _asked: answer


BOTH = ("json_schema", "json_object")
CASES: dict[str, tuple[Judging, str]] = {
    "accepts a schema": (answering(refuse(400)), "schema"),
    "names the schema": (answering(refuse(400, "json_schema is not supported by this model"), "json_schema"), "json"),
    "names the parameter": (answering(refuse(422, "bad", param="response_format"), *BOTH), "text"),
    "speaks of a grammar": (answering(refuse(400, "failed to parse grammar"), "json_schema"), "json"),
    "has no such feature": (answering(refuse(501, "not implemented"), *BOTH), "text"),
    "answers with a page": (
        answering(Answer(400, "<html>Bad Request</html>", content_type="text/html"), *BOTH),
        "text",
    ),
    "answers with nothing": (answering(Answer(422, b""), *BOTH), "text"),
    "answers with a list": (answering(Answer(400, [{"detail": [{"msg": "extra fields"}]}]), "json_schema"), "json"),
    "answers with a tool call": (
        answering(
            say(None, "tool_calls", tool_calls=[{"function": {"name": "verdict", "arguments": verdict(0.6)}}]), *BOTH
        ),
        "text",
    ),
    "passes over the format": (always(say(LINE)), "text"),
    "wraps its object in talk": (always(say(f"Here you are:\n{verdict(0.9)}\n{LINE}")), "text"),
    "counts from one to ten in JSON": (answering(say(verdict(8)), *BOTH), "text"),
    "counts from one to ten in one form alone": (answering(say(verdict(8)), "json_schema"), "json"),
    "writes its numbers as words": (answering(say(verdict("0.6")), *BOTH), "text"),
    "writes no number at all": (answering(say(verdict(float("nan"))), *BOTH), "text"),
    "says nothing in JSON": (answering(say(""), *BOTH), "text"),
    "is filtered in JSON": (answering(say(None, "content_filter"), *BOTH), "text"),
    "refuses to judge in JSON": (answering(say(None, refusal="I cannot rate people."), *BOTH), "text"),
    "gives a list of parts": (always(say([{"type": "text", "text": verdict(0.6)}])), "schema"),
    "thinks aloud first": (always(say(f"<think>\nIs {verdict(1.0)} fair?\n</think>\n\n{verdict(0.6)}")), "schema"),
}


def script(judging: Judging) -> Callable[[Call], Answer]:
    def answer(call: Call) -> Answer:
        judges = call.body["model"] != "companion"
        return judging(call.body.get("response_format")) if judges else say("I hear you.")

    return answer


async def no_wait(_seconds: float) -> None:
    return None


async def found_and_judged(url: str) -> tuple[str, Verdict | CallFailure]:
    """The form that is found for the endpoint's judge, and its verdict in that form."""
    async with open_endpoint(base_url=url, retries=Retries(sleep=no_wait)) as endpoint:
        form = await find_judge_format("auto", "judge", judge_rubric(), endpoint)
        judge = Judge(judge_pin("judge", endpoint.identity, form, 1), judge_rubric(), seed=0)
        return form, await judge.judge(exchange("Hi", "I hear you."), endpoint.complete)


@pytest.mark.parametrize(("judging", "form"), CASES.values(), ids=CASES.keys())
def test_one_form_is_found_and_read(judging: Judging, form: str) -> None:
    with scripted_endpoint(script(judging)) as server:
        found, judged = asyncio.run(found_and_judged(server.url))
    assert found == form
    assert isinstance(judged, Verdict)
    assert judged.scores["overall_quality"] == 0.6


UNREADABLE: dict[str, tuple[Answer, str]] = {
    "counts from one to ten": (say(verdict(8)), "appropriateness is 8, not a number from 0 to 1"),
    "writes its numbers as texts": (say(verdict("0.6")), "appropriateness is '0.6', not a number from 0 to 1"),
    "writes no numbers": (say(verdict(float("nan"))), "NaN is not a number"),
    "talks around its object": (say(f"Here you are: {verdict(0.6)}"), "the answer is not one JSON object"),
    "talks": (say("It is warm, I think."), "the answer is not one JSON object"),
    "says nothing": (say(""), "the answer is empty"),
    "refuses": (say(None, refusal="I cannot rate people."), "the answer is not one JSON object"),
    "leaves a dimension out": (say(verdict(0.6, helpfulness=None)), "helpfulness is missing"),
}
"""A judge -> its answer in JSON, and why it cannot be read."""

NOT_TAKEN: dict[str, Answer] = {
    "names the format": refuse(400, "response_format is not supported"),
    "names nothing": refuse(400, "bad request"),
    "breaks": refuse(501, "not implemented"),
    "calls a tool": say(None, "tool_calls", tool_calls=[{"function": {"name": "v", "arguments": verdict(0.6)}}]),
}
UNREADABLE_LINES: dict[str, tuple[Answer, str]] = {
    "counts from one to ten": (say("Score: 7.5 | Reasoning: good"), "the score '7.5' is not a number from 0 to 1"),
    "talks": (say("I would \x1b[2Jrather not\nput a number on it."), "no line starts with a score"),
    "says nothing": (say(""), "no line starts with a score"),
    "refuses": (say(None, refusal="I cannot rate people."), "no line starts with a score"),
    "stays with its object": (say(verdict(8)), "no line starts with a score"),
    "gives two": (say("Score: 0.4\nScore: 0.9"), "2 scores that differ: 0.4, 0.9"),
}


@pytest.mark.parametrize(("answer", "problem"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_an_answer_that_nobody_can_read_is_reported_and_the_text_form_is_taken(
    answer: Answer, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with scripted_endpoint(script(answering(answer, *BOTH))) as server:
        found, judged = asyncio.run(found_and_judged(server.url))
        assert len(server.calls) == 2 + 2 + 1 + 1, "each format twice, the text once, and the verdict"
    assert found == "text"
    assert isinstance(judged, Verdict)
    assert judged.parsed
    said = capsys.readouterr().err
    assert f"answers in schema and json could not be read: {problem}" in said
    assert "the judge answers in text and gives no scores per dimension" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(("line", "line_problem"), UNREADABLE_LINES.values(), ids=UNREADABLE_LINES.keys())
@pytest.mark.parametrize(
    ("answer", "problem"), [*UNREADABLE.values(), *((answer, "refused: ") for answer in NOT_TAKEN.values())]
)
def test_a_judge_that_nobody_can_read_in_any_form_is_refused(
    answer: Answer, problem: str, line: Answer, line_problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def judging(asked: Any) -> Answer:
        return line if asked is None else answer

    with scripted_endpoint(script(judging)) as server, pytest.raises(UsageError, match="--judge-model") as refused:
        asyncio.run(found_and_judged(server.url))
    assert "could be read in any format" in str(refused.value)
    notes = capsys.readouterr().err.splitlines()
    assert [note.split(":")[0] for note in notes] == [f"judge 'judge' in {form}" for form in FORMATS]
    for note, expected in zip(notes, (problem, problem, line_problem), strict=True):
        assert expected in note
        assert note.isprintable()
        assert len(note) < 260


def test_an_unreadable_judge_is_refused_before_anything_is_generated(tmp_path: Path) -> None:
    key = "sk-a-key-that-the-judge-repeats-0123456789"
    with scripted_endpoint(script(always(say(f"{key} \x1b]0;\x07 Score: 8 | Reasoning: good")))) as endpoint:
        done = run(*FEW, runs=tmp_path, OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY=key, **SETTINGS)
        assert {call.body["model"] for call in endpoint.calls} == {"judge"}
        assert len(endpoint.calls) == 6
    assert done.code == 2
    assert done.err.count("\n") == 4
    assert key not in done.err
    assert "\x1b" not in done.err
    assert done.err.splitlines()[-1].startswith("error: no answer of judge 'judge' could be read in any format")


def test_a_single_slip_refuses_nothing() -> None:
    slips = iter([say(verdict(8)), say(verdict(0.6)), say("Score: 8"), say(LINE)])

    def judging(asked: Any) -> Answer:
        return refuse(400, "response_format: no") if asked is None else next(slips)

    with scripted_endpoint(script(judging)) as server:
        found = asyncio.run(found_and_judged(server.url))[0]
        assert len(server.calls) == 3
    assert found == "schema"


def test_an_unreadable_format_is_kept_in_mind_for_a_day(tmp_path: Path) -> None:
    judging = [answering(say(verdict(8)), *BOTH)]
    with scripted_endpoint(lambda call: script(judging[0])(call)) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, **SETTINGS}

        def evaluate(*arguments: str) -> tuple[str, int, str]:
            """The format of a run, the calls that it took to find, and what was said."""
            before = len(endpoint.calls)
            done = run(*FEW, *arguments, "--cache", "none", runs=tmp_path, **settings)
            assert done.code == 0, done.err
            spec = document((tmp_path / "latest").resolve(), "manifest.json")["spec"]
            planned = 2 * document(tmp_path / "latest", "summary.json")["counts"]["planned"]
            return spec["judge"]["format"], len(endpoint.calls) - before - planned, done.err

        assert evaluate()[:2] == ("text", 5)
        summary = document(tmp_path / "latest", "summary.json")
        assert summary["usage"]["checks"]["calls"] == 5
        form, calls, said = evaluate()
        assert (form, calls) == ("text", 0)
        assert "answers in schema and json could not be read: this was found less than a day ago" in said
        assert evaluate("--judge-model", "another")[:2] == ("text", 5), "of another model nothing is known"
        assert evaluate("--judge-format", "json")[:2] == ("json", 0), "a format that is named is taken unasked"
        judging[0] = answering(refuse(400))
        assert evaluate()[:2] == ("text", 0)
        with Journal.in_folder(tmp_path) as journal:
            [where] = {run.spec.endpoint for run in journal.runs()}
            for trait, since in journal.traits(where)["judge"].items():
                if since is not True:
                    assert isinstance(since, float)
                    journal.learn_trait(where, "judge", trait, since - 90_000)
        assert evaluate() == ("schema", 1, ""), "a server that was mended is found out a day later"


def test_what_is_readable_on_one_scale_is_asked_for_on_another(tmp_path: Path) -> None:
    async def find(url: str) -> list[str]:
        async with open_endpoint(base_url=url, retries=Retries(sleep=no_wait)) as endpoint:
            rubrics = (judge_rubric().model_copy(update={"high": 10.0}), judge_rubric())
            return [await find_judge_format("auto", "judge", rubric, endpoint) for rubric in rubrics]

    with scripted_endpoint(script(answering(say(verdict(8)), *BOTH))) as server:
        assert asyncio.run(find(server.url)) == ["schema", "text"]


def test_a_refusal_in_other_words_is_remembered(tmp_path: Path) -> None:
    with scripted_endpoint(script(answering(refuse(400, "failed to parse grammar"), "json_schema"))) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, **SETTINGS}
        asked = []
        for _ in range(2):
            before = len(endpoint.calls)
            done = run(*FEW, "--cache", "none", runs=tmp_path, **settings)
            assert done.code == 0, done.err
            folder = (tmp_path / "latest").resolve()
            assert document(folder, "manifest.json")["spec"]["judge"]["format"] == "json"
            assert {line["scores"]["judge"]["overall_quality"] for line in lines(folder)} == {0.6}
            assert document(folder, "summary.json")["fallbacks"]["count"] == 0
            asked.append(len(endpoint.calls) - before)
    assert asked[0] - asked[1] == 2, "one question refused, one answered; the second run asks neither"


def test_a_judge_that_answers_nothing_in_any_form_is_reported_before_anything_is_generated(tmp_path: Path) -> None:
    with scripted_endpoint(script(always(refuse(400, "this model is for embeddings")))) as endpoint:
        done = run(*FEW, runs=tmp_path, OPENAI_BASE_URL=endpoint.url, **SETTINGS)
        assert {call.body["model"] for call in endpoint.calls} == {"judge"}
    assert done.code == 2
    assert "this model is for embeddings" in done.err
    assert done.err.count("\n") == 1


def upgraded(answer: Answer, build: str) -> Answer:
    """The answer of another build of the server."""
    return replace(answer, body={**answer.body, "system_fingerprint": build}) if answer.status == 200 else answer


def formats_of_runs(runs: Path, url: str, count: int) -> list[str]:
    """The format of each of so many runs in turn, found out where it is not remembered."""
    found = []
    for _ in range(count):
        done = run(*FEW, "--cache", "none", runs=runs, OPENAI_BASE_URL=url, **SETTINGS)
        assert done.code == 0, done.err
        found.append(document((runs / "latest").resolve(), "manifest.json")["spec"]["judge"]["format"])
    return found


def test_a_format_that_worked_or_was_refused_is_asked_for_again_after_a_day(tmp_path: Path) -> None:
    judging = [answering(refuse(400, "json_schema is not supported"), "json_schema")]
    with scripted_endpoint(lambda call: script(judging[0])(call)) as endpoint:
        assert formats_of_runs(tmp_path, endpoint.url, 1) == ["json"]
        judging[0] = answering(refuse(400))
        assert formats_of_runs(tmp_path, endpoint.url, 1) == ["json"], "for a day it is remembered"
        with Journal.in_folder(tmp_path) as journal:
            where = next(iter(journal.runs())).spec.endpoint
            for trait, since in journal.traits(where)["judge"].items():
                assert isinstance(since, float)
                journal.learn_trait(where, "judge", trait, since - 90_000)
        assert formats_of_runs(tmp_path, endpoint.url, 1) == ["schema"]


def test_a_format_is_asked_for_again_once_another_build_of_the_server_has_answered(tmp_path: Path) -> None:
    state = [(answering(refuse(400, "json_schema is not supported"), "json_schema"), "b1")]
    with scripted_endpoint(lambda call: upgraded(script(state[0][0])(call), state[0][1])) as endpoint:
        assert formats_of_runs(tmp_path, endpoint.url, 2) == ["json", "json"]
        before = len(endpoint.calls)
        state[0] = (answering(refuse(400)), "b2")
        assert formats_of_runs(tmp_path, endpoint.url, 3) == ["json", "schema", "schema"]
        planned = document(tmp_path / "latest", "summary.json")["counts"]["planned"]
        assert len(endpoint.calls) - before == 3 * 2 * planned + 1, "one question more, once"


def test_a_format_in_which_the_judge_was_given_up_is_not_remembered(tmp_path: Path) -> None:
    judging = [answering(refuse(400))]
    with scripted_endpoint(lambda call: script(judging[0])(call)) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, **SETTINGS}
        assert formats_of_runs(tmp_path, endpoint.url, 1) == ["schema"]
        judging[0] = answering(say("no"), *BOTH)
        many = ("--prompt", "v3", "--limit", "40", "--quiet", "--no-canaries", "--cache", "none")
        assert run(*many, runs=tmp_path, **settings).code == 3
        assert formats_of_runs(tmp_path, endpoint.url, 1) == ["text"]
