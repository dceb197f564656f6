"""What a report says of conversations as a whole: the means of their scores, and the weakest with the judge's words."""

from collections.abc import Iterator

from evaluation.records import Result
from evaluation.reports.document import (
    Block,
    Bullet,
    Bullets,
    Column,
    Fields,
    Heading,
    Name,
    Outside,
    Paragraph,
    Table,
    Words,
    table,
)
from evaluation.reports.means import mean_cell
from evaluation.summary.conversations import NAMED, ConversationSummary, WeakConversation
from evaluation.summary.metric import MetricSummary
from evaluation.text import numbers
from evaluation.text.names import in_words

TITLE = "Conversations as a whole"
REST = "summary.json"
MEANING = (
    "the judge's scores of whole conversations, with 95% intervals over situations; they stand in no overall and "
    "decide nothing"
)


NOT_COUNTED = "not counted, as the judge is not fit for whole conversations"


def describe_conversations(found: ConversationSummary) -> Iterator[Block]:
    """The table, how the conversations ended, and the weakest."""
    yield Heading(TITLE)
    if found.counted:
        yield conversation_table(found)
        yield Paragraph(f"{MEANING}; {conversation_ends(found)}")
    else:
        yield Paragraph(f"{NOT_COUNTED}; {conversation_ends(found)}")
    if found.check is not None:
        yield Bullets(tuple(Bullet(text, "bad") for text in found.check.problems))
    yield Bullets(tuple(Bullet(text, "bad") for text in failed_calls(found)))
    items: list[Bullet] = []
    for weak in found.weakest[:NAMED]:
        lead = f"{numbers.score(weak.value)} {in_words(weak.metric)} "
        items.append(Bullet((lead, Name(where(weak.result))), "strong"))
        items += [Bullet(line, depth=1) for line in _lines(weak)]
    if items:
        yield Heading(numbers.times(min(NAMED, len(found.weakest)), "weakest conversation").capitalize())
        yield Bullets(items)


def _lines(weak: WeakConversation) -> Iterator[Words]:
    exchange = weak.result.exchange
    yield "judge: ", Outside(judgement(weak))
    yield "last of the user: ", Outside(exchange.user_input)
    yield "last of the assistant: ", Outside(exchange.response)


def means_in_short(found: ConversationSummary) -> str:
    """The means in one line, and how the conversations ended where not all have a verdict."""
    if not found.counted:
        return f"conversations: {NOT_COUNTED}"
    means = (f"{in_words(name)} {_short(each)}" for name, each in found.metrics.items())
    said = f"conversations: {', '.join(means)}"
    return said if found.counts.scored == found.counts.planned else f"{said}; {conversation_ends(found)}"


def conversation_table(found: ConversationSummary) -> Table:
    """A row for each metric: its mean, of how many conversations, and of how many there is nothing of it to score."""
    fields: Fields[tuple[str, MetricSummary]] = [
        (Column("conversations"), lambda row: Name(in_words(row[0]))),
        (Column("mean [95% interval]"), lambda row: mean_cell(row[1])),
        (Column("n", right=True), lambda row: f"{row[1].estimate.n}"),
        (Column("nothing to score", right=True), lambda row: f"{row[1].not_applicable}"),
    ]
    return table(fields, found.metrics.items(), rest=REST)


def _short(found: MetricSummary) -> str:
    return numbers.score(found.estimate.mean) if found.estimate.n else "-" if found.planned else "n/a"


def conversation_ends(found: ConversationSummary) -> str:
    """Says how the planned conversations ended."""
    counts = found.counts
    return (
        f"{numbers.times(counts.planned, 'conversation')}: {counts.scored} scored, {counts.failed} failed, "
        f"{counts.unparsed} unparsed, {counts.skipped} not played to the end"
    )


def failed_calls(found: ConversationSummary) -> Iterator[str]:
    """A sentence on each kind of call about conversations that failed."""
    for each in found.failures:
        yield f"{each.kind} x {each.count}, first in {each.scenario_id}: {each.message}"


def judgement(weak: WeakConversation) -> str:
    """The judge's words on the metric by which a conversation is weak."""
    verdict = weak.result.verdict
    return "" if verdict is None else verdict.rationale.get(weak.metric, verdict.reasoning)


def where(result: Result) -> str:
    """Scenario and repeat of a conversation."""
    cell = result.exchange.cell
    return f"{cell.scenario_id}, repeat {cell.repeat}" if cell.repeat > 1 else cell.scenario_id
