"""Text quality as its users get it: lines scored, runs scored again, ratings compared, functions imported."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.errors import UsageError
from evaluation.records import Score
from evaluation.request import EvaluationRequest
from scripts import text_quality
from scripts.run.load import load_suite
from services.langfuse.score_names import score_name
from services.langfuse.scores import ScoreProjection, chosen_scores
from tests.scripts.commands import ROOT, Finished, document, lines, run, server
from tests.services.langfuse.stories import SPEC, evaluated_run

SHORT = "Exercise helps. However, rest matters too."


def score(tmp_path: Path, *records: dict[str, Any], arguments: tuple[str, ...] = ()) -> Finished:
    file = tmp_path / "responses.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    flags = ("--suite", "text_quality", *arguments)
    return run(str(file), *flags, runs=tmp_path, module="scripts.score_responses")


def test_a_response_needs_no_message(tmp_path: Path) -> None:
    given = ({"id": 1, "response": SHORT}, {"id": 2, "user_input": None, "response": ""}, {"id": 3, "response": None})
    done = score(tmp_path, *given, {"id": 4, "user_input": 5, "response": SHORT})
    assert done.code == 3
    first, empty, broken, wrong = map(json.loads, done.out.splitlines())
    assert list(first["scores"]) == [
        "coherence", "lexical_diversity", "completeness", "structure", "readability", "length_appropriateness",
        "overall",
    ]  # fmt: skip
    assert all(0 <= value <= 1 for value in first["scores"].values())
    assert first["scores"]["coherence"] == pytest.approx(0.7)
    assert first["explanations"]["coherence"].startswith("0.6 x 0.5 for 1 transition (however) in 2 sentences")
    assert list(first["measures"]) == ["flesch_reading_ease", "flesch_kincaid_grade", "mtld", "hdd", "mattr"]
    assert first["explanations"]["mtld"] == "6 words: needs at least 50"
    assert (empty["scores"]["coherence"], empty["scores"]["overall"]) == (None, 0.1)
    assert empty["explanations"]["coherence"] == "no word to measure"
    assert '"response"' in broken["error"]
    assert '"user_input"' in wrong["error"]


def test_the_companion_still_needs_the_message(tmp_path: Path) -> None:
    done = score(tmp_path, {"id": 1, "response": SHORT}, arguments=("--suite", "companion"))
    assert done.code == 3
    assert '"user_input"' in json.loads(done.out)["error"]


def test_a_rubric_of_ones_own_may_follow_the_prompt(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    shipped = (ROOT / "evaluation" / "rubrics" / "text_quality.yaml").read_text()
    own.write_text(shipped.replace("follow_prompt: false", "follow_prompt: true"))
    asked = {"id": 1, "user_input": "Explain exercise in two sentences.", "response": SHORT}
    usual = json.loads(score(tmp_path, asked).out)
    following = json.loads(score(tmp_path, asked, arguments=("--rubric", str(own))).out)
    assert usual["scores"]["length_appropriateness"] == 0.1
    assert following["scores"]["length_appropriateness"] == 1.0
    assert following["scores"]["structure"] is None
    assert "re-weighted over 0.85 of 1" in following["explanations"]["overall"]


def test_a_stored_run_is_scored_again_without_a_call(tmp_path: Path) -> None:
    with server() as endpoint:
        first = ("--prompt", "v3", "--limit", "6", "--quiet", "--no-judge")
        assert run(*first, runs=tmp_path, **endpoint.settings).code == 0
        parent = (tmp_path / "latest").resolve()
        before = endpoint.stats()
        flags = ("last", "--suite", "text_quality", "--quiet")
        done = run(*flags, runs=tmp_path, module="scripts.rescore_run", **endpoint.settings)
        assert done.code == 0, done.err
        assert endpoint.stats()["by_purpose"] == before["by_purpose"]
    child = (tmp_path / "latest").resolve()
    manifest, summary = document(child, "manifest.json"), document(child, "summary.json")
    assert manifest["parent_run_id"] == parent.name
    assert manifest["spec"]["suite"] == "text_quality"
    assert manifest["spec"]["rubric"]["name"] == "text_quality"
    assert [line["response"] for line in lines(child)] == [line["response"] for line in lines(parent)]
    for line in lines(child):
        assert line["scores"]["heuristic"]["completeness"] == text_quality.completeness_score(line["response"])
        assert line["scores"]["measure"]["mtld"] is None
        assert "mtld" in line["not_applicable"]
    assert "flesch_reading_ease" not in summary["metrics"]["heuristic"]
    assert summary["measures"]["flesch_reading_ease"]["n"] == len(lines(child))
    assert summary["measures"]["flesch_reading_ease"]["bounds"] is None
    assert summary["metrics"]["heuristic"]["overall"]["coverage"] == 1.0
    report = (child / "summary.md").read_text()
    assert "| flesch reading ease | " in report
    assert "| mtld | not applicable" in report
    assert "mtld" in run("show", "last", runs=tmp_path, module="scripts.manage_runs").out


def test_ratings_are_compared_without_messages(tmp_path: Path) -> None:
    texts = ("Yes.", SHORT, f"{SHORT} In conclusion, do both.", "No, never, and", f"{SHORT} {SHORT}")
    rated = [{"id": str(i), "response": text, "ratings": {"good": i % 5}} for i, text in enumerate(texts * 4)]
    file = tmp_path / "rated.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in rated))
    flags = ("--suite", "text_quality", "--no-judge", "--json", "--output", str(tmp_path / "out"))
    done = run(str(file), *flags, runs=tmp_path, module="scripts.calibrate")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["suite"] == "text_quality"
    assert {"coherence", "overall"} <= {item["metric"] for item in found["agreements"]}


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("coherence_score", "coherence"),
        ("lexical_diversity", "lexical_diversity"),
        ("completeness_score", "completeness"),
        ("structure_score", "structure"),
        ("readability_score", "readability"),
        ("length_appropriateness", "length_appropriateness"),
        ("overall_score", "overall"),
    ],
)
def test_the_functions_give_what_the_tool_gives(name: str, metric: str) -> None:
    from tests.evaluation.metrics.text.shipped import explained

    found = getattr(text_quality, f"explain_{name}")(SHORT)
    assert getattr(text_quality, name)(SHORT) == found.value == explained(metric, SHORT).value
    assert found.explanation == explained(metric, SHORT).explanation


def test_one_name_one_scale_in_langfuse() -> None:
    suite = load_suite("text_quality").suite
    sent = [score_name("text_quality", "heuristic", metric) for metric in suite.metrics]
    sent += [score_name("text_quality", "measure", measure) for measure in suite.measures]
    assert sent[0] == "text.coherence"
    assert sent[-1] == "text.mattr"
    assert len(set(sent)) == len(sent)


def test_measures_go_to_langfuse_on_request_and_without_bounds() -> None:
    spec = replace(SPEC, suite="text_quality", judge=None)
    scores = (Score("overall", "heuristic", 0.5, "sum"), Score("mtld", "measure", 71.3, "words"))
    usual = evaluated_run(spec=spec, suite=load_suite("text_quality").suite)
    assert chosen_scores(usual, scores) == [scores[0]]
    everything = replace(usual, request=EvaluationRequest(langfuse_scores="all"))
    assert chosen_scores(everything, scores) == list(scores)
    projection = ScoreProjection(everything, "default", lambda value: value, {})
    assert (projection.kind("text.overall").low, projection.kind("text.overall").high) == (0.0, 1.0)
    assert projection.kind("text.mtld").problem(71.3) == ""


def test_other_suites_start_without_it() -> None:
    code = "from scripts.run.load import load_suite; load_suite('companion'); import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {"sentencex", "pyphen", "evaluation.metrics.formulas"} & set(done.stdout.split()) == set()


def test_an_unknown_suite_names_this_one() -> None:
    with pytest.raises(UsageError, match="did you mean 'text_quality'"):
        load_suite("text_qualty")
