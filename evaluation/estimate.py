"""An estimate of the calls, money and time of a run, before anything is called."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.expectations.answering import first_calls
from evaluation.expectations.asking import Asked, item_messages
from evaluation.judging.asking import VERDICT_TOKENS
from evaluation.judging.canaries import canary_requests
from evaluation.judging.conversations.asking import conversation_material, conversation_messages, is_conversation
from evaluation.judging.conversations.panel import AnyConversationJudge
from evaluation.judging.judge import Judge
from evaluation.metrics.meaning.asking import key_points
from evaluation.ports import PriceOf
from evaluation.prompt_config import FORMAT, TOOLS
from evaluation.records import WHOLE, CallFailure, Cell, Exchange, Position, Reply, Turn, Usage
from evaluation.run import Run
from evaluation.runspec import JudgePin, RunSpec, canonical_json
from evaluation.suites.turns import CellPlan, messages_for

CHARACTERS_PER_TOKEN = 4
REPLY_TOKENS = 80
CONVERSATION_TOKENS = 160
"""Of a verdict on a whole conversation, with a sentence on each dimension."""
ANSWER_TOKENS = 25
"""Of one expectation, with its quote."""
CALLS_PER_FLOW = 2
SECONDS_PER_CALL = 2.0
"""Assumed where nothing is known: the estimate says so."""
_PLANNED = CallFailure("planned", "", 0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Figures of a dry run. Tokens are those to generate, judge and embed; moderation is free and counts none."""

    exchanges: int
    generation_calls: int
    judge_calls: int
    moderation_calls: int
    canary_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    """None when the price of a model is unknown."""
    seconds: float
    models: tuple[str, ...]
    application_calls: int = 0
    """Of flows that come to options at once; every question takes one more."""
    expectation_calls: int = 0
    """The first questions about expectations: what fails of the critical ones is asked up to twice more."""
    conversation_calls: int = 0
    """About conversations as a whole."""
    pair_calls: int = 0
    """Which of two answers is better, in both orders, those that check the judge on it included."""
    bridge_calls: int = 0
    """That judge a sample of the base again, by another judge than its own."""
    embedding_calls: int = 0
    """For vectors: one for each response, as a reply of usual length and its message fit into one call."""
    tools: bool = False
    """True where a prompt offers any: each turn may take several rounds, and one is counted."""

    def lines(self) -> list[str]:
        """For people, with what was assumed."""
        cost = (
            "unknown: no price for " + ", ".join(self.models) if self.cost_usd is None else f"{self.cost_usd:.4f} USD"
        )
        asked = [f"at least {self.application_calls} to the application"] if self.application_calls else []
        rounds = " and more for rounds of tools" if self.tools else ""
        asked += [f"{self.generation_calls} to generate{rounds}"] if self.generation_calls or not asked else []
        calls = ", ".join([*asked, f"{self.judge_calls} to judge"])
        if self.canary_calls:
            calls += f", {self.canary_calls} to check the judge"
        if self.moderation_calls:
            calls += f", {self.moderation_calls} to moderate (free)"
        if self.embedding_calls:
            calls += f",\n                {self.embedding_calls} to embed"
        if self.conversation_calls:
            calls += f",\n                {self.conversation_calls} about whole conversations"
        if self.expectation_calls:
            calls += f",\n                {self.expectation_calls} about expectations, and more to confirm failures"
        if self.pair_calls:
            calls += f",\n                {self.pair_calls} head to head"
        if self.bridge_calls:
            calls += f",\n                {self.bridge_calls} to judge a sample of the base again"
        return [
            f"exchanges       {self.exchanges}",
            *f"calls           {calls}".split("\n"),
            f"tokens          about {self.input_tokens:,} in, {self.output_tokens:,} out",
            f"price           {cost}",
            f"time            about {self.seconds:.0f} s",
            f"assumed         {CHARACTERS_PER_TOKEN} characters a token, {REPLY_TOKENS} tokens a reply, "
            f"{VERDICT_TOKENS} a verdict,",
            f"                {ANSWER_TOKENS} an expectation, {CONVERSATION_TOKENS} a conversation, "
            f"{SECONDS_PER_CALL:g} s a call;",
            "                nothing reused",
        ]


NOTHING = Estimate(0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, ())
"""Where every side is a stored run."""


def with_bridge(estimate: Estimate, sample: Estimate) -> Estimate:
    """The estimate with the calls that judge a sample of the base again."""
    costs = (estimate.cost_usd, sample.cost_usd)
    return replace(
        estimate,
        bridge_calls=sample.judge_calls,
        input_tokens=estimate.input_tokens + sample.input_tokens,
        output_tokens=estimate.output_tokens + sample.output_tokens,
        cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
        seconds=estimate.seconds + sample.seconds,
        models=tuple(dict.fromkeys((*estimate.models, *sample.models))),
    )


