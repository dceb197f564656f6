"""A reviewer's way through the items: answers, going back, skipping, stopping, and what is shown of hostile texts."""

from collections.abc import Sequence

from evaluation.calibration.ratings import rating_line
from evaluation.eval_records.record import Item, read_item
from evaluation.review.form import ReviewForm
from evaluation.review.review import Review, judge_examples, review_record
from evaluation.review.walk import EndOfAnswers, Walk
from evaluation.text.page import Line
from services.record_files import record_problem
from tests.evaluation.metrics.shipped import chat_flow_rubric, companion_rubric, v3_rubric
from tests.evaluation.review.made_records import RECIPE, minimum, text_minimum

FLOW, COMPANION, V3 = chat_flow_rubric(), companion_rubric(), v3_rubric()
CHECKS = ["y", "n", "", "y"]
SCORES = ["4", "3 one option is too slow", "5", "5", "2"]
HOSTILE = "\x1b[2J\x1b]0;owned\x07 \u202eevil \x00 <b>"


class Scripted:
    """Answers from a list; remembers what was asked and shown."""

    columns = 80

    def __init__(self, answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, str]] = []
        self.lines: list[str] = []

    def show(self, lines: Sequence[Line], *, paged: bool = False) -> None:
        self.lines.extend(line.text for line in lines)
        self.paged = paged

    def ask(self, prompt: str, given: str = "") -> str:
        self.asked.append((prompt, given))
        if not self.answers:
            raise EndOfAnswers
        return self.answers.pop(0).strip() or given


def walked(items: Sequence[Item], *answers: str, show_judge: bool = False) -> tuple[Walk, Scripted, list[Review]]:
    talk, saved = Scripted(answers), list[Review]()
    forms = {"chat_flow": ReviewForm.of(FLOW), "companion": ReviewForm.of(COMPANION)}
    walk = Walk(
        items=items,
        forms=lambda item: forms[item.suite],
        talk=talk,
        save=lambda _item, review: saved.append(review),
        now=lambda: "2026-11-20T15:00:00Z",
        reviewer="ana",
        show_judge=show_judge,
    )
    walk.run()
    return walk, talk, saved


def flows(count: int) -> list[Item]:
    return [read_item(minimum(exchange_id=f"x{number}", scenario_id=f"case-{number}")) for number in range(count)]


def test_one_flow_from_the_checklist_to_the_mark() -> None:
    _, talk, (review,) = walked(flows(1), *CHECKS, *SCORES, "Steps say too little.", "e")
    assert [prompt.split(" [")[0] for prompt, _ in talk.asked[:4]] == [
        "Ingredients included?",
        "Time budget respected?",
        "Steps feasible with the listed ingredients and equipment?",
        "Concise and easy to follow?",
    ]
    assert review.checklist == {
        "ingredients_included": True, "time_respected": False, "steps_feasible": None, "easy_to_follow": True
    }  # fmt: skip
    assert list(review.scores.values()) == [4.0, 3.0, 5.0, 5.0, 2.0]
    assert review.rationale == {"option_quality": "one option is too slow"}
    assert (review.notes, review.mark, review.blind) == ("Steps say too little.", "exemplary", True)
    record = review_record(flows(1)[0], review, FLOW)
    assert record_problem(record) == ""
    assert record["scores"]["overall"] == 3.8
    assert (record["source"], record["reviews"]) == ("human", "e-1")


def test_a_companion_response_without_context_is_not_asked_for_continuity() -> None:
    item = read_item(text_minimum(suite="companion"))
    _, talk, (review,) = walked([item], "5", "4", "0.7", "3", "2", "Warm.", "")
    assert not any("Continuity" in prompt for prompt, _ in talk.asked)
    assert review.scores["personalization_continuity"] is None
    given = {name: value for name, value in review.scores.items() if value is not None}
    # Continuity stands at its base, as it does with the rules.
    expected = sum(COMPANION.weights[name] * value for name, value in given.items()) + 0.10 * 0.4
    overall = review_record(item, review, COMPANION)["scores"]["overall_quality"]
    assert abs(overall - expected) < 1e-9
    # The rubric that leaves it out does so for people too: the others' share is their sum.
    expected = sum(V3.weights[name] * value for name, value in given.items()) / 0.9
    assert abs(review_record(item, review, V3)["scores"]["overall_quality"] - expected) < 1e-9


def test_what_cannot_be_scored_is_asked_again() -> None:
    _, talk, (review,) = walked(flows(1), "perhaps", *CHECKS, "7", "", "4", *SCORES[1:], "", "Short.", "x", "u")
    assert review.scores["input_understanding"] == 4.0
    assert review.mark == "unclear"
    assert "'7' is no score: type 1-5" in talk.lines
    assert any("a sentence, please" in line for line in talk.lines)


