"""The check of all judges of a run on exchanges of known quality: each of them is asked the same canaries."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from evaluation.judging.canaries import AskBeside, CanaryCheck, Hear, Replies, canary_report
from evaluation.judging.fitness import CanaryReport
from evaluation.judging.item_errors import ItemErrors
from evaluation.judging.judge import Judge
from evaluation.judging.panel import AnyJudge, judges_of, merge_reports
from evaluation.ports import Complete
from evaluation.records import Request
from evaluation.rubrics.canary import Question

RepliesOf: TypeAlias = Callable[[str], Replies]
"""Model as it is asked -> what the run has of its answers to canaries."""
BesideOf: TypeAlias = Callable[[str], Sequence[AskBeside]]
"""Model -> what asks it with the first half of the canaries."""
ErrorsOf: TypeAlias = Mapping[str, ItemErrors]
"""Model -> its errors on questions that yes or no answers; of a panel those of all together under its own name."""


class PanelCheck:
    """The checks of a run's judges as one: of a single judge, or of all members of a panel and who decides for them."""

    def __init__(
        self,
        judge: AnyJudge | None,
        questions: Sequence[Question],
        replies_of: RepliesOf,
        hear: Callable[[Judge], Hear],
        beside: BesideOf = lambda _: (),
    ) -> None:
        """`hear` gives who listens to a judge; `beside` what else it is asked with the first half, by its model."""
        self._judge = judge
        self._checks = {
            each.pin.model: CanaryCheck(
                each,
                questions,
                replies_of(each.pin.model),
                hear(each),
                beside(each.pin.model),
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

    def reports(self, replies_of: RepliesOf, items: ErrorsOf) -> dict[str, CanaryReport]:
        """Model -> what the halves that were set off so far say of it; without those of whom nothing is known."""
        found = {model: check.report(replies_of(model), items.get(model)) for model, check in self._checks.items()}
        return {model: report for model, report in found.items() if report is not None}

    def report(self, replies_of: RepliesOf, items: ErrorsOf) -> CanaryReport | None:
        """What they say of all together; None where there is nothing to ask."""
        return None if self._judge is None else merge_reports(self._judge, self.reports(replies_of, items), items)


def panel_report(
    judge: AnyJudge | None,
    questions: Sequence[Question],
    replies_of: RepliesOf,
    *,
    heard: bool,
    ended: bool,
    items: ErrorsOf | None = None,
) -> CanaryReport | None:
    """As `canary_report`, of all judges of a run together."""
    errors: ErrorsOf = items or {}
    if judge is None:
        return None
    found: Mapping[str, CanaryReport | None] = {
        each.pin.model: canary_report(
            questions,
            each,
            replies_of(each.pin.model),
            heard=heard,
            ended=ended,
            items=errors.get(each.pin.model),
        )
        for each in judges_of(judge)
    }
    return merge_reports(judge, {model: report for model, report in found.items() if report is not None}, errors)
