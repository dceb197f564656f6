"""Head to head in words: whether it confirms the verdict, the win rate, what length and order did, what people say."""

import math
from collections.abc import Iterator, Mapping

from evaluation.comparison.head_to_head import FEW_CLUSTERS, Asked, HeadToHead, JudgedPair, PeoplesPairs, Tally
from evaluation.judging.pair_reading import Assessment
from evaluation.reports.document import (
    Bullet,
    Bullets,
    Column,
    Heading,
    Name,
    Only,
    Outside,
    Paragraph,
    Part,
    Row,
    Table,
    Tone,
    in_detail,
)
from evaluation.reports.intervals import figure_text, mean_text
from evaluation.statistics.equal_length import EqualLength
from evaluation.text import numbers

TONES: dict[str, Tone] = {"confirms": "good", "contradicts": "bad", "says nothing": "warning"}
MOST_PAIRS = 20
"""Pairs whose words a Markdown page quotes."""
LONG = 300
"""Columns of one assessment."""
REST = "comparison.json"
KINDS = {
    "agreed": "in both orders",
    "order": "the place decided: a tie",
    "partly": "a tie in one order: a tie",
    "withheld": "it addresses the judge: a tie",
}


def describe_head_to_head(found: HeadToHead | None, verdict: str | None, base: str, candidate: str) -> Iterator[Part]:
    """All of it; nothing where it was not asked for. `verdict` is the comparison's, the names are those of the runs."""
    if found is None:
        return
    yield Heading("Head to head", printed=False)
    yield Paragraph(f"head to head {bearing_sentence(found, verdict, base, candidate)}", TONES[found.bearing(verdict)])
    yield Bullets([Bullet(line) for line in head_to_head_lines(found, base, candidate)])
    yield from in_detail(category_table(found.categories))
    shown = [bullet for pair in found.worst_first()[:MOST_PAIRS] for bullet in _pair(pair, base, candidate)]
    if shown:
        yield Only(Heading("What the judge said, lost pairs first"), short=False)
        yield Only(Bullets(shown, brief=len(shown), rest=REST), short=False)


def category_table(categories: Mapping[str, Tally]) -> Iterator[Table]:
    """The win rate by category; nothing where there is one alone."""
    rows = [Row([Name(name), *_figures(each)]) for name, each in categories.items()]
    if len(rows) > 1:
        columns = [Column(title) for title in ("win rate by category", "pairs", "won", "tied", "lost", "rate [95%]")]
        yield Table(columns, rows, rest=REST)


def bearing_sentence(found: HeadToHead, verdict: str | None, base: str, candidate: str) -> str:
    """What it says of the verdict, after "head to head", with the win rate."""
    bearing = found.bearing(verdict)
    rate = f"{candidate} wins {_rate(found.tally)} against {base}"
    if bearing != "says nothing":
        return f"{bearing} the verdict: {rate}"
    if found.unfit:
        return f"says nothing: the judge is unfit on pairs ({found.check.problems[0]})"
    if not found.tally.pairs:
        return f"says nothing: {_why_nothing(found)}"
    if found.by_length:
        return f"says nothing of the verdict: {rate}, and not at equal length"
    if found.favours != "neither":
        side = candidate if found.favours == "candidate" else base
        return f"prefers {side}, and the comparison comes to no verdict: {rate}"
    return f"says nothing of the verdict: {rate}, which one half is within"


def _why_nothing(found: HeadToHead) -> str:
    if not found.judge:
        return "no judge was asked"
    return found.stopped or "no pair has an answer that could be read"


def head_to_head_lines(found: HeadToHead, base: str, candidate: str) -> Iterator[str]:
    """The lines below the sentence."""
    tally = found.tally
    if tally.pairs:
        small = f"; {tally.rate.clusters} situations: rough" if tally.rate.clusters < FEW_CLUSTERS else ""
        yield f"{tally.wins} won, {tally.ties} tied, {tally.losses} lost, in {tally.rate.clusters} situations{small}"
        yield from length_lines(found.equal_length, base, candidate)
    if found.asked("read"):
        flips = f"in {found.count('order')} of {numbers.times(found.asked('read'), 'pair')}"
        share = f"{flips} ({numbers.percent(found.order_share)}) the place decided, a tie each"
        yield f"order: {share}; what stood first won {numbers.score(found.first_shown)}"
    if count := found.count("partly"):
        yield f"{numbers.times(count, 'pair')} with a tie in one of both orders: a tie each"
    if count := found.count("withheld"):
        yield f"{numbers.times(count, 'win')} not counted: the answer addresses the judge"
    yield from _missing(found)
    yield from _of_judge(found)
    yield from people_lines(found.people, candidate)
    adjusted = None if found.people is None else found.people.equal_length.win_rate
    if adjusted is not None:
        yield f"people at equal length {numbers.score(adjusted.value)} {numbers.interval(adjusted.ci95)}"


