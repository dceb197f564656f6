"""Calls that go in batches: gathered until none is left to ask, sent at half the price, answered when the batch ends.

Whoever asks waits as for a live call. When no call has come for a moment, all that wait become a wave: one batch for
each model, cut at the server's limits. A call's id follows from its run, place and body, so that a process which goes
on after a crash asks the same ids again and finds them in the batches that were made before. What is to become a batch
is written down (its intent) before anything is sent; a batch whose making was cut off is searched for by that intent.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from evaluation.errors import EndpointRefused, StopRequested
from evaluation.records import Json, Request
from services.model.batch_api import FINAL, BatchApi, BatchState
from services.model.batch_lines import read_line
from services.model.errors import CallRejected, ServerError, refuses_all
from services.model.known_batches import KnownBatches
from services.model.lost_batches import LostBatches
from services.model.waves import PREFIX, Call, Patience, Wave, calls_text, cut, fail, name_of
from services.model.wire import WireAnswer
from services.retrying import TryAgain
from services.stored_batch import BatchStore, StoredBatch

SPOKEN_EVERY_S = 60.0
MOST_TRIES = 3
"""Waves in which a call takes part whose line fails, or whose batch expires."""
ROOM_LONGEST_S, ROOM_TRIES = 900.0, 12
"""Waits for room where the server has too much queued for the account."""
SMALL_REST = 5
"""With `--batch auto`, fewer calls than this are asked live."""
_NO_ROOM = ("token_limit_exceeded", "rate_limit_exceeded", "enqueued")


class LeftToLive(Exception):
    """The call goes in no batch: it is to be asked at once, at the full price."""


class Batches:
    """The batches of one endpoint in one pass. Not thread-safe: one event loop."""

    def __init__(
        self,
        api: BatchApi,
        store: BatchStore,
        say: Callable[[str], None],
        patience: Patience,
        live_calls: Callable[[], int] = lambda: 0,
        *,
        first_live: bool = False,
    ) -> None:
        """`live_calls` counts the calls under way that go in no batch: what they bring may ask further ones.

        With `first_live` the first call to each model goes alone and live, since
        all others wait for what it costs; one that an earlier batch holds waits for that.
        """
        self._live_calls = live_calls
        self._first_live = first_live
        self._lost: LostBatches | None = LostBatches(api, store)
        self._searching = asyncio.Lock()
        self._models: set[str] = set()
        """Those that were asked."""
        self._api, self._say, self._patience = api, say, patience
        self._run, self._known = store.group_id, KnownBatches(store)
        self._waiting: dict[str, Call] = {}
        """Custom id -> the call that waits for that line."""
        self._asked = Counter[str]()
        """Name -> how often it was asked by this process."""
        self._gathered: list[Call] = []
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._ended: dict[str, StoredBatch] = {}
        self._reading: set[str] = set()
        """Intents of those whose answers are handed out."""
        self._made = 0
        self._began = 0.0
        """When the first call of the coming wave came, by the clock of the loop."""
        self._uploading = asyncio.Lock()
        """One input file at a time lies in memory."""
        self._shut = ""
        """Why no call goes in a new batch any more; empty while calls do."""

    async def send(self, request: Request, path: str, body: Json) -> WireAnswer:
        """The answer to a call, once its batch has ended.

        Raises what the live wire raises, and LeftToLive where the call is to be asked live.
        """
        await self._find_lost()
        name = name_of(request, path, body)
        if self._first_live and request.model not in self._models:
            self._models.add(request.model)
            if self._known.holding(f"{name}-{self._asked[name] + 1}") is None:
                raise LeftToLive
        call = Call(name, path, body, request.model, asyncio.get_running_loop().create_future())
        self._put(call)
        try:
            return await call.answer
        finally:
            self._waiting.pop(call.custom_id, None)
            if call in self._gathered:
                self._gathered.remove(call)

    async def _find_lost(self) -> None:
        """Before the first call: what the store lacks is searched for."""
        async with self._searching:
            if self._lost is None:
                return
            try:
                found = await self._lost.find(self._known.intents)
            except TryAgain as failure:
                raise self._unasked(failure) from None
            self._lost = None
            for batch in found:
                self._known.add(batch)
                self._say(
                    f"batch {batch.batch_id}, {calls_text(batch.ids)}: was not in the journal, found at the endpoint"
                )

    async def forget_ended(self) -> None:
        """Forgets the batches whose lines were all handed out: to be called when what they said is in the journal.

        What a later pass asks again, as it failed or could not be read, would get the same line once more.
        """
        for batch in self._ended.values():
            await self._known.drop(batch)

    def shut(self, reason: str) -> None:
        """Lets no new batch be made, and waits for none: calls raise StopRequested, whose answers are not here yet.

        A batch at work stays written down, for who goes on. One that has ended hands out what it answered.
        """
        self._shut = reason
        self._gathered = []
        fail((call for call in self._waiting.values() if not self._is_read(call)), StopRequested(reason))

    def _is_read(self, call: Call) -> bool:
        """True where the batch with its line is being read."""
        batch = self._known.holding(call.custom_id)
        return batch is not None and batch.intent in self._reading

    async def close(self) -> None:
        """Ends what is under way here; the batches go on at the server."""
        if self._timer is not None:
            self._timer.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _put(self, call: Call) -> None:
        """Has the call wait for its line in a batch that holds it, or for the next wave."""
        self._asked[call.name] += 1
        call.custom_id = f"{call.name}-{self._asked[call.name]}"
        call.tries += 1
        self._waiting[call.custom_id] = call
        batch = self._known.holding(call.custom_id)
        if batch is None:
            self._gather([call])
        elif batch.intent not in self._known.followed:
            self._known.followed.add(batch.intent)
            self._start(self._take_up(batch), partial(self._calls_of, batch.ids))

    def _gather(self, calls: Collection[Call]) -> None:
        """Has calls that are in no batch wait for the next wave."""
        if self._shut:
            fail(calls, StopRequested(self._shut))
        elif calls:
            if not self._gathered:
                self._began = asyncio.get_running_loop().time()
            self._gathered += calls
            self._wait_for_more()

    def _wait_for_more(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(self._patience.quiet_s, self._end_wave)

    def _end_wave(self) -> None:
        self._timer = None
        gathering_s = asyncio.get_running_loop().time() - self._began
        if self._live_calls() and gathering_s < self._patience.gathering_s:
            self._wait_for_more()
            return
        gathered, self._gathered = self._gathered, []
        try:
            waves = cut(gathered)
        except Exception as error:  # nobody else hears of it: this is called by the loop
            fail(gathered, error)
            return
        for wave in waves:
            if self._patience.live_after_s is not None and (len(wave.calls) < SMALL_REST or self._is_late()):
                fail(wave.calls, LeftToLive())
            else:
                self._start(self._make(wave), partial(tuple, wave.calls))

    def _is_late(self) -> bool:
        """Whether batches have had their time: all of them together, however many waves there are."""
        after_s, since = self._patience.live_after_s, self._known.since
        return after_s is not None and since is not None and self._patience.now() - since > after_s

    def _start(self, work: Coroutine[Any, Any, None], calls: Callable[[], Iterable[Call]]) -> None:
        """Runs `work`; what it raises, the calls raise that wait for it."""

        async def run() -> None:
            try:
                await work
            except TryAgain as failure:
                fail(calls(), self._unasked(failure))
            except Exception as error:
                fail(calls(), error)

        task = asyncio.ensure_future(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _unasked(self, failure: TryAgain) -> EndpointRefused:
        where = self._api.wire.identity
        return EndpointRefused(f"{where} cannot be asked about a batch ({failure.message}): go on later")

    async def _make(self, wave: Wave) -> None:
        async with self._uploading:
            if self._shut:
                raise StopRequested(self._shut)
            batch = await self._known.intend([call.custom_id for call in wave.calls], self._patience.now())
            file_id = await self._api.upload(f"{batch.intent[:16]}.jsonl", wave.lines())
        path = f"{PREFIX}{wave.path}"
        state = await self._api.create(file_id, path, batch.intent, batch.intended_at, self._run)
        await self._known.note(batch, state)
        self._made += 1
        self._say(f"batch {self._made}: {calls_text(batch.ids)} sent as {state.id}")
        await self._follow(batch, state.id)

    async def _take_up(self, batch: StoredBatch) -> None:
        """Goes on with a batch that was intended by an earlier process."""
        batch_id = batch.batch_id
        if not batch_id:
            found = await self._api.find(batch.intent, batch.intended_at)
            if found is None:
                await self._forget(batch)
                return
            batch_id = found.id
            await self._known.note(batch, found)
        self._made += 1
        self._say(f"batch {self._made}: {calls_text(batch.ids)}, taken up again as {batch_id}")
        await self._follow(batch, batch_id)

    async def _forget(self, batch: StoredBatch) -> None:
        """It was never made, or the server has no trace of it: its calls go into the next wave under the same ids."""
        await self._known.drop(batch)
        self._gather(self._calls_of(batch.ids))

    async def _follow(self, batch: StoredBatch, batch_id: str) -> None:
        pause, spoken, spoken_at, ending = self._patience.first_look_s, "", 0.0, False
        while True:
            state = await self._api.look(batch_id)
            if self._shut:
                return
            if state is None:
                self._say(f"batch {batch_id} is no longer there: its calls are sent again")
                await self._forget(batch)
                return
            late = self._is_late()
            if state.status in FINAL:
                break
            now = self._patience.now()
            if state.status != spoken or now - spoken_at >= SPOKEN_EVERY_S:
                spoken, spoken_at = state.status, now
                self._say(f"batch {batch_id}: {state.status}, {state.done + state.failed:,} of {len(batch.ids):,} done")
            if late and not ending:
                ending = True
                self._say(f"batches take too long: {batch_id} is ended, and what it has not answered is asked live")
                await self._api.cancel(batch_id)
            await self._patience.sleep(pause)
            pause = min(pause * 1.5, self._patience.longest_look_s)
        await self._end(batch, state, is_late=late)

    async def _end(self, batch: StoredBatch, state: BatchState, *, is_late: bool) -> None:
        """Hands out what the batch answered; what it did not answer goes as its status says."""
        was_seen = self._known.status_of(batch) == state.status
        self._reading.add(batch.intent)
        late = True
        while late:
            refused: list[tuple[Call, ServerError]] = []
            asked = {call.custom_id for call in self._calls_of(batch.ids)}
            for file_id in filter(None, (state.output_file, state.error_file)):
                async for line in self._api.lines(file_id):
                    if found := self._hand_out(line):
                        refused.append(found)
            await self._known.note(batch, state)
            # Once it is noted: who comes back when the account has credit has these calls asked again.
            self._refuse(refused, was_seen=was_seen)
            left = self._calls_of(batch.ids)
            # A call that came among the answers may have missed its own, and is no call without one.
            late = any(call.custom_id not in asked for call in left)
        # Who asks for a line from now on, as a call may that went alone before the others, has the batch read again.
        self._known.followed.discard(batch.intent)
        self._ended[batch.intent] = batch
        self._say(f"batch {state.id}: {state.status}" + (f", {calls_text(left)} without an answer" if left else ""))
        if not left:
            return
        if is_late:
            fail(left, LeftToLive())
        elif state.status == "failed":
            await self._after_failure(left, state, was_seen=was_seen)
        elif state.status == "cancelled" and not was_seen:
            raise EndpointRefused(f"batch {state.id} was cancelled at the server: go on to send its rest once more")
        else:
            self._again(left, f"batch {state.id}: {state.status} without an answer to this call")

    async def _after_failure(self, left: Sequence[Call], state: BatchState, *, was_seen: bool) -> None:
        """No line of a failed batch was asked. For want of room it is sent once more, after a wait."""
        said = f"{state.code}: {state.problem}" if state.code else state.problem
        no_room = any(word in said.lower() for word in _NO_ROOM)
        if not no_room and not was_seen:
            raise EndpointRefused(
                f"{self._api.wire.identity} refuses batch {state.id} ({said or 'it gives no reason'})"
            )
        refusals = 1 + max(call.refusals for call in left)
        if no_room and refusals > ROOM_TRIES:
            raise EndpointRefused(f"{self._api.wire.identity} has no room for the batch ({said}): go on later")
        if no_room:
            wait_s = min(ROOM_LONGEST_S, self._patience.room_s * 2 ** (refusals - 1))
            self._say(f"batch {state.id} found no room ({said}): sent again in {wait_s:g} s")
            await self._patience.sleep(wait_s)
        for call in left:
            if not call.answer.done():
                call.refusals, call.tries = refusals, call.tries - 1
                self._waiting.pop(call.custom_id, None)
                self._put(call)

    def _refuse(self, refused: Iterable[tuple[Call, ServerError]], *, was_seen: bool) -> None:
        """Ends calls whose lines say that every call is refused alike; what an earlier process heard is asked again."""
        for call, error in refused:
            if was_seen:
                self._again([call], error.text)
            elif not call.answer.done():
                call.answer.set_exception(error)

    def _hand_out(self, line: Mapping[str, Any]) -> tuple[Call, ServerError] | None:
        """Answers the call of a line. Returns the call whose line says that every call is refused alike."""
        call = self._waiting.get(str(line.get("custom_id")))
        if call is None or call.answer.done():
            return None
        said = read_line(line, self._api.wire.secrets)
        if isinstance(said, WireAnswer):
            call.answer.set_result(said)
        elif isinstance(said, str):
            self._again([call], said)
        elif refuses_all(said):
            return call, said
        else:
            call.answer.set_exception(said)
        return None

    def _again(self, calls: Iterable[Call], why: str) -> None:
        """Puts calls into the next wave, as often as is allowed."""
        for call in calls:
            if call.answer.done():
                continue
            self._waiting.pop(call.custom_id, None)
            if call.tries >= MOST_TRIES:
                kind = "timeout" if "expired" in why else "server_error"
                call.answer.set_exception(CallRejected(kind, f"{why} (in {call.tries} batches)", reason=""))
            else:
                self._put(call)

    def _calls_of(self, ids: Collection[str]) -> list[Call]:
        """Those that wait for a line of these."""
        return [call for custom_id in ids if (call := self._waiting.get(custom_id)) and not call.answer.done()]
