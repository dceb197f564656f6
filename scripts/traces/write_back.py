"""Scores onto production's observations: sent in parts, each part noted once the server took it, and read back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evaluation.errors import UsageError
from evaluation.moments import moment
from evaluation.production.judged import SOURCES, JudgedTurn
from evaluation.production.sampling import SampledTurn
from evaluation.records import Json, Source
from evaluation.suites.loaded import LoadedSuite
from evaluation.suites.suite import Suite
from evaluation.text.numbers import count
from scripts.traces.judging import Judged
from scripts.traces.steps import Done, Steps
from services.langfuse.human_scores import unconfirmed_scores
from services.langfuse.masking import Outgoing
from services.langfuse.preflight import preflight
from services.langfuse.production_scores import (
    ObservedScore,
    ScoredObservation,
    production_scores,
    send_production_scores,
    source_kinds,
)
from services.langfuse.rest import LangfuseRest, Rejected

PART = 100
"""Observations whose scores go in one part."""


@dataclass(frozen=True, slots=True)
class WrittenBack:
    """What there is to say about scores that were sent, a line each."""

    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    """What was refused, or cannot be read back."""

    def beside(self, other: "WrittenBack") -> "WrittenBack":
        """Both; what was said once is not said again."""
        return WrittenBack(tuple(dict.fromkeys((*self.notes, *other.notes))), (*self.problems, *other.problems))


async def write_back(
    sample: Sequence[SampledTurn],
    loaded: LoadedSuite,
    judged: Judged | None,
    rest: LangfuseRest,
    fit: Outgoing,
    done: Done,
    steps: Steps,
    progress: Callable[[str], None],
) -> WrittenBack:
    """Sends the scores of what was not sent yet, and reads them back; a judge's too, where one may be believed.

    Raises TryAgain when patience ends, UsageError where the server takes no scores.
    """
    rubric: dict[str, Json] = {"rubric": loaded.rubric.name, "rubric_version": loaded.rubric.edition}
    send = _Sending(loaded.suite, rest, fit, done, steps, progress)
    waiting = [
        _by_rules(each, done)
        for each in sample
        if each.observation.key not in done.sent and not done.turns[each.observation.key]["reason"]
    ]
    found = await send.all(waiting, ("heuristic",), rubric)
    if judged is None:
        return found
    if why := "is the stand-in" if judged.is_stand_in else "is not to be believed" if judged.is_unfit else "":
        return found.beside(WrittenBack((f"the judge {why}: its scores are not written back",)))
    by_judge = [
        _by_judge(each, judged.sample.judged[each.observation.key])
        for each in sample
        if each.observation.key not in done.judged_sent
        and each.observation.key in judged.sample.judged
        and judged.sample.judged[each.observation.key].is_scored
    ]
    judge = judged.run.spec.judge
    named: dict[str, Json] = {**rubric, "judge": "" if judge is None else judge.model, "run": judged.run.run_id}
    return found.beside(await send.all(by_judge, SOURCES, named))


@dataclass(frozen=True, slots=True)
class _Sending:
    suite: Suite
    rest: LangfuseRest
    fit: Outgoing
    done: Done
    steps: Steps
    progress: Callable[[str], None]

    async def all(self, waiting: Sequence[ScoredObservation], sources: Sequence[Source], metadata: Json) -> WrittenBack:
        """Sends part by part; what the server took and shows is noted at once."""
        if not waiting:
            return WrittenBack()
        kinds = [kind for source in sources for kind in source_kinds(self.suite, source)]
        ready = await preflight(self.rest, kinds)
        notes, problems, there = list(ready.notes), list[str](), 0
        is_judged = "heuristic" not in sources
        known = self.done.judged_sent if is_judged else self.done.sent
        for part in (waiting[start : start + PART] for start in range(0, len(waiting), PART)):
            bodies = list(production_scores(part, self.suite.name, metadata, self.fit, ready.configs))
            try:
                sent = await send_production_scores(self.rest, ready, bodies, {kind.name: kind for kind in kinds})
            except Rejected as rejected:
                raise UsageError(f"{self.rest.where} takes no scores ({rejected}): check LANGFUSE_BASE_URL") from None
            problems += [f"score {identity}: {why}" for identity, why in sent.refused.items()]
            there += sent.there
            if left := await unconfirmed_scores(self.rest, sent.ids):
                problems.append(f"{count(len(left))} scores were sent and cannot be read yet")
            elif not sent.refused:
                keys = [f"{each.trace_id}|{each.observation_id}" for each in part]
                self.steps.sent(keys, judged=is_judged)
                known.update(keys)
                by = "the judge's scores" if is_judged else "scores"
                self.progress(f"{by} of {count(len(known))} responses confirmed in Langfuse")
        if there:
            notes.append(f"{count(there)} scores were there before and cannot be replaced on this server: they stay")
        return WrittenBack(tuple(notes), tuple(problems))


def _by_rules(drawn: SampledTurn, done: Done) -> ScoredObservation:
    record = done.turns[drawn.observation.key]
    comments = record["explanations"]
    return _observation(
        drawn,
        [
            ObservedScore("heuristic", metric, value, comments.get(metric, ""))
            for metric, value in record["scores"].items()
            if value is not None
        ],
    )


def _by_judge(drawn: SampledTurn, judged: JudgedTurn) -> ScoredObservation:
    return _observation(
        drawn,
        [
            ObservedScore(source, metric, value, judged.words if source == "judge" else "")
            for source, values in judged.scores.items()
            for metric, value in values.items()
        ],
    )


def _observation(drawn: SampledTurn, scores: Sequence[ObservedScore]) -> ScoredObservation:
    found = drawn.observation
    return ScoredObservation(
        found.trace_id, found.id, found.environment, moment(found.ended_at).timestamp(), tuple(scores)
    )