def estimate_runs(
    runs: Sequence[Run],
    final: Mapping[str, set[Position]],
    price_of: PriceOf,
    concurrency: int,
    judged: Mapping[str, set[Cell]] | None = None,
) -> Estimate:
    """Adds up every call that is still to be made, with replies of assumed length.

    `final` and `judged` are what is done by run id: exchanges, and conversations as a whole.
    """
    done = judged or {}
    loads = [(run, open_load(run, final.get(run.run_id, set()), done.get(run.run_id, set()))) for run in runs]
    exchanges = sum(load.exchanges for _, load in loads)
    verdicts = sum(each.verdicts for _, load in loads for each in load.judges)
    moderated = sum(load.exchanges for run, load in loads if run.spec.moderation is not None)
    embedded = sum(load.exchanges for run, load in loads if run.spec.embedding is not None)
    played = [(run, load) for run, load in loads if not run.answers_are_known]
    of_application = sum(load.exchanges for run, load in played if run.of_application)
    expected = sum(load.expectations * run.spec.judge.size for run, load in loads if run.spec.judge is not None)
    whole = sum(load.conversations * samples_of_all(run.spec.judge) for run, load in loads)
    bills = [bill for run, load in loads for bill in load.bills(run.spec, generates=not run.answers_are_known)]
    costs = [price_of(model, usage) for model, usage in bills]
    return Estimate(
        exchanges=exchanges,
        generation_calls=sum(load.exchanges for _, load in played) - of_application,
        application_calls=CALLS_PER_FLOW * of_application,
        judge_calls=verdicts,
        moderation_calls=moderated,
        embedding_calls=embedded,
        canary_calls=sum(load.canaries for _, load in loads),
        expectation_calls=expected,
        conversation_calls=whole,
        input_tokens=sum(usage.input_tokens or 0 for _, usage in bills),
        output_tokens=sum(usage.output_tokens or 0 for _, usage in bills),
        cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
        seconds=(
            exchanges + verdicts + expected + whole + moderated + embedded + sum(load.canaries for _, load in loads)
        )
        * SECONDS_PER_CALL
        / concurrency,
        models=tuple(dict.fromkeys(model for model, _ in bills)),
        tools=any(TOOLS in run.spec.parameters for run, _ in played),
    )


@dataclass(frozen=True, slots=True)
class JudgeLoad:
    """The work of one judge. Tokens are of the input, of verdicts and canaries alike."""

    model: str
    verdicts: int
    """Calls; none of who decides where a panel disagrees, as nobody knows how often it will."""
    canaries: int
    tokens: int
    answer_tokens: int
    """That it would write."""


@dataclass(frozen=True, slots=True)
class Load:
    """The work that one run has left. Tokens are of the input."""

    exchanges: int
    generation_tokens: int
    judges: tuple[JudgeLoad, ...] = ()
    expectations: int = 0
    """Calls that first ask one judge about expectations."""
    expectation_tokens: int = 0
    items: int = 0
    """Answers of theirs."""
    conversations: int = 0
    """Judged as a whole."""
    conversation_tokens: int = 0
    embedding_tokens: int = 0

    @property
    def canaries(self) -> int:
        """Calls that check the judges."""
        return sum(each.canaries for each in self.judges)

    def bills(self, spec: RunSpec, *, generates: bool) -> list[tuple[str, Usage]]:
        """Model -> the tokens that it would be sent and would write; a run that scores another asks for no reply."""
        # What an application costs its owner is not known here, and not paid by the evaluation.
        generated = Usage(self.generation_tokens, self.exchanges * REPLY_TOKENS)
        bills = [(spec.model, generated)] if spec.model and generates else []
        for place, each in enumerate(self.judges):
            # Who decides where a panel disagrees is asked about responses alone.
            asked_all = spec.judge is not None and place < spec.judge.size
            tokens, written = self._beside_verdicts(spec) if asked_all else (0, 0)
            bills.append((each.model, Usage(each.tokens + tokens, each.answer_tokens + written)))
        if spec.embedding is not None:
            bills.append((spec.embedding.model, Usage(self.embedding_tokens, 0)))
        return bills

    def _beside_verdicts(self, spec: RunSpec) -> tuple[int, int]:
        """The tokens that one judge would be sent, and would write, about anything but single responses."""
        asked = 0 if spec.judge is None else spec.judge.samples
        written = self.items * ANSWER_TOKENS + asked * self.conversations * CONVERSATION_TOKENS
        return asked * self.conversation_tokens + self.expectation_tokens, written


def samples_of_all(judge: JudgePin | None) -> int:
    """The calls about one conversation: the samples of all who are asked."""
    return 0 if judge is None else judge.samples * judge.size


