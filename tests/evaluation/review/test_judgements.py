"""Lines that a page exports: what is read, what is refused in one line, and the review that a judgement becomes."""

from dataclasses import replace
from typing import Any

import pytest

from evaluation.eval_records.record import Item, read_item
from evaluation.review.form import ReviewForm
from evaluation.review.judgements import (
    LONGEST_COMMENT,
    GivenJudgement,
    GivenPreference,
    JudgedItem,
    check_runs,
    commonest_runs,
    read_given,
)
from evaluation.review.review import Review, in_parts, read_review, review_record, with_judgement
from evaluation.rubrics.rubric import Rubric
from scripts.run.load import load_rubric
from services.record_files import record_problem
from tests.evaluation.review.made_records import text_minimum

AT = "2026-11-28T04:20:12.974Z"
DIGEST = "0" * 64


@pytest.fixture(scope="module")
def rubric() -> Rubric:
    return load_rubric("companion")


def judgement(**changes: Any) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "kind": "judgement",
        "run_id": "r1",
        "scenario_id": "s1",
        "repeat": 1,
        "turn": 1,
        "content_sha256": DIGEST,
        "rubric_sha256": DIGEST,
        "judgement": "keep",
        "rating": "4",
        "comment": "",
        "blind": True,
        "at": AT,
    } | changes


def preference(**changes: Any) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "kind": "preference",
        "base": "r1",
        "candidate": "r2",
        "scenario_id": "s1",
        "repeat": 1,
        "base_sha256": DIGEST,
        "candidate_sha256": DIGEST,
        "shown_first": "candidate",
        "answer": "first",
        "comment": "",
        "blind": True,
        "at": AT,
    } | changes


def test_both_kinds_are_read_as_they_were_written() -> None:
    hostile = '</script><b>\x00\u202e=1+cmd|"/C calc"!A0 ' + "é" * 9_000
    read = read_given(judgement(comment=hostile, rating=None, judgement="flag"))
    assert isinstance(read, GivenJudgement)
    assert (read.comment, read.judgement, read.rating) == (hostile, "flag", None)
    preferred = read_given(preference())
    assert isinstance(preferred, GivenPreference)
    assert preferred.run_ids == ("r1", "r2")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"kind": "joke"}, "kind: is neither judgement nor preference"),
        (judgement(judgement="great"), "judgement: 'great': input should be 'keep', 'flag' or 'neither'"),
        (judgement(turn="1"), "turn: '1': input should be a valid integer"),
        (judgement(turn=True), "turn: True: "),
        (judgement(repeat=0), "repeat: 0: "),
        (judgement(content_sha256="abc"), "content_sha256: 'abc': "),
        (judgement(at="yesterday"), "at: 'yesterday': "),
        (judgement(blind="yes"), "blind: 'yes': "),
        (judgement(comment="x" * (LONGEST_COMMENT + 1)), "comment: 'xxx"),
        (judgement(comment="half \ud83d"), "comment: "),
        (judgement(reviewer="eve"), "reviewer: unknown key 'reviewer'"),
        (judgement(schema_version=2), "schema_version: 2: "),
        (judgement(judgement="neither", rating=None), "judgement: 'neither' without a rating or a comment"),
        ({name: value for name, value in judgement().items() if name != "run_id"}, "run_id: is missing"),
        (preference(answer=None), "answer: None: "),
        (preference(shown_first="left"), "shown_first: 'left': "),
        ([judgement()], "kind: is neither"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_no_page_writes_is_refused_in_one_line_with_its_value_and_what_to_do(row: Any, words: str) -> None:
    with pytest.raises(ValueError) as refused:
        read_given(row)
    said = str(refused.value)
    assert said.startswith(words)
    assert said.endswith("export from the page once more, or leave the line out")
    assert "\n" not in said and len(said) < 300


def test_most_lines_say_of_which_run_a_file_is_and_the_others_are_refused() -> None:
    lines = [read_given(judgement(run_id=run)) for run in ("r9", "r1", "r1")]
    assert commonest_runs(lines) == ("r1",)
    assert commonest_runs([]) is None
    check_runs(lines[1], ("r1",))
    with pytest.raises(ValueError, match=r"run_id 'r9': this file is taken for r1"):
        check_runs(lines[0], ("r1",))


def judged(item: Item, rubric: Rubric, **changes: Any) -> JudgedItem:
    bound = {"content_sha256": item.content_sha256, "rubric_sha256": rubric.sha256}
    given = read_given(judgement(**{**bound, **changes}))
    assert isinstance(given, GivenJudgement)
    return JudgedItem(given, item)


def test_a_judgement_is_a_review_of_the_same_form(rubric: Rubric) -> None:
    item, form = read_item(text_minimum(suite="companion", exchange_id="x1")), ReviewForm.of(rubric)
    one = judged(item, rubric, comment=" Kind, and to the point. ", blind=False)
    one.check(rubric)
    review = one.review(form, "ana", None)
    assert not in_parts(review, rubric)
    record = review_record(item, review, rubric)
    assert record_problem(record) == ""
    # The middle of the fourth of five bands, 0.7 to 0.8.
    assert record["scores"] == {"overall_quality": 0.75}
    assert (record["judgement"], record["notes"]) == ("keep", "Kind, and to the point.")
    assert (record["blind"], record["reviewed_at"], record["source"]) == (False, AT, "human")
    assert read_review(record) == review
    flagged = judged(item, rubric, judgement="flag", rating=None).review(form, "ana", None)
    assert review_record(item, flagged, rubric)["scores"] == {"overall_quality": None}
    with pytest.raises(ValueError, match=r"rating: '9' is no score: type 1-5.*export from the page"):
        judged(item, rubric, rating="9").review(form, "ana", None)


def test_another_response_or_rubric_is_refused_with_the_digest_and_what_to_do(rubric: Rubric) -> None:
    item = read_item(text_minimum(suite="companion", exchange_id="x1"))
    with pytest.raises(ValueError, match=r"content_sha256 '000000000000'.*holds another response.*make runs"):
        judged(item, rubric, content_sha256=DIGEST).check(rubric)
    with pytest.raises(ValueError, match=r"rubric_sha256 '000000000000'.*rubric companion"):
        judged(item, rubric, rubric_sha256=DIGEST).check(rubric)


def test_what_was_said_in_parts_stays_and_the_newest_judgement_stands_in_for_the_last(rubric: Rubric) -> None:
    item, form = read_item(text_minimum(suite="companion", exchange_id="x1")), ReviewForm.of(rubric)
    by_dimension = Review("ana", "2026-11-20T10:00:00Z", {"helpfulness": 0.45}, "Too general.", mark="exemplary")
    stored = read_review(review_record(item, by_dimension, rubric))
    review = judged(item, rubric, judgement="flag", rating="5").review(form, "ana", stored)
    assert (review.judgement, review.notes, review.mark) == ("flag", "Too general.", "exemplary")
    scores = review_record(item, review, rubric)["scores"]
    assert isinstance(scores, dict)
    assert scores["helpfulness"] == 0.45
    assert scores["overall_quality"] == review_record(item, by_dimension, rubric)["scores"]["overall_quality"]
    # Of two judgements of the whole the later one stands alone.
    first = judged(item, rubric, comment="No.").review(form, "ana", None)
    second = judged(item, rubric, judgement="flag", rating=None).review(form, "ana", first)
    assert (second.notes, dict(second.scores), second.judgement) == ("", {}, "flag")
    # A review by dimension that follows keeps what was said of the whole.
    assert with_judgement(by_dimension, second) == replace(by_dimension, judgement="flag")
