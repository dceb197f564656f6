"""The scorer that the runner is given, the functions by name, graded strength, formulas and metrics without a rule."""

import pytest

from evaluation.errors import UsageError
from evaluation.metrics.adjustments import RubricCues, adjustment_rule
from evaluation.metrics.cues import CUES
from evaluation.metrics.cues.cue import Cue, Detect, Formula, NoSettings, Rule, RuleSettings
from evaluation.metrics.explained import Explained, Term
from evaluation.metrics.formulas import FORMULAS
from evaluation.metrics.lookup import build_scorer
from evaluation.metrics.scoring import rubric_rules
from evaluation.metrics.utterance import Utterance
from evaluation.records import Cell, Exchange, Finding, Reply, Turn, Usage
from evaluation.rubrics.rubric import CueGuide, Metric
from tests.evaluation.metrics.shipped import companion_rubric

METRICS = (
    "appropriateness", "conversational_quality", "helpfulness", "emotional_intelligence",
    "personalization_continuity", "trust_boundaries", "overall_quality",
)  # fmt: skip


def exchange(response: str, context: tuple[Turn, ...] = ()) -> Exchange:
    reply = Reply(response, "stop", "m", {}, Usage(), 0.0, 1.0)
    return Exchange(Cell("s", 1), 1, context, "Hello", reply)


def test_one_heuristic_score_per_metric_in_the_rubrics_order() -> None:
    scores = build_scorer(companion_rubric())(exchange("As we discussed, noon."))
    assert tuple(score.metric for score in scores) == METRICS
    assert {score.source for score in scores} == {"heuristic"}


def test_personalization_without_context_keeps_its_value_and_its_share() -> None:
    score = build_scorer(companion_rubric())
    alone = score(exchange("As we discussed, noon."))
    in_context = score(exchange("As we discussed, noon.", (Turn("user", "Hi"),)))
    assert [each.metric for each in alone if not each.applicable] == ["personalization_continuity"]
    assert all(each.applicable for each in in_context)
    assert [each.value for each in alone] == [each.value for each in in_context]
    assert alone[4].value == 0.7
    assert alone[6].value == 0.655  # 0.605 of a plain response, 0.10 x 0.3 for continuity, 0.20 x 0.1 for "we"


def test_functions_by_name_agree_with_the_scorer() -> None:
    rules, said = rubric_rules(companion_rubric()), Utterance("Hello", "I can help you. How are you?")
    scores = build_scorer(companion_rubric())(exchange("I can help you. How are you?"))
    for score in scores:
        assert rules.score(score.metric, said) == score


def test_an_unknown_metric_is_reported_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match=r"rubric 'companion' has no rule for metric 'wit'; it has appropriateness, "):
        rubric_rules(companion_rubric()).score("wit", Utterance("Hello", "Hi"))


def made_metric(**parts: object) -> Metric:
    return Metric.model_validate({"title": "M", "kind": "adjustments", "definition": "d", "weight": 1.0, **parts})


def test_an_amount_is_graded_by_the_strongest_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def graded(_settings: RuleSettings) -> Detect:
        return lambda _: (
            Finding("graded", "response", 0, 1, "a", 0.25),
            Finding("graded", "response", 1, 2, "b", 0.5),
        )

    monkeypatch.setitem(CUES, "graded", Cue("graded", "", NoSettings, graded))
    metric = made_metric(base=0.1, adjustments=[{"when": "graded", "add": 0.3, "label": "graded"}])
    explained = adjustment_rule(metric, RubricCues(lambda use, _: use.parameters))(Utterance("", "ab"))
    assert explained.value == 0.25
    assert explained.explanation == '0.1 base, +0.15 graded ("a", "b")'


def rules_with(adjustments: list[dict[str, object]], guides: dict[str, object] | None = None) -> Rule:
    """The rule of a metric with these adjustments, in a rubric with these guides to its cues."""
    rubric = companion_rubric()
    cues = {name: CueGuide.model_validate(guide) for name, guide in (guides or {}).items()}
    metrics = {
        "m": made_metric(base=0.5, adjustments=adjustments),
        "overall_quality": rubric.metrics["overall_quality"],
    }
    return rubric_rules(rubric.model_copy(update={"metrics": metrics, "cues": cues})).rules["m"]


def test_a_cue_under_unless_takes_an_amount_back() -> None:
    rule = rules_with(
        [
            {
                "when": "asks_question",
                "add": 0.2,
                "label": "asks",
                "unless": [{"when": "word_count", "at_least": 4}, {"when": "formatting"}],
            }
        ]
    )
    assert rule(Utterance("", "Why not?")).explanation == '0.5 base, +0.2 asks ("Why not?")'
    assert rule(Utterance("", "And why not today?")).explanation == "0.5 base"
    assert rule(Utterance("", "**Why** not?")).explanation == "0.5 base"


def test_a_weaker_finding_than_is_named_takes_nothing_back() -> None:
    guides: dict[str, object] = {"adds_content": {"definition": "d", "settings": {"enough": 4}}}
    uses: list[dict[str, object]] = [
        {"when": "word_count", "at_least": 1, "add": 0.2, "unless": [{"when": "adds_content", "from_strength": 0.75}]}
    ]
    rule = rules_with(uses, guides)
    assert [rule(Utterance("", said)).value for said in ("Saffron.", "Saffron, vinegar, thyme.")] == [0.7, 0.5]