def length_lines(found: EqualLength, base: str, candidate: str) -> Iterator[str]:
    """The win rate at equal length, and what length is worth; or why nothing is known of it."""
    if found.win_rate is None or found.twice_as_long is None or found.mean_log_ratio is None:
        yield f"at equal length: not known ({found.problem})"
        return
    times = math.exp(found.mean_log_ratio)
    longer = found.twice_as_long
    worth = f"the one twice as long wins {numbers.score(longer.value)} {numbers.interval(longer.ci95)}"
    beyond = ", read off beyond the pairs: hardly any are of equal length" if found.extrapolated else ""
    yield f"at equal length {numbers.score(found.win_rate.value)} {numbers.interval(found.win_rate.ci95)}{beyond}"
    yield f"length: {candidate} has {times:.2f} x the words of {base}; of two answers else alike {worth}"


def _missing(found: HeadToHead) -> Iterator[str]:
    if count := found.asked("identical"):
        yield f"{numbers.times(count, 'pair')} of two equal answers: ties, not asked about"
    if lost := found.planned - len(found.pairs):
        yield f"{lost} of {numbers.times(found.planned, 'pair')} lack an answer in one of the runs"
    ways: tuple[tuple[Asked, str], ...] = (("unread", "could not be read"), ("failed", "got no answer from the judge"))
    for way, what in ways:
        if count := found.asked(way):
            yield f"{numbers.times(count, 'pair')} {what}: left out"
    if (count := found.asked("open")) and found.stopped:
        yield f"{numbers.times(count, 'pair')} not asked about: {found.stopped}"


def _of_judge(found: HeadToHead) -> Iterator[str]:
    if not found.judge:
        return
    check = found.check
    if check.fit is None:
        checked = "not checked on pairs"
    else:
        figures = ", ".join(f"{figure.name} {numbers.score(figure.value)}" for figure in check.figures)
        checked = f"{'fit' if check.fit else 'UNFIT'} on {check.asked} pairs of canaries ({figures})"
    yield f"judge {found.judge}: {checked}; {numbers.times(found.calls, 'call')}, {numbers.money(found.cost_usd)}"
    yield from (f"left out: {each}" for each in check.left_out)
    if check.fit is False:
        yield from check.problems


def people_lines(people: PeoplesPairs | None, candidate: str) -> Iterator[str]:
    """What people preferred on these pairs, and how far the judge agrees; nothing where nobody was asked."""
    if people is None:
        return
    who = numbers.times(people.people, "person") if people.people == 1 else f"{people.people} people"
    yield f"people: {candidate} wins {_rate(people.tally)} ({who}, {numbers.times(people.answers, 'answer')})"
    if people.shared:
        yield f"people among themselves: alpha {numbers.score(people.alpha)} on {numbers.times(people.shared, 'pair')}"
    if people.with_judge:
        alike = f"kappa {figure_text(people.kappa)}, same answer {figure_text(people.agreed)}"
        yield f"judge and people on {numbers.times(people.with_judge, 'pair')}: {alike}"


def _figures(tally: Tally) -> tuple[str, ...]:
    return *map(str, (tally.pairs, tally.wins, tally.ties, tally.losses)), mean_text(tally.rate)


def _rate(tally: Tally) -> str:
    """0.62 of 48 pairs (95% CI 0.51 to 0.72)."""
    ends = tally.rate.ci95
    interval = "" if ends is None else f" (95% CI {ends[0]:.2f} to {ends[1]:.2f})"
    return f"{numbers.score(tally.rate.mean)} of {numbers.times(tally.pairs, 'pair')}{interval}"


def outcome_of(pair: JudgedPair, base: str, candidate: str) -> str:
    """Who won a pair, and how sure that is."""
    if pair.asked == "identical":
        return "both say the same"
    if pair.asked != "read":
        return f"{pair.asked}: {pair.problem}" if pair.problem else pair.asked
    if pair.members:
        given = ", ".join(f"{model} {points:g}" for model, points in pair.members.items())
        return f"{candidate} wins {numbers.score(pair.points)} of a point ({given})"
    if pair.kind != "agreed":
        return KINDS[pair.kind]
    if pair.winner == "tie":
        return "a tie in both orders"
    return f"{candidate if pair.winner == 'candidate' else base} in both orders"


def assessments_of(pair: JudgedPair) -> tuple[Assessment, Assessment] | None:
    """What was said of base and candidate in the first order that could be read."""
    return pair.assessments[0] if pair.assessments else None


def _pair(pair: JudgedPair, base: str, candidate: str) -> Iterator[Bullet]:
    words = f" ({pair.place.words[0]} and {pair.place.words[1]} words)"
    yield Bullet(
        (Name(pair.place.scenario_id), f", repeat {pair.place.repeat}: ", outcome_of(pair, base, candidate), words)
    )
    said = assessments_of(pair)
    for name, each in zip((base, candidate), said or (), strict=False):
        for title, text in (("good", each.strengths), ("faults", each.faults)):
            if text:
                yield Bullet((Name(name), f", {title}: ", Outside(text, LONG)), depth=1)
