"""Steps of rows on coded texts: a letter is a word, a comma and a full stop are marks."""

import pytest

from evaluation.metrics.cues.row_states import KEPT, Row, States
from evaluation.metrics.cues.steps import ENDED, Closes, CodedPhrases, Gap, Opens, Step, Steps, Word

PHRASES = CodedPhrases({"a", "bc", "bcd"})
NOT = "n"
BLOCKED = f',.?!" {NOT}'


@pytest.mark.parametrize(
    ("line", "at", "begins"),
    [("xa", 1, True), ("xa", 0, False), ("bc", 0, True), ("xbcd", 1, True), ("bx", 0, False), ("b", 0, False)],
)
def test_a_phrase_begins_at_a_place(line: str, at: int, begins: bool) -> None:
    assert PHRASES.begin(line, at) is begins


@pytest.mark.parametrize(
    ("line", "start", "end", "within"),
    [
        ("xax", 0, 3, True),
        ("xax", 2, 3, False),
        ("xax", 0, 1, False),
        ("xbcx", 0, 4, True),
        ("xbcx", 0, 2, False),
        ("xbcx", 2, 4, False),
        ("bxbc", 0, 4, True),
        ("a", 0, 0, False),
    ],
)
def test_a_phrase_stands_between_two_places(line: str, start: int, end: int, within: bool) -> None:
    assert PHRASES.within(line, start, end) is within


def word(phrases: set[str], then: Steps = (ENDED,)) -> Steps:
    return (Word(CodedPhrases(phrases), then),)


def spans(line: str, *rows: Steps, firsts: str = "abc") -> list[tuple[object, int, int]]:
    filed = {code: [_row(number, steps) for number, steps in enumerate(rows)] for code in firsts}
    states = States(filed)
    states.clear(BLOCKED)
    return said(states, line)


def said(states: States, line: str) -> list[tuple[object, int, int]]:
    """Each row that a line says, by its number, its start and its end."""
    return [(row, *span) for row, found in states.spans(line).items() for span in found]


def _row(number: int, steps: Steps) -> Row:
    return Row(number, number, lambda: steps)


def gap_row(then: Step | None = None) -> Steps:
    behind = word({"z"}) if then is None else (then,)
    return word({"a"}, (Gap(BLOCKED, behind), *behind))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("az", [(0, 0, 2)]),
        ("axxxz", [(0, 0, 5)]),
        ("axxxxz", []),
        ("a,z", [(0, 0, 3)]),
        ("ax,xz", [(0, 0, 5)]),
        ("a,x,x,x,z", [(0, 0, 9)]),
        ("a,,z", []),
        (f"a{NOT}z", []),
        ("ax.z", []),
        ("azxz", [(0, 0, 4)]),
        ("axzxz", [(0, 0, 5)]),
        (f"azx{NOT}z", [(0, 0, 2)]),
    ],
)
def test_a_gap_reaches_over_three_words_and_their_commas_and_the_wider_one_goes_first(
    line: str, found: list[tuple[object, int, int]]
) -> None:
    assert spans(line, gap_row()) == found


def test_the_longer_of_two_phrases_goes_first_unless_the_rest_of_the_row_does_not_follow() -> None:
    row = word({"a", "ab"}, word({"b", "c"}))
    assert spans("abc", row, firsts="a") == [(0, 0, 3)]
    assert spans("abx", row, firsts="a") == [(0, 0, 2)]
    assert spans("abb", row, firsts="a") == [(0, 0, 3)]


def test_a_word_that_may_be_absent_is_taken_where_it_stands() -> None:
    row = word({"a"}, (*word({"b"}), ENDED))
    assert spans("abab", row, firsts="a") == [(0, 0, 2), (0, 2, 4)]
    assert spans("ax", row, firsts="a") == [(0, 0, 1)]


def test_marks_hold_a_row_to_the_start_and_the_end_of_a_clause() -> None:
    opening: Steps = (Opens(word({"a"})),)
    closing = word({"a"}, (Closes((ENDED,)),))
    assert spans("axa,axa", opening, firsts="a") == [(0, 0, 1), (0, 4, 5)]
    assert spans("axa,axa", closing, firsts="a") == [(0, 2, 3), (0, 6, 7)]


def test_rows_that_begin_together_are_found_in_their_order() -> None:
    assert spans("ab", word({"a"}, word({"b"})), word({"a"}), firsts="a") == [(0, 0, 2), (1, 0, 1)]


def test_states_are_forgotten_where_there_are_too_many_and_nothing_else_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    states = States({"a": [_row(0, gap_row())]})
    states.clear(BLOCKED)
    lines = [f"a{chr(0x1000 + number)}xz" for number in range(50)]
    kept = [said(states, line) for line in lines]
    assert len(lines) < KEPT
    monkeypatch.setattr("evaluation.metrics.cues.row_states.KEPT", 3)
    assert [said(states, line) for line in lines] == kept == [[(0, 0, 4)]] * 50
    firsts = [*states.inner.values(), *states.opening.values()]
    assert sum(len(state) for state in firsts if state is not None) < 10
