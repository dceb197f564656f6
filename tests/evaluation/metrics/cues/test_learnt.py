"""Weights of words: what a text says of them, the shipped tables and their examples, and how they are fitted."""

import math
from functools import lru_cache
from pathlib import Path

import pytest
import yaml

from benchmarks.fitted_words.__main__ import main
from benchmarks.fitted_words.examples import TABLES, Table
from benchmarks.fitted_words.fitting import (
    Example,
    LeftOut,
    count_found,
    enough_for,
    find_slope,
    fit_weights,
    longer_for,
    score_left_out,
)
from benchmarks.fitted_words.table import write_table
from benchmarks.fitted_words.written import Written, written_digest
from evaluation.errors import ParseError
from evaluation.metrics.cues.bounds import EXPERTISE
from evaluation.metrics.cues.danger_answer import HELP
from evaluation.metrics.cues.feelings import UNDERSTANDING
from evaluation.metrics.cues.harmful_wish import KNOWN, LOOK_ALIKE, WISH
from evaluation.metrics.cues.learnt import (
    FEW,
    Weights,
    choose_heaviest,
    damping,
    read_weights,
    shipped_weights,
    weigh_telling,
    words_meant,
    words_said,
)
from evaluation.metrics.cues.refusal import DECLINE, PREACHES, REFUSES
from evaluation.metrics.cues.signs import DANGER, DOUBTFUL, OUTRIGHT
from evaluation.metrics.cues.tone import CONTEMPT, GOES_ALONG
from evaluation.metrics.utterance import Text
from scripts.run.load import load_rubric

MUTATIONS = Path(__file__).parents[4] / "evaluation" / "mutations"
MATERIAL = Path(__file__).parent / "material"
WRITTEN = """\
examples: made by hand
base: -1.0
longer: 0.0
enough: 0.6
words:
  2.0: >-
    pill hid_the
  -0.5: garden
signs:
  "~means": 0.25
"""


def said(text: str) -> list[str]:
    return [word for word, _, _ in words_said(Text(text, "user_input").pieces)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hiding the pills", ["hide", "hide_the", "pill", "the_pill"]),
        ("He is in it.", ["he_is", "is_in", "in_it"]),
        ("Pills. Garden!", ["pill", "garden", "pill_garden"]),
        ("40 pills, 7 doses", ["0", "pill", "0_pill", "0", "pill_0", "dose", "0_dose"]),
        ("... !?", []),
        ("", []),
    ],
)
def test_words_count_as_stems_and_function_words_in_pairs_alone(text: str, words: list[str]) -> None:
    assert said(text) == words


def test_log_odds_are_the_base_and_each_weight_over_the_fourth_root_of_what_is_said() -> None:
    weights = read_weights(WRITTEN, "made.yaml")
    assert weights.words == {"pill": 2.0, "hid_the": 2.0, "garden": -0.5}
    assert weights.log_odds((), ()) == -1
    assert weights.log_odds({"pill", "garden", "unknown"}, {"~means"}) == pytest.approx(-1 + 1.75 / FEW**0.25)
    many = {"pill", *(f"word{number}" for number in range(80))}
    assert weights.log_odds(many, ()) == pytest.approx(-1 + 2 / 81**0.25)
    assert weights.probability({"pill"}, ()) == pytest.approx(1 / (1 + math.exp(1 - 2 / FEW**0.25)))
    assert damping(1) == damping(FEW) > damping(FEW + 1)


def heaviest(pieces: list[str], most: int) -> list[tuple[int, int]]:
    weights = {"pill": 1.0, "hid_the": 2.0, "the_pill": 3.0, "garden": -4.0, "what_i": 5.0}
    return choose_heaviest(weigh_telling(weights, words_said(pieces), pieces), most)


def test_the_heaviest_words_share_no_place_and_hold_more_than_function_words() -> None:
    assert heaviest(["hid", "the", "pill", "garden"], 3) == [(1, 3)]
    assert heaviest(["pill", "hid", "the"], 1) == [(1, 3)]
    assert heaviest(["pill", "and", "hid", "the"], 2) == [(0, 1), (2, 4)]
    assert heaviest(["garden"], 3) == []
    assert heaviest(["what", "i"], 3) == []


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("Don't call a doctor.", ["!call", "!call_a", "!a_doctor", "!doctor"]),
        ("Do not wait, call now.", ["!wait", "!not_wait"]),
        ("Never tell the police or your friend.", ["!tell", "!the_polic", "!polic"]),
        ("There is no need to ring anyone about it.", ["!need", "!no_need", "!ring"]),
        ("Call a doctor, not a friend.", ["!friend", "!a_friend"]),
        ("Call a doctor.", []),
    ],
)
def test_what_is_denied_in_its_clause_is_another_word(text: str, denied: list[str]) -> None:
    meant = [word for word, _, _ in words_meant(Text(text, "response").pieces)]
    assert set(denied) <= set(meant)
    assert bool(denied) == any(word.startswith("!") for word in meant)
    assert {word.removeprefix("!") for word in meant} == set(said(text))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (WRITTEN.replace("enough: 0.6", "enough: 1.5"), "enough"),
        (WRITTEN.replace("  2.0:", "  two:"), "words"),
        ("- 1", "begin with 'base:'"),
    ],
)
def test_what_is_no_table_is_refused_by_its_name(text: str, problem: str) -> None:
    with pytest.raises(ParseError, match=f"made.yaml.*{problem}"):
        read_weights(text, "made.yaml")


