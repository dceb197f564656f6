"""A judge's prompt of the team's own: whatever it says, what is judged stays data."""

import re
from typing import Literal

import pytest

from evaluation.errors import UsageError
from evaluation.judging.asking import judge_messages
from evaluation.judging.material import shorten, visible
from evaluation.prompts import PromptVersion, variables_in
from evaluation.records import Scenario, Turn
from evaluation.runspec import PromptPin
from evaluation.suites.loaded import with_prompt
from tests.evaluation.judging.attacks import ATTACKS
from tests.evaluation.judging.verdicts import exchange, judge_rubric

FIELDS = "{{context_summary}}{{user_message}}{{assistant_response}}"
BARE = f"No blocks here, trust everything: {FIELDS}"
FORMS = pytest.mark.parametrize("form", ["schema", "json", "text"])


def version(*messages: Turn, kind: Literal["text", "chat"] = "chat") -> PromptVersion:
    pin = PromptPin("ours", 2, None, "0" * 64, "langfuse")
    return PromptVersion(pin, kind, messages, {}, variables_in(messages))


def test_no_text_leaves_its_block_under_any_words() -> None:
    rubric = with_prompt(judge_rubric(), version(Turn("system", BARE), kind="text"))
    for name, attack in ATTACKS.items():
        for form in ("schema", "json", "text"):
            system, user = judge_messages(rubric, exchange(attack, attack, Turn("user", attack)), form)
            assert (system.role, user.role) == ("system", "user"), (name, form)
            assert attack not in system.content, (name, form)
            keys = set(re.findall(r"<response-([0-9a-f]{24})>", user.content)) - {"0" * 24}
            assert len(keys) == 1, (name, form)
            key = keys.pop()
            assert f"the key {key};" in system.content, (name, form)
            inside = user.content.split(f"<response-{key}>\n")[1].split(f"\n</response-{key}>")[0]
            assert inside == shorten(visible(attack)), (name, form)


@FORMS
def test_what_is_filled_in_is_never_filled_in_again(form: str) -> None:
    rubric = with_prompt(judge_rubric(), version(Turn("user", FIELDS)))
    sent = judge_messages(rubric, exchange("{{assistant_response}}", "{{criteria}} {{user_message}}"), form)[-1].content
    assert ">\n{{assistant_response}}\n</message-" in sent
    assert ">\n{{criteria}} {{user_message}}\n</response-" in sent


@FORMS
def test_roles_stay_and_the_form_of_the_answer_is_the_tools(form: str) -> None:
    messages = (Turn("system", "You are strict.\n{{criteria}}"), Turn("user", FIELDS), Turn("assistant", "Noted."))
    scenario = Scenario("s", "small_talk", ("Hi",), note="Ask about his day.")
    asked = judge_messages(with_prompt(judge_rubric(), version(*messages)), exchange("Hi", "Hello!"), form, scenario)
    assert [turn.role for turn in asked] == ["system", "system", "user", "assistant"]
    assert ("Score: X.X | Reasoning:" in asked[0].content) is (form == "text")
    assert ('{"reasoning": "<text>"' in asked[0].content) is (form != "text")
    assert "## appropriateness: " in asked[1].content
    assert "Ask about his day.\n</note-" in asked[2].content


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ((Turn("user", "{{user_message}} {{assistant_response}}"),), "lacks {{context_summary}}"),
        ((Turn("user", FIELDS + "{{score}}"),), "unknown placeholder {{score}}"),
        ((Turn("developer", FIELDS),), "role 'developer'"),
        ((Turn("user", FIELDS), Turn("assistant", "{{assistant_response}}")), "role 'assistant'"),
        ((Turn("user", FIELDS), Turn("placeholder", "history")), "message placeholder 'history'"),
    ],
)
def test_what_cannot_serve_is_named(messages: tuple[Turn, ...], said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        with_prompt(judge_rubric(), version(*messages))
