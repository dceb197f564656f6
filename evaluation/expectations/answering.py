"""Answers to the expectations that are due at an exchange: by rule where a rule decides, by the judge for the rest.

A critical item that does not hold is confirmed before it counts: it is put to the judge again, twice at the most, with
other seeds and in another order, and the majority of what could be read decides. A critical `mentions` that fails by
rule is put to the judge, who may overturn it with a quote that stands in the response.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeAlias

from evaluation.expectations.asking import Asked, answer_format, item_messages
from evaluation.expectations.check import CallCheck, Checked, CueSettings, OutputCheck, TextCheck
from evaluation.expectations.checks import prepare_check
from evaluation.expectations.panel import merge_readings
from evaluation.expectations.quotes import Spoken
from evaluation.expectations.reading import ItemReading, can_be_read, read_answers
from evaluation.judging.asking import MOST_ASKED
from evaluation.judging.merging import JOINED
from evaluation.metrics.utterance import Utterance
from evaluation.ports import Complete
from evaluation.records import (
    AnswerCalls,
    CallFailure,
    Exchange,
    Expectation,
    ItemAnswer,
    Outcome,
    Purpose,
    Reply,
    Request,
    Scenario,
    Turn,
    Usage,
)
from evaluation.runspec import JudgePin, call_seed

Mode: TypeAlias = Literal["judge", "rules", "none"]
"""Who answers: a judge and rules, rules alone, or nobody."""
QUESTIONS = 3
"""How often a critical item is asked at the most."""
OVERTURNABLE = "mentions"
"""The check that says in phrases what a reply may say in other words."""
NO_REPLY = Checked(False, reason="there is no reply")
Readings: TypeAlias = dict[str, list[ItemReading]]
"""Item id -> what was read, question by question."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers to all items that are due at an exchange, in their order, and what they took."""

    answers: tuple[ItemAnswer, ...] = ()
    calls: AnswerCalls | None = None


@dataclass(frozen=True, slots=True)
class ItemJudge:
    """The judge of a run as it is asked about expectations."""

    pin: JudgePin
    seed: int

    def request(self, asked: Asked, sample: int, purpose: Purpose = "expectations") -> Request:
        """One call, as it is sent and as it is known by in the journal: `sample` numbers the calls on one exchange."""
        exchange = asked.exchange
        cell = exchange.cell
        seed = call_seed(self.seed, cell.scenario_id, cell.repeat, exchange.turn, sample)
        return Request(
            purpose=purpose,
            model=self.pin.model,
            messages=item_messages(asked),
            parameters={
                "seed": seed,
                **self.pin.parameters,
                **({"seed": seed} if sample > 1 else {}),  # the same question with the same seed confirms nothing
                **answer_format(self.pin.format, len(asked.items)),
            },
            cell=cell,
            turn=exchange.turn,
            sample=sample,
            endpoint=self.pin.endpoint,
            readable=partial(_readable, asked),
        )


def _readable(asked: Asked, reply: Reply) -> bool:
    return can_be_read(reply.text, asked)


def is_planned(item: Expectation, mode: Mode) -> bool:
    """True where somebody answers the item in this mode."""
    return mode == "judge" or (mode == "rules" and item.kind == "check")


def due_items(scenario: Scenario, turn: int, mode: Mode) -> tuple[Expectation, ...]:
    """The items that are answered at a turn, in their order: those of the conversation at its last one."""
    last = turn == len(scenario.turns)
    return tuple(
        item
        for item in scenario.expect
        if is_planned(item, mode)
        and (item.turn == turn or item.scope == "response" or (item.scope == "conversation" and last))
    )


def responses_of(exchange: Exchange, scenario: Scenario) -> tuple[Spoken, ...]:
    """What the assistant said in the cell so far, the response of the exchange last; the history is not its own."""
    said = exchange.context[len(scenario.history) :]
    earlier = (turn for turn in said if turn.role == "assistant")
    spoken = [Spoken(number, turn.content, turn.tool_calls) for number, turn in enumerate(earlier, start=1)]
    return (*spoken, Spoken(exchange.turn, exchange.response, exchange.tool_calls))


def as_it_is(exchange: Exchange) -> Exchange:
    """An exchange whose response is what the assistant said."""
    return exchange


@dataclass(frozen=True, slots=True)
class Heard:
    """How an exchange is heard by whoever answers expectations."""

    as_reply: Callable[[Exchange], Exchange] = as_it_is
    """Makes one reply, which a judge can quote, of what a suite plays."""
    replies: Callable[[Exchange, Scenario], tuple[Spoken, ...]] = responses_of
    """The assistant's responses one by one, for rules."""

    def asked(self, exchange: Exchange, scenario: Scenario, items: Sequence[Expectation]) -> Asked:
        """What a call to a judge is about."""
        shown = self.as_reply(exchange)
        if shown is exchange:
            return Asked(exchange, scenario, responses_of(exchange, scenario), items)
        alone = Scenario(scenario.id, "", (shown.user_input,), audience=scenario.audience)
        return Asked(shown, alone, (Spoken(shown.turn, shown.response),), items)


