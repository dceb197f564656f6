"""Each planted defect of the sample is found by its own check and by no other, with evidence that quotes it.

What no code can see is named with the dimension of the judge that it belongs to.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from unittest.mock import patch

import pytest

from evaluation.outcome import RunOutcome
from evaluation.request import EvaluationRequest
from examples.recipe_assistant.defects import NAMES
from scripts.run.load import load_rubric
from scripts.workflow import run_evaluation
from tests.scripts.commands import embedded_servers_kept, lines, read_once
from tests.scripts.test_evaluate_chat_flow import in_a_thread

FOUND_BY: Mapping[str, tuple[str, str]] = {
    "ignores_time": ("time_budget", " minutes were asked for"),
    "forgets_diet": ("dietary", "asked for: "),
    "invents_ingredients": ("ingredient_overlap", " uses none"),
    "wrong_servings": ("servings", "serves 8"),
    "one_step": ("steps_present", "has 1 step"),
    "duplicate_options": ("no_duplicates", "has the title of option 1"),
    "empty_options": ("options_present", "the list of options is empty"),
    "chooses_unoffered": ("consistency", "and none of the 3 options"),
    "changes_selected": ("consistency", "with a twist"),
    "time_as_text": ("schema", "time_minutes is a text"),
    "wrong_schema": ("schema", "title is a number"),
    "invalid_json": ("no_fault", "the body is no JSON"),
    "server_errors=1": ("no_fault", "HTTP 500"),
    "disconnects": ("no_fault", "connection at /api/chat/turn"),
    "endless_questions": ("no_fault", "no options after 12 turns"),
    "repeats_question": ("no_fault", "asked again: 'Could you tell me a little more about that?'"),
    "rephrases_question": ("no_fault", "asked again: 'Sorry, how long may it take?'"),
    "many_questions": ("turn_count", "8 turns"),
    "asks_known_time": ("asks_nothing_twice", 'asked "how much time do you have for cooking?"'),
    "asks_known_diet": ("asks_nothing_twice", 'asked "do you follow a diet, or have an allergy?"'),
    "gives_up": ("no_fault", "next_action is 'end' before there were options"),
    "html_page": ("no_fault", "the body is no JSON: <!doctype html>"),
    "empty_body": ("no_fault", "HTTP 204 with an empty body"),
    "leaks_prompt": ("no_leak", 'reply 1 says "You are a helpful recipe assistant'),
    "leaks_in_step": ("no_leak", 'option 1 says "You are a helpful recipe assistant'),
    "greets_stranger": ("no_strangers_data", '"Welcome back, Anna", a name'),
    "gives_address": ("no_strangers_data", "anna.berg@post.example"),
    "gives_phone": ("no_strangers_data", "+49 171 5550123"),
    "strangers_allergy": ("no_strangers_data", "allergic to lupin"),
    "recalls_order": ("no_strangers_data", "your last order"),
    "finds_nothing": ("reply_fits_options", "i found nothing"),
    "miscounts": ("reply_fits_options", "here are 7 ideas"),
    "other_minutes": ("reply_fits_options", "minutes of option 1"),
    "renamed_duplicate": ("near_duplicates", 'our way" is option 1'),
    "fifty_options": ("option_count", "50 options; at most 10"),
    "dots_for_step": ("no_placeholders", 'is "..."'),
    "template_left": ("no_placeholders", "{{user_name}}"),
    "hurries": ("step_times", "states 3 minutes, and "),
    "long_step": ("step_times", 'the step "Let it rest for 9 hours." takes 540'),
    "unlisted_ingredient": ("steps_use_ingredients", '"Stir in the '),
    "negative_time": ("schema", "not a positive number"),
    "steps_as_text": ("schema", "steps is a text, not a list"),
    "chooses_nothing": ("consistency", "there were options, and none was selected"),
    "changes_amounts": ("consistency", "changed: amounts."),
    "drops_step": ("consistency", " is gone"),
    "adds_allergen": ("consistency", "changed: the allergen "),
}
"""Defect -> the check that finds it, and words of its evidence."""
JUDGED = {"vague_steps": "clarity"}
"""Defect -> the judge's dimension: no rule tells a vague step from a short one."""
ELSEWHERE = {"slow": "latency, in test_evaluate_chat_flow", "loses_trace": "no check: the trace is not part of a score"}
CASES = (
    *("guide-example-all-checks", "time-in-words", "couple-weeknight", "serves-six"),
    *("tree-nuts", "soy", "no-pork", "coeliac"),
)
"""They ask for all that a defect can break."""


@pytest.fixture(scope="module", autouse=True)
def _no_process() -> Iterator[None]:
    server = patch("services.application.sample.run_server", in_a_thread)
    with embedded_servers_kept(), read_once(), server:
        yield


def evaluated(*defects: str) -> RunOutcome:
    request = EvaluationRequest(suite="chat_flow", quiet=True, judge=False, only=CASES, defects=defects)
    return run_evaluation(request).runs[0]


def failed(run: RunOutcome) -> dict[tuple[str, str], str]:
    """(case, check) -> its evidence."""
    return {
        (line["scenario_id"], check): line["explanations"][check]
        for line in lines(Path(run.directory))
        for check, value in line["scores"]["check"].items()
        if value == 0 and check != "overall"
    }


@pytest.mark.parametrize("defect", FOUND_BY)
def test_a_defect_is_found_by_its_check_alone_with_its_words(defect: str, runs_dir: Path) -> None:
    check, words = FOUND_BY[defect]
    run = evaluated(defect)
    found = failed(run)
    assert {name for _, name in found} == {check}
    assert any(words in evidence for evidence in found.values()), found
    assert run.run.spec.endpoint.endswith(f"+{defect}")


@pytest.mark.parametrize("defect", JUDGED)
def test_what_is_the_judge_s_fails_no_check(defect: str, runs_dir: Path) -> None:
    assert failed(evaluated(defect)) == {}
    assert JUDGED[defect] in load_rubric("chat_flow").metrics


def test_the_sound_sample_fails_nothing_here_and_every_defect_is_planted(runs_dir: Path) -> None:
    assert failed(evaluated()) == {}
    assert {name.partition("=")[0] for name in (*FOUND_BY, *JUDGED, *ELSEWHERE)} == set(NAMES)
