"""Two runs head to head: counts, the win rate, what it says of a verdict, and how far people agree."""

from collections.abc import Mapping, Sequence

import pytest

from evaluation.comparison.head_to_head import (
    Favours,
    HeadToHead,
    JudgedPair,
    PairPlace,
    bearing,
    head_to_head,
)
from evaluation.comparison.head_to_head_document import head_to_head_document
from evaluation.judging.fitness import Figure
from evaluation.judging.pair_check import NOT_CHECKED, PairCheck
from evaluation.judging.pair_reading import Assessment, Kind, Winner
from evaluation.reports.document import Bullets, Paragraph, document
from evaluation.reports.head_to_head import describe_head_to_head
from evaluation.reports.markdown import to_markdown

GOOD = Assessment("Warm.", "Long.")


def place(number: int, words: tuple[int, int] = (10, 10), repeat: int = 1) -> PairPlace:
    return PairPlace(
        f"{number}/{repeat}", f"s{number}", f"c{number // 2}", "joys" if number % 2 else "worries", repeat, words
    )


def judged(number: int, winner: Winner, kind: Kind = "agreed", words: tuple[int, int] = (10, 10)) -> JudgedPair:
    return JudgedPair(place(number, words), "read", winner, kind, assessments=((GOOD, GOOD),))


def many(**counts: int) -> list[Winner]:
    """So many of each, candidate first."""
    ordered: tuple[Winner, ...] = ("candidate", "tie", "base")
    return [winner for winner in ordered for _ in range(counts.get(winner, 0))]


def found_of(
    winners: Sequence[Winner],
    check: PairCheck = NOT_CHECKED,
    people: Mapping[str, Mapping[str, float]] | None = None,
) -> HeadToHead:
    pairs = [judged(number, winner, words=(10, 8 + number % 5)) for number, winner in enumerate(winners)]
    return head_to_head(pairs, planned=len(pairs), judge="j", check=check, people=people)


def test_wins_and_half_of_the_ties_make_the_rate() -> None:
    found = found_of(many(candidate=2, tie=1, base=1))
    assert (found.tally.wins, found.tally.ties, found.tally.losses) == (2, 1, 1)
    assert found.tally.rate.mean == pytest.approx(2.5 / 4)
    assert found.tally.rate.clusters == 2


def test_a_scenario_counts_once_however_often_it_was_played() -> None:
    pairs = [JudgedPair(place(0, repeat=repeat), "read", "candidate") for repeat in range(1, 10)]
    pairs.append(JudgedPair(place(2), "read", "base"))
    assert head_to_head(pairs, planned=10).tally.rate.mean == 0.5


def test_the_interval_stays_between_none_and_all() -> None:
    for winners in (many(candidate=30), many(base=30)):
        ends = found_of(winners).tally.rate.ci95
        assert ends is not None
        assert 0 <= ends[0] < ends[1] <= 1


def test_what_is_unread_or_open_counts_nowhere() -> None:
    pairs = [judged(0, "candidate"), JudgedPair(place(1), "unread"), JudgedPair(place(2), "open")]
    pairs.append(JudgedPair(place(3), "failed"))
    found = head_to_head(pairs, planned=6)
    assert (found.tally.pairs, found.asked("unread"), found.asked("open"), found.asked("failed")) == (1, 1, 1, 1)


def test_equal_answers_are_ties_that_nobody_was_asked_about() -> None:
    found = head_to_head([JudgedPair(place(0), "identical", "tie"), judged(2, "candidate")], planned=2)
    assert found.tally.rate.mean == 0.75
    assert found.order_share == 0.0


def test_the_place_that_decided_is_counted() -> None:
    pairs = [
        judged(0, "candidate"),
        judged(1, "tie", "order"),
        judged(2, "tie", "partly"),
        judged(3, "tie", "withheld"),
    ]
    found = head_to_head(pairs, planned=4)
    assert found.order_share == 0.25
    assert (found.count("partly"), found.count("withheld")) == (1, 1)