AS_IT_IS = Heard()


async def answer_items(
    exchange: Exchange,
    scenario: Scenario,
    mode: Mode,
    judges: Sequence[ItemJudge],
    complete: Complete,
    settings_of: CueSettings,
    heard: Heard = AS_IT_IS,
    more: Sequence[Expectation] = (),
) -> Answered | CallFailure:
    """The answers to all items that are due, and to `more` of this exchange alone; or the call that got no answer.

    Several judges are asked the same, and the majority of those that show something counts, question by question.
    What was answered before a call failed is in the journal, and is not asked again.
    """
    due = (*due_items(scenario, exchange.turn, mode), *more)
    said = heard.replies(exchange, scenario)
    by_rule = {item.id: check_item(item, exchange, said, settings_of) for item in due if item.kind == "check"}
    open_items = [item for item in due if item.kind != "check" or _may_overturn(item, by_rule[item.id])]
    if not judges or not open_items:
        return Answered(tuple(by_rule[item.id] for item in due if item.id in by_rule))
    readings: Readings = {item.id: [] for item in open_items}
    replies: dict[str, list[Reply]] = {judge.pin.model: [] for judge in judges}
    for question in range(1, QUESTIONS + 1):
        asked_now = [item for item in open_items if _is_open(item, readings[item.id])]
        calls = [heard.asked(exchange, scenario, items) for items in batches(_in_order_of(question, asked_now))]
        failure = await _ask(calls, judges, complete, replies, readings)
        if failure is not None:
            return failure
    answers = (_answer(item, readings.get(item.id, []), by_rule.get(item.id)) for item in due)
    return Answered(tuple(answers), add_up([replies[judge.pin.model] for judge in judges]))


async def _ask(
    calls: Sequence[Asked],
    judges: Sequence[ItemJudge],
    complete: Complete,
    replies: Mapping[str, list[Reply]],
    readings: Readings,
) -> CallFailure | None:
    """Asks all calls of one question at once, and adds what was said and read; the first call without an answer."""
    asking = [(asked, judge) for asked in calls for judge in judges]
    requests = [
        judge.request(asked, len(replies[judge.pin.model]) + place)
        for place, asked in enumerate(calls, start=1)
        for judge in judges
    ]
    outcomes = await asyncio.gather(*map(complete, requests), return_exceptions=True)
    said: dict[str, dict[str, ItemReading]] = {}
    for (asked, judge), outcome in zip(asking, outcomes, strict=True):
        if isinstance(outcome, BaseException):
            raise outcome
        if isinstance(outcome, CallFailure):
            return replace(outcome, purpose="expectations")
        replies[judge.pin.model].append(outcome)
        for name, reading in readings_of(outcome, asked).items():
            said.setdefault(name, {})[judge.pin.model] = reading
    for name, by_model in said.items():
        readings[name].append(merge_readings(by_model))
    return None


def add_up(by_judge: Sequence[Sequence[Reply]]) -> AnswerCalls | None:
    """What the replies of these judges took; None of none. Tokens that an endpoint did not count add nothing."""
    replies = [reply for said in by_judge for reply in said]
    if not replies:
        return None
    usages, costs = [reply.usage for reply in replies], [reply.cost_usd for reply in replies]
    return AnswerCalls(
        calls=len(replies),
        model=JOINED.join(said[-1].model for said in by_judge if said),
        usage=Usage(
            sum(usage.input_tokens or 0 for usage in usages),
            sum(usage.output_tokens or 0 for usage in usages),
            sum(usage.cached_input_tokens or 0 for usage in usages),
        ),
        cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
        latency_ms=sum(reply.latency_ms for reply in replies),
        cached=all(reply.cached for reply in replies),
    )


def readings_of(reply: Reply, asked: Asked) -> Mapping[str, ItemReading]:
    """Item id -> its answer; where the whole cannot be read, nothing is shown by it."""
    read = read_answers(reply.text, asked)
    if not isinstance(read, str):
        return read
    return {item.id: ItemReading("not_shown", reason=f"answer not read: {read}") for item in asked.items}


def check_item(
    item: Expectation, exchange: Exchange, responses: Sequence[Spoken], settings_of: CueSettings
) -> ItemAnswer:
    """The answer of a rule: over every response that the item is about, or the first that satisfies it."""
    check = prepare_check(item.check, item.settings)
    reach = responses if item.scope == "conversation" else responses[-1:]
    if isinstance(check, CallCheck):
        return _by_rule(item, check.look([call for spoken in reach for call in spoken.tool_calls]))
    if isinstance(check, OutputCheck):
        return _by_rule(item, check.look(exchange.outcome) if isinstance(exchange.outcome, Reply) else NO_REPLY)
    assert isinstance(check, TextCheck), "there is no other kind"
    every = check.of_every_response
    answers = [_look(item, check, spoken, exchange, settings_of) for spoken in reach]
    decisive: Outcome = "fails" if every else "holds"
    found = (next((each for each in answers if each.outcome == outcome), None) for outcome in (decisive, "not_shown"))
    return next(filter(None, found), answers[-1])


