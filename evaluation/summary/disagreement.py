"""Where rules and judge see one response differently: what a person should look at first."""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from evaluation.judging.scale import rescale
from evaluation.records import Json, Result
from evaluation.suites.suite import Suite

MOST_LISTED = 5
"""Disagreements that a report lists."""
WORTH_A_LOOK = 0.1
"""Smallest gap between rules and judge that is listed."""
MOST = 200
"""Disagreements that are kept of a run, the largest ones."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One exchange on whose overall the two sources differ."""

    result: Result
    heuristic: float
    judge: float
    """On the scale of the rules."""

    @property
    def gap(self) -> float:
        return round(abs(self.judge - self.heuristic), 10)

    def to_json(self) -> dict[str, Json]:
        """A line of disagreements.jsonl."""
        exchange, verdict = self.result.exchange, self.result.verdict
        return {
            "scenario_id": exchange.cell.scenario_id,
            "repeat": exchange.cell.repeat,
            "turn": exchange.turn,
            "gap": self.gap,
            "heuristic": self.heuristic,
            "judge": self.judge,
            "scores": {source: self.result.values(source) for source in ("heuristic", "judge")},
            "input": exchange.user_input,
            "response": exchange.response,
            "explanations": {
                score.metric: score.explanation for score in self.result.scores if score.source == "heuristic"
            },
            "reasoning": "" if verdict is None else verdict.reasoning,
            "injection_suspected": verdict is not None and verdict.injection_suspected,
            "review": [] if verdict is None else list(verdict.review),
        }


@dataclass(slots=True)
class Disagreements:
    """Collects the largest ones of a stream of results."""

    suite: Suite
    most: int = MOST
    _kept: list[tuple[float, int, Disagreement]] = field(default_factory=list)
    _seen: int = 0

    def watch(self, results: Iterable[Result]) -> Iterator[Result]:
        """The same results, each looked at on its way."""
        for result in results:
            self._add(result)
            yield result

    def largest(self) -> tuple[Disagreement, ...]:
        """Largest gap first; equal ones in the order in which they came."""
        return tuple(entry[2] for entry in sorted(self._kept, key=lambda entry: (-entry[0], -entry[1])))

    def _add(self, result: Result) -> None:
        found = disagreement(result, self.suite)
        if found is None:
            return
        self._seen += 1
        entry = (found.gap, -self._seen, found)
        if len(self._kept) < self.most:
            heapq.heappush(self._kept, entry)
        elif self._kept and entry[:2] > self._kept[0][:2]:
            heapq.heapreplace(self._kept, entry)


def worth_listing(found: Sequence[Disagreement]) -> tuple[Disagreement, ...]:
    """Of those found, largest gap first, what a report lists."""
    return tuple(each for each in found if each.gap >= WORTH_A_LOOK)[:MOST_LISTED]


def disagreement(result: Result, suite: Suite) -> Disagreement | None:
    """The two overalls of a result, where it has both."""
    rules, judged = result.values("heuristic").get(suite.overall), result.values("judge").get(suite.overall)
    if rules is None or judged is None or suite.judge is None:
        return None
    return Disagreement(result, rules, rescale(judged, (suite.judge.low, suite.judge.high), (suite.low, suite.high)))
