"""A rubric is read as its file says, and a broken one is refused with file, place and reason."""

import pytest

from evaluation.errors import ParseError
from evaluation.judging.asking import JudgeRubric
from evaluation.metrics.scoring import check_rules
from evaluation.rubrics.loader import LONGEST, parse_rubric
from evaluation.runspec import digest
from evaluation.text.forms import SourceText
from tests.evaluation.rubrics.made import OWN


def line_with(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


def refusal(text: str) -> str:
    with pytest.raises(ParseError) as caught:
        parse_rubric(SourceText(text, "own.yaml"), check_rules)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_teams_own_rubric_is_read() -> None:
    rubric = parse_rubric(SourceText(OWN, "own.yaml"), check_rules)
    assert (rubric.name, rubric.version, rubric.sha256) == ("own", "1", digest(OWN))
    assert list(rubric.metrics) == ["brevity", "kindness", "total"]
    brevity = rubric.metrics["brevity"]
    assert (brevity.kind, brevity.base, brevity.weight) == ("adjustments", 0.5, 0.4)
    settings = brevity.settings_of(brevity.adjustments[1])
    assert settings == {"list": "fillers", "phrases": ["well", "you know"]}
    judge = JudgeRubric.of(rubric)
    assert judge is not None
    assert (judge.overall, list(judge.guides)) == ("total", list(judge.dimensions))


def test_the_overall_comes_last_wherever_it_stands() -> None:
    lines = OWN.splitlines(keepends=True)
    start, end = OWN.splitlines().index("  total:"), OWN.splitlines().index("overall: total")
    first = OWN.splitlines().index("  brevity:")
    moved = lines[:first] + lines[start:end] + lines[first:start] + lines[end:]
    rubric = parse_rubric(SourceText("".join(moved), "own.yaml"), check_rules)
    assert list(rubric.metrics) == ["brevity", "kindness", "total"]


def test_a_scale_of_one_to_five_is_read() -> None:
    text = OWN.replace("scale: {low: 0, high: 1}", "scale: {low: 1, high: 5}")
    text = text.replace("{from: 0, to: 1,", "{from: 1, to: 5,").replace("base: 0.5", "base: 3")
    text = text.replace("at_least: 0.5,", "at_least: 4,").replace("at_least: 0,", "at_least: 1,")
    text = text.replace("{deploy: 0.7, ab_test: 0.6, floor: 0.5}", "{deploy: 4, ab_test: 3.5, floor: 3}")
    rubric = parse_rubric(SourceText(text.replace("fallback: 0.5", "fallback: 3"), "own.yaml"), check_rules)
    assert (rubric.low, rubric.high, rubric.levels[-1].at_least) == (1, 5, 1)


def test_a_broken_rubric_is_refused_with_place_and_reason() -> None:
    cases: list[tuple[str, str, str, str]] = [
        ("weight: 0.6", "weight: 0.5", "metrics", "weights add up to 0.9, not to 1: 0.4 + 0.5"),
        ("weight: 0.6", "weight: 0.6000001", "metrics", "weights add up to 1.0000001, not to 1"),
        ("    weight: 0.6\n", "", "metrics.kindness", "has no weight"),
        ("weight: 0.6", "weight: -0.6", "metrics.kindness.weight", "-0.6: input should be greater than 0"),
        ("weight: 0.6", "weight: lots", "metrics.kindness.weight", "'lots': input should be a valid number"),
        (
            "when: word_count",
            "when: word_cuont",
            "adjustments[0].when",
            "unknown cue 'word_cuont'; did you mean 'word_count'?",
        ),
        (
            "at_most: 5",
            "at_mots: 5",
            "adjustments[0].at_mots",
            "cue 'word_count': unknown key 'at_mots'; did you mean 'at_most'?",
        ),
        (
            "at_most: 5",
            "at_most: few",
            "adjustments[0].at_most",
            "cue 'word_count': 'few': input should be a valid integer",
        ),
        (
            "at_most: 5",
            "at_most: -5",
            "adjustments[0].at_most",
            "cue 'word_count': -5: input should be greater than or equal",
        ),
        ("at_most: 5", "at_least: 9, at_most: 5", "adjustments[0]", "cue 'word_count': is an empty range"),
        ("at_most: 5, ", "", "adjustments[0]", "cue 'word_count': has neither at_least nor at_most"),
        ("list: fillers", "list: filers", "adjustments[1].list", "unknown list 'filers'; did you mean 'fillers'?"),
        ("list: fillers", "list: fillers, phrases: [a]", "adjustments[1].phrases", "give one of them"),
        ("list: fillers", "phrases: [a]", "metrics.brevity.lists.fillers", "no adjustment uses this list"),
        ("[well, you know]", "[]", "adjustments[1].phrases", "should have at least 1 item"),
        ("[well, you know]", '[well, " "]', "adjustments[1].phrases[1]", "is an empty phrase"),
        (
            "[well, you know]",
            "[well, true]",
            "metrics.brevity.lists.fillers[1]",
            "True is no text: put it in quotes",
        ),
        ("add: -0.2", "add: 0", "adjustments[1].add", "0 would change nothing"),
        ("add: -0.2", "add: 0.12345678901", "adjustments[1].add", "more than 10 decimals"),
        ("add: -0.2, ", "", "adjustments[1].add", "is missing"),
        ("add: -0.2,", "add: -0.2, requires: [{when: nobody}],", "requires[0].when", "unknown cue 'nobody'"),
        ("add: -0.2,", "add: -0.2, unless: [{when: nobody}],", "unless[0].when", "unknown cue 'nobody'"),
        (
            "levels:",
            "cues: {word_count: {definition: d, settings: {at_least: -1}}}\nlevels:",
            "cues.word_count.settings.at_least",
            "-1: input should be greater than or equal to 0",
        ),
        (
            "levels:",
            "cues: {formatting: {definition: d, settings: {at_most: 1}}}\nlevels:",
            "cues.formatting.settings",
            "no adjustment uses this cue",
        ),
        (
            "levels:",
            "cues: {formatting: {definition: d, with_settings_of: [word_cuont]}, word_count: {definition: d}}\nlevels:",
            "cues.formatting.with_settings_of[0]",
            "no cue 'word_cuont' stands here; did you mean 'word_count'?",
        ),
        ("    definition: Short.\n", "", "metrics.brevity.definition", "is missing"),
        ("definition: Short.", 'definition: " "', "metrics.brevity.definition", "is empty"),
        (
            "criteria: [{from: 0, to: 1, label: All, text: Anything}]",
            "criteria: []",
            "metrics.brevity",
            "has no criteria",
        ),
        ("{from: 0, to: 1,", "{from: 0.5, to: 0.4,", "metrics.brevity.criteria[0]", "does not lie within the scale"),
        ("{from: 0, to: 1,", "{from: 0, to: 2,", "metrics.brevity.criteria[0]", "does not lie within the scale"),
        ("    base: 0.5\n", "", "metrics.brevity", "has no base"),
        ("base: 0.5", "base: 1.5", "metrics.brevity.base", "1.5 is outside the scale"),
        ("kind: judged", "kind: judgd", "metrics.kindness.kind", "'judgd': input should be 'adjustments'"),
        ("kind: judged", "kind: weighted", "metrics.kindness.kind", "the overall, and it alone, is 'weighted'"),
        ("kind: weighted", "kind: judged", "metrics.total.kind", "the overall, and it alone"),
        (
            "kind: judged",
            "kind: judged\n    base: 1",
            "metrics.kindness.base",
            "means nothing in a metric of kind 'judged'",
        ),
        ("kind: judged", "kind: formula\n    formula: flow", "metrics.kindness.formula", "unknown formula 'flow'"),
        ("kind: judged", "kind: formula", "metrics.kindness", "has no formula"),
        ("overall: total", "overall: totl", "overall", "unknown metric 'totl'; did you mean 'total'?"),
        ("title: Total", "title: Total\n    weight: 0.5", "metrics.total.weight", "the overall has no weight"),
        ("at_least: 0.5", "at_least: 0", "levels[1].at_least", "is not below"),
        ("at_least: 0,", "at_least: 0.2,", "levels[1].at_least", "0.0 up to there has no name"),
        ("at_least: 0.5", "at_least: 7", "levels[0].at_least", "7.0 is outside the scale"),
        ("ab_test: 0.6", "ab_test: 0.8", "decision", "must rise in this order"),
        ("floor: 0.5", "floor: 0.65", "decision", "must rise in this order"),
        ("deploy: 0.7", "deploy: .nan", "decision.deploy", "'.nan': input should be a valid number"),
        (" {{context_summary}}", "", "judge.template", "lacks the field {{context_summary}}"),
        ("{{context_summary}}", "{{context_summary}} {{contxt}}", "judge.template", "has the unknown field {{contxt}}"),
        (
            "{{context_summary}}",
            "{{context_sumary}}",
            "judge.template",
            "unknown field {{context_sumary}}; did you mean 'context_summary'?",
        ),
        (
            "{{context_summary}}",
            "{{ mood }}",
            "judge.template",
            "unknown field {{mood}}; known are user_message, assistant_response, context_summary",
        ),
        ("  fallback: 0.5", "  fallback: 0.5\n  fields: [mood]", "judge.fields[0]", "'mood': input should be"),
        ('version: "1"', 'version: "2"', "version", "'2' is not '1', the last of the history"),
        (
            "overall: total",
            "foo: 1\noverall: total",
            "foo",
            "unknown key 'foo'",
        ),
        ("overall: total", "floor: 1\noverall: total", "floor", "unknown key 'floor'"),
        ("kind: judged", "kind: judged\n    wieght: 1", "metrics.kindness.wieght", "did you mean 'weight'?"),
        ("ab_test: 0.6", "ab_tets: 0.6", "decision.ab_tets", "did you mean 'ab_test'?"),
        ("label: All", "lable: All", "metrics.brevity.criteria[0].lable", "did you mean 'label'?"),
        (
            "[brevity, kindness]",
            "[brevity, kindnes]",
            "judge.dimensions[1]",
            "unknown metric 'kindnes'; did you mean 'kindness'?",
        ),
        ("[brevity, kindness]", "[brevity, total]", "judge.dimensions[1]", "unknown metric 'total'"),
        ("fallback: 0.5", "fallback: 2", "judge.fallback", "2.0 is outside the scale"),
        (
            "overall: total",
            "overall: total\ncues: {word_cont: {definition: d}}",
            "cues.word_cont",
            "did you mean 'word_count'?",
        ),
        ("overall: total", "overall: total\nlevls: []", "levls", "unknown key 'levls'; did you mean 'levels'?"),
        ("title: Kindness", "titel: Kindness", "metrics.kindness.titel", "unknown key 'titel'; did you mean 'title'?"),
        ('date: "2026-01-01"', "date: yesterday", "history[0].date", "'yesterday': string should match"),
    ]
    for old, new, where, what in cases:
        assert old in OWN, (old, new, where, what)
        message = refusal(OWN.replace(old, new, 1))
        assert message.startswith("own.yaml:"), (old, new, where, what)
        assert f"{where}: " in message, (old, new, where, what)
        assert what in message, (old, new, where, what)


def test_the_line_is_that_of_the_mistake() -> None:
    text = OWN.replace("when: word_count", "when: word_cuont")
    assert refusal(text).startswith(f"own.yaml:{line_with(text, 'word_cuont')}: metrics.brevity.adjustments[0].when: ")


def test_text_that_is_no_plain_yaml_is_refused() -> None:
    cases: list[tuple[str, str]] = [
        ("", "own.yaml: holds nothing"),
        ("- a", "own.yaml: holds a list"),
        (OWN.replace("    base: 0.5\n", "    base: 0.5\n    base: 0.6\n"), "'base' is given twice"),
        (OWN.replace("base: 0.5", "base: &half 0.5"), "&half"),
        (OWN.replace("base: 0.5", "base: *half"), "*half"),
        (OWN.replace("base: 0.5", "base: !!python/object:os.system x"), "tag"),
        ("a: [", "own.yaml:2: is not YAML"),
        ("a: \ud800", "own.yaml"),
        ("a: \x00", "own.yaml"),
        ("[" * 5000, "nested"),
        ("#" * (LONGEST + 1), f"{LONGEST + 1:,} characters"),
    ]
    for text, what in cases:
        assert what in refusal(text), (text, what)


def test_a_harm_pattern_that_says_nothing_is_refused() -> None:
    cases: list[tuple[str, str]] = [
        ("a||b", "has an empty choice"),
        ("word?", "has no word that must occur"),
        ("...", "has no word that must occur"),
    ]
    for pattern, what in cases:
        cue = f'{{when: inappropriate_content, patterns: ["{pattern}"], add: -0.5}}'
        text = OWN.replace("{when: word_count, at_most: 5, add: 0.5}", cue)
        message = refusal(text)
        assert "metrics.brevity.adjustments[0].patterns[0]: cue 'inappropriate_content': " in message, (pattern, what)
        assert what in message, (pattern, what)


def test_the_error_carries_everything_else_that_is_wrong() -> None:
    with pytest.raises(ParseError) as caught:
        parse_rubric(
            SourceText(OWN.replace("weight: 0.6", "weight: 0.5").replace("base: 0.5", "base: 7"), "own.yaml"),
            check_rules,
        )
    assert [error.problem for error in caught.value.all] == [
        "7.0 is outside the scale",
        "weights add up to 0.9, not to 1: 0.4 + 0.5",
    ]
    assert all(error.place.startswith("own.yaml:") for error in caught.value.all)


def test_every_mistyped_value_is_named_once() -> None:
    text = OWN.replace("weight: 0.6", "weight: much").replace("base: 0.5", "base: half").replace("title:", "titel:", 1)
    with pytest.raises(ParseError) as caught:
        parse_rubric(SourceText(text, "own.yaml"), check_rules)
    assert [error.problem for error in caught.value.all] == [
        "unknown key 'titel'; did you mean 'title'?",
        "'half': input should be a valid number",
        "'much': input should be a valid number",
    ]
    with pytest.raises(ParseError) as caught:
        parse_rubric(SourceText(text.replace("titel:", "title:", 1), "own.yaml"), check_rules)
    assert [error.place.partition(": ")[2] for error in caught.value.all] == [
        "metrics.brevity.base",
        "metrics.kindness.weight",
    ]
