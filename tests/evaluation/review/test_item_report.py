"""The answers of reviewers in the weekly report, and hostile texts in all its forms."""

import re
from typing import Any

from evaluation.eval_records.record import read_item
from evaluation.expectations.human import Said, question_digest
from evaluation.reports.html.page import Assets
from evaluation.reports.html.review import review_page
from evaluation.reports.markdown import to_markdown
from evaluation.reports.review import describe_review
from evaluation.reports.terminal import to_terminal
from evaluation.review.weekly import WeeklyReport, report_document, weekly_report
from evaluation.text.safe_text import width
from services.record_files import record_problem
from services.workspace import read_page_assets
from tests.evaluation.metrics.shipped import chat_flow_rubric
from tests.evaluation.reports.hostile import EVIL
from tests.evaluation.review.made_records import human

QUESTION = "Does it cheer the user up?"
RUBRIC = chat_flow_rubric()
SAID: dict[str, Said] = {"y": "yes", "n": "no", "?": "not_shown"}


def reviewed(scenario: str, reviewer: str, said: str, question: str = QUESTION, **machine: Any) -> dict[str, Any]:
    """A record in which one person answered one item, as a rule or judge did where `machine` says so."""
    held = {"id": "no-cheering-up", "kind": "never", "question": question, "scope": "response", **machine}
    answer = {
        "id": "no-cheering-up",
        "kind": "never",
        "question_sha256": question_digest("never", question),
        "reach": "response",
        "answer": SAID[said],
    }
    record = human(f"{scenario}@2026-11-04", reviewer, "2026-11-04", {"clarity": 4}, expectations=[held])
    return record | {"content_sha256": read_item(record).content_sha256, "item_answers": [answer]}


def report(**machine: Any) -> WeeklyReport:
    """Two people on nine responses, four of which they do not answer alike; the judge's outcome is the same on all."""
    pairs = zip("yyynnyny?", "yyynnny?y", strict=True)
    records = [
        reviewed(f"s{number}", name, said, **machine)
        for number, pair in enumerate(pairs)
        for name, said in zip(("ana", "ben"), pair, strict=True)
    ]
    assert not any(map(record_problem, records))
    return weekly_report(records, RUBRIC, "chat_flow")


def test_agreement_stands_in_every_form_of_the_report() -> None:
    found = report(outcome="fails", source="judge")
    (item,) = found.expectations
    (judge,) = item.tools
    # The judge says yes to all; people say y y y n n to the first five and are divided on the others.
    assert (judge.same.count, judge.same.of, judge.wrong_yes.count, judge.undecided) == (3, 5, 2, 4)
    said = "people disagree on no-cheering-up: 4 of 9; rewrite it"
    text = to_terminal(describe_review(found))
    assert said in " ".join(text.split()) and max(map(width, text.splitlines())) <= 80
    assert said in to_markdown(describe_review(found, detail=True))
    page = review_page(found, Assets(*read_page_assets()))
    assert said in page and 'href="#items"' in page
    (document,) = report_document(found)["expectations"]
    assert document["people"]["same"]["of"] == 9


def test_an_answer_to_another_wording_is_out_of_the_report() -> None:
    record = reviewed("s", "ana", "y", outcome="fails", source="judge")
    record["expectations"][0]["question"] = "Does it try to cheer the user up?"
    assert weekly_report([record], RUBRIC, "chat_flow").expectations == ()


def test_the_answer_of_a_person_in_the_run_is_no_tool() -> None:
    (item,) = report(outcome="fails", source="human").expectations
    assert item.tools == ()


def test_reviews_without_items_are_reported_as_before() -> None:
    found = weekly_report([human("a", "ana", "2026-11-04", {"clarity": 4})], RUBRIC, "chat_flow")
    assert found.expectations == ()
    for shown in (to_terminal(describe_review(found)), review_page(found, Assets(*read_page_assets()))):
        assert "held to" not in shown and "#items" not in shown


def test_a_hostile_question_or_remark_takes_no_effect() -> None:
    records = [reviewed("s", name, said, f"{EVIL}?") for name, said in (("ana", "y"), ("ben", "n"))]
    for record in records:
        record["item_answers"][0]["remark"] = EVIL
    found = weekly_report(records, RUBRIC, "chat_flow")
    text = to_terminal(describe_review(found))
    assert "\x1b" not in text and "\u202e" not in text
    markdown = to_markdown(describe_review(found, detail=True))
    assert "<script" not in re.sub(r"`[^`\n]*`", "", markdown)
    assert "<script>alert" not in review_page(found, Assets(*read_page_assets()))
