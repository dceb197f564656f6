"""One judgement: the exchange goes out under the rubric, the answers come back as one verdict."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from evaluation.judging.answer_form import is_structured, response_format, verdict_keys
from evaluation.judging.combine import Scale
from evaluation.judging.injection import signs_of_injection
from evaluation.judging.judge_rubric import JudgeRubric
from evaluation.judging.material import Material
from evaluation.judging.reading import judged_text, read_verdict
from evaluation.judging.samples import merged
from evaluation.judging.template import JudgePrompt
from evaluation.ports import Complete
from evaluation.records import CallFailure, Exchange, Json, Purpose, Reply, Request, Scenario, Verdict
from evaluation.runspec import JudgePin, call_seed


@dataclass(frozen=True)
class Judge:
    """Who judges (the pin), by which rubric, under which seed."""

    pin: JudgePin
    rubric: JudgeRubric
    seed: int

    @cached_property
    def _prompt(self) -> JudgePrompt:
        return JudgePrompt(self.rubric, self.pin.format)

    @cached_property
    def _parameters(self) -> dict[str, Json]:
        return {**self.pin.parameters, **response_format(self.rubric, self.pin.format)}

    @property
    def judged_metrics(self) -> tuple[str, ...]:
        """The metrics that this format gives values for: the text format gives the overall alone."""
        return verdict_keys(self.rubric) if is_structured(self.pin.format) else (self.rubric.overall,)

    @property
    def scale(self) -> Scale:
        """Lowest and highest value of a score."""
        return (self.rubric.low, self.rubric.high)

    async def judge(
        self, exchange: Exchange, complete: Complete, scenario: Scenario | None = None
    ) -> Verdict | CallFailure:
        """Asks once per sample; an answer that cannot be read is a verdict with `parsed=False`, not a failure.

        A sample that gets no answer is a failure of the whole: when it is asked again, only it is paid for again.
        """
        shown = self.rubric.show(exchange, scenario)
        requests = [self._request(shown, exchange, sample) for sample in range(1, self.pin.samples + 1)]
        outcomes = await asyncio.gather(*map(complete, requests), return_exceptions=True)
        replies: list[Reply] = []
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
            if isinstance(outcome, CallFailure):
                return outcome
            replies.append(outcome)
        return self._read(replies, exchange, shown)

    def request(
        self, exchange: Exchange, scenario: Scenario | None = None, sample: int = 1, purpose: Purpose = "judge"
    ) -> Request:
        """The question, as it is sent and as it is known by in the journal."""
        return self._request(self.rubric.show(exchange, scenario), exchange, sample, purpose)

    def _request(self, shown: Material, exchange: Exchange, sample: int, purpose: Purpose = "judge") -> Request:
        cell = exchange.cell
        seed = call_seed(self.seed, cell.scenario_id, cell.repeat, exchange.turn, sample)
        return Request(
            purpose=purpose,
            model=self.pin.model,
            messages=self._prompt.messages(shown),
            parameters={"seed": seed, **self._parameters},
            cell=cell,
            turn=exchange.turn,
            sample=sample,
        )

    def read(self, replies: Sequence[Reply], exchange: Exchange) -> Verdict:
        """The verdict in the replies to one question; the exchange is what they judge."""
        return self._read(replies, exchange, self.rubric.show(exchange, None))

    def _read(self, replies: Sequence[Reply], exchange: Exchange, shown: Material) -> Verdict:
        judged = f"{judged_text(exchange)}\n{shown.foreign()}"
        reads = [
            read_verdict(reply.text, self.rubric, self.pin.format, judged, cut_off=reply.finish_reason == "length")
            for reply in replies
        ]
        suspected = any(map(signs_of_injection, shown.recent()))
        return merged(reads, replies, self.rubric, suspected=suspected)
