"""The model of embeddings, where one is set: asked once for the vector of a sentence."""

from contextlib import AsyncExitStack

from evaluation.errors import EvaluationError
from evaluation.records import CallFailure, Cell, Request, Turn, Usage
from evaluation.vectors import size_of
from scripts.checkup.check import Check, ok, unchecked, wrong
from scripts.checkup.endpoint import REMEDIES, Asked, open_once
from scripts.shell import note
from services.named_endpoints import endpoint_hint, split_judge
from services.rehearsal import EMBEDDING_MODEL
from services.rehearsal.process import rehearsal_endpoint

EMBEDDING = "embeddings"
SENTENCE = "Is anybody there?"
TOKENS = 5


async def check_embedding(asked: Asked) -> list[Check]:
    """Nothing where no model of embeddings is set."""
    named = asked.settings.embedding.model
    if named is None:
        return []
    if not asked.calls:
        return [unchecked(EMBEDDING, "--no-calls: nothing was asked")]
    model, name = split_judge(named, asked.settings.endpoints)
    async with AsyncExitStack() as stack:
        place = asked.settings.endpoints[name] if name else None
        base_url, key = (asked.choice.base_url, asked.choice.api_key) if place is None else (place.url, place.key)
        stands_in = place is None and asked.choice.rehearsal
        if stands_in:
            model, base_url, key = EMBEDDING_MODEL, stack.enter_context(rehearsal_endpoint()), "rehearsal"
        else:
            price = asked.prices.price_of(model, Usage(TOKENS, 0))
            cost = "a price that is not known here" if price is None else f"about {price:.6f} USD"
            note(f"asks {model} for the vector of one sentence: {cost}")
        endpoint = await stack.enter_async_context(open_once(base_url, key, asked))
        dimensions = None if stands_in else asked.settings.embedding.dimensions
        parameters = {} if dimensions is None else {"dimensions": dimensions}
        request = Request("embedding", model, (Turn("user", SENTENCE),), parameters, Cell("doctor", 1), 1)
        try:
            outcome = await endpoint.complete(request)
        except EvaluationError as error:
            return [wrong(EMBEDDING, str(error), endpoint_hint(named, asked.settings.endpoints))]
    if isinstance(outcome, CallFailure):
        return [wrong(EMBEDDING, f"{model} gave no vector ({outcome.message})", REMEDIES.get(outcome.kind, ""))]
    if stands_in:
        return [ok(EMBEDDING, f"{model} stands in: it compares words and no meaning")]
    size = size_of(outcome.text)
    if dimensions not in (None, size):
        remedy = "leave EVAL_EMBEDDING_DIMENSIONS out, or name a model that can be asked for fewer"
        return [wrong(EMBEDDING, f"{model} was asked for {dimensions} numbers a vector and gave {size}", remedy)]
    return [ok(EMBEDDING, f"{model} gives vectors of {size:,} numbers")]
