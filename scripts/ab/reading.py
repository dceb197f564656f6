"""One look at production: the scores of the measure, then every generation of the two versions, kept as sums alone."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from evaluation.ab.look import Look, Reading, read_tally
from evaluation.ab.plan import COST, LATENCY, Plan
from evaluation.ab.tally import BASE, CANDIDATE, Generation, Tally
from evaluation.ab.values import OF_OTHERS, ScoreValues, Value
from evaluation.moments import moment
from evaluation.production.observation import Observation, Repeats, read_observation, why_left_out
from evaluation.text.numbers import count
from services.langfuse.observations import WITH_COSTS, ObservationReader, Wanted

UNREADABLE = "without id, trace or time"
REPEATED = "sent twice"
OF_NOBODY: Mapping[str, str] = {"user": "without a user", "session": "without a session"}
OF_ANOTHER_VERSION = "of another version"
FAILED = "ERROR"


async def read_production(
    plan: Plan,
    until: str,
    before: Look | None,
    reader: ObservationReader,
    own_environment: str,
    progress: Callable[[str], None],
) -> Reading:
    """All that the test is about up to a moment; `before` is the last look that tested.

    Raises what `ObservationReader` raises.
    """
    reading = _Pass(plan, own_environment, Tally() if before is None else Tally(moment(before.until).timestamp()))
    if moment(until) > moment(plan.start):
        wanted = Wanted(plan.start, until, prompt_name=plan.prompt, environments=plan.environments)
        async for traces in reader.experiment_traces(wanted):
            reading.experiments.update(traces)
        if plan.measure not in (COST, LATENCY):
            async for page in reader.scores(plan.measure, plan.start):
                for row in page.rows:
                    reading.values.add(row)
                progress(f"{count(reading.values.taken)} scores read")
        async for page in reader.pages(wanted, fields=WITH_COSTS):
            for row in page.rows:
                if wanted.holds(row):
                    reading.take(row)
            progress(f"{count(reading.seen)} generations read")
    return read_tally(plan, reading.tally, until, reading.close(), before)


class _Pass:
    """What is known while the rows go by."""

    def __init__(self, plan: Plan, own_environment: str, tally: Tally) -> None:
        self._plan, self._own_environment = plan, own_environment
        self._arms = {plan.base.version: BASE, plan.candidate.version: CANDIDATE}
        self._repeats = Repeats()
        self._left_out = Counter[str]()
        self.experiments: set[str] = set()
        self.values = ScoreValues()
        self.tally = tally
        self.seen = 0

    def take(self, row: Mapping[str, Any]) -> None:
        """Counts one row, as a generation of the test or by the reason why it is none."""
        self.seen += 1
        try:
            observation = read_observation(row)
        except (ValueError, OverflowError):
            self._left_out[UNREADABLE] += 1
            return
        if reason := self._why_left_out(observation, row):
            self._left_out[reason] += 1
        else:
            self.tally.take(self._generation(observation, row))

    def close(self) -> Mapping[str, int]:
        """Reason -> generations and scores that are in no figure."""
        found = self._left_out + self.values.left_out
        if self.values.unused:
            found[OF_OTHERS] = self.values.unused
        return dict(found.most_common())

    def _why_left_out(self, observation: Observation, row: Mapping[str, Any]) -> str:
        if self._repeats.is_repeated(observation):
            return REPEATED
        # A failed one is left out of samples; here it is counted, unless it is an evaluation's.
        whole = replace(observation, level="") if observation.level == FAILED else observation
        if reason := why_left_out(whole, self._own_environment, self._plan.environments, self.experiments):
            return reason
        if observation.prompt_version not in self._arms:
            return OF_ANOTHER_VERSION
        return "" if row.get(f"{self._plan.unit}Id") else OF_NOBODY[self._plan.unit]

    def _generation(self, observation: Observation, row: Mapping[str, Any]) -> Generation:
        assert observation.prompt_version is not None
        failed = observation.level == FAILED
        value, counts = self._value(observation, row) if not failed else Value(None, True)
        by_user = self._plan.unit == "user"
        return Generation(
            unit=observation.cluster if by_user else observation.session_id,
            cluster=observation.cluster,
            arm=self._arms[observation.prompt_version],
            at=moment(observation.started_at).timestamp(),
            failed=failed,
            value=value,
            counts=counts,
            cost=_cost(row),
        )

    def _value(self, observation: Observation, row: Mapping[str, Any]) -> Value:
        if self._plan.measure == COST:
            return Value(_cost(row), True)
        if self._plan.measure == LATENCY:
            taken = moment(observation.ended_at) - moment(observation.started_at)
            return Value(taken.total_seconds(), True)
        return self.values.of(observation.trace_id, observation.id)


def _cost(row: Mapping[str, Any]) -> float | None:
    """In USD; None where Langfuse knows none."""
    found = row.get("totalCost")
    return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else None
