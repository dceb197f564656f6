import hashlib
import json
from dataclasses import replace

import pytest

from evaluation.identity import session_id, trace_id
from evaluation.records import Result, Scenario, Score
from evaluation.result_line import LineHead, result_line
from evaluation.result_reading import read_result
from evaluation.runspec import PromptPin
from tests.evaluation.made_runs import OVERALL, exchange, failed, failure, reply, run, scored, unparsed

PIN = PromptPin("penpal", 3, "production", "ab" * 32, "langfuse")
SINGLE = Scenario("a|b", "small_talk", ("hi",), audience="young", tags=("x", "y"))
TALK = Scenario("c", "continuity", ("one", "two"), situation="talk")
HEADER = LineHead(run(SINGLE, TALK, prompt=PIN, parameters={"temperature": 0.3}))
FIELDS = (
    "run_id suite scenario_id situation category audience tags repeat turn state prompt model parameters input "
    "context response finish_reason scores explanations judge usage cost_usd latency_ms attempts cached "
    "trace_id session_id error"
)


def test_a_line_has_every_field() -> None:
    line = json.loads(json.dumps(result_line(scored("c", 0.6, 2, 2, judge=0.8), HEADER), allow_nan=False))
    assert set(FIELDS.split()) <= line.keys()
    assert line["schema_version"] == 1
    assert (line["scenario_id"], line["situation"], line["category"]) == ("c", "talk", "continuity")
    assert (line["repeat"], line["turn"], line["state"]) == (2, 2, "scored")
    assert line["prompt"] == {
        "name": "penpal",
        "version": 3,
        "label": "production",
        "sha256": "ab" * 32,
        "source": "langfuse",
    }
    assert line["context"][0] == {"role": "user", "content": "before"}
    assert line["scores"]["heuristic"][OVERALL] == 0.6
    assert line["scores"]["judge"] == {OVERALL: 0.8}
    assert line["scores"]["combined"] == {OVERALL: pytest.approx(0.7)}
    assert line["explanations"][OVERALL] == "base 0.6"
    assert line["usage"] == {"input_tokens": 10, "output_tokens": 5, "cached_input_tokens": None}
    assert (line["cost_usd"], line["latency_ms"], line["attempts"], line["cached"]) == (0.25, 500.0, 1, False)
    assert line["judge"]["reasoning"] == "Kind."
    assert line["judge"]["usage"] == {"input_tokens": 20, "output_tokens": 8, "cached_input_tokens": None}
    assert line["error"] is None


def test_a_line_says_which_language_it_is_in() -> None:
    result = scored("c", 0.6)
    outcome = reply("Das klingt schwer, und ich höre dir gern zu.")
    spoken = replace(result.exchange, user_input="I am sad, and what should I do?", outcome=outcome, language="en")
    line = result_line(replace(result, exchange=spoken), HEADER)
    assert line["language"] == {"named": "en", "message": "en", "reply": "de", "scored": "en", "matches": False}
    assert read_result(line).exchange.language == "en"
    assert result_line(failed("a|b"), HEADER)["language"] is None


def test_a_failed_call_has_no_response() -> None:
    line = result_line(failed("a|b"), HEADER)
    assert (line["response"], line["finish_reason"], line["cost_usd"], line["judge"]) == (None, None, None, None)
    assert line["scores"] == {"heuristic": {}, "judge": {}, "combined": {}}
    assert (line["attempts"], line["latency_ms"]) == (3, 60_000.0)
    assert line["error"] == {"stage": "generation", "kind": "timeout", "message": "no answer in 60 s", "attempts": 3}


@pytest.mark.parametrize(("kind", "stage"), [("timeout", "judge"), ("scoring", "scoring")])
def test_a_failure_after_the_answer_names_its_stage(kind: str, stage: str) -> None:
    line = result_line(Result(exchange("a|b"), "failed", (), error=failure(kind)), HEADER)
    assert (line["response"], line["error"]["stage"]) == ("Hello.", stage)


def test_an_unread_verdict_keeps_its_stand_in_beside_null_scores() -> None:
    line = result_line(unparsed("a|b", 0.6), HEADER)
    assert line["scores"]["judge"] == {OVERALL: None}
    assert (line["judge"]["parsed"], line["judge"]["fallback"], line["judge"]["raw"]) == (False, 0.5, "who knows")


def test_what_does_not_apply_is_named_and_reasons_stand_for_explanations() -> None:
    scores = (
        Score("warmth", "heuristic", 0.4, "0.4 base", applicable=False),
        Score("no_nuts", "check", None, reason="no options came"),
    )
    line = result_line(Result(exchange("a|b"), "scored", scores), HEADER)
    assert line["not_applicable"] == ["warmth"]
    assert line["scores"]["check"] == {"no_nuts": None}
    assert line["explanations"] == {"warmth": "0.4 base", "no_nuts": "no options came"}


def test_a_cached_answer_costs_this_run_nothing() -> None:
    line = result_line(Result(exchange("a|b", outcome=reply(cached=True)), "scored", ()), HEADER)
    assert (line["cached"], line["cost_usd"]) == (True, 0.0)


def test_ids_follow_from_names() -> None:
    wanted = hashlib.sha256(b"r1|a|b|2").hexdigest()[:32]
    assert trace_id("r1", "a|b", 2) == wanted
    assert result_line(scored("a|b", 0.5, 2), HEADER)["trace_id"] == wanted
    assert trace_id("r1", "a|b", 1) != wanted
    assert len(trace_id("r1", "\ud800", 1)) == 32


def test_only_conversations_have_a_session() -> None:
    assert session_id("r1", SINGLE, 1) is None
    found = session_id("r1", TALK, 1)
    assert found is not None
    assert found.isascii()
    assert found != session_id("r1", TALK, 2)
    assert result_line(scored("c", 0.5), HEADER)["session_id"] == found
