"""Prompts in terminal and Markdown: what was sent, and what changed."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from evaluation.comparison.compare import Comparison, compare
from evaluation.comparison.document import comparison_document
from evaluation.comparison.prompt_change import find_change
from evaluation.prompts import PromptVersion, variables_in
from evaluation.records import Turn
from evaluation.reports.comparison import describe_comparison
from evaluation.reports.document import document
from evaluation.reports.markdown import to_markdown
from evaluation.reports.prompts import change_in_one_line, describe_prompt, sent_messages
from evaluation.reports.terminal import to_terminal
from evaluation.runspec import PromptPin
from tests.evaluation.comparison.examples import SUITE, overall_run
from tests.evaluation.made_runs import run
from tests.evaluation.reports.hostile import EVIL
from tests.evaluation.reports.test_markdown import outside_code


def prompt(*messages: Turn, config: Mapping[str, Any] | None = None) -> PromptVersion:
    pin = PromptPin("penpal", 3, None, "ab" * 32, "directory")
    return PromptVersion(pin, "chat", messages, config or {}, tuple(sorted(variables_in(messages))))


def system(text: str, **config: Any) -> PromptVersion:
    return prompt(Turn("system", text), config=config)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (system("a\nb"), system("a\nc\nd", max_tokens=160), "2 lines added, 1 removed; max_tokens (not set) -> 160"),
        (system("a\nb", max_tokens=200), system("a", max_tokens=160), "1 line removed; max_tokens 200 -> 160"),
        (system("a", top_p=1), system("a"), "top_p 1 -> (not set)"),
        (
            system("a"),
            system("a", a=1, b=2, c="a long text that no line has the room for", d=4, e=5),
            'a (not set) -> 1; b (not set) -> 2; c (not set) -> "a long text that no li…; 2 more settings',
        ),
        (system("a"), system("a"), ""),
    ],
)
def test_a_change_in_one_line(before: PromptVersion, after: PromptVersion, said: str) -> None:
    assert change_in_one_line(find_change(before, after)) == said


def compared(before: PromptVersion | None, after: PromptVersion | None) -> Comparison:
    base, candidate = overall_run([0.5] * 12, version=2), overall_run([0.6, 0.62] * 6, version=3)
    return compare(replace(base, prompt=before), replace(candidate, prompt=after), suite=SUITE)


def test_a_comparison_says_what_changed_in_one_line_and_shows_it_in_full_in_markdown() -> None:
    before, after = (
        system("Be kind.\nWrite 3 lines.", max_tokens=200),
        system("Be kind.\nWrite 2 lines.", max_tokens=160),
    )
    found = compared(before, after)
    report = describe_comparison(found)
    line = "prompt: 1 line added, 1 removed; max_tokens 200 -> 160"
    assert f"  - {line}\n" in to_terminal(report, short=True)
    assert "What changed" not in to_terminal(report, short=True)
    page = to_markdown(report)
    assert "- prompt: 1 line added, 1 removed; `max_tokens` 200 -> 160\n" in page
    assert (
        "<details>\n<summary>What changed in the prompt</summary>\n\n"
        "```diff\n@@ system @@\n Be kind.\n-Write 3 lines.\n+Write 2 lines.\n```\n\n"
        "| setting | `v2` | `v3` |\n| --- | --- | --- |\n| `max_tokens` | `200` | `160` |\n"
    ) in page
    assert comparison_document(found)["prompt_change"] == {
        "lines_added": 1,
        "lines_removed": 1,
        "diff": ["@@ system @@", " Be kind.", "-Write 3 lines.", "+Write 2 lines."],
        "config": [{"name": "max_tokens", "base": "200", "candidate": "160"}],
    }


@pytest.mark.parametrize(("before", "after"), [(system("a"), None), (None, None), (system("a"), system("a"))])
def test_nothing_is_said_where_nothing_changed(before: PromptVersion | None, after: PromptVersion | None) -> None:
    found = compared(before, after)
    assert "prompt:" not in to_terminal(describe_comparison(found))
    assert "What changed" not in to_markdown(describe_comparison(found))
    assert (comparison_document(found)["prompt_change"] is None) == (after is None)


def test_hostile_prompts_stay_within_their_listing() -> None:
    report = describe_comparison(compared(system("a", x=1), system(f"{EVIL}\n````\n{EVIL}", **{EVIL: EVIL})))
    bare = outside_code(to_markdown(report))
    for sign in ("`", "<script", "@everyone", "](", "http", "evil", "\u202e"):
        assert sign not in bare, sign


def test_messages_are_shown_as_sent_with_the_place_of_the_conversation() -> None:
    made = prompt(
        Turn("system", "You are {{name}}."), Turn("placeholder", "history"), Turn("system", "Stay {{tone}}."),
        config={"variables": {"name": "Pen", "tone": "{{calm}}"}},
    )  # fmt: skip
    assert sent_messages(made) == (
        Turn("system", "You are Pen."), Turn("conversation", ""), Turn("system", "Stay {{calm}}."),
    )  # fmt: skip
    assert sent_messages(system("Hi {{you}}")) == (Turn("system", "Hi {{you}}"),)


def test_a_run_shows_its_prompt_and_what_else_was_sent_in_detail() -> None:
    made = replace(run(parameters={"temperature": 0.3, "extra": {"a": [1]}}), prompt=system("Be kind.\n\nBe brief."))
    page = to_markdown(document(describe_prompt(made)))
    assert page == (
        "### Prompt\n\n#### `system`\n\n```\nBe kind.\n\nBe brief.\n```\n\n#### the turns of the scenario\n\n"
        "| sent with each call | value |\n| --- | --- |\n| `temperature` | `0.3` |\n| `extra.a` | `[1]` |\n"
    )
    assert list(describe_prompt(run())) == []
