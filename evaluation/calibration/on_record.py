"""What a calibration found of the overall, as the record that reports of runs look for."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from evaluation.records import Json
from evaluation.summary.agreement import AgreementFigure, MeasuredBy, Measurement, Origin

if TYPE_CHECKING:  # every run reads what is on record, and few commands calibrate
    from evaluation.calibration.calibrate import Calibration
    from evaluation.calibration.validity import Validity

SCHEMA_VERSION = 1


def of_calibration(found: "Calibration", data: str, by: MeasuredBy, origin: Origin) -> Measurement:
    """The figures of the overall, for each source and dimension; `data` is the name of the ratings."""
    return Measurement(origin, by, tuple(_of_agreements(found, data)))


def _of_agreements(found: "Calibration", data: str) -> Iterator[AgreementFigure]:
    from evaluation.calibration.ratings import KEPT

    ceilings = {each.dimension: each.one_against_rest for each in found.ceilings}
    for each in found.agreements:
        if each.metric == found.overall and each.source != "baseline" and each.dimension != KEPT:
            source: Any = each.source
            yield AgreementFigure(
                *(source, data, each.dimension, each.metric, each.n, each.clusters),
                *(each.spearman.value, each.spearman.ci95, each.kappa.value, each.kappa.ci95),
                ceiling=ceilings.get(each.dimension),
            )


def of_validity(rows: "Iterable[Validity]", overall: str, by: MeasuredBy) -> Measurement:
    """The figures of the overall by rule; of those that were chosen beforehand where there are any."""
    about = [row for row in rows if row.metric == overall]
    chosen = [row for row in about if row.chosen] or about
    return Measurement(
        "shipped",
        by,
        tuple(
            AgreementFigure(
                *("heuristic", row.data, row.dimension, row.metric, row.n, row.clusters),
                *(row.ranks.tool.value, row.ranks.tool.ci95),
                ceiling=row.people,
            )
            for row in chosen
        ),
    )


def read_measurement(value: Any, origin: Origin) -> Measurement | None:
    """The inverse of `dataclasses.asdict`; None for whatever is no such record."""
    try:
        figures = [{**each, **{name: _ends(each.get(name)) for name in ENDS}} for each in value["figures"]]
        return Measurement(origin, MeasuredBy(**value["by"]), tuple(AgreementFigure(**each) for each in figures))
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


ENDS = ("rho_ci95", "kappa_ci95")


def _ends(value: Json) -> tuple[float, float] | None:
    if value is None:
        return None
    low, high = value
    return (float(low), float(high))
