"""What the check of a judge does to a decision: no verdict stands on an unfit one, and no gate opens on it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from evaluation.decision.decide import Decision, SourceChoice
from evaluation.judging.fitness import CanaryReport
from evaluation.summary.summary import Summary
from evaluation.text.names import in_words


def hold_judge(decision: Decision, fit: bool | None, problems: Sequence[str] = ()) -> Decision:
    """The decision with the fitness of the judge that had a part in it; on an unfit judge no verdict stands.

    `problems` say what it did. The verdict of the rules alone stands beside them, marked as such.
    """
    found = replace(decision, judge_fit=fit)
    return without_judge(found, "judge_unfit", problems) if decision.judged and fit is False else found


def without_judge(decision: Decision, code: str, problems: Sequence[str]) -> Decision:
    """The decision where nothing can be said on the word of its judge: the code of it, and the reasons."""
    rules = decision.by_source.get("heuristic", SourceChoice(None, None, ()))
    beside = "" if rules.verdict is None else f"the rules alone, without the judge: {in_words(rules.verdict)}"
    return replace(
        decision,
        verdict=None,
        stable=False,
        reasons=(*problems, *((beside,) if beside else ())),
        areas=(),
        lower=None,
        upper=None,
        quality_level=None,
        by_source={name: choice for name, choice in decision.by_source.items() if name == "heuristic"},
        code=code,
    )


def judge_faults(
    unchecked: str, judged_by: Mapping[str, int], checked: CanaryReport | None, judges: int = 1
) -> tuple[str, ...]:
    """The reasons why no gate opens on what a judge said; none for a fit one that stayed the same.

    `unchecked` says why it was not checked, where it was not; `judges` how many make up one verdict.
    """
    changed = (change_of_model("judge", judged_by),) if len(judged_by) > judges else ()
    if checked is None:
        return (f"the judge was not checked: {unchecked}", *changed)
    return (*checked.faults(), *changed)


def models_of_judge(summary: Summary, checked: CanaryReport | None) -> dict[str, int]:
    """Model -> how many verdicts it gave, those on canaries included."""
    return dict(Counter(summary.judged_by) + Counter({} if checked is None else checked.models))


def change_of_model(who: str, models: Mapping[str, int]) -> str:
    """A sentence on several models that answered under one name."""
    shown = ", ".join(f"{model} ({count})" for model, count in models.items())
    return f"the {who} changed within the run: {shown} answered"
