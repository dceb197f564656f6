"""Several judges on one pair: each is asked in both orders, and the mean of what the candidate won counts."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from statistics import fmean

from evaluation.judging.pair_check import PairCheck
from evaluation.judging.pair_judging import Judgement
from evaluation.judging.pair_reading import POINTS, Preference, Winner


def merge_judgements(said: Mapping[str, Judgement]) -> Judgement:
    """What the members of a panel, by model, said of a pair; of one judge its own judgement.

    Where one of them has no preference the whole has none: the mean of the others would be another judge's.
    """
    if len(said) == 1:
        return next(iter(said.values()))
    assessments = tuple(each for judgement in said.values() for each in judgement.assessments)
    lacking = [(model, each) for model, each in said.items() if each.preference is None]
    if lacking:
        model, first = lacking[0]
        return Judgement(
            None,
            assessments,
            f"{model}: {first.problem}",
            failed=any(each.failed for _, each in lacking),
            open=any(each.open for _, each in lacking),
        )
    preferences = {model: each.preference for model, each in said.items() if each.preference is not None}
    return Judgement(_mean(preferences), assessments, members={m: POINTS[p.winner] for m, p in preferences.items()})


def _mean(preferences: Mapping[str, Preference]) -> Preference:
    """The side that won more than half of the points, with what happened to most members."""
    points = fmean(POINTS[each.winner] for each in preferences.values())
    winner: Winner = "tie" if points == 0.5 else "candidate" if points > 0.5 else "base"
    kind = Counter(each.kind for each in preferences.values()).most_common(1)[0][0]
    return Preference(winner, kind, fmean(each.first_shown for each in preferences.values()))


def merge_pair_checks(checks: Mapping[str, PairCheck]) -> PairCheck:
    """What pairs of canaries say of those that are asked on; who failed is left out and named.

    Where all failed the first one stands for them. Of one judge it is its own check.
    """
    fit = {model: check for model, check in checks.items() if check.fit is not False}
    unfit = tuple(model for model, check in checks.items() if check.fit is False)
    if len(checks) == 1 or not fit:
        return next(iter(checks.values()))
    figures = tuple(
        replace(figure, name=f"{model}: {figure.name}") for model, check in fit.items() for figure in check.figures
    )
    return PairCheck(
        asked=sum(check.asked for check in fit.values()),
        answered=sum(check.answered for check in fit.values()),
        figures=figures,
        fit=None if any(check.fit is None for check in fit.values()) else True,
        left_out=tuple(f"{model}: {checks[model].problems[0]}" for model in unfit),
    )
