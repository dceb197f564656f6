"""Several judges on one pair: the mean of what the candidate won, and who is left out."""

from evaluation.judging.fitness import Figure
from evaluation.judging.pair_check import PairCheck
from evaluation.judging.pair_judging import Judgement
from evaluation.judging.pair_panel import merge_judgements, merge_pair_checks
from evaluation.judging.pair_reading import Kind, Preference, Winner


def said(winner: Winner, kind: Kind = "agreed", first: float = 0.5) -> Judgement:
    return Judgement(Preference(winner, kind, first))


def test_the_mean_of_the_members_wins_counts() -> None:
    found = merge_judgements({"a": said("candidate"), "b": said("tie", "order", 1.0), "c": said("candidate")})
    assert found.members == {"a": 1.0, "b": 0.5, "c": 1.0}
    assert found.preference is not None
    assert (found.preference.winner, found.preference.kind) == ("candidate", "agreed")
    split = merge_judgements({"a": said("candidate"), "b": said("base")})
    assert split.preference is not None and split.preference.winner == "tie"


def test_one_member_without_a_preference_leaves_none_and_is_named() -> None:
    found = merge_judgements({"a": said("candidate"), "b": Judgement(None, problem="no JSON")})
    assert (found.preference, found.problem, dict(found.members)) == (None, "b: no JSON", {})
    assert merge_judgements({"a": said("base"), "b": Judgement(None, problem="slow", failed=True)}).failed
    assert merge_judgements({"a": said("base"), "b": Judgement(None, open=True)}).open


def test_one_judge_alone_is_as_it_was() -> None:
    alone = said("base")
    assert merge_judgements({"a": alone}) is alone


def check(*, fit: bool | None) -> PairCheck:
    figure = Figure("winners missed", 0.0 if fit else 0.9, None, 0.5, 12, "" if fit else "it misses the better")
    return PairCheck(23, 23, (figure,), fit)


def test_who_fails_on_pairs_of_canaries_is_left_out_and_named() -> None:
    found = merge_pair_checks({"a": check(fit=True), "b": check(fit=False), "c": check(fit=True)})
    assert (found.fit, found.asked, found.left_out) == (True, 46, ("b: it misses the better",))
    assert {figure.name for figure in found.figures} == {"a: winners missed", "c: winners missed"}
    assert merge_pair_checks({"a": check(fit=False), "b": check(fit=False)}).fit is False
