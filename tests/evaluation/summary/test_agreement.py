"""The figure that stands beside a source: of exactly this source, of an earlier one, or none."""

import json
from dataclasses import asdict, replace
from typing import Any

import pytest

from evaluation.calibration.on_record import read_measurement
from evaluation.metrics.rules_digest import rules_digest
from evaluation.records import Source
from evaluation.reports.agreement import in_one_line, said_of
from evaluation.summary.agreement import AgreementFigure, MeasuredBy, Measurement, Origin, find_agreement
from scripts.run.load import load_rubric

OVERALL = "overall_quality"
RUN = MeasuredBy("companion", "2.0.3", "rubric", "rules", "scorer", "judge")
SOURCES: tuple[Source, ...] = ("heuristic", "judge", "combined")


def figure(source: Source, rho: float = 0.5, **changed: Any) -> AgreementFigure:
    made = AgreementFigure(source, "ours", "warmth", OVERALL, 100, 40, rho, (rho - 0.1, rho + 0.1))
    return replace(made, **changed)


def measured(*figures: AgreementFigure, by: MeasuredBy = RUN, origin: Origin = "calibration") -> Measurement:
    return Measurement(origin, by, figures)


ALL = tuple(figure(source) for source in SOURCES)


def test_what_was_measured_of_the_same_rules_judge_and_rubric_counts() -> None:
    found = find_agreement(SOURCES, OVERALL, RUN, [measured(*ALL)])
    assert [each and each.earlier for each in found.values()] == ["", "", ""]
    assert in_one_line(found) == (
        "agreement with people: rules 0.50 [0.40, 0.60], judge 0.50 [0.40, 0.60], combined 0.50 [0.40, 0.60]"
    )


def test_of_another_judge_nothing_is_known_and_the_rules_stay() -> None:
    found = find_agreement(SOURCES, OVERALL, replace(RUN, judge="other"), [measured(*ALL)])
    assert found["heuristic"] is not None
    assert (found["judge"], found["combined"]) == (None, None)
    assert in_one_line(found) == "agreement with people: rules 0.50 [0.40, 0.60], judge and combined not known"
    assert said_of(found)[1] == "judge: not known"


@pytest.mark.parametrize(
    ("changed", "earlier"),
    [
        ({"rules": "others"}, ("heuristic", "combined")),
        ({"scorer": "later"}, ("judge", "combined")),
        ({"rubric_sha256": "later"}, ("judge", "combined")),
    ],
)
def test_what_has_changed_since_is_marked(changed: dict[str, str], earlier: tuple[str, ...]) -> None:
    found = find_agreement(SOURCES, OVERALL, replace(RUN, **changed), [measured(*ALL)])
    assert tuple(source for source, each in found.items() if each and each.earlier) == earlier
    assert "(earlier)" in in_one_line(found)


def test_a_rubric_of_another_series_says_nothing() -> None:
    later = replace(RUN, version="3.1.0", rules="others")
    assert set(find_agreement(SOURCES, OVERALL, later, [measured(*ALL)]).values()) == {None}


def test_the_teams_own_ratings_go_before_public_ones_and_the_present_before_the_earlier() -> None:
    public = measured(figure("heuristic", 0.1, n=900), origin="shipped")
    own = measured(figure("heuristic", 0.3))
    old = measured(figure("heuristic", 0.7, n=500), by=replace(RUN, rules="others"))
    few = measured(figure("heuristic", 0.9, n=12))
    found = find_agreement(("heuristic",), OVERALL, RUN, [old, public, few, own])["heuristic"]
    assert found is not None and (found.figure.rho, found.origin) == (0.3, "calibration")
    left = find_agreement(("heuristic",), OVERALL, RUN, [old, public])["heuristic"]
    assert left is not None and (left.figure.rho, left.origin) == (0.1, "shipped")


def test_a_sentence_has_set_size_figures_with_intervals_and_the_ceiling() -> None:
    known = measured(figure("judge", kappa=0.4, kappa_ci95=(0.3, 0.5), ceiling=0.62))
    [said] = said_of(find_agreement(("judge",), OVERALL, RUN, [known]))
    assert said == (
        "judge: rank correlation 0.50 [0.40, 0.60], weighted kappa 0.40 [0.30, 0.50] with warmth "
        "(ours, n 100 in 40 conversations; people with people: 0.62; a calibration)"
    )
    [bare] = said_of(find_agreement(("judge",), OVERALL, RUN, [measured(figure("judge"))]))
    assert "people with people: not known" in bare


def test_a_record_is_read_back_and_anything_else_is_none() -> None:
    made = measured(*ALL)
    assert read_measurement(json.loads(json.dumps(asdict(made))), "calibration") == made
    odd: list[object] = [None, [], {}, {"by": {}, "figures": []}, {"by": asdict(RUN), "figures": [{"source": "judge"}]}]
    for broken in odd:
        assert read_measurement(broken, "calibration") is None


def test_rules_are_others_as_soon_as_their_arithmetic_or_code_is_and_not_for_their_prose() -> None:
    rubric = load_rubric("companion")
    now = rules_digest(rubric, "code")
    assert now != rules_digest(rubric, "other code")
    metric = rubric.metrics["helpfulness"]
    reworded = {**rubric.metrics, "helpfulness": metric.model_copy(update={"definition": "Other words."})}
    assert rules_digest(rubric.model_copy(update={"metrics": reworded}), "code") == now
    raised = {**rubric.metrics, "helpfulness": metric.model_copy(update={"base": metric.base + 0.1})}
    assert rules_digest(rubric.model_copy(update={"metrics": raised}), "code") != now
    assert rules_digest(load_rubric("companion-v3"), "code") != now
