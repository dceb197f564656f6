"""Made replies: what they are made of, and their tally worked out by hand."""

from pathlib import Path

import pytest

from evaluation.errors import ParseError
from evaluation.mutations.base import parse_bases
from evaluation.mutations.changes import CHANGES, plain_reply
from evaluation.mutations.edit import make_edits, parse_edits
from evaluation.mutations.stuffing import made_kinds, tally_made
from evaluation.mutations.swaps import Spoken

FILES = Path(__file__).resolve().parents[3] / "evaluation" / "mutations"
BASES = parse_bases(
    """
bases:
  - {id: a, about: [task], user: U, reply: [{helps: Four words are here.}]}
  - {id: b, about: [task], user: V, reply: [{helps: Fine.}]}
""",
    "bases.yaml",
)
MADE = parse_edits(
    """
kinds:
  - {kind: asks, says: S., about: [task], reply: [Why?, Fine., Now?], names: [x, y, z], expect: {overall: down}}
""",
    "stuffing.yaml",
)
EDITS = parse_edits(
    """
kinds:
  - {kind: other, says: S., about: [task], reply: [A, B, C], expect: {overall: down}}
  - {kind: stuff-phrases, says: S., about: [grief], reply: [D, E, F], expect: {overall: down}}
""",
    "edits.yaml",
)
VALUE = {"Four words are here.": 0.6, "Fine.": 0.5, "Why?": 0.7, "Now?": 0.5}


def score(spoken: Spoken) -> dict[str, float | None]:
    return {"overall": VALUE[spoken.reply]}


def test_a_made_reply_is_below_where_it_scores_less_and_a_tie_is_not() -> None:
    why, fine, now = tally_made(make_edits(MADE, BASES), score, "overall")
    assert (why.kind, why.wording, why.bases, why.below) == ("asks", "x", 2, 0)
    assert why.where == "b"
    assert [why.mean, why.most] == pytest.approx([0.15, 0.2])
    assert (fine.wording, fine.bases, fine.below, fine.where) == ("y", 1, 1, "a")  # b says just that
    assert (now.bases, now.below, now.share) == (2, 1, 0.5)
    assert (now.most, now.where) == (0.0, "b")
    assert now.mean == pytest.approx(-0.05)


def test_phrases_are_piled_up_in_every_base() -> None:
    kinds = tuple(made_kinds(MADE, EDITS, [("take care", "why not?"), ("take care", "so do I.")]))
    assert [kind.kind for kind in kinds] == ["asks", "stuff-phrases", "rewarded"]
    assert {kind.about for kind in kinds} == {("task",)}
    assert [kinds[2].name_of(number) for number in range(3)] == ["all", "ten of each", "one of each"]
    assert [kinds[1].name_of(number) for number in range(3)] == ["wording 1", "wording 2", "wording 3"]
    assert kinds[2].reply == (
        "take care, why not?, so do I.",
        "Take care. Why not. So do I.",
        "Take care.",
    )
    assert len(list(make_edits(kinds, BASES))) == 5 + 6 + 6


def test_ten_of_each_come_from_the_whole_list() -> None:
    (rewarded,) = list(made_kinds(MADE, (), [tuple(f"p{number}" for number in range(25))]))[1:]
    assert rewarded.reply[1] == " ".join(f"P{number}." for number in range(0, 20, 2))
    assert rewarded.reply[2] == "P0."


def test_a_rubric_that_rewards_no_phrase_has_none_piled_up() -> None:
    assert [kind.kind for kind in made_kinds(MADE, EDITS, ())] == ["asks", "stuff-phrases"]


@pytest.mark.parametrize("times", [2, 4, 10])
def test_a_padded_reply_begins_with_the_plain_one_and_is_as_long_as_it_says(times: int) -> None:
    plain = plain_reply(BASES[0])
    itself, filler = (CHANGES[f"{name}_{times}x"](BASES[0], BASES) for name in ("itself", "filler"))
    assert itself == " ".join([plain] * times)
    assert filler.startswith(f"{plain} ")
    assert times * 4 <= len(filler.split()) < times * 4 + 15  # the last sentence is said to its end
    assert filler.endswith(".")


def test_names_are_as_many_as_wordings() -> None:
    with pytest.raises(ParseError) as error:
        parse_edits(
            "kinds:\n  - {kind: k, says: S., about: [t], add: [A, B, C], names: [x], expect: {overall: down}}\n",
            "e.yaml",
        )
    assert "names has 1 names: give 3 or none" in str(error.value)


def test_the_shipped_made_replies_stand_in_every_base() -> None:
    bases = parse_bases((FILES / "bases.yaml").read_text(encoding="utf-8"), "bases.yaml")
    kinds = parse_edits((FILES / "stuffing.yaml").read_text(encoding="utf-8"), "stuffing.yaml")
    assert all(kind.applies_to(base) for kind in kinds for base in bases)
    assert {name for kind in kinds for name in kind.by} >= {"user_message", "filler_10x", "itself_10x"}
