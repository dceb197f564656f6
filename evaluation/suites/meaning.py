"""A suite with the measures of meaning, for a run that asks a model of embeddings."""

from dataclasses import replace

from evaluation.metrics.meaning.measures import MEASURES, Scoring
from evaluation.runspec import EmbeddingPin
from evaluation.suites.suite import Suite


def with_meaning(suite: Suite, pin: EmbeddingPin | None) -> Suite:
    """The suite as it is without a model of embeddings; with one, with the measures that its rubric does not name."""
    if pin is None:
        return suite
    names = tuple(name for name in MEASURES if name not in suite.measures and name not in suite.metrics)
    return replace(suite, measures=(*suite.measures, *names), score=Scoring(suite.score, names))


def embedding_of(suite: Suite, pin: EmbeddingPin | None) -> EmbeddingPin | None:
    """The pin of a run of a suite, which says whether scores depend on it; None for a suite of checks."""
    if pin is None or suite.rules == "check":
        return None
    return replace(pin, weighed=bool(suite.by_vectors))
