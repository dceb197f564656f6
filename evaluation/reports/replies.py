"""What the replies of a run cost and how long they took, for people: as cells of a table and as a sentence."""

from evaluation.summary.summary import Summary
from evaluation.text import numbers

REPLY_TITLES = ("per 1,000", "half in", "95% in")
REPLY_TERMS = "per 1,000: the price of 1,000 replies; half in, 95% in: the time within which so many of them came"


def reply_cells(summary: Summary) -> tuple[str, str, str]:
    """Under `REPLY_TITLES`."""
    replies = summary.replies
    if replies is None:
        return (numbers.NONE, numbers.NONE, numbers.NONE)
    cost = None if replies.cost_usd is None else replies.cost_usd * 1000
    half, most = (numbers.NONE if ms is None else numbers.latency(ms) for ms in (replies.median_ms, replies.p95_ms))
    return (numbers.money(cost), half, most)


def reply_sentence(name: str, summary: Summary) -> str:
    """One run, by its name: "v3: 1,000 replies cost $0.42; half of them came within 1.2 s, 95% within 3.4 s"."""
    if summary.replies is None:
        return f"{name}: no reply was paid for, so that nothing is known of price and latency"
    cost, half, most = reply_cells(summary)
    began = f"; {first}" if (first := first_words_in(summary)) else ""
    price = "1,000 replies at a price that is unknown" if cost == numbers.money(None) else f"1,000 replies cost {cost}"
    if summary.replies.median_ms is None:
        return f"{name}: {price}; they came in batches, which have no latency"
    return f"{name}: {price}; half of them came within {half}, 95% within {most}{began}"


def first_words_in(summary: Summary) -> str:
    """ "first words in 120 ms on average (half in 90 ms, 95% in 300 ms)"; empty where no reply came as a stream."""
    first = None if summary.replies is None else summary.replies.first_token
    if first is None:
        return ""
    mean, half, most = map(numbers.latency, (first.mean_ms, first.median_ms, first.p95_ms))
    of = "" if summary.replies is None or first.replies == summary.replies.replies else f" of {first.replies:,} streams"
    return f"first words{of} in {mean} on average (half in {half}, 95% in {most})"
