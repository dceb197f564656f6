"""A rubric that extends another one: what is merged, where its errors stand, and the one text that is kept of both."""

import pytest
import yaml

from evaluation.errors import ParseError
from evaluation.metrics.scoring import check_rules
from evaluation.rubrics.extension import Layer, join, with_profile
from evaluation.rubrics.loader import parse_rubric
from evaluation.rubrics.rubric import Rubric
from evaluation.runspec import digest
from evaluation.text.forms import SourceText
from evaluation.text.yaml_text import load_yaml
from tests.evaluation.rubrics.made import OWN
from tests.evaluation.rubrics.test_loader import line_with

HEAD = """\
extends: own
version: team-1
history: [{version: team-1, date: "2026-12-01", changes: [Weights]}]
"""
WEIGHTS = """\
metrics:
  brevity:
    weight: 0.3
  kindness:
    weight: 0.7
"""
TEAM = HEAD + WEIGHTS


def joined(*texts: str) -> SourceText:
    return join([Layer.of(SourceText(text, f"folder/{place}")) for text, place in zip(texts, NAMES, strict=False)])


NAMES = ("team.yaml", "own.yaml", "first.yaml")


def rubric_of(*texts: str) -> Rubric:
    return parse_rubric(joined(*texts), check_rules)


def refusal(*texts: str) -> str:
    with pytest.raises(ParseError) as caught:
        rubric_of(*texts)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_few_lines_change_the_weights_alone() -> None:
    plain, team = rubric_of(OWN), rubric_of(TEAM, OWN)
    assert (team.version, [entry.version for entry in team.history]) == ("team-1", ["team-1"])
    assert team.weights == {"brevity": 0.3, "kindness": 0.7}
    same = {"name", "title", "introduction", "scale", "overall", "levels", "decision", "judge", "cues"}
    assert {part for part in same if getattr(team, part) != getattr(plain, part)} == set()
    assert team.metrics["brevity"].model_copy(update={"weight": 0.4}) == plain.metrics["brevity"]


def test_lists_are_replaced_whole_and_mappings_key_by_key() -> None:
    own = HEAD + "metrics: {brevity: {adjustments: [{when: word_count, at_most: 9, add: 0.1}]}}\n"
    brevity = rubric_of(own, OWN).metrics["brevity"]
    assert [each.parameters for each in brevity.adjustments] == [{"at_most": 9}]
    assert (brevity.base, brevity.lists) == (0.5, {}), "a list of phrases that nothing uses any more is left out"


def test_new_metrics_stand_before_the_overall_and_the_others_keep_their_order() -> None:
    new = "  calm: {title: Calm, kind: judged, weight: 0.1, definition: Calm., "
    new += "positive: [Is calm], negative: [Is not], criteria: [{from: 0, to: 1, label: All, text: Anything}]}\n"
    text = HEAD + new.join(["metrics:\n", "  kindness: {weight: 0.6}\n  brevity: {weight: 0.3}\n"])
    assert list(rubric_of(text, OWN).metrics) == ["brevity", "kindness", "calm", "total"]


def test_null_takes_a_key_out() -> None:
    assert rubric_of(TEAM + "decision: null\n", OWN).decision is None


def test_definitions_of_cues_follow_their_use() -> None:
    cues = "cues:\n  word_count: {definition: Words.}\n  response_says: {definition: Phrases.}\n"
    fewer = HEAD + "metrics: {brevity: {adjustments: [{when: word_count, at_most: 9, add: 0.1}]}}\n"
    assert list(rubric_of(TEAM, OWN + cues).cues) == ["word_count", "response_says"]
    assert list(rubric_of(fewer, OWN + cues).cues) == ["word_count"]
    conditions = HEAD + (
        "metrics: {brevity: {adjustments: [{when: word_count, at_most: 9, add: 0.1, "
        "unless: [{when: response_says, phrases: [well]}]}]}}\n"
    )
    assert list(rubric_of(conditions, OWN + cues).cues) == ["word_count", "response_says"]


