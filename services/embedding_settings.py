"""The model of embeddings, as settings name it."""

from dataclasses import dataclass

from services import setting_values as read
from services.setting_values import setting


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """The settings of the measures of meaning (docs/meaning.md)."""

    model: str | None = setting(
        "EVAL_EMBEDDING_MODEL",
        read.line,
        None,
        "Model of embeddings, asked at the endpoint's /embeddings for the measures of meaning, e.g. "
        "text-embedding-3-small; model@name asks a further endpoint. Unset: meaning is not measured.",
        heading="The measures of meaning (docs/meaning.md)",
        key="embedding.model",
    )
    dimensions: int | None = setting(
        "EVAL_EMBEDDING_DIMENSIONS",
        read.whole(1, 20_000),
        None,
        "Numbers of a vector, for models that can be asked for fewer. Unset: as many as the model has.",
        key="embedding.dimensions",
    )