def open_load(run: Run, final: set[Position], judged: Collection[Cell] = frozenset()) -> Load:
    """The work of a run that is not done, and the characters that its calls would hold.

    `final` are the exchanges with a result that stays, `judged` the cells whose conversation has one.
    """
    exchanges = generation = embedded = 0
    verdicts = Counter[str]()
    whole: list[int] = []
    expected: list[Asked] = []
    reply = "x" * (REPLY_TOKENS * CHARACTERS_PER_TOKEN)
    described = _described_characters(run.spec)
    for part in run.parts():
        said = list(part.scenario.history)
        for turn, user_input in enumerate(part.scenario.turns, start=1):
            context = tuple(said)
            said.append(Turn("user", user_input))
            if (part.scenario.id, part.cell.repeat, turn) not in final:
                exchanges += 1
                generation += _characters(messages_for(part, said)) + described
                embedded += _embedded_characters(run, part, turn, user_input, reply)
                verdicts += _judged_characters(run, part, turn, context, user_input, len(reply))
                expected += _first_calls(run, part, turn, context, user_input, reply)
            said.append(Turn("assistant", reply))
        if run.conversation_judge is not None and is_conversation(part.scenario) and part.cell not in judged:
            whole.append(_conversation_characters(run.conversation_judge, part, said))
    judges = tuple(
        _judge_load(run, judge, exchanges, verdicts[judge.pin.model], asked=not final) for judge in run.judges
    )
    return Load(
        exchanges,
        generation // CHARACTERS_PER_TOKEN,
        judges,
        expectations=len(expected),
        expectation_tokens=sum(_characters(item_messages(each)) for each in expected) // CHARACTERS_PER_TOKEN,
        items=sum(len(each.items) for each in expected),
        conversations=len(whole),
        conversation_tokens=sum(whole) // CHARACTERS_PER_TOKEN,
        embedding_tokens=embedded // CHARACTERS_PER_TOKEN,
    )


def _judge_load(run: Run, judge: Judge, exchanges: int, characters: int, *, asked: bool) -> JudgeLoad:
    """`characters` are those of one sample on each exchange; `asked` says that its check is still to come."""
    canaries = canary_messages(run, judge) if asked else []
    checks = len(run.canaries) if asked else 0
    questions = judge.questions
    samples = 0 if run.spec.judge is not None and judge.pin == run.spec.judge.escalate else judge.pin.samples
    tokens = samples * (characters // CHARACTERS_PER_TOKEN) + sum(map(_characters, canaries)) // CHARACTERS_PER_TOKEN
    answers = (exchanges * samples + checks) * sum(each.answer_tokens for each in questions)
    answers += (len(canaries) - checks * len(questions)) * VERDICT_TOKENS
    return JudgeLoad(judge.pin.model, exchanges * samples * len(questions), len(canaries), tokens, answers)


def canary_messages(run: Run, judge: Judge) -> list[Sequence[Turn]]:
    """The messages to one judge on exchanges of known quality, call by call."""
    requests = [each for question in run.canaries for each in canary_requests(judge, question)]
    model = judge.pin.model
    if (items := run.item_checks.get(model)) is not None:
        requests += [items.request(canary) for canary in items.canaries]
    if (whole := run.conversation_checks.get(model)) is not None:
        requests += [whole.request(canary) for canary in whole.canaries]
    return [request.messages for request in requests]


def _embedded_characters(run: Run, part: CellPlan, turn: int, user_input: str, reply: str) -> int:
    """What is new to embed with one response: itself, its sentences, its message and, at the end, the key points."""
    if run.spec.embedding is None:
        return 0
    points = key_points(part.scenario, turn)
    return 2 * len(reply) + len(user_input) + sum(map(len, points))


def _judged_characters(
    run: Run, part: CellPlan, turn: int, context: tuple[Turn, ...], user_input: str, response: int
) -> Counter[str]:
    """Model -> what one sample of each judge would be sent, with a response of so many characters."""
    found = Counter[str]()
    for judge in run.judges:
        judged = judge.put(Exchange(part.cell, turn, context, user_input, _PLANNED), part.scenario)
        found[judge.pin.model] = sum(_characters(question.messages(judged)) + response for question in judge.questions)
    return found


def _first_calls(
    run: Run, part: CellPlan, turn: int, context: tuple[Turn, ...], user_input: str, reply: str
) -> list[Asked]:
    if run.judge is None:
        return []
    said = Reply(reply, "stop", "", {}, Usage(), 0.0, 0.0)
    return first_calls(Exchange(part.cell, turn, context, user_input, said), part.scenario, run.expectations)


def _conversation_characters(judge: AnyConversationJudge, part: CellPlan, said: Sequence[Turn]) -> int:
    last = Reply(said[-1].content, "stop", "", {}, Usage(), 0.0, 0.0)
    conversation = Exchange(part.cell, WHOLE, tuple(said[:-2]), said[-2].content, last)
    return _characters(conversation_messages(judge.question, conversation_material(conversation, part.scenario)))


def _described_characters(spec: RunSpec) -> int:
    """What describes tools and the form of the answer in each call: providers count it as input."""
    given = [spec.parameters[name] for name in (TOOLS, FORMAT) if name in spec.parameters]
    return sum(len(canonical_json(each)) for each in given)


def _characters(messages: Sequence[Turn]) -> int:
    return sum(len(message.content) for message in messages)
