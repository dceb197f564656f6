"""Two answers side by side for people: dealt, turned, shown and read blind, and stored under what was said."""

from collections.abc import Sequence

import pytest

from evaluation.judging.pair_asking import Pair
from evaluation.records import Scenario
from evaluation.review.pair_answers import Said, peoples_points, read_pair_answer
from evaluation.review.pair_items import Compared, PairItem, answer_record, deal_pairs, read_preference
from evaluation.review.pair_screen import pair_lines
from evaluation.review.walk import EndOfAnswers, PairWalk
from evaluation.text.page import Line
from tests.evaluation.judging.attacks import ATTACKS
from tests.evaluation.judging.pairs import pair

COMPARED = Compared("companion", "penpal v2", "penpal v3", rehearsal=False)
SCENARIO = Scenario("job", "worries", ("Hi",), note="Hears the worry.")


def pairs(count: int) -> list[tuple[Scenario, Pair]]:
    return [(SCENARIO, pair(f"Old {number}.", f"New {number}.", f"s{number}")) for number in range(count)]


def item(base: str = "Old words.", candidate: str = "New words.") -> PairItem:
    return PairItem(SCENARIO, pair(base, candidate), "candidate")


def test_everyone_gets_an_order_and_sides_of_their_own_which_the_seed_repeats() -> None:
    ana, _ = deal_pairs(pairs(40), "ana", (), overlap=1.0, seed=0)
    ben, _ = deal_pairs(pairs(40), "ben", (), overlap=1.0, seed=0)
    assert [each.id for each in ana] != [each.id for each in ben]
    assert sorted(each.id for each in ana) == sorted(each.id for each in ben)
    assert 8 < sum(each.first == "base" for each in ana) < 32
    assert deal_pairs(pairs(40), "ana", (), overlap=1.0, seed=0)[0] == ana
    assert deal_pairs(pairs(40), "ana", (), overlap=1.0, seed=1)[0] != ana


def test_equal_answers_are_not_asked_about() -> None:
    alike = (SCENARIO, pair("The same.", "The same."))
    assert len(deal_pairs([*pairs(3), alike], "ana", (), overlap=1.0, seed=0)[0]) == 3


@pytest.mark.parametrize(
    ("typed", "said", "remark"),
    [("1", "first", ""), ("2 it asks", "second", "it asks"), ("T", "tie", ""), ("0", "tie", "")],
)
def test_one_key_answers(typed: str, said: Said, remark: str) -> None:
    assert read_preference(typed) == (said, remark)


@pytest.mark.parametrize("typed", ["", "3", "first", "12", "tie"])
def test_any_other_key_is_asked_again(typed: str) -> None:
    with pytest.raises(ValueError, match="type 1, 2 or t"):
        read_preference(typed)


def test_the_screen_shows_both_abreast_and_names_no_version() -> None:
    lines = [line.text for line in pair_lines(item(), 80, "1 of 1")]
    assert any(line.startswith("New words.") and "│ Old words." in line for line in lines)
    shown = "\n".join(lines)
    assert "Hears the worry." in shown
    assert not any(word in shown for word in ("base", "candidate", "v2", "v3", "first message"))


@pytest.mark.slow
def test_hostile_answers_stay_in_their_column() -> None:
    for name, attack in {**ATTACKS, "long": "x" * 500, "wide": "\u4f60" * 200, "marks": "a\u0336" * 300}.items():
        for line in pair_lines(item(attack, attack + "."), 80, "1 of 1"):
            assert line.text.isprintable(), name


@pytest.mark.parametrize(
    ("first", "said", "points"),
    [("base", "first", 0.0), ("base", "second", 1.0), ("candidate", "first", 1.0), ("candidate", "tie", 0.5)],
)
def test_a_stored_answer_counts_for_the_side_that_was_meant(first: str, said: Said, points: float) -> None:
    asked = PairItem(SCENARIO, pair("Old.", "New."), "base" if first == "base" else "candidate")
    record = answer_record(asked, COMPARED, said, "", reviewer="ana", at="2026-01-01T00:00:00Z")
    answer = read_pair_answer(record)
    assert answer.candidate_points == points
    assert peoples_points([answer], [pair("Old.", "New.")]) == {asked.id: {"ana": points}}
    # The same two answers, held against each other the other way round.
    assert peoples_points([answer], [pair("New.", "Old.")]) == {asked.id: {"ana": 1 - points}}
    assert peoples_points([answer], [pair("Old.", "Newer.")]) == {}


@pytest.mark.parametrize("change", [{"answer": "both"}, {"pair": "short"}, {"kind": "other"}, {"reviewer": 3}])
def test_what_is_no_such_record_is_refused(change: dict[str, object]) -> None:
    record = answer_record(item(), COMPARED, "first", "", reviewer="ana", at="2026-01-01T00:00:00Z")
    with pytest.raises(ValueError, match=next(iter(change))):
        read_pair_answer({**record, **change})


class Typing:
    """A reviewer who types these words."""

    columns = 80

    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)
        self.shown: list[str] = []
        self.paged = False

    def show(self, lines: Sequence[Line], *, paged: bool = False) -> None:
        self.paged = paged
        self.shown += [line.text for line in lines]

    def ask(self, prompt: str, given: str = "") -> str:
        assert prompt and not given
        if not self.words:
            raise EndOfAnswers
        return self.words.pop(0)


def walked(*words: str, count: int = 3) -> tuple[list[tuple[str, Said, str]], Typing]:
    items, _ = deal_pairs(pairs(count), "ana", (), overlap=1.0, seed=0)
    saved: list[tuple[str, Said, str]] = []
    typing = Typing(words)
    PairWalk(items, typing, lambda each, said, remark: saved.append((each.id, said, remark))).run()
    return saved, typing


def test_a_session_saves_each_answer_at_once() -> None:
    saved, _ = walked("1", "t", "2 warmer")
    assert [(said, remark) for _, said, remark in saved] == [("first", ""), ("tie", ""), ("second", "warmer")]
    assert len({identity for identity, _, _ in saved}) == 3


def test_skipped_pairs_come_again_and_the_way_back_answers_once_more() -> None:
    saved, _ = walked("s", "1", "b", "2", "t", "1")
    assert [said for _, said, _ in saved] == ["first", "second", "tie", "first"]
    assert saved[0][0] == saved[1][0]
    assert saved[3][0] not in {identity for identity, _, _ in saved[:3]}


def test_stopping_and_strange_keys_save_nothing() -> None:
    saved, typing = walked("x", "?", "v", "q")
    assert saved == []
    assert any("type 1, 2 or t" in line for line in typing.shown)
    assert any("skip this pair" in line for line in typing.shown)
    assert walked("1")[0][0][1] == "first"
