"""What a report says of how far the sources agree with people: one line, or a bullet for each source."""

from collections.abc import Iterator, Mapping

from evaluation.records import Source
from evaluation.reports.document import Bullet, Bullets, Heading, Only, Part
from evaluation.reports.intervals import with_interval
from evaluation.summary.agreement import Agreement, KnownAgreement
from evaluation.text import numbers

NAMES: Mapping[Source, str] = {"heuristic": "rules", "check": "checks"}
ORIGINS = {"calibration": "a calibration", "reviews": "reviews", "shipped": "public data, docs/validity.md"}


def describe_agreement(agreement: Agreement) -> Iterator[Part]:
    """In full, under a heading; nothing where it was not looked for."""
    if agreement:
        yield Only(Heading("Agreement with people"), short=False)
        yield Only(Bullets(tuple(map(Bullet, said_of(agreement)))), short=False)


def in_one_line(agreement: Agreement) -> str:
    """The rank correlation of each source, or that it is not known."""
    known = [f"{_name(source)} {_rho(each)}" for source, each in agreement.items() if each is not None]
    unknown = [_name(source) for source, each in agreement.items() if each is None]
    rest = [f"{' and '.join(unknown)} not known"] if unknown else []
    return f"agreement with people: {', '.join([*known, *rest])}"


def said_of(agreement: Agreement) -> list[str]:
    """A sentence for each source: set, size, figures with intervals, and the ceiling."""
    return [f"{_name(source)}: {_sentence(each)}" for source, each in agreement.items()]


def _sentence(known: KnownAgreement | None) -> str:
    if known is None:
        return "not known"
    figure = known.figure
    kappa = ""
    if figure.kappa is not None:
        kappa = f", weighted kappa {with_interval(figure.kappa, figure.kappa_ci95)}"
    ceiling = "not known" if figure.ceiling is None else numbers.score(figure.ceiling)
    size = f"n {figure.n} in {numbers.times(figure.clusters, 'conversation')}"
    earlier = f"; {known.earlier}" if known.earlier else ""
    return (
        f"rank correlation {with_interval(figure.rho, figure.rho_ci95)}{kappa} with {figure.dimension} "
        f"({figure.data}, {size}; people with people: {ceiling}; {ORIGINS[known.origin]}{earlier})"
    )


def _rho(known: KnownAgreement) -> str:
    earlier = " (earlier)" if known.earlier else ""
    return f"{with_interval(known.figure.rho, known.figure.rho_ci95)}{earlier}"


def _name(source: Source) -> str:
    return NAMES.get(source, source)
