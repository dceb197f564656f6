"""The answers to the expectations of an exchange as scores: the share met, critical failures, and each by itself."""

from collections.abc import Iterator, Mapping, Sequence

from evaluation.records import Expectation, ItemAnswer, Result, Scenario
from evaluation.run import Run
from services.langfuse.score_names import CRITICAL, MET, Figure, item_name, own_name


def item_figures(run: Run, scenario: Scenario, result: Result) -> Iterator[Figure]:
    """What is sent of one exchange; nothing where no expectation is answered.

    What is not shown is in no figure and has no score of its own: a yes or no would pretend that somebody can tell.
    """
    items = {(item.id, item.turn): item for item in scenario.expect}
    answered = [
        (items.get((answer.id, result.exchange.turn)) or items[answer.id, 0], answer)
        for answer in result.expectations
        if answer.outcome != "not_shown"
    ]
    if not answered:
        return
    suite = run.suite.name
    holds = sum(answer.outcome == "holds" for _, answer in answered)
    yield Figure(own_name(suite, MET), holds / len(answered), _say_met(result.expectations, holds, len(answered)))
    critical = [answer for item, answer in answered if item.critical]
    if critical:
        failed = [answer for answer in critical if answer.outcome == "fails"]
        said = "\n".join(f"{answer.id}: {_shown(answer)}" for answer in failed)
        yield Figure(own_name(suite, CRITICAL), float(len(failed)), said or f"of {len(critical)} critical expectations")
    if run.request.langfuse_scores == "all":
        yield from (_by_itself(suite, item, answer) for item, answer in answered)


def _by_itself(suite: str, item: Expectation, answer: ItemAnswer) -> Figure:
    return Figure(item_name(suite, item.id), float(answer.outcome == "holds"), _shown(answer) or item.question)


def _shown(answer: ItemAnswer) -> str:
    """The quote, and below it what else is said."""
    return "\n".join(part for part in (answer.quote, answer.reason) if part)


def _say_met(answers: Sequence[ItemAnswer], holds: int, answered: int) -> str:
    named: Mapping[str, list[str]] = {
        "fails": [answer.id for answer in answers if answer.outcome == "fails"],
        "not shown": [answer.id for answer in answers if answer.outcome == "not_shown"],
    }
    parts = [f"{title}: {', '.join(ids)}" for title, ids in named.items() if ids]
    return "; ".join([f"{holds} of {answered} hold", *parts])