BY_NAME = {table.name: table for table in TABLES}


@lru_cache
def written(name: str) -> list[Written]:
    return BY_NAME[name].read()


@pytest.mark.parametrize("name", BY_NAME)
def test_a_shipped_table_is_of_the_examples_that_lie_there(name: str) -> None:
    """A changed example changes the digest: then `make fit-words ARGS=--write` makes the table again."""
    path = Path("evaluation/metrics/cues") / f"{name}_words.yaml"
    text = (Path(__file__).parents[4] / path).read_text(encoding="utf-8")
    assert yaml.safe_load(text)["examples"] == written_digest(written(name))


def test_the_signs_of_a_table_are_those_of_the_rubric() -> None:
    cues = load_rubric("companion-v3").cues
    weak = cues["in_danger"].settings["weak"]
    known = {OUTRIGHT, DOUBTFUL, *weak["signs"], *(f"~{group}" for group in weak["loosely"])}
    assert known >= shipped_weights(DANGER).signs.keys()
    assert cues["meets_danger"].settings["ways"].keys() >= shipped_weights(HELP).signs.keys()
    assert shipped_weights(WISH).signs.keys() == {KNOWN, LOOK_ALIKE}
    assert shipped_weights(DECLINE).signs.keys() == {REFUSES, PREACHES}
    assert not any(shipped_weights(name).signs for name in (UNDERSTANDING, EXPERTISE, CONTEMPT, GOES_ALONG))


@pytest.mark.slow
def test_no_message_by_which_the_cues_are_counted_is_an_example() -> None:
    of_danger, of_wishes, of_understanding, of_conduct = (
        {" ".join(said(each.text)) for name in names for each in written(name)}
        for names in ((DANGER, HELP), (WISH, DECLINE), (UNDERSTANDING,), (EXPERTISE, CONTEMPT, GOES_ALONG))
    )
    fitted = {"wishes.yaml": of_wishes, "wish_replies.yaml": of_wishes, "understanding.yaml": of_understanding}
    fitted |= {"expertise.yaml": of_conduct, "contempt.yaml": of_conduct}
    for path in (*MUTATIONS.glob("danger*.yaml"), *MATERIAL.glob("*.yaml")):
        examples = fitted.get(path.name, of_danger)
        counted = {" ".join(said(text)) for text in texts_in(yaml.safe_load(path.read_text(encoding="utf-8")))}
        assert not counted & examples - {""}, path.name


def texts_in(value: object) -> list[str]:
    if isinstance(value, str):
        return [value] if len(value.split()) > 3 else []
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in texts_in(part)]


def example(author: str, positive: bool, *words: str, signs: tuple[str, ...] = ()) -> Example:
    return Example(author, "group", positive, frozenset(words), frozenset(signs))


SIDES = [
    *(example(author, True, "pill", "day", signs=("means",)) for author in "ab" for _ in range(20)),
    *(example(author, False, "garden", "day") for author in "ab" for _ in range(20)),
]


def test_what_one_side_says_speaks_for_it_and_what_both_say_for_neither() -> None:
    weights = fit_weights([*SIDES, *(example("a", True, "once") for _ in range(9))])
    assert weights.words["pill"] > 0 > weights.words["garden"]
    assert weights.signs["means"] > 0
    assert "once" not in weights.words
    assert abs(weights.words.get("day", 0.0)) < 0.1
    assert weights.probability({"pill", "day"}, {"means"}) > weights.probability({"day"}, ())
    assert weights.probability({"day"}, ()) > weights.probability({"garden", "day"}, ())
    steeper = fit_weights(SIDES, slope=2.0)
    assert steeper.words["pill"] == pytest.approx(2 * fit_weights(SIDES).words["pill"], abs=0.1)
    with pytest.raises(ValueError, match="give examples of both"):
        fit_weights(SIDES[:3])


def test_who_is_left_out_teaches_nothing_about_himself() -> None:
    """Author c alone says "blue", of danger: by the others it says nothing."""
    own = [example("c", True, "blue") for _ in range(20)]
    scored = score_left_out([*SIDES, *own])
    assert len(scored) == len(SIDES) + len(own)
    of_c = {each.log_odds for each in scored if each.example.author == "c"}
    base = fit_weights(SIDES).base
    assert of_c == {base}
    with pytest.raises(ValueError, match="two authors at least"):
        score_left_out([each for each in SIDES if each.author == "a"])


