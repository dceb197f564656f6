"""The file of a mix: written and read back, and what is wrong with one named."""

import pytest

from evaluation.errors import ParseError
from evaluation.mix.form import mix_text, parse_mix
from evaluation.mix.mix import CategoryShare, Mix, Origin, SituationShare
from evaluation.text.forms import SourceText

WHOLE = Mix(
    suite="companion",
    categories={
        "small_talk": CategoryShare(
            0.41, (0.35, 0.47), 150, {"hello": SituationShare(0.12, 44), "no": SituationShare(0.0, 0)}
        ),
        "trust: building #1": CategoryShare(0.36),
    },
    uncovered=0.23,
    uncovered_ci95=(0.18, 0.29),
    responses=366,
    users=40,
    independent=212.5,
    origin=Origin(
        "20261128T080000Z-production", "penpal, production", "2026-11-16", "2026-11-30", "2026-11-30T08:00:00Z"
    ),
)


def read(text: str) -> Mix:
    return parse_mix(SourceText(text, "mix.yaml"))


def test_what_is_written_is_read_back() -> None:
    assert read(mix_text(WHOLE)) == WHOLE
    assert "\n      hello: {share: 0.12, responses: 44}\n" in mix_text(WHOLE)


def test_a_mix_that_somebody_writes_needs_shares_alone() -> None:
    found = read("mix_of: companion\ncategories: {small_talk: {share: 3}, trust: {share: 1}}\n")
    assert {name: each.share for name, each in found.categories.items()} == {"small_talk": 3, "trust": 1}
    assert (found.independent, found.uncovered_share) == (None, 0.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("categories: {a: {share: 1}}", "mix_of: is missing"),
        ("mix_of: companion\ncategories: {}", "categories"),
        ("mix_of: companion\ncategories: {a: {share: 0}}", "no category has a share above 0"),
        ("mix_of: companion\ncategories: {a: {share: -1}}", "categories.a.share"),
        ("mix_of: companion\ncategories: {a: {share: .nan}}", "categories.a.share"),
        ("mix_of: companion\ncategories: {a: {shares: 1}}", "unknown key 'shares'"),
        ("mix_of: companion\nindependent: 0\ncategories: {a: {share: 1}}", "independent"),
        (
            "mix_of: companion\ncategories: {a: {share: 1, situations: {b: {share: 0}}}}",
            "no situation has a share above 0",
        ),
        ("[1]", "holds a list"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_its_place(text: str, said: str) -> None:
    with pytest.raises(ParseError) as error:
        read(text)
    assert said in str(error.value) and str(error.value).startswith("mix.yaml") and "\n" not in str(error.value)


def test_a_hostile_name_stays_a_name() -> None:
    hostile = Mix("companion", {'x": {share: 9}\n  y': CategoryShare(1.0, situations={"#\t: '": SituationShare(0.5)})})
    assert read(mix_text(hostile)).categories == hostile.categories
