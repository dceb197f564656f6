"""What changed, as a page shows it: what is folded, what there is no room for, and what is no prompt."""

from dataclasses import replace

import pytest

from evaluation.comparison.compare import compare
from evaluation.comparison.prompt_change import ChangedSetting
from evaluation.comparison.ranking import rank
from evaluation.prompts import PromptVersion
from evaluation.records import Turn
from evaluation.reports.html import changes
from evaluation.reports.html.changes import Changes, changes_of, steps_of
from tests.evaluation.comparison.examples import SUITE, overall_run
from tests.evaluation.reports.html.pages import compared, known_prompt


def found(before: PromptVersion | None, after: PromptVersion | None, *, model: str = "model-a") -> Changes | None:
    base, candidate = overall_run([0.5] * 12, version=2), overall_run([0.6, 0.62] * 6, version=3, model=model)
    result = compare(
        replace(base, prompt=before), replace(candidate, prompt=after), suite=SUITE, by=("prompt", "model")
    )
    return changes_of(result)


def test_messages_that_stay_are_folded_whole() -> None:
    shown = found(known_prompt(2), known_prompt(3))
    assert shown is not None
    assert [(each.role, each.changed) for each in shown.messages] == [
        ("system", True), ("user", False), ("assistant", False),
    ]  # fmt: skip
    assert [[folded for folded, _ in each.parts] for each in shown.messages] == [
        [True, False, False, False, True], [True], [True],
    ]  # fmt: skip


def test_a_model_that_was_compared_stands_among_the_settings() -> None:
    model = ChangedSetting("model", '"model-a"', '"model-b"')
    same = found(known_prompt(3), known_prompt(3), model="model-b")
    assert same is not None
    assert same.sentence == "Both runs were given the same prompt, with the same config."
    assert same.settings == (model,)
    other = found(None, None, model="model-b")
    assert other is not None
    assert (other.sentence, other.settings, other.messages) == ("The runs differ in these settings.", (model,), ())
    assert found(None, known_prompt(3)) is None


def test_lines_for_which_there_is_no_room_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "MOST_CHARACTERS", 60)
    before = replace(known_prompt(2), messages=(Turn("system", "old line\n" * 10),))
    shown = found(before, replace(before, messages=(Turn("system", "new line\n" * 10),)))
    assert shown is not None
    (message,) = shown.messages
    assert sum(len(lines) for _, lines in message.parts) == 6
    assert message.left_out == 15


def test_a_page_without_prompts_has_no_such_section() -> None:
    page = compared(compare(overall_run([0.5] * 12, version=2), overall_run([0.6] * 12, version=3), suite=SUITE))
    assert 'id="changed"' not in page and "#changed" not in page.partition("<nav")[2].partition("</nav>")[0]


def test_a_ranking_shows_the_way_from_each_prompt_to_the_next() -> None:
    runs = [
        replace(overall_run([value] * 12, version=version), prompt=known_prompt(version), name=f"v{version}")
        for version, value in ((2, 0.4), (3, 0.6), (4, 0.5))
    ]
    shown = steps_of(rank(runs, suite=SUITE, by=("prompt",)))
    assert [(each.before, each.after) for each in shown] == [("v2", "v3"), ("v3", "v4")]
    assert shown[0].sentence == "In the prompt: 2 lines added, 1 removed; max_tokens 200 -> 160, from v2 to v3."
