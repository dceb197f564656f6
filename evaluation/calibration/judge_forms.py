"""The forms of a judge's question held against people on the same responses: which agrees best, and at which price?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from evaluation.calibration.people import RatingScale
from evaluation.calibration.rated_pairs import RatedPair, rated_pairs
from evaluation.calibration.ratings import RatedUnit, ScoreKey
from evaluation.statistics.resamples import Figure
from evaluation.statistics.side_by_side import mean_differences, rank_differences


@dataclass(frozen=True, slots=True)
class JudgeCalls:
    """What one judge was asked, and what that takes. Reused answers count like paid ones."""

    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    """By the price list, whoever paid; None where no price is known."""


@dataclass(frozen=True, slots=True)
class FormCalls:
    """What one form asked of the same responses: the judge, or each member of a panel and who decides."""

    form: str
    responses: int
    """Responses with a verdict that was asked for."""
    unread: int
    judges: tuple[JudgeCalls, ...]
    calls: int
    """These four are of all judges together."""
    input_tokens: int
    output_tokens: int
    usd: float | None
    """None as soon as the price of one judge is unknown."""
    judge_fit: bool | None
    """Whether the judge passed its check in this form; None where it was not checked."""

    @classmethod
    def of(cls, form: str, responses: int, unread: int, judges: Sequence[JudgeCalls], *, fit: bool | None) -> Self:
        """With what all judges take together."""
        prices = [each.usd for each in judges]
        return cls(
            form=form,
            responses=responses,
            unread=unread,
            judges=tuple(judges),
            calls=sum(each.calls for each in judges),
            input_tokens=sum(each.input_tokens for each in judges),
            output_tokens=sum(each.output_tokens for each in judges),
            usd=None if None in prices else sum(price or 0.0 for price in prices),
            judge_fit=fit,
        )


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
class FormPreference:
    """One form's values against what people prefer, on the pairs for which every form gave both values."""

    dimension: str
    metric: str
    form: str
    pairs: int
    """On which people prefer one."""
    undecided: int
    """On which they prefer none; left out."""
    ties: int
    """Of `pairs`, those that this form values alike; each counts half."""
    clusters: int
    """Messages that the pairs answer."""
    accuracy: Figure
    """Share of the pairs on which the form prefers what people prefer; guessing gives 0.5."""
    above_usual: Figure
    """Its share minus that of the usual form, over the same resamples of messages."""


@dataclass(frozen=True, slots=True)
class FormComparison:
    """Every form that was asked; agreements and preferences only where there were several."""

    usual: str
    """The form that the others are held against: the rubric's own where it was asked."""
    calls: tuple[FormCalls, ...]
    agreements: tuple[FormAgreement, ...]
    preferences: tuple[FormPreference, ...] = ()


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


def compare_forms_on_pairs(
    units: Mapping[str, Sequence[RatedUnit]],
    wanted: Sequence[tuple[str, str]],
    scales: Mapping[str, RatingScale],
    usual: str,
    *,
    seed: int,
    resamples: int,
) -> Iterator[FormPreference]:
    """The same for pairs of responses of which people prefer one, and by the share of them that a form puts right.

    Only pairs with both values of every form count. A tie of a form counts half, so that a form gains nothing by it.
    """
    forms = list(units)
    for dimension, metric in wanted:
        key: ScoreKey = ("judge", metric)
        rows = _pairs_of_all(units, dimension, scales[dimension], key)
        decided = [row for row in rows if row[0].decided]
        if not decided:
            continue
        clusters = [row[0].cluster for row in decided]
        alone, above = mean_differences(
            [[row[place].hit(key) for row in decided] for place in range(len(forms))],
            clusters,
            base=forms.index(usual),
            seed=seed,
            resamples=resamples,
        )
        undecided, messages = len(rows) - len(decided), len(set(clusters))
        for place, form in enumerate(forms):
            ties = sum(row[place].is_tie(key) for row in decided)
            counts = (len(decided), undecided, ties, messages)
            yield FormPreference(dimension, metric, form, *counts, alone[place], above[place])


def _pairs_of_all(
    units: Mapping[str, Sequence[RatedUnit]], dimension: str, scale: RatingScale, key: ScoreKey
) -> list[tuple[RatedPair, ...]]:
    """The pairs of which every form has both values, form by form."""
    by_form = [rated_pairs(dimension, each, scale) for each in units.values()]
    return [row for row in zip(*by_form, strict=True) if all(pair.has(key) for pair in row)]