def _look(
    item: Expectation, check: TextCheck, spoken: Spoken, exchange: Exchange, settings_of: CueSettings
) -> ItemAnswer:
    return _by_rule(item, check.look(_utterance(spoken, exchange), settings_of), spoken.turn)


def _by_rule(item: Expectation, found: Checked, turn: int = 0) -> ItemAnswer:
    outcome: Outcome = "not_shown" if not found.shown else "holds" if found.holds else "fails"
    return ItemAnswer(item.id, outcome, "rule", found.quote, found.reason, turn if found.quote else 0)


def _utterance(spoken: Spoken, exchange: Exchange) -> Utterance:
    """One response of the cell with the message that it answers and what came before."""
    if spoken.turn == exchange.turn:
        return Utterance(exchange.user_input, spoken.text, exchange.context, exchange.moderation)
    answered = [place for place, turn in enumerate(exchange.context) if turn.role == "assistant"]
    place = answered[len(answered) - (exchange.turn - spoken.turn)]
    before: tuple[Turn, ...] = exchange.context[: place - 1]
    return Utterance(exchange.context[place - 1].content, spoken.text, before)


def _may_overturn(item: Expectation, answer: ItemAnswer) -> bool:
    return item.critical and item.check == OVERTURNABLE and answer.outcome == "fails"


def _is_open(item: Expectation, readings: Sequence[ItemReading]) -> bool:
    """True where the item is to be asked, or a critical one to be confirmed."""
    if not readings:
        return True
    outcomes = [reading.outcome for reading in readings]
    if item.kind == "check":  # the rule has spoken: what the judge does not show, or shows once alone, is nothing
        return outcomes in (["holds"], ["not_shown"]) or (len(outcomes) == 2 and outcomes.count("holds") == 1)
    if not item.critical or outcomes[0] == "holds":
        return False
    if "fails" not in outcomes:
        return len(outcomes) == 1
    return max(outcomes.count("fails"), outcomes.count("holds")) < 2


def _in_order_of(question: int, items: list[Expectation]) -> list[Expectation]:
    """The first question keeps the order, the second reverses it, the third begins in the middle."""
    if question == 1:
        return items
    middle = len(items) // 2
    return items[::-1] if question == 2 else items[middle:] + items[:middle]


def batches(items: Sequence[Expectation]) -> list[Sequence[Expectation]]:
    """The items call by call: at most `MOST_ASKED` in each, and all calls of about equal length."""
    calls = -(-len(items) // MOST_ASKED)
    size = -(-len(items) // calls) if calls else 1
    return [items[start : start + size] for start in range(0, len(items), size)]


def first_calls(exchange: Exchange, scenario: Scenario, mode: Mode) -> list[Asked]:
    """The calls in which the judge is first asked about an exchange, as far as they are known before it is answered."""
    due = [item for item in due_items(scenario, exchange.turn, mode) if item.kind != "check"]
    return [Asked(exchange, scenario, responses_of(exchange, scenario), items) for items in batches(due)]


def _answer(item: Expectation, readings: Sequence[ItemReading], rule: ItemAnswer | None) -> ItemAnswer:
    if rule is not None:
        return _overturn(rule, readings)
    outcomes = tuple(reading.outcome for reading in readings)
    outcome = decide_by_majority(outcomes)
    best = next(reading for reading in readings if reading.outcome == outcome)
    quote = best.quote
    text, turn = ("", 0) if quote is None else (quote.text, quote.turn)
    return ItemAnswer(item.id, outcome, "judge", text, best.reason, turn, outcomes, _of_members(readings))


def _of_members(readings: Sequence[ItemReading]) -> dict[str, tuple[Outcome, ...]]:
    """Member of a panel -> what it showed, question by question; empty for one judge."""
    models = dict.fromkeys(model for reading in readings for model in reading.members)
    return {model: tuple(reading.members[model] for reading in readings) for model in models}


def _overturn(rule: ItemAnswer, readings: Sequence[ItemReading]) -> ItemAnswer:
    """The rule's answer, unless the judge shows twice, by a quote, that the same is said in other words."""
    outcomes = tuple(reading.outcome for reading in readings)
    shown = next((reading for reading in readings if reading.outcome == "holds"), None)
    if shown is None or shown.quote is None or outcomes.count("holds") < 2:
        return replace(rule, answers=outcomes, members=_of_members(readings))
    reason = f"said in other words{shown.reason and f' {shown.reason}'}; by rule it {rule.reason}"
    quote = shown.quote
    return ItemAnswer(rule.id, "holds", "judge", quote.text, reason, quote.turn, outcomes, _of_members(readings))


def decide_by_majority(outcomes: Sequence[Outcome]) -> Outcome:
    """What the answers to one item come to: where it was asked again, one failure alone is none.

    Not shown where as many say the one as the other, or where none could be read.
    """
    fails, holds = outcomes.count("fails"), outcomes.count("holds")
    if fails > holds:
        return "fails" if fails > 1 or len(outcomes) == 1 else "not_shown"
    return "holds" if holds > fails else "not_shown"
