"""A loopback Langfuse for tests: faults on request, and questions about what was stored."""

import json
from collections.abc import Callable, Collection
from fnmatch import fnmatchcase

from tests.langfuse_double import bodies, score_writes, views
from tests.langfuse_double.faults import Bucket, Fault, Kind
from tests.langfuse_double.server import Server
from tests.langfuse_double.store import StoredScore, StoredSpan


class LangfuseDouble(Server):
    """`with LangfuseDouble() as double:` serves at `double.base_url` for the keys `double.public_key` and
    `double.secret_key`, and answers what a test wants to know of `double.store` and `double.log`."""

    def fail(
        self,
        path_pattern: str,
        kind: Kind,
        *,
        times: int | None = 1,
        after: int = 0,
        retry_after: str | float | None = None,
        names: Collection[str] = (),
        seconds: float = 0.0,
    ) -> Fault:
        """A fault for the next `times` requests that match (`*/scores`, `POST /api/public/scores`); see faults.Kind."""
        with self.store.lock:
            return self._faults.add(
                path_pattern, kind, times=times, after=after, retry_after=retry_after, names=names, seconds=seconds
            )

    def limit(self, *path_patterns: str, requests: int, clock: Callable[[], float], window_s: float = 60.0) -> Bucket:
        """A rate bucket that all matching requests share, in fixed windows of `clock`, which gives seconds."""
        bucket = Bucket(path_patterns, requests, clock, window_s)
        with self.store.lock:
            self._faults.limit(bucket)
        return bucket

    def heal(self) -> None:
        """Ends every fault; a request that hangs goes on hanging, and rate buckets stay."""
        with self.store.lock:
            self._faults.clear()

    def delay_reading(self, *, polls: int = 0, seconds: float = 0.0) -> None:
        """Rows stored from now on are readable only after `polls` readings in vain and `seconds` by the clock."""
        with self.store.lock:
            self.settings.polls, self.settings.seconds = polls, seconds

    def wait_until(self, condition: Callable[["LangfuseDouble"], bool], timeout: float = 10.0) -> None:
        """Returns once the condition holds; it is looked at after every request. TimeoutError when it never does."""
        with self._changed:
            if not self._changed.wait_for(lambda: condition(self), timeout):
                raise TimeoutError("the double never came into the awaited state")

    def count(self, pattern: str) -> int:
        """The number of requests that came, pattern as for `fail`."""
        with self.store.lock:
            return sum(
                fnmatchcase(f"{entry.method} {entry.path}" if " " in pattern else entry.path, pattern)
                for entry in self.log
            )

    def spans(self, trace_id: str | None = None) -> list[StoredSpan]:
        with self.store.lock:
            return list(self.store.spans) if trace_id is None else self.store.trace(trace_id)

    def generations(self) -> list[StoredSpan]:
        with self.store.lock:
            return views.generations(self.store)

    def scores(self, name: str | None = None) -> list[StoredScore]:
        with self.store.lock:
            return [score for score in self.store.scores() if name is None or score.name == name]

    def annotate(
        self, queue: str, kind: str, object_id: str, name: str, value: float, *, author: str, comment: str | None = None
    ) -> None:
        """A person scores an item of a queue in the user interface, under one of the queue's score configs."""
        with self.store.lock:
            row = next(row for row in self.store.queues.values() if row["name"] == queue)
            items = {(item["objectType"], item["objectId"]) for item in self.store.queue_items.values()}
            assert (kind, object_id) in items, "not in the queue"
            config = next(c for c in row["scoreConfigIds"] if self.store.configs[c]["name"] == name)
            subject = {"traceId": object_id}
            if kind == "OBSERVATION":
                trace = next(span.trace_id for span in self.store.spans if span.id == object_id)
                subject = {"traceId": trace, "observationId": object_id}
            body = {
                "name": name,
                "value": value,
                "comment": comment,
                "configId": config,
                "queueId": row["id"],
                **subject,
            }
            score_writes.by_a_person(self.store, {key: each for key, each in body.items() if each is not None}, author)

    def duplicates(self) -> views.Duplicates:
        with self.store.lock:
            return views.duplicates(self.store)

    def experiment_items(self, experiment_id: str) -> list[views.ItemRow]:
        with self.store.lock:
            return views.experiment_items(self.store, experiment_id)

    def prompt_metrics(self, name: str, version: int) -> dict[str, list[StoredScore]]:
        with self.store.lock:
            return views.prompt_metrics(self.store, name, version)

    def body_problems(self) -> list[str]:
        """The objections of the SDK's models to the bodies, and those of the OpenAPI file, where it is present."""
        with self.store.lock:
            found = list(self.store.problems)
            sent = [(entry.route, entry.body) for entry in self.log if entry.route in bodies.SCHEMAS]
        path = bodies.openapi_file()
        if path is not None:
            found.extend(bodies.openapi_problems(path, ((str(route), json.loads(body)) for route, body in sent)))
        return found
