"""The check of all judges of a run on exchanges of known quality: each of them is asked the same canaries."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from evaluation.judging.canaries import AskItems, CanaryCheck, Hear, Replies, canary_report
from evaluation.judging.fitness import CanaryReport
from evaluation.judging.item_errors import ItemErrors
from evaluation.judging.judge import Judge
from evaluation.judging.panel import AnyJudge, judges_of, merge_reports
from evaluation.ports import Complete
from evaluation.records import Request
from evaluation.rubrics.canary import Question

RepliesOf: TypeAlias = Callable[[str], Replies]
"""Model as it is asked -> what the run has of its answers to canaries."""


class PanelCheck:
    """The checks of a run's judges as one: of a single judge, or of all members of a panel and who decides for them."""

    def __init__(
        self,
        judge: AnyJudge | None,
        questions: Sequence[Question],
        replies_of: RepliesOf,
        hear: Callable[[Judge], Hear],
        items: AskItems | None = None,
    ) -> None:
        """`hear` gives who listens to a judge; `items` asks the one who answers expectations."""
        self._judge = judge
        self._checks = {
            each.pin.model: CanaryCheck(
                each,
                questions,
                replies_of(each.pin.model),
                hear(each),
                items if judge is not None and each.pin == judge.pin.answering else None,
            )
            for each in judges_of(judge)
        }

    @property
    def begun(self) -> bool:
        """True once the first half was set off."""
        return any(check.begun for check in self._checks.values())

    async def before(self, request: Request, complete: Complete) -> None:
        """As `CanaryCheck.before`, of every judge at once: all move through a run together."""
        await asyncio.gather(*(check.before(request, complete) for check in self._checks.values()))

    async def begin(self, complete: Complete) -> None:
        """Returns when the first halves are answered, or no new call may start."""
        await asyncio.gather(*(check.begin(complete) for check in self._checks.values()))

    async def finish(self, complete_or_reuse: Complete) -> None:
        """Returns when all are answered, or no new call may start. To be called after the last verdict."""
        await asyncio.gather(*(check.finish(complete_or_reuse) for check in self._checks.values()))

    async def end(self, grace_s: float = 0.0) -> None:
        """Stops what is still asked after so many seconds."""
        await asyncio.gather(*(check.end(grace_s) for check in self._checks.values()))

    def reports(self, replies_of: RepliesOf, items: ItemErrors | None) -> dict[str, CanaryReport]:
        """Model -> what the halves that were set off so far say of it; without those of whom nothing is known."""
        found: dict[str, CanaryReport] = {}
        for model, check in self._checks.items():
            asked_items = items if self._judge is not None and model == self._judge.pin.answering.model else None
            report = check.report(replies_of(model), asked_items)
            if report is not None:
                found[model] = report
        return found

    def report(self, replies_of: RepliesOf, items: ItemErrors | None) -> CanaryReport | None:
        """What they say of all together; None where there is nothing to ask."""
        return None if self._judge is None else merge_reports(self._judge, self.reports(replies_of, items))


def panel_report(
    judge: AnyJudge | None,
    questions: Sequence[Question],
    replies_of: RepliesOf,
    *,
    heard: bool,
    ended: bool,
    items: ItemErrors | None = None,
) -> CanaryReport | None:
    """As `canary_report`, of all judges of a run together."""
    if judge is None:
        return None
    found: Mapping[str, CanaryReport | None] = {
        each.pin.model: canary_report(
            questions,
            each,
            replies_of(each.pin.model),
            heard=heard,
            ended=ended,
            items=items if each.pin == judge.pin.answering else None,
        )
        for each in judges_of(judge)
    }
    return merge_reports(judge, {model: report for model, report in found.items() if report is not None})
