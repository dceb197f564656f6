"""Questions on canaries that yes or no answers: how often does a judge of expectations say yes or no wrongly?"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from evaluation.errors import StopRequested
from evaluation.expectations.answering import ItemJudge, readings_of
from evaluation.expectations.asking import Asked
from evaluation.expectations.panel import merge_readings
from evaluation.expectations.quotes import Spoken, find_quote
from evaluation.expectations.reading import can_be_read, given_answers
from evaluation.judging.asking import JudgeRubric
from evaluation.judging.canaries import TRIES, Replies
from evaluation.judging.item_errors import ItemErrors
from evaluation.metrics.utterance import fold, tokens_of
from evaluation.ports import Complete
from evaluation.records import Cell, Expectation, Reply, Request, Scenario
from evaluation.rubrics.canary import FIRST, PREFIX, Canary, CanaryItem
from evaluation.runspec import JudgePin

OF_ITEMS = ":items"
"""Ends the scenario ids under which the questions on a canary stand in the journal."""
SHARED = 0.5
"""Share of the words that show an answer which a quote must hold."""


@dataclass(frozen=True, slots=True)
class ItemCheck:
    """The questions on canaries that one run asks its judge, all of one canary in a call."""

    judge: ItemJudge
    canaries: tuple[Canary, ...]

    def request(self, canary: Canary, attempt: int = 1) -> Request:
        """The call about one canary; each attempt has a seed of its own."""
        return self.judge.request(asked_of(canary), attempt, "canary")

    async def ask(self, replies: Replies, complete: Complete) -> None:
        """Asks what has no readable answer in `replies`; the answers lie in the journal when it returns.

        Ends quietly when no new call may start. Raises EndpointRefused and JournalError.
        """
        asking = [self._ask(canary, complete) for canary in self.canaries if self.read(canary, replies) is None]
        outcomes = await asyncio.gather(*asking, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, BaseException) and not isinstance(outcome, StopRequested):
                raise outcome

    async def _ask(self, canary: Canary, complete: Complete) -> None:
        """Once more where there is no answer, or none that can be read."""
        for attempt in range(1, TRIES + 1):
            outcome = await complete(self.request(canary, attempt))
            if isinstance(outcome, Reply) and can_be_read(outcome.text, asked_of(canary)):
                return

    def errors(self, replies: Replies) -> ItemErrors:
        """What the judge's answers come to."""
        return self.count(Counter(kind for canary in self.canaries for kind in self._kinds(canary, replies)))

    def count(self, found: "Counter[tuple[str, str]]") -> ItemErrors:
        """The errors where so often, by (right answer, what was said), something was answered."""
        items = [item for canary in self.canaries for item in canary.expect]
        return ItemErrors(
            asked_no=sum(item.answer == "no" for item in items),
            said_no=found["no", "no"],
            wrong_yes=found["no", "yes"],
            asked_yes=sum(item.answer == "yes" for item in items),
            said_yes=found["yes", "yes"],
            wrong_no=found["yes", "no"],
            misquoted=found["yes", "misquoted"],
        )

    def _kinds(self, canary: Canary, replies: Replies) -> Iterator[tuple[str, str]]:
        """(right answer, what the judge said) of each question, and once more for a right yes that shows nothing."""
        reply = self.read(canary, replies)
        if reply is None:
            return
        given = given_answers(reply.text, asked_of(canary))
        for item, (answer, quote) in zip(canary.expect, given, strict=True):
            yield item.answer, answer
            if item.answer == answer == "yes" and not is_shown(item, quote, canary):
                yield "yes", "misquoted"

    def read(self, canary: Canary, replies: Replies) -> Reply | None:
        """The first reply that can be read."""
        asked = asked_of(canary)
        attempts = (replies.get((asked.exchange.cell, 1, attempt)) for attempt in range(1, TRIES + 1))
        return next((reply for reply in attempts if reply is not None and can_be_read(reply.text, asked)), None)


def checks_of_items(pin: JudgePin, rubric: JudgeRubric, seed: int) -> dict[str, ItemCheck]:
    """Model -> its check, of all who answer expectations; none where no canary of the rubric holds a question."""
    asked = tuple(canary for canary in rubric.canaries if canary.expect)
    return {each.model: ItemCheck(ItemJudge(each, seed), asked) for each in pin.voices} if asked else {}


def errors_by_judge(
    checks: Mapping[str, ItemCheck], replies_of: Callable[[str], Replies], panel: str
) -> dict[str, ItemErrors]:
    """Model -> its errors; of several judges those of their majority too, under the name of the panel."""
    replies = {model: replies_of(model) for model in checks}
    found = {model: check.errors(replies[model]) for model, check in checks.items()}
    if len(checks) > 1:
        found[panel] = _errors_of_majority(checks, replies)
    return found


def _errors_of_majority(checks: Mapping[str, ItemCheck], replies: Mapping[str, Replies]) -> ItemErrors:
    first = next(iter(checks.values()))
    kinds = Counter[tuple[str, str]]()
    for canary in first.canaries:
        asked = asked_of(canary)
        said = {model: reply for model, check in checks.items() if (reply := check.read(canary, replies[model]))}
        read = {model: readings_of(reply, asked) for model, reply in said.items()}
        for place, item in enumerate(canary.expect if read else ()):
            merged = merge_readings({model: each[asked.items[place].id] for model, each in read.items()})
            kinds[item.answer, {"holds": "yes", "fails": "no"}.get(merged.outcome, "")] += 1
            right = item.answer == "yes" and merged.outcome == "holds"
            if right and merged.quote is not None and not is_shown(item, merged.quote.text, canary):
                kinds["yes", "misquoted"] += 1
    return first.count(kinds)


def asked_of(canary: Canary) -> Asked:
    """The call about a canary, in the form of those about a run's responses."""
    cell = Cell(f"{PREFIX}{canary.id}{OF_ITEMS}", FIRST)
    exchange = replace(canary.exchange(FIRST), cell=cell)
    items = tuple(
        Expectation(f"{canary.id}-{number}", "ask", item.ask, scope="turn", turn=1)
        for number, item in enumerate(canary.expect, start=1)
    )
    scenario = Scenario(cell.scenario_id, "", (canary.user,), history=exchange.context, expect=items)
    return Asked(exchange, scenario, (Spoken(1, exchange.response),), items)


def is_shown(item: CanaryItem, quote: str, canary: Canary) -> bool:
    """True where a quote stands in the response and holds most of the words that show the answer."""
    found = find_quote(quote, [Spoken(1, canary.text)])
    if found is None:
        return False
    wanted, said = (set(tokens_of(fold(text))) for text in (item.shown_by, found.text))
    return len(wanted & said) >= SHARED * len(wanted)
