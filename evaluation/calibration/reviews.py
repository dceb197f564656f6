"""Reviews of single people as rated responses: one line per review in, one rated response with all its raters out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation.eval_records.item import read_item
from evaluation.records import Json

PLACE = ("run_id", "scenario_id", "repeat", "turn")
"""Fields that name the response of a review without `id`."""
TEXTS = ("user_input", "response", "context")


def review_in(record: Mapping[str, Any], problem_of: Callable[[Json], str]) -> Mapping[str, Any] | None:
    """The review in a line, which names its reviewer and what that person gave; None for a line of another kind.

    `problem_of` says what keeps a line from being an evaluation record, the form in which make review stores reviews.
    Raises ValueError for one that does not fit, or is no person's.
    """
    if "reviewer" not in record or "scores" not in record:
        return None
    if "eval_id" not in record:
        return record
    if problem := problem_of(record):
        raise ValueError(problem)
    if record.get("source") != "human":
        raise ValueError(f"the scores are of source {record.get('source')!r}, and no person's")
    return rating_line(record)


def rating_line(record: Mapping[str, Any]) -> dict[str, Json]:
    """The review in one human record, without what only the record needs."""
    item = read_item(record)
    return {
        "id": item.id,
        "reviewer": record["reviewer"],
        "scores": dict(record["scores"]),
        "user_input": item.asked.content,
        "response": item.text,
        "context": [{"role": turn.role, "content": turn.content} for turn in item.context],
        "group": item.cluster,
    }


@dataclass(slots=True)
class Reviews:
    """Gathers reviews by response, in order of first appearance."""

    _records: dict[str, dict[str, Json]] = field(default_factory=dict)
    _scores: dict[str, dict[str, Mapping[str, Any]]] = field(default_factory=dict)

    def add(self, record: Mapping[str, Any]) -> None:
        """A reviewer's later review of a response replaces the earlier one. Raises ValueError naming the field."""
        reviewer, scores = record["reviewer"], record["scores"]
        if not isinstance(reviewer, str) or not reviewer.strip():
            raise ValueError('"reviewer" must be a name')
        if not isinstance(scores, dict) or not any(value is not None for value in scores.values()):
            raise ValueError('"scores" must hold at least one score: {"dimension": number}')
        for name, value in scores.items():
            if value is not None and (
                isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e9
            ):
                raise ValueError(f"score {name[:60]!r} must be a number, not {str(value)[:40]!r}")
        if not isinstance(record.get("response"), str):
            raise ValueError('"response" must be a string: a review carries the text that was reviewed')
        identity = _identity(record)
        texts = {name: record[name] for name in TEXTS if record.get(name) is not None}
        known = self._records.setdefault(
            identity, {"id": identity, "group": record.get("group", record.get("scenario_id")), **texts}
        )
        if any(known.get(name) != text for name, text in texts.items()):
            raise ValueError(f"{identity[:60]!r} was reviewed with another text before")
        self._scores.setdefault(identity, {})[reviewer] = scores

    def rated(self) -> Sequence[dict[str, Json]]:
        """A line of rated responses each: `raters` holds one place per reviewer of the file, the same everywhere."""
        reviewers = sorted({name for given in self._scores.values() for name in given})
        found = []
        for identity, record in self._records.items():
            given = self._scores[identity]
            dimensions = dict.fromkeys(name for scores in given.values() for name in scores)
            raters = {
                dimension: [given.get(reviewer, {}).get(dimension) for reviewer in reviewers]
                for dimension in dimensions
            }
            found.append({**record, "raters": raters})
        return found


def _identity(record: Mapping[str, Any]) -> str:
    if isinstance(record.get("id"), str | int):
        return str(record["id"])
    parts = [record.get(name) for name in PLACE]
    if not all(isinstance(part, str | int) and not isinstance(part, bool) for part in parts):
        raise ValueError(f"a review names its response by id, or by {', '.join(PLACE)}")
    return "/".join(map(str, parts))
