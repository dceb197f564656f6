"""Vectors of texts that are in the journal before anybody sees them, each once: a text is never paid for twice.

The journal has a row for each text and not for each call, so that a text is found again wherever it stands: the message
of all repeats of a scenario, a reply in the turns after it. A call takes many texts; its tokens and its price stand in
the row of its first text, and the other rows have none, so that sums are right. A vector lies in the journal once,
however many runs took it over: 4/3 of two bytes for each number, 4.1 kB for one of 1,536.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from evaluation.errors import EndpointRefused
from evaluation.records import CallFailure, Cell, Json, Reply, Request, Turn, Usage
from evaluation.vectors import size_of
from services.journal import Journal, call_key
from services.kept_calls import Answering, KeptCalls

MOST_TEXTS = 32
"""In one call: the least that a usual server takes at most (Text Embeddings Inference; OpenAI takes 2,048)."""
NO_PLACE = Cell("", 1)
"""A text stands in no cell: it is the same in all of them."""


async def embed_texts(calls: KeptCalls, answering: Answering, request: Request) -> Reply | CallFailure:
    """The vectors of the messages of a request, one a line in their order; only what is unknown is asked for.

    A text that another exchange is asking for at the moment is waited for. Raises EndpointRefused where new vectors are
    of another size than those that are known: nothing could be compared any more.
    """
    parameters = answering.parameters_for(request)
    keys = {turn.content: _key(answering, request, turn.content, parameters) for turn in request.messages}
    found: dict[str, Reply] = {}
    while True:
        found |= await _known(calls, request, {text: key for text, key in keys.items() if text not in found})
        _check_sizes(found, answering, request)
        missing = [text for text in keys if text not in found]
        if not missing:
            return _joined([found[turn.content] for turn in request.messages], parameters)
        own = [text for text in missing if keys[text] not in calls.under_way][:MOST_TEXTS]
        if not own:
            await asyncio.wait([calls.under_way[keys[text]] for text in missing])
            continue
        asked = await _ask(calls, answering, request, {text: keys[text] for text in own}, found)
        if isinstance(asked, CallFailure):
            return asked
        found |= asked


def known_vectors(journal: Journal, run_id: str, request: Request) -> Reply | CallFailure:
    """The vectors of the messages of a request as a run got them; a rejection where the journal lacks one."""
    replies = []
    for turn in request.messages:
        asked = _for_text(request, turn.content)
        reply = journal.find_reply(run_id, call_key(request.endpoint, asked, request.parameters), asked)
        if reply is None:
            return CallFailure("rejected", "the journal no longer holds the vectors of the run", 0, 0.0, 0.0)
        replies.append(reply)
    return _joined(replies, request.parameters)


async def _known(calls: KeptCalls, request: Request, keys: Mapping[str, str]) -> dict[str, Reply]:
    """What the run's own journal has, and what may be taken over from other runs, which is noted as this run's too."""
    found: dict[str, Reply] = {}
    taken: list[tuple[str, Request, Reply]] = []
    for text, key in keys.items():
        asked = _for_text(request, text)
        known = calls.journal.find_reply(calls.run_id, key, asked)
        if known is None and request.purpose in calls.reuse:
            elsewhere = calls.journal.find_reply_elsewhere(key, calls.run_id)
            if elsewhere is not None:
                known = replace(elsewhere, cost_usd=0.0)
                if key not in calls.taken_over:  # another exchange may be noting it at the moment
                    calls.taken_over.add(key)
                    taken.append((key, asked, known))
        if known is not None:
            found[text] = known
    if taken:
        await calls.keep(taken)
    return found


async def _ask(
    calls: KeptCalls,
    answering: Answering,
    request: Request,
    keys: Mapping[str, str],
    known: Mapping[str, Reply],
) -> dict[str, Reply] | CallFailure:
    """The vectors of some texts by one call, kept. Others who need one of these wait until it has ended."""
    ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    calls.under_way.update(dict.fromkeys(keys.values(), ended))
    try:
        await calls.before_call(request)
        paid: Reply | None = None
        try:
            part = replace(request, messages=tuple(Turn("user", text) for text in keys), run_id=calls.run_id)
            outcome = await answering.complete(part)
            if isinstance(outcome, CallFailure):
                return outcome
            paid = calls.without_secrets(outcome)
            replies = dict(zip(keys, _by_text(paid), strict=True))
            _check_sizes({**known, **replies}, answering, request)
            await calls.keep([(keys[text], _for_text(request, text), reply) for text, reply in replies.items()])
            return replies
        finally:
            calls.after_call(request, paid)
    finally:
        for key in keys.values():
            calls.under_way.pop(key, None)
        ended.set_result(None)


def _by_text(reply: Reply) -> list[Reply]:
    """The reply to each text of a call: what the call took stands with the first."""
    first, *rest = reply.text.split("\n")
    nothing = replace(reply, usage=Usage(0, 0), cost_usd=0.0, saved_usd=0.0)
    return [replace(reply, text=first), *(replace(nothing, text=line) for line in rest)]


def _joined(replies: Sequence[Reply], parameters: Mapping[str, Json]) -> Reply:
    """The vectors of all texts as one reply."""
    return Reply(
        text="\n".join(reply.text for reply in replies),
        finish_reason="stop",
        model=replies[0].model,
        parameters=parameters,
        usage=Usage(),
        started_at=min(reply.started_at for reply in replies),
        ended_at=max(reply.ended_at for reply in replies),
        cached=all(reply.cached for reply in replies),
    )


def _for_text(request: Request, text: str) -> Request:
    return replace(request, messages=(Turn("user", text),), cell=NO_PLACE, turn=0)


def _key(answering: Answering, request: Request, text: str, parameters: Mapping[str, Json]) -> str:
    return call_key(answering.identity, _for_text(request, text), parameters)


def _check_sizes(found: Mapping[str, Reply], answering: Answering, request: Request) -> None:
    """Raises EndpointRefused for vectors of two sizes, and of another size than was asked for."""
    sizes, wanted = {size_of(reply.text) for reply in found.values()}, request.parameters.get("dimensions")
    who = f"{answering.identity} answers for model {request.model!r} with vectors of"
    if len(sizes) > 1:
        raise EndpointRefused(
            f"{who} {min(sizes)} and of {max(sizes)} numbers, which cannot be compared: it is another model now; start "
            "a new run with --cache none",
            model=request.model,
        )
    if wanted is not None and sizes - {wanted}:
        raise EndpointRefused(
            f"{who} {min(sizes)} numbers and was asked for {wanted}: start a run without EVAL_EMBEDDING_DIMENSIONS",
            model=request.model,
        )
