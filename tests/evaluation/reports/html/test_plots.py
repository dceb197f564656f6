"""The numbers behind the pictures, the places of their marks, and that no text in them takes effect."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from evaluation.reports.html.calibration_plot import review_plots
from evaluation.reports.html.cost_quality import cost_plot
from evaluation.reports.html.figures import Axis, axis_within, histogram
from evaluation.reports.html.matrix import MOST_PLAIN, matrix_data, matrix_rows
from evaluation.reports.html.repeats import dots_of, repeat_strip, said_of
from evaluation.reports.html.review import review_page
from evaluation.reports.html.spreads import outline, spreads_of
from evaluation.reports.html.trajectories import trajectory_plots
from evaluation.review.weekly import weekly_report
from evaluation.summary.repeats import ScenarioRepeats
from scripts.run.load import load_rubric
from tests.evaluation.made_runs import OVERALL, scenario, scored, suite, summary_of
from tests.evaluation.reports.html import plotted
from tests.evaluation.reports.html.pages import assets, data_of, known_page
from tests.evaluation.reports.html.plotted import always, conversations, gathered, ranked, rising, side_of, with_gaps
from tests.evaluation.review.made_records import human

SCALE = (0.0, 1.0)


def test_an_axis_of_single_values_stays_within_the_scale_and_is_not_blown_up() -> None:
    alike = axis_within([0.5, 0.5], SCALE)
    assert (alike.low, alike.high) == pytest.approx((0.3, 0.7))
    assert axis_within([0.98], SCALE).high == 1.0
    assert axis_within([], (1.0, 5.0)) == Axis(1.0, 5.0)


def test_an_outline_steps_at_the_borders_of_the_bins() -> None:
    found = histogram(
        OVERALL, "heuristic", [0.02, 0.02, 0.97], SCALE, summary_of([scored("a", 0.5)]).metrics["heuristic"][OVERALL]
    )
    assert outline(found, 2 / 3) == "M0 100H0V0H5V100H95V50H100V100Z"


def test_spreads_share_one_axis_and_one_height() -> None:
    plan = [scenario("a"), scenario("b")]
    flat = side_of(plan, lambda number, *_: 0.1 + 0.4 * number, "flat", repeats=1)
    peak = side_of(plan, always(0.5), "peak", repeats=1)
    bare = side_of(plan, always(None), "bare", repeats=1)
    found = spreads_of(gathered(flat, bare, peak).readings)
    (overall,) = [each for each in found if (each.source, each.metric) == ("combined", OVERALL)]
    assert [row.name for row in overall.rows] == ["flat", "bare", "peak"]
    assert [row.outline for row in overall.rows] == [
        "M0 100H10V50H15V100H50V50H55V100H100V100Z",
        "",
        "M0 100H50V0H55V100H100V100Z",
    ]
    assert overall.rows[0].said == "flat: 2 values, mean 0.30, lowest 0.10, median 0.30, highest 0.50"
    assert overall.rows[1].said == "bare: not scored"


def test_paths_share_one_axis_and_break_at_gaps() -> None:
    plan = [scenario("a", turns=3), scenario("b", turns=2)]

    def value(number: int, repeat: int, turn: int) -> float | None:
        return None if (number, turn) == (0, 2) else 0.2 * turn

    short, long = trajectory_plots(
        gathered(side_of(plan[1:], value, "short", repeats=1), side_of(plan, value, "long", repeats=1)).readings, SCALE
    )
    assert short.axis == long.axis
    assert [short.place(turn) for turn in range(3)] == ["4", "50", "96"]
    places = [float(point.split(",")[0]) for line in long.lines() for point in line.split()]
    assert places == [4, 5, 96, 97, 4, 50]  # lone points of a are dashes; then b
    assert long.said == "long: mean of 2 conversations by turn: turn 1 0.20, turn 2 0.40, turn 3 0.60"
    assert long.change == "+0.300 (-0.971 to +1.571)"


def test_dots_are_counted_and_said() -> None:
    each = ScenarioRepeats("a", (0.4, None, 0.901, 0.899), (1, 1))
    assert dots_of(each) == [(0.4, 1), (0.9, 2)]
    assert said_of(each) == "0.40 once, 0.90 twice, 1 of 4 repeats without a value"


def test_a_sentence_says_how_far_repeats_lie_apart() -> None:
    def said(of: plotted.Value, names: str = "abcd") -> str:
        strip = repeat_strip(gathered(side_of([scenario(name) for name in names], of)).readings[0], SCALE)
        assert strip is not None
        return strip.sentence

    assert said(always(0.5)) == "In all 4 scenarios the repeats have the same overall"
    everywhere = "In half of 4 scenarios the repeats lie at most 0.40 apart; in none of them are they alike"
    assert said(lambda _, repeat, __: 0.2 * repeat) == everywhere
    somewhere = "In half of 4 scenarios the repeats lie at most 0.40 apart; in 1 they are alike"
    assert said(lambda number, repeat, _: 0.2 * repeat if number else 0.5) == somewhere
    assert said(lambda _, repeat, __: 0.2 * repeat, "a") == "The repeats of its one scenario lie 0.40 apart"


def test_a_strip_shows_twelve_and_folds_the_rest() -> None:
    strip = repeat_strip(
        gathered(side_of([scenario(f"s{number}") for number in range(15)], rising(0.1))).readings[0], SCALE
    )
    assert strip is not None
    assert (len(strip.open), len(strip.folded), strip.left_out) == (7, 0, 0), "odd ones and the first are alike"
    assert strip.open[0].scenario_id == "s14"
    assert repeat_strip(gathered(side_of(conversations(), rising(0.1), repeats=1)).readings[0], SCALE) is None


def test_prices_are_weighed_against_means_where_they_differ() -> None:
    plot = cost_plot(ranked([0.002, None, 0.0005]), SCALE)
    assert plot is not None
    assert [(each.number, each.name, each.usd) for each in plot.runs] == [(1, "v1", 2.0), (3, "v3", 0.5)]
    assert (plot.x.low, plot.x.high) == (0.0, 2.0)
    assert plot.unknown == ["v2"]
    assert plot.said == "Mean overall and price of 1,000 replies: v1 0.60 at $2.00; v3 0.40 at $0.5000"
    assert cost_plot(ranked([0.001, 0.001, 0.001]), SCALE) is None
    assert cost_plot(ranked([0.001, 0.002, 0.003], [0.5, None, None]), SCALE) is None


def test_the_matrix_has_every_scenario_of_any_run_with_its_colour() -> None:
    both = [scenario("a"), scenario("b", category="upset")]
    first = side_of(both, lambda number, *_: (0.5, None)[number], repeats=1)
    second = side_of([*both, scenario("c")], lambda number, *_: (1.0, None, 0.25)[number], repeats=1)
    found = gathered(first, second)
    rows = matrix_rows(found.readings, suite())
    # The floor of the rule is 0.5; b has no value in either, and is left out.
    assert [(row.scenario.id, row.cells) for row in rows] == [("a", ((0.5, 10), (1.0, 20))), ("c", (None, (0.25, 5)))]
    assert matrix_data(rows, found) == [[0, [[0.5, 10], [1.0, 20]]], [2, [None, [0.25, 5]]]]


def test_the_matrix_names_scenarios_of_which_the_page_holds_no_response() -> None:
    plan = [scenario(f"s{number}") for number in range(30)]
    found = gathered(side_of(plan, rising(0.2), repeats=1), side_of(plan, rising(0.3), repeats=1), most=20)
    data = matrix_data(matrix_rows(found.readings, suite()), found)
    assert len(data) == 30
    named = [row[0] for row in data if isinstance(row[0], list)]
    assert len(named) == 20 and all(category == "small_talk" for _, category in named)
    assert {row[0] for row in data if isinstance(row[0], int)} == set(range(10))


def test_without_a_script_a_small_matrix_is_a_table_and_a_large_one_says_so() -> None:
    page = plotted.comparison_of_conversations()
    table = page.partition('id="matrix"')[2].partition("<noscript>")[2].partition("</noscript>")[0]
    assert table.count("<tr>") == 1 + 20
    plan = [scenario(f"s{number}") for number in range(MOST_PLAIN + 1)]
    large = plotted.page_of(["v1", "v2"], plan, [rising(0.1), rising(0.2)], repeats=1)
    assert "The matrix of 41 scenarios takes JavaScript." in large


def test_pictures_stand_only_where_there_is_something_to_see() -> None:
    plain = known_page()
    assert 'id="repeats"' not in plain and 'id="trajectories"' not in plain and 'id="calibration"' not in plain
    whole = plotted.run_of_conversations()
    assert 'id="repeats"' in whole and 'id="trajectories"' in whole and 'href="#repeats"' in whole
    ranking = plotted.ranking_of_conversations()
    for name in ("cost", "distributions", "trajectories", "matrix"):
        assert f'id="{name}"' in ranking and f'href="#{name}"' in ranking
    assert "Show the 150 responses of helpfulness (heuristic), v1, lowest first" in ranking
    assert 'id="cost"' not in plotted.comparison_of_conversations()


@pytest.mark.parametrize("page", [plotted.hostile_run, plotted.hostile_ranking])
def test_hostile_names_are_shown_and_not_obeyed(page: Callable[[], str]) -> None:
    said = page()
    body = said.partition("</style>")[2].partition('<script type="application/json"')[0]
    assert "<script>alert" not in body
    assert " style=" not in body
    for hidden in ("\x1b", "\u202e", "\x00"):
        assert hidden not in body
    for picture in re.findall(r'<(?:svg|div)[^>]*role="img"[^>]*>', body):
        assert 'aria-label="' in picture
    assert "</script><" not in said.partition('id="data">')[2].partition("</script>")[0]


def test_every_picture_says_what_it_shows() -> None:
    for page in (plotted.run_of_conversations(), plotted.ranking_of_conversations()):
        sections = page.partition("</style>")[2].partition('<script type="application/json"')[0]
        for name in ("repeats", "trajectories", "distributions", "cost"):
            section = sections.partition(f'<section id="{name}"')[2].partition("</section>")[0]
            for picture in re.findall(r"<svg[^>]*>|<div class=\"(?:hill|frame)[^>]*>", section):
                assert 'aria-hidden="true"' in picture or re.search(
                    r'role="(?:img|group)" aria-label="[^"]{10,}"', picture
                ), picture


def test_a_review_page_holds_the_judge_against_people() -> None:
    def reviewed(number: int, score: int, judged: int) -> dict[str, Any]:
        by_judge = {"judge": {"clarity": judged, "overall": judged}}
        scores = {"clarity": score, "overall": score}
        return human(f"s{number}", "ana", "2026-11-04", scores, other_scores=by_judge)

    made = [reviewed(number, *both) for number, both in enumerate([(1, 2), (2, 2), (4, 5), (5, 5)])]
    report = weekly_report(made, load_rubric("chat_flow"), "chat_flow")
    plots = review_plots(report.calibration)
    assert [plot.name for plot in plots] == ["overall, judge", "clarity, judge"]
    clarity = plots[-1]
    assert [(each.tool, each.people.mean, each.people.n) for each in clarity.bins] == [(2.0, 1.5, 2), (5.0, 4.5, 2)]
    assert clarity.said == (
        "clarity, judge, 4 rated responses: where it gives 2.00, people give 1.50 (n 2); "
        "where it gives 5.00, people give 4.50 (n 2)"
    )
    page = review_page(report, assets())
    assert page.count('<g class="few">') == 4, "two situations are a small sample"
    unrated = weekly_report([human("a", "ana", "2026-11-04", {"clarity": 4})], load_rubric("chat_flow"), "chat_flow")
    assert 'id="calibration"' not in review_page(unrated, assets())


def test_the_matrix_keeps_a_page_small() -> None:
    plan = [scenario(f"scenario-number-{number}") for number in range(345)]
    page = plotted.page_of(["v1", "v2", "v3"], plan, [rising(0.1), with_gaps(0.2), rising(0.3)], repeats=1)
    assert len(data_of(page)["matrix"]) == 345
    assert len(json.dumps(data_of(page)["matrix"])) < 345 * 60
