"""The forms of a judge's question side by side: agreement with people, and what each of them takes."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

from evaluation.calibration.judge_forms import FormAgreement, FormCalls, FormComparison, FormPreference, JudgeCalls
from evaluation.decision.decide import FEW_CLUSTERS
from evaluation.reports.document import Block, Bullet, Bullets, Column, Fields, Heading, Name, table
from evaluation.reports.intervals import rounded_text
from evaluation.statistics.resamples import Figure
from evaluation.text import numbers

GUESSING = 0.5
"""Share of pairs that a coin puts as people do."""
FormRow: TypeAlias = FormAgreement | FormPreference
Form = TypeVar("Form", bound=FormRow)


class _Price(NamedTuple):
    """What one member of a panel takes in one form."""

    form: str
    judge: JudgeCalls


def describe_forms(found: FormComparison | None) -> Iterator[Block]:
    """Agreement where several forms were asked, and the price in any case; nothing where no judge was."""
    if found is None:
        return
    if len(found.calls) > 1:
        yield Heading("Forms of the judge's question")
        yield Bullets(tuple(map(Bullet, conclusions(found))))
        yield from _tables(found, found.agreements, AGREEMENT)
        yield from _tables(found, found.preferences, PREFERENCE)
    else:
        yield Heading("What the judge's verdicts take")
    yield table(CALLS, found.calls)
    members = [_Price(each.form, judge) for each in found.calls if len(each.judges) > 1 for judge in each.judges]
    if members:
        yield table(MEMBERS, members)
    yield Bullets(tuple(map(Bullet, _notes(found))))


def _tables(found: FormComparison, rows: Sequence[Form], fields: Fields[Form]) -> Iterator[Block]:
    """A table for each dimension and metric, a row for each form."""
    usual = found.usual
    beside: Fields[FormRow] = [
        (Column(f"above {usual}"), lambda row: "" if row.form == usual else rounded_text(row.above_usual)),
        (Column("reading"), lambda row: _reading(usual, row)),
    ]
    for dimension, metric in _pairings(rows):
        names: Fields[FormRow] = [(Column(_title(found, dimension, metric)), lambda row: Name(row.form))]
        these = [each for each in rows if (each.dimension, each.metric) == (dimension, metric)]
        shown: Fields[Form] = [*names, *fields[:3], *beside, *fields[3:]]
        yield table(shown, these)


def _title(found: FormComparison, dimension: str, metric: str) -> Name:
    """The dimension, with its metric where it has several: the sentences above name both."""
    several = len({each[1] for each in _pairings([*found.agreements, *found.preferences]) if each[0] == dimension}) > 1
    return Name(f"{dimension}: {metric}" if several else dimension)


def _pairings(rows: Sequence[FormRow]) -> Sequence[tuple[str, str]]:
    """(dimension, metric), each once."""
    return list(dict.fromkeys((each.dimension, each.metric) for each in rows))


def conclusions(found: FormComparison) -> Iterator[str]:
    """Per dimension: which form agrees best, and whether that is more than a tie with the usual one."""
    rows: list[FormRow] = [*found.agreements, *found.preferences]
    if not rows:
        yield "no response has a value of every form and a rating: nothing can be compared"
    for kind in (FormAgreement, FormPreference):
        own = [row for row in rows if isinstance(row, kind)]
        for dimension, metric in _pairings(own):
            these = [each for each in own if (each.dimension, each.metric) == (dimension, metric)]
            yield f"{dimension} by {metric}: {_conclusion(these, found.usual)}"


def _conclusion(rows: Sequence[FormRow], usual: str) -> str:
    defined = [each for each in rows if _value(each) is not None]
    if not defined:
        return "not defined: too few responses, or a side does not vary"
    best = max(defined, key=lambda each: _value(each) or 0.0)
    said = f"{best.form} agrees best ({rounded_text(_own(best))}{_beside_guessing(best)})"
    better = [each.form for each in rows if _sign(each) > 0]
    worse = [each.form for each in rows if _sign(each) < 0]
    if best.form == usual and not worse:
        return f"{said}; ties with every other form"
    told_apart = [*([f"better than {usual}: {', '.join(better)}"] if better else []),
                  *([f"worse than {usual}: {', '.join(worse)}"] if worse else [])]  # fmt: skip
    return "; ".join([said, *(told_apart or [f"all forms tie with {usual}"])])


def _beside_guessing(row: FormRow) -> str:
    if isinstance(row, FormAgreement):
        return ", against people" if row.spearman.ci95 is not None and row.spearman.ci95[1] < 0 else ""
    low, high = row.accuracy.ci95 or (GUESSING, GUESSING)
    if low > GUESSING:
        return " of the pairs"
    return " of the pairs, worse than guessing" if high < GUESSING else " of the pairs, no better than guessing"


def _own(row: FormRow) -> Figure:
    return row.spearman if isinstance(row, FormAgreement) else row.accuracy


def _value(row: FormRow) -> float | None:
    return _own(row).value


def _sign(row: FormRow) -> int:
    """1 or -1 where the interval of the difference excludes 0."""
    ends = row.above_usual.ci95
    return 0 if ends is None else (ends[0] > 0) - (ends[1] < 0)


def _reading(usual: str, row: FormRow) -> str:
    if row.form == usual:
        return "the usual one"
    if row.above_usual.ci95 is None:
        return "not known"
    return {1: "better", -1: "worse", 0: "tie"}[_sign(row)]


FITNESS = {True: "fit", False: "UNFIT", None: "not checked"}
AGREEMENT: Fields[FormAgreement] = [
    (Column("n", right=True), lambda row: numbers.count(row.n)),
    (Column("Spearman [95%]"), lambda row: rounded_text(row.spearman)),
]
PREFERENCE: Fields[FormPreference] = [
    (Column("pairs", right=True), lambda row: numbers.count(row.pairs)),
    (Column("ties", right=True), lambda row: numbers.count(row.ties)),
    (Column("as people [95%]"), lambda row: rounded_text(row.accuracy)),
    (Column("undecided people", detail=True), lambda row: numbers.count(row.undecided)),
]
CALLS: Fields[FormCalls] = [
    (Column("price"), lambda row: Name(row.form)),
    (Column("calls", right=True), lambda row: numbers.count(row.calls)),
    (Column("tokens in", right=True), lambda row: numbers.count(row.input_tokens)),
    (Column("out", right=True), lambda row: numbers.count(row.output_tokens)),
    (Column("USD", right=True), lambda row: numbers.money(row.usd)),
    (Column("unread", right=True), lambda row: numbers.count(row.unread)),
    (Column("judge"), lambda row: FITNESS[row.judge_fit]),
]
MEMBERS: Fields[_Price] = [
    (Column("of these"), lambda row: Name(row.judge.model)),
    (Column("form"), lambda row: row.form),
    (Column("calls", right=True), lambda row: numbers.count(row.judge.calls)),
    (Column("tokens in", right=True), lambda row: numbers.count(row.judge.input_tokens)),
    (Column("out", right=True), lambda row: numbers.count(row.judge.output_tokens)),
    (Column("USD", right=True), lambda row: numbers.money(row.judge.usd)),
]


def _notes(found: FormComparison) -> Iterator[str]:
    others = len(found.calls) - 1
    if found.agreements or found.preferences:
        alike = " and ".join(
            [*(["whole conversations"] if found.agreements else []), *(["messages"] if found.preferences else [])]
        )
        yield (
            f"differences to {found.usual} are paired: the same responses, over the same resamples of {alike}; of "
            f"{numbers.times(others, 'form')} without any difference about {others / 20:.2f} would be better or worse "
            "by chance alone"
        )
    if found.preferences:
        yield "a tie of a form counts half; pairs on one message are drawn together"
    yield "prices are of the verdicts, without the canaries, by the price list, whether paid now or before"
    yield from _small_samples(found)


def _small_samples(found: FormComparison) -> Iterator[str]:
    for noun, rows in (("conversation", found.agreements), ("message", found.preferences)):
        few = min((each.clusters for each in rows), default=FEW_CLUSTERS)
        if few < FEW_CLUSTERS:
            yield f"small sample: {numbers.times(few, noun)}; below {FEW_CLUSTERS} intervals are rough"
