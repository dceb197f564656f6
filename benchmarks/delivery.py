"""The cost of delivering scores from the journal: throughput, CPU per score and memory, at growing sizes.

python -m benchmarks.delivery [--scores 100000]

The receiving server is a bare one on loopback in a process of its own, which reads each request and accepts it. It
cannot show anything, so the figures are those of sending; reading back asks for 100 scores per request.
The last figure is that of a server before 4.59, which takes one score per request and 50 ms for each: how many times as
fast they go out as one after another.
"""

import argparse
import asyncio
import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unittest.mock import patch

from evaluation.run import Run
from services.journal import Journal
from services.langfuse.masking import outgoing
from services.langfuse.outbox import OpenCells, Projection
from services.langfuse.rest import LangfuseRest
from services.langfuse.scores import AT_ONCE, ScoreMode
from services.langfuse.sender import Sender
from services.langfuse_access import LangfuseAccess
from services.settings import Settings
from tests.services.langfuse.stories import SCORES_OF_SINGLE, SINGLE, SPEC, evaluated_run, results_of

LATENCY_S = 0.05
SINGLE_SCORES = 1000


class Accepting(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet: apart, the second waits 40 ms for the first to be acknowledged

    latency_s = 0.0

    def do_POST(self) -> None:  # the name that http.server asks for
        self.rfile.read(int(self.headers["content-length"]))
        if not self.path.endswith("/traces"):
            time.sleep(self.latency_s)
        body = json.dumps({}).encode()
        self.send_response(200 if "otel" in self.path else 202)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        return


def serve(ports: Any, latency_s: float) -> None:
    Accepting.latency_s = latency_s
    server = ThreadingHTTPServer(("127.0.0.1", 0), Accepting)
    ports.put(server.server_port)
    server.serve_forever()


@contextmanager
def accepting_server(latency_s: float = 0.0) -> Iterator[str]:
    """Its address; each request with scores takes the latency."""
    context = multiprocessing.get_context("spawn")
    ports = context.Queue()
    process = context.Process(target=serve, args=(ports, latency_s), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ports.get(timeout=30)}"
    finally:
        process.terminate()
        process.join()


def fill(journal: Journal, run: Run) -> None:
    """Results and deliveries as an evaluation commits them."""
    journal.create_run(run)
    cells = OpenCells(run, journal)

    async def commit() -> None:
        waiting = []
        for result in results_of(run):
            waiting.append(journal.record_result(run.run_id, result, cells.deliveries_for(result)))
            if len(waiting) == 200:
                await asyncio.gather(*waiting)
                waiting.clear()
        await asyncio.gather(*waiting)

    asyncio.run(commit())


def send(journal: Journal, run: Run, url: str, mode: ScoreMode = "list") -> tuple[float, float]:
    """Wall and CPU seconds of sending everything."""
    settings = Settings(langfuse=LangfuseAccess(url, "pk", "sk"))
    assert settings.langfuse is not None
    access = settings.langfuse
    going = Projection(run, journal, "evaluation", outgoing(settings), {}, "dataset")

    async def deliver() -> None:
        async with LangfuseRest(access) as rest:
            await Sender(rest, going, mode, 0.0).send()

    wall, cpu = time.perf_counter(), time.process_time()
    asyncio.run(deliver())
    return time.perf_counter() - wall, time.process_time() - cpu


def run_of(scores: int) -> Run:
    """Of single turns, with about so many scores."""
    scenarios = [replace(SINGLE, id=f"scenario-{number}") for number in range(scores // SCORES_OF_SINGLE)]
    return evaluated_run(spec=replace(SPEC, repeats=1), scenarios=scenarios)


def measure(scores: int) -> None:
    """One size, in a process of its own so that peaks of memory do not mix."""
    run = run_of(scores)
    with (
        tempfile.TemporaryDirectory() as folder,
        accepting_server() as url,
        Journal.open(Path(folder) / "evals.db") as journal,
    ):
        fill(journal, run)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        wall, cpu = send(journal, run, url)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    cells = len(run.scenarios)
    count = cells * SCORES_OF_SINGLE
    print(
        f"{count:>7,} scores with {2 * cells:,} spans: {count / wall:,.0f} scores/s, "
        f"{cpu / count * 1e6:.0f} us CPU per score (its share of spans included), "
        f"{peak - before:+.0f} MB while sending, {peak:.0f} MB peak",
        flush=True,
    )


def measure_single(scores: int) -> None:
    """One score per request: one after another, and as many at a time as the tool sends."""
    seconds, run = [], run_of(scores)
    at_once = AT_ONCE["single"]
    for most in (1, at_once):
        with (
            patch.dict(AT_ONCE, single=most),
            tempfile.TemporaryDirectory() as folder,
            accepting_server(LATENCY_S) as url,
            Journal.open(Path(folder) / "evals.db") as journal,
        ):
            fill(journal, run)
            seconds.append(send(journal, run, url, "single")[0])
    count = len(run.scenarios) * SCORES_OF_SINGLE
    print(
        f"{count:>7,} scores one per request, {LATENCY_S * 1000:.0f} ms each: {seconds[0]:.1f} s one after another, "
        f"{seconds[1]:.1f} s {at_once} at a time, {seconds[0] / seconds[1]:.1f} times as fast",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures delivery to Langfuse.")
    parser.add_argument("--scores", type=int, default=100_000)
    largest = parser.parse_args().scores
    context = multiprocessing.get_context("spawn")
    for scores in (largest // 10, largest):
        process = context.Process(target=measure, args=(scores,))
        process.start()
        process.join()
        if process.exitcode:
            sys.exit(process.exitcode)
    measure_single(min(largest, SINGLE_SCORES))


if __name__ == "__main__":
    main()