def test_a_guide_gives_settings_and_a_use_has_its_own() -> None:
    guides: dict[str, object] = {"word_count": {"definition": "d", "settings": {"at_least": 3, "at_most": 4}}}
    uses: list[dict[str, object]] = [
        {"when": "word_count", "add": 0.1},
        {"when": "word_count", "at_most": 9, "add": 0.2},
    ]
    rule = rules_with(uses, guides)
    assert [rule(Utterance("", "so " * words)).value for words in (2, 3, 5, 10)] == [0.5, 0.8, 0.7, 0.5]


def test_a_guide_lends_the_settings_of_another_cue_under_its_name() -> None:
    class Borrowed(RuleSettings):
        word_count: dict[str, int]
        own: int

    given: list[Borrowed] = []

    def look(settings: Borrowed) -> Detect:
        given.append(settings)
        return lambda _utterance: ()

    guides: dict[str, object] = {
        "word_count": {"definition": "d", "settings": {"at_least": 3}},
        "borrows": {"definition": "d", "settings": {"own": 7}, "with_settings_of": ["word_count"]},
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(CUES, "borrows", Cue("borrows", "", Borrowed, look))
        rules_with([{"when": "borrows", "add": 0.1}], guides)
    assert given[-1] == Borrowed(word_count={"at_least": 3}, own=7)


def test_a_cue_with_the_same_settings_looks_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def look(_settings: RuleSettings) -> Detect:
        def detect(utterance: Utterance) -> tuple[Finding, ...]:
            looked.append(utterance.response.original)
            return ()

        return detect

    monkeypatch.setitem(CUES, "looks", Cue("looks", "", NoSettings, look))
    rule = rules_with(
        [{"when": "looks", "add": 0.1}, {"when": "asks_question", "add": 0.1, "unless": [{"when": "looks"}]}]
    )
    assert (rule(Utterance("", "a?")).value, rule(Utterance("", "b?")).value) == (0.6, 0.6)
    assert looked == ["a?", "b?"]


def test_a_cue_is_not_looked_for_where_another_takes_back_all_that_would_come_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[str] = []

    def look(_settings: RuleSettings) -> Detect:
        def detect(utterance: Utterance) -> tuple[Finding, ...]:
            looked.append(utterance.response.original)
            return (Finding("looks", "response", 0, 1, "a"),)

        return detect

    monkeypatch.setitem(CUES, "looks", Cue("looks", "", NoSettings, look))
    spared: dict[str, object] = {"when": "looks", "add": 0.1, "unless": [{"when": "asks_question"}]}
    rule = rules_with([spared, {**spared, "add": 0.2}])
    assert (rule(Utterance("", "a?")).value, rule(Utterance("", "b")).value) == (0.5, 0.8)
    assert looked == ["b"]
    # Where one adjustment of several still asks for it, or another names it under `unless`, it is looked for.
    in_part = rules_with([spared, {"when": "looks", "add": 0.2}])
    against = rules_with([spared, {"when": "word_count", "at_least": 1, "add": 0.4, "unless": [{"when": "looks"}]}])
    assert (in_part(Utterance("", "c?")).value, against(Utterance("", "d?")).value) == (0.7, 0.5)
    assert looked == ["b", "c?", "d?"]


def test_a_formula_metric_takes_part_in_the_overall(monkeypatch: pytest.MonkeyPatch) -> None:
    class Half(RuleSettings):
        value: float

    def half(constants: Half) -> object:
        return lambda _: Explained(constants.value, (Term(constants.value, "fixed"),), f"{constants.value} fixed")

    monkeypatch.setitem(FORMULAS, "half", Formula("half", "", Half, half))  # type: ignore[arg-type]
    rubric = companion_rubric()
    formula = made_metric(kind="formula", formula="half", constants={"value": 0.5})
    own = rubric.model_copy(update={"metrics": {"m": formula, "overall_quality": rubric.metrics["overall_quality"]}})
    explained = rubric_rules(own).explain(Utterance("", ""))
    assert [(name, each.explanation) for name, each in explained.items()] == [
        ("m", "0.5 fixed"),
        ("overall_quality", "1.0 x 0.5 m"),
    ]


def test_a_judged_metric_has_no_rule_and_then_code_has_no_overall() -> None:
    rubric = companion_rubric()
    first = rubric.metrics["appropriateness"].model_copy(update={"kind": "judged", "adjustments": ()})
    own = rubric.model_copy(update={"metrics": {**rubric.metrics, "appropriateness": first}})
    names = tuple(rubric_rules(own).explain(Utterance("", "")))
    assert names == METRICS[1:-1]


def test_a_cue_is_prepared_once_for_the_same_settings() -> None:
    cue = CUES["word_count"]
    first = cue.prepare({"at_least": 2, "at_most": 9})
    assert cue.prepare({"at_most": 9, "at_least": 2}) is first
    assert cue.prepare({"at_least": 2, "at_most": 8}) is not first
