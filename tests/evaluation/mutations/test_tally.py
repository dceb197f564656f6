"""Moves the right way, the wrong way and none, counted by hand."""

import pytest

from evaluation.mutations.base import parse_bases
from evaluation.mutations.edit import make_edits, parse_edits
from evaluation.mutations.swaps import Spoken, make_swaps, parse_swaps
from evaluation.mutations.tally import measure_swaps, share_by_metric, tally_edits

BASES = parse_bases(
    """
bases:
  - {id: a, about: [task], user: U, reply: [{helps: Good.}]}
  - {id: b, about: [task], user: V, reply: [{helps: Fine.}]}
""",
    "bases.yaml",
)
KINDS = parse_edits(
    """
kinds:
  - {kind: worse, says: S., about: [task], add: [Bad., Worse., Same.], expect: {clarity: down, warmth: up}}
  - {kind: better, says: S., about: [task], add: [Nice., Same., Bad.], expect: {clarity: up, absent: down}}
""",
    "edits.yaml",
)
VALUE = {"Bad.": 0.2, "Worse.": 0.1, "Nice.": 0.9}


def score(spoken: Spoken) -> dict[str, float | None]:
    return {"clarity": VALUE.get(spoken.reply.split()[-1], 0.5), "warmth": None if spoken.user == "V" else 0.5}


def test_a_move_is_right_wrong_or_a_tie() -> None:
    found = {(each.kind, each.metric): each for each in tally_edits(make_edits(KINDS, BASES), score)}
    assert found.keys() == {("worse", "clarity"), ("worse", "warmth"), ("better", "clarity")}
    worse, warmth, better = found.values()
    assert (worse.right, worse.wrong, worse.ties) == (4, 0, 2)
    assert worse.share == pytest.approx(2 / 3)
    assert (warmth.right, warmth.wrong, warmth.ties) == (0, 0, 3)  # it does not apply to the second exchange
    assert (better.right, better.wrong, better.ties) == (2, 2, 2)
    assert [(miss.base.id, miss.after) for miss in better.missed] == [
        ("a", "Good. Same."),
        ("a", "Good. Bad."),
        ("b", "Fine. Same."),
        ("b", "Fine. Bad."),
    ]


def test_the_share_of_a_metric_counts_edits_and_names_its_lowest_kind() -> None:
    clarity, warmth = share_by_metric(tally_edits(make_edits(KINDS, BASES), score))
    assert (clarity.metric, clarity.edits, clarity.share) == ("clarity", 12, 0.5)
    assert clarity.lowest.kind == "better"
    assert (warmth.metric, warmth.edits, warmth.share) == ("warmth", 3, 0.0)


def test_swaps_are_measured_by_how_far_they_move_each_metric() -> None:
    swaps = parse_swaps(
        """
still: [{group: s, in: reply, swaps: {Good.: Bad., Fine.: Same.}}]
fair: [{group: f, in: user, swaps: {U: W}}]
""",
        "swaps.yaml",
    )
    (still,) = measure_swaps(make_swaps(swaps.still, BASES), score, "clarity")
    assert (still.group, still.exchanges) == ("s", 2)
    assert still.still == pytest.approx(2 / 3)  # of three scores: two of the first exchange, one of the second
    assert still.largest[0] == "clarity"
    assert still.largest[1] == pytest.approx(-0.3)
    assert still.overall == pytest.approx(-0.15)
    (fair,) = measure_swaps(make_swaps(swaps.fair, BASES), score, "clarity")
    assert (fair.exchanges, fair.still, fair.overall) == (1, 1.0, 0.0)
