"""The rehearsal model behind an endpoint that fails as it is asked to, and that counts what it answered."""

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeAlias

from services.rehearsal import GENERATION_MODEL, JUDGE_MODEL
from services.rehearsal.options import RehearsalOptions
from services.rehearsal.server import Rehearsal
from services.rehearsal.wire import HttpRequest
from tests.services.scripted_endpoint import Answer, Call, scripted_endpoint

SHARES = 3
"""Of so many generations one is hit for good, and one at its first try alone."""

Fault: TypeAlias = Callable[[Answer], Answer]
"""The fate of a good answer."""


class Gateway:
    """Answers as the rehearsal model does, except where a fault is set. Outlives the socket that it listens on."""

    def __init__(self, latency_s: float = 0.0) -> None:
        self._rehearsal = Rehearsal(RehearsalOptions())
        self.latency_s = latency_s
        self._lock = threading.Lock()
        self._times: Counter[str] = Counter()
        self._answered: Counter[str] = Counter()
        self.fault: Fault | None = None
        """Hits some generations at every try, and some at their first."""
        self.instead: Callable[[int], Answer | None] = no_answer
        """Number of the call, from 1 -> what it is answered instead."""
        self.calls = 0
        self.port = 0
        self._open = ExitStack()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def settings(self) -> dict[str, str]:
        return {"OPENAI_BASE_URL": self.url, "EVAL_MODEL": GENERATION_MODEL, "EVAL_JUDGE_MODEL": JUDGE_MODEL}

    @property
    def repeated(self) -> int:
        """The number of good answers that went to a question that had been given one already."""
        return sum(times - 1 for times in self._answered.values())

    def heal(self) -> None:
        """From now on every call is answered."""
        self.fault, self.instead = None, no_answer

    def listen(self) -> None:
        """Serves from now on; a second time at the same port."""
        self.port = self._open.enter_context(scripted_endpoint(self.answer, self.port)).port

    def leave(self) -> None:
        """Closes all connections and refuses new ones."""
        self._open.close()

    @contextmanager
    def listening(self) -> Iterator["Gateway"]:
        """Serves while the block runs."""
        self.listen()
        try:
            yield self
        finally:
            self.leave()

    def answer(self, call: Call) -> Answer:
        """The script of the endpoint."""
        body = b"" if call.body is None else json.dumps(call.body).encode()
        found = self._rehearsal.respond(HttpRequest(call.method, call.path, call.headers, body))
        good = Answer(found.status, found.body, dict(found.headers), delay_s=self.latency_s)
        if call.method != "POST":
            return good
        key = hashlib.sha256(body).hexdigest()
        with self._lock:
            self.calls += 1
            self._times[key] += 1
            bad = self.instead(self.calls)
            if bad is None and self.fault is not None and self._is_hit(key, call):
                bad = self.fault(good)
            if bad is None:
                self._answered[key] += 1
        return good if bad is None else bad

    def _is_hit(self, key: str, call: Call) -> bool:
        if call.body["model"] != GENERATION_MODEL:
            return False
        share = int(key, 16) % SHARES
        return share == 0 or (share == 1 and self._times[key] == 1)


def no_answer(_number: int) -> Answer | None:
    """Nothing instead of the good answer."""
    return None
