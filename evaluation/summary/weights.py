"""What each scenario of a run stands for, where they do not count alike: a sample of production, or a mix of users."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.errors import JournalError
from evaluation.records import Json
from evaluation.statistics.clusters import effective_number
from evaluation.statistics.scenario_scores import SampleWeight

INPUT = "weights"
"""Name of the weights among the inputs of a run; a run without it counts its scenarios alike."""
OUTSIDE = SampleWeight(0.0)
"""Of a scenario that the weights do not name: it is outside of every mean."""


@dataclass(frozen=True, slots=True)
class ScenarioWeights:
    """The weights of a run's scenarios."""

    of: str
    """What the scenarios stand for: "production", or the name of a mix."""
    scenarios: Mapping[str, SampleWeight] = field(repr=False)
    """Scenario id -> its weight, at least 0, and the stratum it was drawn from."""

    def of_scenario(self, scenario_id: str) -> SampleWeight:
        """Weight 0 for a scenario that is not named."""
        return self.scenarios.get(scenario_id, OUTSIDE)

    def to_text(self) -> str:
        """The inverse of `weights_from_text`."""
        return json.dumps({"of": self.of, "scenarios": {name: each._asdict() for name, each in self.scenarios.items()}})

    def to_json(self) -> dict[str, Json]:
        """The entry `weights` of summary.json."""
        weights = [each.weight for each in self.scenarios.values()]
        return {
            "of": self.of,
            "scenarios": len(weights),
            "strata": len({each.stratum for each in self.scenarios.values()}),
            "stands_for": sum(weights),
            "largest": max(weights, default=0.0),
            "effective_n": effective_number(weights),
        }


def weights_of(inputs: Mapping[str, str], run_id: str) -> ScenarioWeights | None:
    """The weights among the inputs of a run; None where its scenarios count alike."""
    text = inputs.get(INPUT)
    return None if text is None else weights_from_text(text, f"weights of run {run_id}")


def weights_from_text(text: str, place: str) -> ScenarioWeights:
    """The weights as `to_text` wrote them. Raises JournalError, which names `place`, for anything else."""
    try:
        found = json.loads(text)
        scenarios = {
            str(name): SampleWeight(float(each["weight"]), str(each.get("stratum", "")))
            for name, each in found["scenarios"].items()
        }
        of = str(found["of"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise JournalError(f"{place}: are not readable ({type(error).__name__}): start the run again") from None
    for name, (weight, _) in scenarios.items():
        if not 0 <= weight < float("inf"):
            raise JournalError(f"{place}: scenario {name!r} weighs {weight}: a weight is a number from 0 on")
    return ScenarioWeights(of, scenarios)
