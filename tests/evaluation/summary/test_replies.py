import random
from dataclasses import replace

import pytest

from evaluation.records import Reply
from evaluation.summary.replies import FirstTokens, ReplyFigures, ReplyTally
from tests.evaluation.made_runs import reply


def took(ms: float, cost: float | None) -> Reply:
    return replace(reply(), started_at=1.0, ended_at=1.0 + ms / 1000, cost_usd=cost)


def figures(replies: list[Reply]) -> ReplyFigures | None:
    tally = ReplyTally()
    for each in replies:
        tally.add(each)
    return tally.figures()


def test_half_and_95_percent_of_the_replies_came_within_a_latency_that_occurred() -> None:
    replies = [took(ms, 0.001) for ms in range(1, 41)]
    random.Random(1).shuffle(replies)
    found = figures(replies)
    assert found is not None
    # 20 of 40 replies took at most 20 ms, and 38 of them, which is 95%, at most 38 ms.
    assert found.replies == 40
    assert found.median_ms == pytest.approx(20) and found.p95_ms == pytest.approx(38)
    assert found.cost_usd == pytest.approx(0.001)


def test_the_first_words_are_counted_of_the_replies_that_came_as_streams() -> None:
    streams = [replace(took(50, 0.0), first_token_ms=float(ms)) for ms in (10, 20, 60)]
    found = figures([*streams, took(10, 0.0)])
    assert found is not None and found.first_token == FirstTokens(3, 30.0, 20.0, 60.0)
    without = figures([took(10, 0.0)])
    assert without is not None and without.first_token is None and without.to_json()["first_token"] is None


def test_of_few_replies_the_slowest_is_the_95th_percentile() -> None:
    found = figures([took(10, 0.0), took(30, 0.0), took(20, 0.0)])
    assert found is not None and found.median_ms == pytest.approx(20) and found.p95_ms == pytest.approx(30)


def test_one_unknown_price_leaves_the_mean_unknown_and_the_latency_known() -> None:
    found = figures([took(10, 0.1), took(10, None)])
    assert found is not None and found.cost_usd is None and found.median_ms == pytest.approx(10)


def test_without_a_reply_there_is_nothing_to_say() -> None:
    assert figures([]) is None