def test_a_cue_whose_settings_another_one_shares_stays() -> None:
    lends = "  word_count: {definition: Words., settings: {at_most: 5}}\n"
    shares = "  response_says: {definition: Phrases., with_settings_of: [word_count]}\n"
    metrics = "metrics: {brevity: {adjustments: [{when: response_says, phrases: [well], add: 0.1}]}}\n"
    kept = joined(HEAD + metrics, f"{OWN}cues:\n{lends}{shares}").value()
    assert isinstance(kept, dict)
    assert isinstance(kept["cues"], dict)
    assert list(kept["cues"]) == ["word_count", "response_says"]


def test_what_is_kept_stands_for_itself() -> None:
    source = joined(TEAM, OWN)
    assert source.text.startswith("# team.yaml extends own.yaml\n{")
    rubric = parse_rubric(source, check_rules)
    alone = parse_rubric(SourceText(source.text, "rubric of run-1"), check_rules)
    assert Layer.of(SourceText(source.text, "rubric of run-1")).extends is None
    assert alone == rubric
    assert rubric.sha256 == alone.sha256 == digest(source.text)


def test_its_digest_follows_either_file_and_nothing_else() -> None:
    kept = rubric_of(TEAM, OWN).sha256
    assert rubric_of(TEAM, OWN).sha256 == kept
    assert rubric_of(TEAM, OWN.replace("base: 0.5", "base: 0.4")).sha256 != kept
    assert rubric_of(TEAM.replace("team-1", "team-2"), OWN).sha256 != kept


def test_a_row_of_rubrics_is_one_rubric() -> None:
    middle = TEAM.replace("extends: own", "extends: first")
    rubric = rubric_of(HEAD.replace("team-1", "team-2") + "decision: {deploy: 0.8}\n", middle, OWN)
    assert rubric.version == "team-2"
    assert rubric.weights == {"brevity": 0.3, "kindness": 0.7}
    assert rubric.decision is not None
    assert (rubric.decision.deploy, rubric.decision.floor) == (0.8, 0.5)


def test_an_error_names_the_file_and_line_in_which_the_value_stands() -> None:
    wrong = OWN.replace("at_most: 5", "at_mots: 5")
    place = f"folder/own.yaml:{line_with(wrong, 'at_mots')}"
    assert refusal(TEAM, wrong).startswith(f"{place}: metrics.brevity.adjustments[0]")
    heavy = TEAM.replace("0.7", "0.8")
    assert refusal(heavy, OWN).startswith(f"folder/team.yaml:{line_with(heavy, 'metrics:')}: metrics: weights add up")
    mistyped = TEAM.replace("0.7", "much")
    place = f"folder/team.yaml:{line_with(mistyped, 'much')}"
    assert refusal(mistyped, OWN).startswith(f"{place}: metrics.kindness.weight:")
    unknown = TEAM + "titel: Mine\n"
    place = f"folder/team.yaml:{line_with(unknown, 'titel')}"
    assert refusal(unknown, OWN).startswith(f"{place}: titel: unknown key 'titel'")
    lacking = HEAD + "metrics:\n  brevity:\n    adjustments:\n      - {when: word_count, at_most: 9}\n"
    line = line_with(lacking, "at_most: 9")
    assert refusal(lacking, OWN) == f"folder/team.yaml:{line}: metrics.brevity.adjustments[0].add: is missing"
    assert refusal(HEAD, TEAM, wrong).startswith("folder/first.yaml:")


def test_an_unfinished_part_is_told_where_it_stands() -> None:
    text = HEAD + "metrics:\n  calm: {title: Calm, kind: judged}\n"
    assert refusal(text, OWN) == f"folder/team.yaml:{line_with(text, 'calm')}: metrics.calm.definition: is missing"


