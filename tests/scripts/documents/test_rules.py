"""The document of a rubric's rules says what each cue looks for and moves, and cuts long lists."""

from evaluation.rubrics.rubric import Rubric
from scripts.documents.rules import SHOWN, conditions_of, effects, rules_document
from tests.evaluation.metrics.shipped import companion_rubric, v3_rubric


def document(rubric: Rubric) -> str:
    return " ".join(rules_document(rubric, companion_rubric(), "companion-v3").split())


def changed(rubric: Rubric, cue: str, settings: dict[str, object]) -> Rubric:
    guide = rubric.cues[cue].model_copy(update={"settings": settings})
    return rubric.model_copy(update={"cues": {**rubric.cues, cue: guide}})


def test_every_cue_is_explained_and_its_points_are_shown() -> None:
    rubric, page = v3_rubric(), document(v3_rubric())
    for cue, guide in rubric.cues.items():
        assert " ".join(guide.definition.split()) in page
        assert all(" ".join(example.split()) in page for example in (*guide.counts, *guide.spares))
        moved = list(effects(rubric, cue))
        assert all(f"| {each.metric} | {each.points} |" in page for each in moved)
        assert moved or f"`{cue}` moves nothing by itself." in page


def test_an_amount_that_another_cue_takes_back_is_shown_at_both() -> None:
    rubric = v3_rubric()
    conditions = [each.conditions for each in effects(rubric, "asks_user")]
    assert conditions
    assert all("not with `interrogates`" in each for each in conditions)
    assert "`asks_user`" in list(conditions_of(rubric, "interrogates"))


def test_long_lists_are_cut() -> None:
    cue = next(iter(v3_rubric().cues))
    words = [f"word{number}" for number in range(SHOWN + 3)]
    page = document(changed(v3_rubric(), cue, {"few": words[:SHOWN], "many": words, "limit": 3}))
    shown = ", ".join(f"`{word}`" for word in words[:SHOWN])
    assert f"- `few`: {shown} - " in page
    assert f"- `many`: {shown} and 3 more - " in page
    assert "- `limit`: 3" in page
    assert f"`word{SHOWN}`" not in page


def test_fields_are_named_and_not_spelt_out() -> None:
    cue = next(iter(v3_rubric().cues))
    page = document(
        changed(v3_rubric(), cue, {"fields": {f"field{number}": ["inside"] for number in range(SHOWN + 1)}})
    )
    assert "`field0`" in page
    assert "and 1 more" in page
    assert "`inside`" not in page


def test_indicators_stand_there_only_where_they_differ() -> None:
    companion = companion_rubric()
    page = document(v3_rubric())
    said = v3_rubric().metrics["conversational_quality"].negative
    assert said != companion.metrics["conversational_quality"].negative
    assert all(each in page for each in said)
    assert not any(each in page for each in companion.metrics["helpfulness"].negative)
