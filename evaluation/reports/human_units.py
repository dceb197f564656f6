"""A run's means in the units of people: the tool's value, the corrected one, and that of people alone."""

from collections.abc import Iterator

from evaluation.reports.document import Bullet, Bullets, Column, Heading, Only, Paragraph, Part, Row, Table
from evaluation.reports.intervals import mean_text
from evaluation.summary.human_units import HumanMetric, HumanUnits
from evaluation.summary.summary import Summary
from evaluation.text import numbers
from evaluation.text.names import in_words

CARRIED = "carried over from labels of other runs, assumes that the judge errs alike; it decides nothing"


def describe_human_units(summary: Summary) -> Iterator[Part]:
    """Nothing where people labelled nothing that this run could use."""
    human = summary.human
    if human is None:
        return
    corrected = any(metric.found is not None for metric in human.metrics.values())
    if corrected or any(metric.carried is not None for metric in human.metrics.values()):
        yield Only(Heading("In human units"), short=False)
        yield Only(table_of(human), short=False)
    yield Only(Bullets(tuple(map(Bullet, notes(human)))), short=False)
    yield Only(Paragraph(in_one_line(summary, human)), short=True)


def table_of(human: HumanUnits) -> Table:
    """A row for each metric."""
    away = any(metric.carried is not None for metric in human.metrics.values())
    titles = ["mean [95% interval]", "tool", "corrected", "people alone", "lambda", "labels"]
    columns = [Column(title) for title in (*titles, *(["carried over"] if away else []))]
    rows = [Row([in_words(name), *cells(metric)[: len(columns) - 1]]) for name, metric in human.metrics.items()]
    return Table(columns, rows, rest="summary.json")


def cells(metric: HumanMetric) -> list[str]:
    """The columns of a metric: tool, corrected, people alone, lambda, labels and their situations, carried over."""
    found, carried = metric.found, "" if metric.carried is None else mean_text(metric.carried)
    if found is None:
        return ["", "", "", "", "0", carried]
    figures = [numbers.score(found.raw), mean_text(found.corrected), mean_text(found.people), f"{found.slope:.2f}"]
    return [*figures, f"{found.labels} in {found.clusters}", carried]


def notes(human: HumanUnits) -> Iterator[str]:
    """What the figures rest on, and what is missing or left out."""
    if human.labels or human.drawn:
        yield (
            f"{numbers.times(human.labels, 'label')} of {numbers.times(human.drawn, 'response')} that were drawn, in "
            f"{numbers.times(human.situations, 'situation')}"
        )
    if human.lacking:
        yield f"too few to decide on: {'; '.join(human.lacking)}"
    if human.undrawn:
        yield f"{numbers.times(human.undrawn, 'label')} not counted: no probability of being drawn was recorded"
    if human.other_rubric:
        yield f"{numbers.times(human.other_rubric, 'label')} not counted: given under another rubric"
    if human.carried:
        yield f"{numbers.times(human.carried, 'label')} {CARRIED}"


def in_one_line(summary: Summary, human: HumanUnits) -> str:
    """For a screen: the overall, and what is missing."""
    overall = human.metrics.get(summary.overall)
    lacking = f"; too few to decide on: {'; '.join(human.lacking)}" if human.lacking else ""
    if overall is None or overall.found is None:
        if overall is not None and overall.carried is not None:
            return f"in human units: overall {mean_text(overall.carried)}, {CARRIED}"
        return f"in human units: {numbers.times(human.labels, 'label')}{lacking}"
    found = overall.found
    return (
        f"in human units: overall {mean_text(found.corrected)} (tool {numbers.score(found.raw)}, people alone "
        f"{mean_text(found.people)}, {numbers.times(found.labels, 'label')} in "
        f"{numbers.times(found.clusters, 'situation')}, lambda {found.slope:.2f}){lacking}"
    )


def as_people_would(overall: str, human: HumanUnits | None) -> str:
    """The overall of a judged sample of production as a first sentence; empty where labels give it no interval."""
    metric = None if human is None else human.metrics.get(overall)
    if human is None or metric is None or metric.found is None or metric.found.corrected.ci95 is None:
        return ""
    found = metric.found
    lacking = f": too few to decide on: {'; '.join(human.lacking)}" if human.lacking else ""
    return (
        f"{in_words(overall)} {mean_text(found.corrected)}, as people would rate it, from "
        f"{numbers.times(found.labels, 'label')} and {numbers.count(found.responses)} judged{lacking}"
    )