def test_taking_out_what_is_not_there_is_refused() -> None:
    text = TEAM + "decison: null\n"
    said = "decison: null takes out what is extended, which has no 'decison'; did you mean 'decision'?"
    assert refusal(text, OWN) == f"folder/team.yaml:{line_with(text, 'decison')}: {said}"


def test_a_definition_of_its_own_stays_whether_or_not_it_is_used() -> None:
    kept = joined(HEAD + "cues: {never_used: {definition: Ours.}}\n", OWN).value()
    assert isinstance(kept, dict)
    assert kept["cues"] == {"never_used": {"definition": "Ours."}}


def test_taking_out_deep_down_is_refused_with_the_whole_way_there() -> None:
    said = refusal(HEAD + "metrics:\n  brevity:\n    no_such: null\n", OWN)
    assert said.startswith("folder/team.yaml:6: metrics.brevity.no_such: ")


@pytest.mark.parametrize("nothing", ["", "- a list\n", "text\n"])
def test_only_a_mapping_can_be_extended(nothing: str) -> None:
    expected = "folder/own.yaml: holds no mapping that could be extended: name a rubric"
    assert refusal(TEAM, nothing) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TEAM.replace("extends: own", "extends: [own]"), "extends: ['own']: name a shipped rubric or a file"),
        (TEAM.replace("extends: own", "extends:"), "extends: None: name a shipped rubric or a file"),
        (
            TEAM.replace("version: team-1\n", ""),
            "extends: needs 'version' beside it: a rubric that extends another has its own 'version' and 'history'",
        ),
        (
            "extends: own\nversion: team-1\n",
            "extends: needs 'history' beside it: a rubric that extends another has its own 'version' and 'history'",
        ),
    ],
)
def test_an_unfit_beginning_is_refused(text: str, said: str) -> None:
    with pytest.raises(ParseError) as caught:
        Layer.of(SourceText(text, "team.yaml"))
    assert str(caught.value) == f"team.yaml:1: {said}"


@pytest.mark.parametrize("text", ["", "- extends\n", "title: what it extends\n", OWN])
def test_a_rubric_that_extends_nothing_is_left_as_it_is(text: str) -> None:
    layer = Layer.of(SourceText(text, "own.yaml"))
    assert layer.extends is None
    found = join([layer])
    assert (found.text, found.place, found.value()) == (text, "own.yaml", load_yaml(text, "own.yaml"))


@pytest.mark.parametrize(
    "text",
    [
        "\x7f\x85\x9f",
        "one\u2028two\u2029three\n",
        "\ufeff",
        '\U0001f600 it\'s "so"',
        "\\u0041",
        *["1e5", "08", "yes", "null", "~", "- a", "# no comment", "a: b", "\ttab ", ""],
    ],
)
def test_every_text_is_kept_as_it_was_written(text: str) -> None:
    base = "notes: " + yaml.safe_dump([text], default_style='"', default_flow_style=True)
    kept = load_yaml(joined(HEAD, base).text, "kept")
    assert isinstance(kept, dict)
    assert kept["notes"] == [text]


def test_one_rubric_under_one_profile_has_one_text() -> None:
    texts = [OWN, joined(TEAM, OWN).text, f"{OWN}\nprofile: poem\n"]
    for text in texts:
        bare = with_profile(SourceText(text, "own.yaml"), None)
        under = with_profile(SourceText(text, "own.yaml"), "auto")
        assert (under.place, with_profile(under, "auto").text) == ("own.yaml", under.text)
        assert load_yaml(under.text, "own.yaml") == {**load_yaml(bare.text, "own.yaml"), "profile": "auto"}
        assert with_profile(with_profile(under, "list"), "auto").text == under.text
        assert with_profile(under, None).text.rstrip() == bare.text.rstrip()
    extended = with_profile(joined(TEAM, OWN), "auto")
    assert extended.text == with_profile(SourceText(joined(TEAM, OWN).text, "kept"), "auto").text
    assert extended.value() == load_yaml(extended.text, "kept")
    assert extended.at(("metrics", "brevity", "weight")).startswith("folder/team.yaml:")
