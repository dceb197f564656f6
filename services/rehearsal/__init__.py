"""The rehearsal model: a scripted OpenAI-compatible server that stands in when there is no model.

It is a stand-in and no language model. Its answers follow from the messages, the seed, temperature and top_p alone.
It knows nothing of how answers are scored.
"""

VERSION = "11"
"""Part of every identity and cache key of the embedded endpoint: raise it when any answer may change."""

GENERATION_MODEL = "rehearsal"
JUDGE_MODEL = "rehearsal-judge"
MODERATION_MODEL = "rehearsal-moderation"
EMBEDDING_MODEL = "rehearsal-embedding"