def test_an_unclear_dimension_leaves_the_overall_open() -> None:
    item = flows(1)[0]
    _, _, (review,) = walked([item], *CHECKS, "u which constraints count?", *SCORES[1:], "-", "")
    assert (review.unclear, review.mark, review.notes) == (("input_understanding",), "unclear", "")
    assert review.rationale["input_understanding"] == "which constraints count?"
    assert review_record(item, review, FLOW)["scores"]["overall"] is None


def test_what_does_not_apply_is_left_out_of_the_overall() -> None:
    item = flows(1)[0]
    _, _, (review,) = walked([item], *CHECKS, "4", "2", "n", "4", "2", "Nothing was to be chosen.", "")
    assert review_record(item, review, FLOW)["scores"]["overall"] == 3.0


def test_back_to_the_question_before_and_to_the_response_before() -> None:
    full = [*CHECKS, *SCORES, "First.", ""]
    _, talk, saved = walked(flows(2), *full, *CHECKS[:2], "b", "y", *CHECKS[2:], "b", "n", "b", "b", "b", "b", "b",
                            *[""] * 4, "1", *[""] * 6)  # fmt: skip
    assert [review.scores["input_understanding"] for review in saved] == [4.0, 1.0]
    assert saved[1].notes == "First.", "Enter keeps what was answered before"
    assert saved[1].rationale == saved[0].rationale
    assert saved[1].checklist == saved[0].checklist
    assert ("Input Understanding [1-5] ", "4") in talk.asked


def test_skipped_comes_again_once_at_the_end() -> None:
    items = flows(3)
    full = [*CHECKS, *SCORES, "Done.", ""]
    walk, talk, saved = walked(items, "s", *full, *full, "s")
    assert len(saved) == 2
    assert list(walk.saved) == ["x1", "x2"]
    assert sum(prompt.startswith("Ingredients") for prompt, _ in talk.asked) == 4


def test_q_and_the_end_of_answers_keep_what_was_complete() -> None:
    full = [*CHECKS, *SCORES, "Done.", ""]
    assert len(walked(flows(3), *full, "y", "q")[2]) == 1
    assert len(walked(flows(3), *full, "y", "n")[2]) == 1


def test_blind_unless_asked() -> None:
    item = read_item(minimum(source="judge", scores={"clarity": 2}, notes="Too short, says the judge.", prompt="v7"))
    assert "Too short" not in "\n".join(walked([item], "q")[1].lines)
    _, talk, saved = walked([item], *CHECKS, *SCORES, "Fine.", "", show_judge=True)
    assert "judge: clarity 2.00" in "\n".join(talk.lines)
    assert not saved[0].blind
    assert "v7" not in "\n".join(talk.lines)


def test_a_response_to_nothing_can_be_reviewed() -> None:
    item = read_item(text_minimum(suite="companion", request={"messages": []}))
    _, talk, saved = walked([item], "5", "4", "3", "2", "1", "Odd.", "e")
    assert any("(empty)" in line for line in talk.lines)
    record = review_record(item, saved[0], COMPANION)
    assert rating_line(record)["user_input"] == ""
    (example,) = judge_examples([record])
    assert (example["assistant_response"], example["reasoning"]) == ("That sounds hard.", "Odd.")


def test_nothing_hostile_reaches_the_terminal() -> None:
    recipe = {**RECIPE, "title": HOSTILE, "ingredients": [HOSTILE], "steps": [HOSTILE], "diet": [HOSTILE]}
    said = {"messages": [{"role": HOSTILE, "content": HOSTILE}], "fridge_input": {HOSTILE: HOSTILE}}
    fault = {"kind": "timeout", "where": HOSTILE, "message": HOSTILE}
    made = [
        minimum(request=said, response={"options": [recipe, HOSTILE, 3], "selected": {HOSTILE: 1}}, expected=HOSTILE,
                category=HOSTILE, fault=fault, source="judge", notes=HOSTILE),
        text_minimum(response={"text": HOSTILE * 20_000}, request=said),
    ]  # fmt: skip
    for record in made:
        _, talk, _ = walked([read_item(record)], "?", "v", "q", show_judge=True)
        text = "".join(talk.lines)
        assert not [char for char in text if ord(char) < 32 or char in "\x7f\u202e"]
        assert all(len(line) <= 82 for line in talk.lines)
        assert len(talk.lines) < 1000
