"""Rows that are filled in offline."""

import pytest

from evaluation.eval_records.record import read_item
from evaluation.review.form import ReviewForm
from evaluation.review.sheet import sheet_columns, sheet_review, sheet_rows
from tests.evaluation.metrics.shipped import chat_flow_rubric
from tests.evaluation.review.made_records import FLOW_METRICS, minimum

FORM = ReviewForm.of(chat_flow_rubric())
ITEM = read_item(minimum())
FILLED = dict.fromkeys(FLOW_METRICS, "4") | {"notes": "Fine.", "ingredients_included": "y"}


def test_the_columns_are_what_there_is_and_what_is_asked() -> None:
    columns = sheet_columns([ITEM], FORM)
    assert columns[:4] == ["exchange_id", "scenario_id", "conversation", "options"]
    assert columns[-2:] == ["notes", "mark"]
    assert "fridge_input" not in columns, "nothing stands in it"
    (row,) = sheet_rows([ITEM], columns)
    assert "Fried rice" in row["options"]
    assert not any(row[name] for name in FLOW_METRICS)


def test_a_filled_row_is_a_review_and_an_empty_one_none() -> None:
    review = sheet_review(FILLED, ITEM, FORM, reviewer="ana", at="2026-11-20T15:00:00Z")
    assert review is not None
    assert set(review.scores.values()) == {4.0}
    assert sheet_review({"exchange_id": ITEM.id}, ITEM, FORM, reviewer="ana", at="") is None


@pytest.mark.parametrize("value", ["4", 4, 4.0, " 4 ", "4 with a remark"])
def test_however_a_spreadsheet_writes_a_score(value: object) -> None:
    review = sheet_review({**FILLED, "clarity": value}, ITEM, FORM, reviewer="ana", at="")
    assert review is not None
    assert review.scores["clarity"] == 4.0


@pytest.mark.parametrize(
    ("cells", "column"),
    [
        ({"clarity": "6"}, "clarity"),
        ({"clarity": ""}, "clarity"),
        ({"ingredients_included": "perhaps"}, "ingredients_included"),
        ({"mark": "best"}, "mark"),
        ({"clarity": [4]}, "clarity"),
    ],
)
def test_a_fault_names_its_column(cells: dict[str, object], column: str) -> None:
    with pytest.raises(ValueError, match=f"^{column}: "):
        sheet_review({**FILLED, **cells}, ITEM, FORM, reviewer="ana", at="")
