"""The stored evidence as a person sees it: the prompt's Metrics tab, the comparison, and what is there twice."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from tests.langfuse_double.experiments import item_roots, item_scores, members
from tests.langfuse_double.span_meaning import observation_type, prompt_link
from tests.langfuse_double.store import Store, StoredScore, StoredSpan


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One row of the comparison view."""

    item_id: str
    root: StoredSpan
    input: Any
    output: Any
    expected_output: Any
    root_scores: dict[str, list[StoredScore]]
    """By name: scores on the item's root observation."""
    trace_scores: dict[str, list[StoredScore]]
    """By name: scores of the trace as a whole, which have columns of their own."""


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Things that a person would find more than once; both are empty when all arrived exactly once."""

    spans: dict[tuple[str, str], int]
    """(trace id, span id) to how often it is stored."""
    scores: dict[str, int]
    """Score id to the number of identities under which it is stored."""

    def __bool__(self) -> bool:
        return bool(self.spans or self.scores)


def generations(store: Store) -> list[StoredSpan]:
    return [span for span in store.spans if observation_type(span) == "GENERATION"]


def duplicates(store: Store) -> Duplicates:
    spans = Counter((span.trace_id, span.id) for span in store.spans)
    scores = Counter(score.id for score in store.scores())
    return Duplicates(
        {key: count for key, count in spans.items() if count > 1},
        {key: count for key, count in scores.items() if count > 1},
    )


def experiment_items(store: Store, experiment_id: str) -> list[ItemRow]:
    """The rows that the comparison shows for one experiment, in the order in which their roots arrived."""
    roots = item_roots(member for member in members(store.spans) if member.part.id == experiment_id)
    return [
        ItemRow(
            item_id=member.part.item_id,
            root=member.span,
            input=member.span.attributes.get("langfuse.observation.input"),
            output=member.span.attributes.get("langfuse.observation.output"),
            expected_output=member.part.expected_output,
            root_scores=_by_name(score for score in item_scores(store, member.span) if score.observation_id),
            trace_scores=_by_name(score for score in item_scores(store, member.span) if not score.observation_id),
        )
        for member in roots
    ]


def prompt_metrics(store: Store, name: str, version: int) -> dict[str, list[StoredScore]]:
    """Scores by name as the prompt's Metrics tab counts them for one version.

    These are the scores on linked generations and the trace-level scores of traces with a linked generation.
    """
    linked = [span for span in generations(store) if prompt_link(store, span) == (name, version)]
    observations = {(span.trace_id, span.id) for span in linked}
    of_traces = store.scores_by("trace_id", dict.fromkeys(span.trace_id for span in linked))
    return _by_name(
        score
        for score in of_traces
        if score.observation_id is None or (score.trace_id, score.observation_id) in observations
    )


def _by_name(scores: Any) -> dict[str, list[StoredScore]]:
    found: dict[str, list[StoredScore]] = defaultdict(list)
    for score in scores:
        found[score.name].append(score)
    return dict(found)
