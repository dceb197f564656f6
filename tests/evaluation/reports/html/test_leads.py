"""Links from figures: their addresses, their words, and that they count the page's own rows as the means do."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from evaluation.records import Result, Scenario, Score
from evaluation.reports.html.gathering import Gathered, gather
from evaluation.reports.html.leads import Lead, Leads
from evaluation.summary.columns import Columns
from evaluation.summary.summarise import summarise
from tests.evaluation.made_runs import JUDGED, exchange, scenario, scored, suite, unparsed
from tests.evaluation.reports.html.pages import known_plan, known_results, side


def gathered(results: Sequence[Result], plan: Sequence[Scenario], *, most: int = 2000, sides: int = 1) -> Gathered:
    return gather([side(results, plan, suite())] * sides, suite(), seed=1, most=most)


def leads(results: Sequence[Result], plan: Sequence[Scenario], *, most: int = 2000, sides: int = 1) -> Leads:
    return Leads(gathered(results, plan, most=most, sides=sides).data)


def test_a_lead_names_the_filter_and_counts_its_responses() -> None:
    known = leads(known_results(), known_plan())
    assert known.to_metric("judge", "overall_quality", 8, category="upset") == Lead(
        "#show?category=upset&metric=judge/overall_quality",
        "Show the 8 responses of upset, overall quality (judge)",
    )
    assert known.to_tag("rare") == Lead("#show?tag=rare", "Show the 1 response of rare")
    assert known.to_response("s03", 1, 1) == "#r=3/1/1"
    assert known.to_response("s03", 2, 1) == ""


def test_where_the_page_does_not_hold_every_response_the_lead_says_so() -> None:
    some = leads(known_results(), known_plan(), most=12).to_metric("heuristic", "trust", 23)
    assert some is not None
    # One of the twelve failed.
    assert some.words == "Show the 11 of 23 responses of trust (heuristic)"


def test_nothing_to_show_is_no_link() -> None:
    known = leads(known_results(), known_plan())
    assert known.to_metric("human", "trust", 0) is None
    assert known.to_metric("heuristic", "trust", 0, category="nobody") is None
    assert known.to_tag("unheard") is None


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("of money & more", "#show?tag=of%20money%20%26%20more"),
        ('"><script>', "#show?tag=%22%3E%3Cscript%3E"),
        ("é/\u202e", "#show?tag=%C3%A9/%E2%80%AE"),
        ("\ud800", None),
    ],
)
def test_names_are_written_as_an_address_holds_them(name: str, address: str | None) -> None:
    found = leads([scored("s", 0.5)], [replace(scenario("s"), tags=(name,))]).to_tag(name)
    assert (found and found.address) == address


def test_of_more_than_two_runs_the_lead_says_which() -> None:
    known = leads(known_results(), known_plan(), sides=3)
    single = known.to_metric("heuristic", "trust", 23, sides=[2], sort="metric")
    pair = known.to_metric("heuristic", "trust", 23, sides=[2, 0], sort="loss")
    assert single and single.address == "#show?metric=heuristic/trust&side=3&sort=metric"
    assert pair and pair.address == "#show?metric=heuristic/trust&base=3&side=1&sort=loss"
    assert pair.words.endswith("trust (heuristic), penpal v3 minus penpal v3, biggest loss first")


def test_what_the_means_leave_out_is_no_response_of_theirs() -> None:
    # Personalization counts in a conversation alone, whatever value the first turn has.
    plan = [scenario("s", turns=2)]
    results = [scored("s", 0.5, turn=1), scored("s", 0.5, turn=2)]
    found = leads(results, plan).to_metric("heuristic", "personalization", 1)
    assert found and found.words == "Show the 1 response of personalization (heuristic)"


@pytest.mark.parametrize(("fallback", "count"), [("exclude", 0), ("include", 1)])
def test_an_unread_verdict_counts_as_the_run_counts_it(fallback: str, count: int) -> None:
    plan, results = [scenario("s")], [unparsed("s", 0.7)]
    columns = Columns(suite(), plan, 1, JUDGED, fallback)  # type: ignore[arg-type]
    shown = replace(side(results, plan, suite()), summary=summarise(results, columns, run_id="r", prompt=None))
    known = Leads(gather([shown], suite(), seed=1).data)
    assert shown.summary.metrics["judge"]["overall_quality"].estimate.n == count
    assert (known.to_metric("judge", "overall_quality", count) is not None) == bool(count)
    assert (known.to_metric("combined", "overall_quality", count) is not None) == bool(count)


def test_a_metric_that_does_not_apply_to_one_source_counts_for_another() -> None:
    scores = (
        Score("trust", "heuristic", None, reason="nothing to see", applicable=False),
        Score("trust", "judge", 0.4),
        Score("overall_quality", "heuristic", 0.5),
    )
    result = Result(exchange("s"), "scored", scores)
    known = leads([result], [scenario("s")])
    assert known.to_metric("heuristic", "trust", 0) is None
    assert known.to_metric("judge", "trust", 1) is not None


def test_the_data_say_what_the_means_count_only_where_it_is_not_what_is_shown() -> None:
    rows = gathered([scored("s", 0.5)], [scenario("s")]).data["rows"]
    assert rows[0][3][0]["u"] == {"heuristic": {"personalization": None}}
    assert all("u" not in row[3][0] for row in gathered(known_results()[11:12], known_plan()[11:12]).data["rows"])
