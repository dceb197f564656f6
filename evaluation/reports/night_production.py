"""What a night says of production's responses: why it raises an alarm or cannot answer, what else, and the table."""

from collections.abc import Iterator

from evaluation.nightly.alarm import AlarmCheck
from evaluation.nightly.production import NOT_WATCHED, ProductionWatch
from evaluation.reports.document import Block, Column, Fields, Heading, Paragraph, table
from evaluation.reports.verdict_sentence import title
from evaluation.text import numbers
from evaluation.text.names import in_words

MOST_NAMED = 2


def production_reasons(watch: ProductionWatch) -> Iterator[str]:
    """Why it is no all-clear; nothing where production holds or the sample is small."""
    if watch.state in NOT_WATCHED:
        yield f"production's responses are not watched: {watch.reason}"
    for check in watch.raised:
        yield (
            f"production's responses, {_title(check, watch)} fell from {numbers.score(check.before)} to "
            f"{numbers.score(check.tonight)}: {change_of(check)}, beyond its margin of {check.margin:g}"
        )


def production_fall(watch: ProductionWatch) -> str:
    """What an alarm says of them in one clause; empty without a fall."""
    if not watch.raised:
        return ""
    names = " and ".join(f"{_title(check, watch)} {change_of(check)}" for check in watch.raised[:MOST_NAMED])
    more = len(watch.raised) - MOST_NAMED
    rest = f" and {numbers.times(more, 'other metric')}" if more > 0 else ""
    return f"answers its users worse than in the approved sample: {names}{rest}"


def production_in_short(watch: ProductionWatch | None) -> str:
    """What stands behind the sentence on a night that holds; empty where production is not watched."""
    if watch is None:
        return ""
    if watch.state == "holds":
        return f"; production's responses hold, overall {numbers.with_sign(watch.difference)}"
    few = "; too few of production's responses to say how they are"
    return few if watch.state == "small" else "; nothing is known of production's responses"


def production_details(watch: ProductionWatch) -> Iterator[str]:
    """What stands beside the answer: sizes and times of both samples, a small one, and the cause."""
    tonight, before = watch.tonight, watch.before
    if watch.state == "small":
        yield f"production's responses: {watch.reason}"
    if tonight is not None:
        found = tonight.means[tonight.overall]
        size = f"{numbers.times(found.n, 'response')} of {numbers.times(found.clusters, 'user')}"
        stands = f"for about {numbers.count(round(tonight.turns))} of {tonight.title}"
        yield f"production: {size} stand {stands}, {tonight.since[:10]} to {tonight.until[:10]} ({tonight.sample_id})"
    if before is not None:
        found = before.means[before.overall]
        size = f"{numbers.times(found.n, 'response')} of {numbers.times(found.clusters, 'user')}"
        time = f"{before.since[:10]} to {before.until[:10]}"
        yield f"the approved sample of production is {before.sample_id}: {size} of {before.title}, {time}"
    if watch.state == "holds" and (least := watch.checks[0].detectable):
        overall = watch.checks[0]
        yield (
            f"production's responses hold: overall {change_of(overall)}; a drop of {numbers.above(least)} would have "
            "been found"
        )
    yield from watch.sentences


def describe_production_watch(watch: ProductionWatch, fields: Fields[AlarmCheck]) -> Iterator[Block]:
    """The table of both samples; `fields` are those of the table on invented scenarios."""
    if watch.checks:
        yield Heading("Production's responses against the approved sample")
        first: Fields[AlarmCheck] = [(Column("production's responses"), lambda check: in_words(check.metric))]
        yield table([*first, *fields[1:]], watch.checks, lambda check: "bad" if check.raised else "")
        yield Paragraph("two samples, weighted, by rule; intervals clustered by user", "dim")


def change_of(check: AlarmCheck) -> str:
    """A difference with its interval."""
    return numbers.with_sign(check.difference) + (f" (95% CI {numbers.span(check.ci95)})" if check.ci95 else "")


def _title(check: AlarmCheck, watch: ProductionWatch) -> str:
    return title(check.metric, "" if watch.tonight is None else watch.tonight.overall)
