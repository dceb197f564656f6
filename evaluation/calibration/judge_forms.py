"""The forms of a judge's question held against people on the same responses: which agrees best, and at which price?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluation.calibration.ratings import RatedUnit, ScoreKey
from evaluation.statistics.agreement import Figure, rank_differences


@dataclass(frozen=True, slots=True)
class FormCalls:
    """What one form asked of the same responses, and what that takes. Reused answers count like paid ones."""

    form: str
    responses: int
    """Responses with a verdict that was asked for."""
    unread: int
    calls: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    """By the price list, whoever paid; None where no price is known."""
    judge_fit: bool | None
    """Whether the judge passed its check in this form; None where it was not checked."""


@dataclass(frozen=True, slots=True)
class FormAgreement:
    """One form's values against one dimension that people rated, on the responses that every form gave a value for."""

    dimension: str
    metric: str
    form: str
    n: int
    clusters: int
    spearman: Figure
    above_usual: Figure
    """Its correlation minus that of the usual form, over the same resamples of conversations."""


@dataclass(frozen=True, slots=True)
class FormComparison:
    """Every form that was asked."""

    usual: str
    """The form that the others are held against: the rubric's own where it was asked."""
    calls: tuple[FormCalls, ...]
    agreements: tuple[FormAgreement, ...]


def compare_forms(
    units: Mapping[str, Sequence[RatedUnit]],
    wanted: Sequence[tuple[str, str]],
    usual: str,
    *,
    seed: int,
    resamples: int,
) -> Iterator[FormAgreement]:
    """(form -> the same units with its scores) for each (dimension, metric); pairs of responses are left out.

    Only units with a value of every form and a rating count, so that the differences are paired.
    """
    forms = list(units)
    for dimension, metric in wanted:
        key: ScoreKey = ("judge", metric)
        rows = [
            row
            for row in zip(*units.values(), strict=True)
            if row[0].level != "pair" and dimension in row[0].ratings and all(key in unit.scores for unit in row)
        ]
        if not rows:
            continue
        clusters = [row[0].cluster for row in rows]
        alone, above = rank_differences(
            [[row[place].scores[key] for row in rows] for place in range(len(forms))],
            [row[0].ratings[dimension] for row in rows],
            clusters,
            base=forms.index(usual),
            seed=seed,
            resamples=resamples,
        )
        for form, spearman, difference in zip(forms, alone, above, strict=True):
            yield FormAgreement(dimension, metric, form, len(rows), len(set(clusters)), spearman, difference)
