"""The forms of a judge's question side by side: agreement with people, and what each of them takes."""

from collections.abc import Iterator, Sequence

from evaluation.calibration.judge_forms import FormAgreement, FormCalls, FormComparison
from evaluation.decision.decide import FEW_CLUSTERS
from evaluation.reports.document import Block, Bullet, Bullets, Column, Fields, Heading, Name, Paragraph, table
from evaluation.statistics.agreement import Figure
from evaluation.text import numbers


def describe_forms(found: FormComparison | None) -> Iterator[Block]:
    """Nothing where one form alone was asked."""
    if found is None:
        return
    yield Heading("Forms of the judge's question")
    yield Paragraph("; ".join(conclusions(found)), "strong")
    for dimension, metric in dict.fromkeys((each.dimension, each.metric) for each in found.agreements):
        rows = [each for each in found.agreements if (each.dimension, each.metric) == (dimension, metric)]
        names: Fields[FormAgreement] = [(Column(Name(f"{dimension}: {metric}")), lambda each: Name(each.form))]
        yield table([*names, *_agreement(found.usual)], rows)
    yield table(CALLS, found.calls)
    yield Bullets(tuple(map(Bullet, _notes(found))))


def conclusions(found: FormComparison) -> Iterator[str]:
    """Per dimension: which form agrees best, and whether that is more than a tie with the usual one."""
    if not found.agreements:
        yield "no response has a value of every form and a rating: nothing can be compared"
    for dimension, metric in dict.fromkeys((each.dimension, each.metric) for each in found.agreements):
        rows = [each for each in found.agreements if (each.dimension, each.metric) == (dimension, metric)]
        yield f"{dimension} by {metric}: {_conclusion(rows, found.usual)}"


def _conclusion(rows: Sequence[FormAgreement], usual: str) -> str:
    defined = [each for each in rows if each.spearman.value is not None]
    if not defined:
        return "not defined: too few responses, or a side does not vary"
    best = max(defined, key=lambda each: each.spearman.value or 0.0)
    said = f"{best.form} agrees best ({_figure(best.spearman)})"
    better = [each.form for each in rows if _sign(each) > 0]
    worse = [each.form for each in rows if _sign(each) < 0]
    if best.form == usual and not worse:
        return f"{said}; ties with every other form"
    told_apart = [*([f"better than {usual}: {', '.join(better)}"] if better else []),
                  *([f"worse than {usual}: {', '.join(worse)}"] if worse else [])]  # fmt: skip
    return "; ".join([said, *(told_apart or [f"all forms tie with {usual}"])])


def _sign(row: FormAgreement) -> int:
    """1 or -1 where the interval of the difference excludes 0."""
    ends = row.above_usual.ci95
    return 0 if ends is None else (ends[0] > 0) - (ends[1] < 0)


def _reading(usual: str, row: FormAgreement) -> str:
    if row.form == usual:
        return "the usual one"
    if row.above_usual.ci95 is None:
        return "not known"
    return {1: "better", -1: "worse", 0: "tie"}[_sign(row)]


def _agreement(usual: str) -> Fields[FormAgreement]:
    return [
        (Column("n", right=True), lambda row: numbers.count(row.n)),
        (Column("Spearman [95%]"), lambda row: _figure(row.spearman)),
        (Column(f"above {usual}"), lambda row: "" if row.form == usual else _figure(row.above_usual)),
        (Column("reading"), lambda row: _reading(usual, row)),
    ]


def _figure(value: Figure) -> str:
    ends = "" if value.ci95 is None else f" {numbers.interval(value.ci95)}"
    return f"{numbers.score(value.value)}{ends}"


FITNESS = {True: "fit", False: "UNFIT", None: "not checked"}
CALLS: Fields[FormCalls] = [
    (Column("price"), lambda row: Name(row.form)),
    (Column("calls", right=True), lambda row: numbers.count(row.calls)),
    (Column("tokens in", right=True), lambda row: numbers.count(row.input_tokens)),
    (Column("out", right=True), lambda row: numbers.count(row.output_tokens)),
    (Column("USD", right=True), lambda row: numbers.money(row.usd)),
    (Column("unread", right=True), lambda row: numbers.count(row.unread)),
    (Column("judge"), lambda row: FITNESS[row.judge_fit]),
]


def _notes(found: FormComparison) -> Iterator[str]:
    others = len(found.calls) - 1
    yield (
        f"differences to {found.usual} are paired: the same responses, over the same resamples of whole "
        f"conversations; of {numbers.times(others, 'form')} without any difference about {others / 20:.2f} would be "
        "better or worse by chance alone"
    )
    yield "prices are of the verdicts, without the canaries, by the price list, whether paid now or before"
    few = min((each.clusters for each in found.agreements), default=FEW_CLUSTERS)
    if few < FEW_CLUSTERS:
        yield f"small sample: {numbers.times(few, 'conversation')}; below {FEW_CLUSTERS} intervals are rough"
