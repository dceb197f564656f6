"""One judgement: the exchange goes out as the rubric's template, the answer comes back as a verdict."""

from dataclasses import dataclass

from evaluation.judging.template import judge_messages
from evaluation.judging.verdict import parse_text_verdict
from evaluation.ports import Complete
from evaluation.records import CallFailure, Exchange, Reply, Request, Verdict
from evaluation.rubrics.rubric import JudgeRubric
from evaluation.runspec import JudgePin, call_seed


@dataclass(frozen=True, slots=True)
class Judge:
    """Who judges (the pin), by which rubric, under which seed."""

    pin: JudgePin
    rubric: JudgeRubric
    seed: int

    @property
    def judged_metrics(self) -> tuple[str, ...]:
        """The metrics that this format gives values for: the text format gives the overall alone."""
        return (self.rubric.overall,)

    async def judge(self, exchange: Exchange, complete: Complete) -> Verdict | CallFailure:
        """Asks once; an answer that cannot be read is a verdict with `parsed=False`, not a failure."""
        seed = call_seed(self.seed, exchange.cell.scenario_id, exchange.cell.repeat, exchange.turn)
        request = Request(
            purpose="judge",
            model=self.pin.model,
            messages=judge_messages(self.rubric, exchange),
            parameters={"seed": seed, **self.pin.parameters},
            cell=exchange.cell,
            turn=exchange.turn,
        )
        outcome = await complete(request)
        return outcome if isinstance(outcome, CallFailure) else self.read(outcome)

    def read(self, reply: Reply) -> Verdict:
        """The verdict in a reply."""
        read = parse_text_verdict(reply.text)
        parsed = read.value is not None
        return Verdict(
            scores={} if read.value is None else {self.rubric.overall: read.value},
            reasoning=read.reasoning,
            parsed=parsed,
            raw=reply.text,
            model=reply.model,
            problem=read.problem,
            fallback=None if parsed else self.rubric.fallback,
            samples=() if read.value is None else (read.value,),
            usage=reply.usage,
            cost_usd=reply.cost_usd,
            latency_ms=reply.latency_ms,
            cached=reply.cached,
        )
