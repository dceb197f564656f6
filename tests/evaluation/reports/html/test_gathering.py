"""The exchanges of a page: every text once, long ones cut, and no more than fit."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import pytest

from evaluation.records import Cell, Exchange, Result, Turn
from evaluation.reports.html.exchanges import LONGEST, ROOM, SHORT, Position, Texts
from evaluation.reports.html.gathering import Side, gather
from tests.evaluation.made_runs import JUDGED, OVERALL, reply, scenario, scored, suite, summary_of, unparsed
from tests.evaluation.reports.html.pages import chosen


def test_a_text_stands_once_and_a_long_one_is_cut() -> None:
    texts = Texts()
    assert [texts.add("a"), texts.add("b"), texts.add("a")] == [0, 1, 0]
    place = texts.add("x" * (LONGEST + 1234))
    assert texts.texts[place] == "x" * LONGEST + "… [1,234 more characters]"


def test_a_page_full_of_texts_takes_only_the_beginnings_of_more(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = Texts()
    for number in range(ROOM // LONGEST + 1):
        texts.add(str(number).ljust(LONGEST, "x"))
    place = texts.add("y" * 1000)
    assert texts.texts[place] == "y" * SHORT + f"… [{1000 - SHORT} more characters]"


def made(results: Sequence[Result], /, **changes: object) -> Side:
    plan = [scenario(name) for name in dict.fromkeys(result.exchange.cell.scenario_id for result in results)]
    summary = summary_of(results, plan, sources=JUDGED)
    return replace(Side("v3", "r1", summary, plan, 1, chosen(results)), **changes)  # type: ignore[arg-type]


def test_an_exchange_keeps_its_context_scores_words_and_verdict() -> None:
    later = Exchange(Cell("a", 1), 1, (Turn("user", "Hi."), Turn("assistant", "Hello.")), "turn 1", reply("Bye."))
    result = scored("a", {"helpfulness": 0.25, OVERALL: 0.5}, judge=0.75)
    side = made([replace(result, exchange=later), unparsed("b", 0.7)], trace_ids={Cell("a", 1): "t1"})
    data = gather([side], suite(), seed=1).data
    texts = data["texts"]
    [_, _, _, [first]], [_, _, _, [second]] = data["rows"]
    assert [(role, texts[place]) for role, place in first["c"]] == [("user", "Hi."), ("assistant", "Hello.")]
    assert (texts[first["i"]], texts[first["r"]], first["s"], first["x"]) == ("turn 1", "Bye.", "scored", "t1")
    column = data["columns"]["heuristic"].index("helpfulness")
    assert (first["v"]["heuristic"][column], texts[first["w"]["heuristic"][column]]) == (0.25, "base 0.25")
    # (0.5 + 0.75) / 2; rules and judge are 0.25 apart.
    assert (first["d"], first["g"]) == (0.625, 0.25)
    assert texts[first["j"]["words"]] == "Kind."
    # Not scored is not 0: there is no deciding value, and the reason stands where the value would.
    assert "d" not in second
    assert (second["s"], second["v"]["combined"], texts[second["w"]["combined"][0]]) == (
        "unparsed",
        [None],
        "verdict not read",
    )
    assert (second["j"]["problem"], texts[second["j"]["raw"]]) == ("no score", "who knows")


def test_a_suite_may_show_its_responses_in_parts() -> None:
    shows = replace(suite(), show=lambda exchange: [("options", exchange.response), ("selected", "1")])
    data = gather([made([scored("a", 0.5)])], shows, seed=1).data
    parts = data["rows"][0][3][0]["p"]
    assert [(label, data["texts"][place]) for label, place in parts] == [("options", "Hello."), ("selected", "1")]


def test_beyond_the_limit_the_chosen_are_read_again_and_the_page_says_what_it_holds() -> None:
    results = [scored(f"s{number}", number / 100, judge=number / 100) for number in range(100)]
    passes = []

    def stream(wanted: Collection[Position] | None) -> Iterable[Result]:
        passes.append(100 if wanted is None else len(wanted))
        return chosen(results)(wanted)

    side = made(results, results=stream)
    assert gather([side], suite(), seed=1, most=100).selection is None
    assert passes == [100]
    found = gather([side], suite(), seed=1, most=30)
    assert passes == [100, 100, 30]
    assert len(found.data["rows"]) == len(found.data["scenarios"]) == 30
    held = {found.data["scenarios"][row[0]]["id"] for row in found.data["rows"]}
    assert {f"s{number}" for number in range(10)} <= held
    # The distributions count every exchange, not those of the page.
    assert {each.summary.estimate.n for each in found.histograms if each.metric == OVERALL} == {100}
    assert sum(found.histograms[-1].counts) == 100
    assert found.held == (
        "30 of 100 exchanges are in this page: 10 with the lowest overall, 10 on which rules and judge disagree most, "
        "10 drawn at random from the rest. All figures above count every exchange; results.jsonl holds them all."
    )


def test_of_two_runs_the_same_exchanges_are_taken_the_largest_losses_first() -> None:
    base = [scored(f"s{number}", 0.5, judge=0.5) for number in range(60)]
    candidate = [scored(f"s{number}", number / 60, judge=number / 60) for number in range(60)]
    found = gather([made(base), made(candidate)], suite(), seed=1, most=30)
    assert len(found.data["rows"]) == 15
    assert all(None not in row[3] for row in found.data["rows"])
    held = {found.data["scenarios"][row[0]]["id"] for row in found.data["rows"]}
    # Losses: s0 to s4; then the widest differences of the rest, on either side: s59 (0.48) to s55 (0.42), s5 (0.42).
    assert {"s0", "s1", "s2", "s3", "s4", "s59", "s58", "s57", "s56"} <= held