@pytest.mark.parametrize(
    ("verdict", "favours", "interval", "said"),
    [
        ("better", "candidate", (0.6, 0.8), "confirms"),
        ("better", "base", (0.2, 0.4), "contradicts"),
        ("better", "neither", (0.4, 0.6), "says nothing"),
        ("worse", "base", (0.2, 0.4), "confirms"),
        ("worse", "candidate", (0.6, 0.8), "contradicts"),
        ("equivalent", "neither", (0.45, 0.58), "confirms"),
        ("equivalent", "candidate", (0.52, 0.58), "confirms"),
        ("equivalent", "neither", (0.3, 0.6), "says nothing"),
        ("equivalent", "candidate", (0.6, 0.8), "contradicts"),
        ("equivalent", "neither", None, "says nothing"),
        ("inconclusive", "candidate", (0.6, 0.8), "says nothing"),
        (None, "candidate", (0.6, 0.8), "says nothing"),
    ],
)
def test_it_confirms_or_contradicts_and_makes_no_verdict(
    verdict: str | None, favours: Favours, interval: tuple[float, float] | None, said: str
) -> None:
    assert bearing(verdict, favours, interval) == said


def test_an_unfit_judge_says_nothing() -> None:
    check = PairCheck(20, 20, (Figure("winners missed", 1.0, None, 0.4, 12, "it misses all"),), False)
    found = found_of(many(candidate=30), check)
    assert found.bearing("better") == "says nothing"
    assert "unfit" in text_of(found)


def test_who_wins_by_length_alone_confirms_nothing() -> None:
    # The candidate is mostly longer, the longer answer mostly wins, and of two equally long ones the base does.
    pairs = []
    for number in range(60):
        ratio = (0.6, 0.9, 0.7, 0.2)[number % 4]
        winner: Winner = "candidate" if number % 4 < 3 and number % 11 else "base"
        pairs.append(JudgedPair(place(number, (100, round(100 * 2.718**ratio))), "read", winner))
    found = head_to_head(pairs, planned=60, judge="j")
    assert found.tally.favours == "candidate"
    assert found.equal_length.win_rate is not None and found.equal_length.win_rate.value < 0.5
    assert found.by_length
    assert found.favours == "neither"
    assert found.bearing("better") == "says nothing"


def test_people_stand_beside_the_judge() -> None:
    winners: list[Winner] = ["candidate", "base", "tie", "candidate", "base", "candidate"] * 3
    points = {"candidate": 1.0, "base": 0.0, "tie": 0.5}
    people = {f"{number}/1": {"ana": points[winner], "ben": points[winner]} for number, winner in enumerate(winners)}
    found = found_of(winners, people=people)
    assert found.people is not None
    assert found.people.tally.rate.mean == found.tally.rate.mean
    assert (found.people.people, found.people.answers, found.people.shared) == (2, 36, 18)
    assert found.people.kappa.value == pytest.approx(1.0)
    assert found.people.alpha == pytest.approx(1.0)
    turned = {name: {who: 1 - value for who, value in given.items()} for name, given in people.items()}
    against = found_of(winners, people=turned).people
    assert against is not None and against.kappa.value is not None and against.kappa.value < 0


def test_without_people_nothing_is_said_of_them() -> None:
    assert found_of(many(candidate=1)).people is None


def text_of(found: HeadToHead, verdict: str | None = "better") -> str:
    return to_markdown(document(describe_head_to_head(found, verdict, "v2", "v3")))


def test_the_report_says_it_in_one_sentence() -> None:
    found = found_of(many(candidate=20, tie=5, base=5))
    parts = list(describe_head_to_head(found, "better", "v2", "v3"))
    sentence = next(part for part in parts if isinstance(part, Paragraph)).words
    assert isinstance(sentence, str)
    assert sentence.startswith("head to head confirms the verdict: v3 wins 0.75 of 30 pairs (95% CI 0.")
    assert any(isinstance(part, Bullets) for part in parts)
    assert "contradicts the verdict" in text_of(found, "worse")
    assert "no verdict" in text_of(found, "inconclusive")
    assert "Warm." in text_of(found)


def test_the_file_holds_every_figure() -> None:
    found = found_of(many(candidate=1, tie=1, base=1), people={"0/1": {"ana": 1.0}})
    written = head_to_head_document(found, "better")
    assert written["bearing"] == "says nothing"
    assert (written["wins"], written["ties"], written["losses"], written["win_rate"]) == (1, 1, 1, 0.5)
    assert written["pairs"][0]["said"] == [
        {"base": {"strengths": "Warm.", "faults": "Long."}} | {"candidate": {"strengths": "Warm.", "faults": "Long."}}
    ]
    assert written["people"]["answers"] == 1
