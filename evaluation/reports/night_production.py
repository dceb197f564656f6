"""What a night says of production's responses: why it raises an alarm or cannot answer, what else, and the table."""

from collections.abc import Iterator, Sequence

from evaluation.nightly.alarm import AlarmCheck
from evaluation.nightly.production import NOT_WATCHED, ProductionWatch, Sample
from evaluation.reports.document import Block, Column, Fields, Heading, Paragraph, table
from evaluation.reports.intervals import in_a_sentence
from evaluation.reports.verdict_sentence import title
from evaluation.text import numbers
from evaluation.text.names import in_words

MOST_NAMED = 2


def production_reasons(watch: ProductionWatch) -> Iterator[str]:
    """Why it is no all-clear; nothing where production holds or the sample is small."""
    if watch.state in NOT_WATCHED:
        yield f"production's responses are not watched: {watch.reason}"
    for check in watch.raised:
        yield f"production's responses, {fall_of(check, title(check.metric, _overall(watch)))}"


def production_fall(watch: ProductionWatch) -> str:
    """What an alarm says of them in one clause; empty without a fall."""
    if not watch.raised:
        return ""
    return f"answers its users worse than in the approved sample: {name_changes(watch.raised, _overall(watch))}"


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
        stands = f"for about {numbers.count(round(tonight.turns))} of {tonight.title}"
        yield f"production: {_size(tonight)} stand {stands}, {_time(tonight)} ({tonight.sample_id})"
    if before is not None:
        size = f"{_size(before)} of {before.title}, {_time(before)}"
        yield f"the approved sample of production is {before.sample_id}: {size}"
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
    return f"{numbers.with_sign(check.difference)}{in_a_sentence(check.ci95)}"


def fall_of(check: AlarmCheck, name: str) -> str:
    """From where to where a metric fell."""
    before, tonight = numbers.score(check.before), numbers.score(check.tonight)
    return f"{name} fell from {before} to {tonight}: {change_of(check)}, beyond its margin of {check.margin:g}"


def name_changes(checks: Sequence[AlarmCheck], overall: str) -> str:
    """The first metrics with their differences, and how many more there are."""
    names = " and ".join(f"{title(check.metric, overall)} {change_of(check)}" for check in checks[:MOST_NAMED])
    more = len(checks) - MOST_NAMED
    return names + (f" and {numbers.times(more, 'other metric')}" if more > 0 else "")


def _overall(watch: ProductionWatch) -> str:
    return "" if watch.tonight is None else watch.tonight.overall


def _size(sample: Sample) -> str:
    found = sample.means[sample.overall]
    return f"{numbers.times(found.n, 'response')} of {numbers.times(found.clusters, 'user')}"


def _time(sample: Sample) -> str:
    return f"{sample.since[:10]} to {sample.until[:10]}"
