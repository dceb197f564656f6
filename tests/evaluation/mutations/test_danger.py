"""Danger, look-alikes and pairs from their files, and counts of them worked out by hand."""

from collections import Counter
from itertools import product
from pathlib import Path
from typing import get_args

import pytest

from evaluation.errors import ParseError
from evaluation.mutations.base import Message
from evaluation.mutations.danger import (
    Bad,
    Count,
    DangerSet,
    Kind,
    Register,
    count_by,
    find_danger,
    margins_by,
    parse_danger,
)
from evaluation.mutations.swaps import Spoken

FILES = Path(__file__).resolve().parents[3] / "evaluation" / "mutations"
HALF = """
danger:
  - {kind: child, register: plain, said: outright, user: Red alert}
  - {kind: child, register: dialect, said: hinted, user: Grey}
  - kind: abuse
    register: plain
    said: earlier
    context:
      - user: Red before
      - assistant: Oh.
    user: Yes
look_alikes:
  - {about: game, register: plain, user: A red card}
  - {about: game, register: young, user: A blue card}
pairs:
  - {kind: child, bad: evades, user: Red pair, helps: "9", pleases: "4"}
  - {kind: child, bad: cheers, user: Grey pair, helps: "3", pleases: "3"}
  - {kind: abuse, bad: evades, user: Blue pair, helps: "1", pleases: "8"}
"""


def sees(message: Message) -> bool:
    """A stand-in for a rubric: danger is where somebody says red."""
    return any("red" in said.lower() for said in (message.user, *(turn.content for turn in message.turns())))


def score(spoken: Spoken) -> dict[str, float | None]:
    return {"overall": int(spoken.reply) / 10}


def half() -> DangerSet:
    return parse_danger(HALF, "danger.yaml")


def test_unseen_danger_and_seen_look_alikes_are_wrong() -> None:
    found = find_danger(half(), sees, score, "overall")
    assert count_by(found.danger, lambda message: message.kind, wrong=False) == [
        Count("child", 2, 1),
        Count("abuse", 1, 0),
        Count("all", 3, 1),
    ]
    assert count_by(found.danger, lambda message: message.manner, wrong=False) == [
        Count("plain", 2, 0),
        Count("dialect", 1, 1),
        Count("all", 3, 1),
    ]
    assert count_by(found.look_alikes, lambda message: message.about, wrong=True) == [
        Count("game", 2, 1),
        Count("all", 2, 1),
    ]


def test_a_pair_is_won_where_help_is_above_and_a_tie_is_not() -> None:
    found = find_danger(half(), sees, score, "overall")
    child, abuse, everything = margins_by(found.pairs, lambda each: each.pair.kind)
    assert (child.group, child.pairs, child.won) == ("child", 2, 1)
    assert [child.least, child.mean] == pytest.approx([0.0, 0.25])
    assert (abuse.pairs, abuse.won) == (1, 0)
    assert abuse.least == pytest.approx(-0.7)
    assert (everything.group, everything.pairs, everything.won) == ("all", 3, 1)
    assert everything.mean == pytest.approx(-0.2 / 3)
    assert [each.seen for each in found.pairs] == [True, False, False]


def test_a_rubric_that_looks_for_no_danger_has_its_pairs_counted_alone() -> None:
    found = find_danger(half(), None, score, "overall")
    assert (found.danger, found.look_alikes) == ([], [])
    assert len(found.pairs) == 3
    assert count_by(found.danger, lambda message: message.kind, wrong=False) == []


@pytest.mark.parametrize(
    ("count", "low", "high"),
    [
        # Wilson's with t(9) = 2.2622 in the place of 1.96: none of 10 ends at t2 / (10 + t2) = 5.1174 / 15.1174.
        (Count("g", 10, 0), 0.0, 0.33851),
        (Count("g", 10, 10), 0.66149, 1.0),
    ],
)
def test_the_interval_is_wilsons(count: Count, low: float, high: float) -> None:
    assert count.interval is not None
    assert [*count.interval] == pytest.approx([low, high], abs=1e-4)


def test_one_message_has_no_interval() -> None:
    assert Count("g", 1, 1).interval is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (HALF.replace("said: hinted", "said: earlier"), "danger[1]: says its danger earlier or has a context"),
        (HALF.replace("said: earlier", "said: hinted"), "danger[2]: says its danger earlier or has a context"),
        (HALF.replace("user: Grey}", "user: Red alert}"), "danger[1].user: 'Red alert' is given twice"),
        (HALF.replace("user: A red card", "user: Red alert"), "look_alikes[0].user: 'Red alert' is given twice"),
        (HALF.replace("register: dialect", "register: rude"), "danger[1].register"),
        (HALF.replace("bad: cheers", "bad: helps"), "pairs[1].bad"),
        (HALF.replace("kind: abuse", "kind: abuses"), "danger[2].kind"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(text: str, complaint: str) -> None:
    assert text != HALF
    with pytest.raises(ParseError) as error:
        parse_danger(text, "danger.yaml")
    assert complaint in str(error.value)


def shipped(name: str) -> DangerSet:
    return parse_danger((FILES / name).read_text(encoding="utf-8"), name)


@pytest.mark.parametrize(("name", "ways", "pairs"), [("danger.yaml", 2, 6), ("danger-shut.yaml", 1, 3)])
def test_every_kind_is_said_in_every_register_and_has_its_pairs(name: str, ways: int, pairs: int) -> None:
    found = shipped(name)
    here = Counter((each.kind, each.manner) for each in found.danger if each.said != "earlier")
    assert all(here[kind, manner] >= ways for kind, manner in product(get_args(Kind), get_args(Register)))
    if ways == 2:
        said = {(each.kind, each.manner, each.said) for each in found.danger}
        assert {*product(get_args(Kind), get_args(Register), ("outright", "hinted"))} <= said
    assert {each.kind for each in found.danger if each.said == "earlier"} == {*get_args(Kind)}
    manners = Counter(each.manner for each in found.look_alikes)
    assert all(manners[manner] >= 7 * ways for manner in get_args(Register))
    assert all(count >= pairs for count in Counter(pair.kind for pair in found.pairs).values())
    assert {pair.bad for pair in found.pairs} == {*get_args(Bad)}


def test_the_halves_share_no_message_and_no_reply() -> None:
    one, other = shipped("danger.yaml"), shipped("danger-shut.yaml")
    assert not {*_texts(one)} & {*_texts(other)}


def _texts(found: DangerSet) -> list[str]:
    users = [each.user for each in (*found.danger, *found.look_alikes, *found.pairs) if not each.context]
    return [*users, *(reply for pair in found.pairs for reply in (pair.helps, pair.pleases))]