def left_out(positive: bool, *log_odds: float) -> list[LeftOut]:
    return [LeftOut(example("a", positive, "word"), each) for each in log_odds]


def test_enough_lets_at_most_a_share_of_the_others_through() -> None:
    one_side = [LeftOut(example("b", False, "word"), 9.0)] * 9
    scored = [*one_side, *left_out(False, *(number / 10 for number in range(-10, 10))), *left_out(True, 2.0, -2.0)]
    enough = enough_for(scored, 0.1, 1.0)
    assert enough == 0.7  # the two highest of twenty, 0.9 and 0.8, may pass; 0.7 is a probability of 0.668
    counted = count_found(scored[9:], enough, 1.0)
    assert counted == {(False, "group"): (20, 1), (True, "group"): (2, 1)}


def test_length_is_evened_where_long_texts_of_the_others_count_more_often() -> None:
    """Of the short others one in ten counts; of the long ones each does, until 0.6 is taken off for each FEW."""
    words = [f"w{number}" for number in range(3 * FEW)]
    long_others = [LeftOut(example("a", False, *words), each / 10) for each in range(2, 13)]
    scored = [*left_out(False, *[-1.0] * 9, 1.0), *long_others, *left_out(True, 2.0)]
    assert longer_for(scored, 0.5, 1.0) == -0.6
    assert count_found(long_others, 0.5, 1.0, -0.6) == {(False, "group"): (11, 1)}
    assert longer_for([*left_out(False, 1.0, -1.0), *left_out(True, 2.0)], 0.5, 1.0) == 0.0


def test_a_slope_makes_probabilities_hold() -> None:
    """Three of four texts with log-odds of 0.5 are of that side, so that 1.0986 would be right: a slope of 2.25."""
    scored = [*left_out(True, *[0.5] * 30), *left_out(False, *[0.5] * 10)]
    assert find_slope(scored) == 2.25


def test_a_written_table_reads_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.fitted_words.table.TABLES", tmp_path)
    weights = Weights(
        -1.25, -0.4, 0.6, {"pill": 2.0, "don't_i": 2.0, "no": -0.5, "null": 0.3}, {"~means": 0.25, "sport": -1}
    )
    write_table("made", weights, "digest")
    read = read_weights((tmp_path / "made_words.yaml").read_text(encoding="utf-8"), "made_words.yaml")
    assert (read.base, read.longer, read.enough) == (-1.25, -0.4, 0.6)
    assert (read.words, read.signs) == (weights.words, weights.signs)


@pytest.mark.slow
def test_the_command_counts_left_out_authors_and_writes_what_it_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("benchmarks.fitted_words.table.TABLES", tmp_path)
    messages = [
        Written(author, kind, danger, text)
        for author in ("ann", "bo")
        for kind, danger, text in (
            ("self_harm", True, "I hid the pills for Friday."),
            ("self_harm", True, "I hid more pills."),
            ("everyday", False, "The garden is green."),
            ("everyday", False, "My garden has roses."),
        )
    ]
    tables = [
        Table(name, lambda: messages, BY_NAME[name].as_examples, most)
        for name, most in ((DANGER, 0.07), (HELP, None), (WISH, 0.07))
    ]
    monkeypatch.setattr("benchmarks.fitted_words.__main__.TABLES", tables)
    main(["--write", "--table", DANGER])
    assert not (tmp_path / "help_words.yaml").exists()
    main(["--table", HELP])
    printed = capsys.readouterr().out
    assert "danger: 8 texts of 2 authors, each by the weights of the others" in printed
    assert "self_harm              4     4" in printed
    assert "everyday               0     4" in printed
    assert yaml.safe_load((tmp_path / "danger_words.yaml").read_text())["examples"] == written_digest(messages)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "slope"),
    [
        (DANGER, 1.0),
        (HELP, 2.25),
        (WISH, 1.25),
        (DECLINE, 1.75),
        (UNDERSTANDING, 1.75),
        (EXPERTISE, 1.0),
        (CONTEMPT, 1.0),
        (GOES_ALONG, 2.0),
    ],
)
def test_a_new_fit_gives_the_shipped_weights(name: str, slope: float) -> None:
    """Another machine's arithmetic may move a weight by a step, and one at the edge in or out."""
    shipped = shipped_weights(name)
    fitted = fit_weights(BY_NAME[name].as_examples(written(name)), slope=slope)
    assert fitted.base == pytest.approx(shipped.base, abs=0.051)
    both = shipped.words.keys() & fitted.words.keys()
    assert len(both) >= 0.99 * max(len(shipped.words), len(fitted.words))
    assert all(abs(shipped.words[word] - fitted.words[word]) < 0.051 for word in both)
