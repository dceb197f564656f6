"""The life of the rehearsal server's process: `python -m services.rehearsal --port 0`; options.py lists its options."""

import asyncio
import json
import os
import signal
import stat
import sys
from functools import partial

from services.rehearsal import VERSION
from services.rehearsal.options import RehearsalOptions, parse_options
from services.rehearsal.server import Rehearsal
from services.rehearsal.wire import HEAD_LIMIT, converse


async def serve(options: RehearsalOptions) -> None:
    """Serves on 127.0.0.1 until SIGTERM, SIGINT, or the end of the pipe on stdin. Prints one JSON line when ready."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)

    def read() -> None:
        if not os.read(0, 4096):
            ended.set()

    # Only a pipe or socket shows a parent: a terminal or /dev/null says nothing about who started the server.
    mode = os.fstat(0).st_mode
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        loop.add_reader(0, read)
    answer = partial(converse, Rehearsal(options).respond)
    server = await asyncio.start_server(answer, "127.0.0.1", options.port, limit=HEAD_LIMIT, backlog=1024)
    port = server.sockets[0].getsockname()[1]
    sys.stdout.write(json.dumps({"port": port, "pid": os.getpid(), "version": VERSION}) + "\n")
    sys.stdout.flush()
    await ended.wait()
    server.close()


if __name__ == "__main__":
    asyncio.run(serve(parse_options(sys.argv[1:])))
