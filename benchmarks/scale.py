"""Collections of 1,000 to a million responses, scored by one process, by two, and by a Dask cluster of two workers.

One worker of the cluster is killed in the middle of a million. Each way must give the digest of one process. CPU is
that of all processes of the command, `parent` the share of it that the process has which hands out the parts.

python -m benchmarks.scale [--most 1000000]
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

SIZES = (1_000, 10_000, 100_000, 1_000_000)
WAYS = {
    "one process": ["--jobs", "1"],
    "two processes": ["--jobs", "2"],
    "dask, two workers": ["--jobs", "2", "--engine", "dask"],
}
TEXT = (
    "I feel sad about my work and the weather is good today but nobody understands what happened yesterday at home "
    "with my friend so tell me something interesting please"
)
WORDS = TEXT.split()
MEASURED = """
import resource, sys, time
from scripts.score_responses import main
began = time.perf_counter()
code = main(sys.argv[1:])
own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
print(code, time.perf_counter() - began, own.ru_utime + own.ru_stime, children.ru_utime + children.ru_stime,
      max(own.ru_maxrss, children.ru_maxrss) / 1024, file=sys.stderr)
"""


def write_rows(path: Path, count: int) -> None:
    """Parquet with replies of 5 to 40 words, of 50,000 users in two weeks; one in 100,000 has no response."""
    import pyarrow
    import pyarrow.parquet as parquet

    chance = random.Random(2)
    columns = ("id", "user_input", "response", "user", "model", "at")
    schema = pyarrow.schema([(name, pyarrow.string()) for name in columns])
    with parquet.ParquetWriter(path, schema) as writer:
        for first in range(0, count, 20_000):
            rows = [_row(number, chance) for number in range(first, min(count, first + 20_000))]
            writer.write_table(pyarrow.Table.from_pylist(rows, schema))


def _row(number: int, chance: random.Random) -> dict[str, str | None]:
    said = " ".join(chance.choices(WORDS, k=chance.randint(5, 40))) + chance.choice((". What happened?", ".", "!"))
    return {
        "id": f"r{number}",
        "user_input": " ".join(chance.choices(WORDS, k=12)),
        "response": None if number % 100_003 == 7 else said,
        "user": f"u{chance.randrange(50_000)}",
        "model": chance.choice("ab"),
        "at": f"2026-11-{1 + number % 14:02d}T08:00:00Z",
    }


def measure(source: Path, folder: Path, flags: list[str], *, kill: bool) -> dict[str, Any]:
    """One command; of a cluster one worker may be killed once some parts are done."""
    words = [str(source), "--output", f"{folder}/", "--json", "--quiet", "--by", "model", "--time", "at"]
    process = subprocess.Popen(
        [sys.executable, "-c", MEASURED, *words, "--cluster", "user", *flags],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    if kill:
        threading.Thread(target=_kill_a_worker, args=(process, folder / "done"), daemon=True).start()
    out, err = process.communicate()
    code, wall_s, own_s, children_s, peak_mb = map(float, err.split()[-5:])
    return {"code": code, "wall": wall_s, "cpu": own_s + children_s, "own": own_s, "mb": peak_mb, **json.loads(out)}


def _kill_a_worker(process: "subprocess.Popen[str]", done: Path) -> None:
    while process.poll() is None:
        if done.exists() and len(list(done.iterdir())) >= 10:
            listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
            workers = [
                line.split()[0] for line in listed.splitlines() if "multiprocessing" in line and "spawn_main" in line
            ]
            if workers:
                os.kill(int(workers[0]), signal.SIGKILL)
                return
        time.sleep(0.5)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=100_000, help="the largest collection")
    most = parser.parse_args().most
    print("responses  by                             wall      CPU    ratio  parent   peak  same output")
    with tempfile.TemporaryDirectory() as place:
        for count in (size for size in SIZES if size <= most):
            source = Path(place) / f"rows-{count}.parquet"
            write_rows(source, count)
            first: dict[str, Any] = {}
            for name, flags in WAYS.items():
                kill = count == most and count >= 1_000_000 and "dask" in flags
                found = measure(source, Path(place) / f"{count} {name}".replace(" ", "-"), flags, kill=kill)
                first = first or found
                same = "yes" if found["digest"] == first["digest"] else "NO"
                print(
                    f"{count:9,}  {name + (', one killed' if kill else ''):31}"
                    f"{found['wall']:6.1f} s {found['cpu']:7.1f} s {found['cpu'] / first['cpu']:7.2f} "
                    f"{found['own'] / found['cpu']:7.0%} {found['mb']:4.0f} MB  {same}",
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
