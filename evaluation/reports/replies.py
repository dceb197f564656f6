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
    return (numbers.money(cost), numbers.latency(replies.median_ms), numbers.latency(replies.p95_ms))


def reply_sentence(name: str, summary: Summary) -> str:
    """One run, by its name: "v3: 1,000 replies cost $0.42; half of them came within 1.2 s, 95% within 3.4 s"."""
    if summary.replies is None:
        return f"{name}: no reply was paid for, so that nothing is known of price and latency"
    cost, half, most = reply_cells(summary)
    price = "1,000 replies at a price that is unknown" if cost == numbers.money(None) else f"1,000 replies cost {cost}"
    return f"{name}: {price}; half of them came within {half}, 95% within {most}"
