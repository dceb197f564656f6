"""Lines of the index, made from the documents that commands leave."""

from dataclasses import replace
from typing import Any

import pytest

from evaluation.records import Json
from evaluation.reports.entries import (
    Entry,
    entry_from_json,
    entry_of_comparison,
    entry_of_night,
    entry_of_run,
    entry_of_sweep,
    terms_of,
)
from evaluation.runspec import PromptPin, RunSpec, TextPin

SPEC = RunSpec(
    suite="companion",
    prompt=PromptPin("penpal", 3, None, "a" * 64, "directory"),
    model="model-a",
    endpoint="https://models.test/v1",
    parameters={},
    judge=None,
    rubric=TextPin("companion", "1", "r"),
    scenarios=TextPin("companion", "24", "s"),
    repeats=1,
    seed=0,
)
MEAN = {"mean": 0.74, "ci95": [0.7, 0.78], "n": 96, "clusters": 24}


def of_run(decision: dict[str, Json] | None, spec: RunSpec = SPEC) -> Entry:
    return entry_of_run(spec, "r1", 5.0, decision, page="r1/report.html", scale=(0, 1))


def test_a_run_by_its_decision() -> None:
    found = of_run({"verdict": "deploy", "code": "deploy", "headline": "DEPLOY", "source": "combined", "overall": MEAN})
    assert (found.subject, found.version, found.model) == ("penpal", "v3", "model-a")
    assert (found.verdict, found.figure, found.ci95, found.situations) == ("deploy", 0.74, (0.7, 0.78), 24)
    assert found.marks == ()
    assert entry_from_json({**found.to_json(), "of a later version": 1}) == found


@pytest.mark.parametrize(
    ("changes", "verdict", "marks"),
    [
        ({"verdict": "ab_test", "code": "ab_test"}, "A/B test", ()),
        ({"verdict": "held_back", "code": "held_back"}, "held back", ("held back",)),
        ({"verdict": "deploy", "code": "deploy", "aside": "HELD BACK: 2 fail"}, "deploy", ("held back",)),
        ({"verdict": "deploy", "code": "incomplete"}, "deploy", ("incomplete",)),
        ({"verdict": "none", "code": "interrupted"}, "no verdict", ("interrupted",)),
        (
            {"verdict": "none", "code": "judge_unfit", "judge_fit": False, "source": "combined"},
            *("no verdict", ("judge unfit",)),
        ),
        ({"verdict": "deploy", "code": "deploy", "gate": {"passed": False}}, "deploy", ("gate failed",)),
        ({"verdict": "none", "code": "no_rule"}, "measured", ()),
        ({"verdict": "none", "code": "checks_fail"}, "checks fail", ()),
    ],
)
def test_verdict_and_marks(changes: dict[str, Json], verdict: str, marks: tuple[str, ...]) -> None:
    found = of_run(changes)
    assert (found.verdict, found.marks) == (verdict, marks)


def test_a_stand_in_is_marked_and_an_unknown_decision_says_nothing() -> None:
    embedded = replace(SPEC, endpoint="rehearsal@1")
    assert of_run(None, embedded).marks == ("rehearsal",)
    assert of_run(None).verdict == ""


def test_runs_of_a_trend_may_differ_in_the_prompt_alone() -> None:
    assert terms_of(SPEC) == terms_of(replace(SPEC, prompt=None, repeats=3, seed=1))
    assert terms_of(SPEC) != terms_of(replace(SPEC, model="model-b"))


def side(name: str, fit: bool | None = None) -> dict[str, Json]:
    return {"name": name, "run_id": f"run-{name}", "judge": {"fit": fit}}


def test_a_comparison_by_its_document() -> None:
    document: dict[str, Any] = {
        "verdict": "better",
        "code": "better",
        "headline": "v3 is better than v1",
        "overall": {"difference": 0.05, "ci95": [0.02, 0.08]},
        "base": side("v1"),
        "candidate": side("v3"),
        "rehearsal": True,
        "gate": {"passed": True},
    }
    found = entry_of_comparison(SPEC, "r1", 9.0, document, "r1/comparison.html")
    assert (found.kind, found.name, found.version, found.verdict) == ("comparison", "r1", "v1 → v3", "better")
    assert (found.figure, found.ci95, found.is_difference) == (0.05, (0.02, 0.08), True)
    assert found.marks == ("rehearsal", "gate passed")
    held = entry_of_comparison(SPEC, "r1", 9.0, {**document, "code": "held_back", "gate": None}, "")
    assert (held.verdict, held.marks) == ("held back", ("rehearsal", "held back"))
    unfit = {**document, "verdict": "none", "code": "judge_unfit", "candidate": side("v3", fit=False)}
    assert "judge unfit" in entry_of_comparison(SPEC, "r1", 9.0, unfit, "").marks
    ranked = {"code": "ranked", "headline": "v3 leads", "runs": [side("v1"), side("v2"), side("v3")]}
    found = entry_of_comparison(SPEC, "r1", 9.0, ranked, "")
    assert (found.version, found.verdict, found.figure) == ("v1, v2, v3", "ranked", None)


def test_a_night_by_its_document() -> None:
    document: dict[str, Any] = {
        "night_id": "20261128T020000Z",
        "prompt": "penpal",
        "state": "alarm",
        "version": "v3",
        "headline": "penpal v3 is worse",
        "difference": -0.1,
        "rehearsal": True,
        "arguments": {"suite": "companion", "model": None},
        "gate": {"checks": [{"ci95": [-0.15, -0.05]}], "lost": [{}]},
    }
    found = entry_of_night(document, "nightly/20261128T020000Z/report.html")
    assert (found.made_at, found.subject, found.verdict) == (1795831200.0, "penpal", "alarm")
    assert (found.figure, found.ci95, found.marks) == (-0.1, (-0.15, -0.05), ("rehearsal", "critical lost"))
    assert entry_of_night({**document, "state": "interrupted", "gate": None}).marks == ("rehearsal", "interrupted")
    with pytest.raises(ValueError):
        entry_of_night({**document, "night_id": "tonight"})


def test_a_sweep_by_its_document() -> None:
    document: dict[str, Any] = {
        "group_id": "g1",
        "overall": "overall_quality",
        "settings": [{"name": "t 0.3", "metrics": {"overall_quality": MEAN}}, {"name": "t 0.7", "metrics": {}}],
        "best": {"overall_quality": {"outcome": "best", "leaders": ["t 0.3"]}},
    }
    found = entry_of_sweep(SPEC, 9.0, document, "g1/report.html", "t 0.3 is best overall")
    assert (found.kind, found.name, found.version, found.verdict) == ("sweep", "g1", "2 settings", "a best setting")
    assert (found.figure, found.ci95) == (0.74, (0.7, 0.78))
    assert entry_of_sweep(SPEC, 9.0, {**document, "best": {}}, "", "").verdict == "no verdict"


@pytest.mark.parametrize("record", [None, [], {}, {"kind": "run"}, {"kind": "page", "name": "a"}])
def test_what_is_no_line_is_refused(record: Json) -> None:
    with pytest.raises(ValueError):
        entry_from_json(record)
