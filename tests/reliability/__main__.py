"""Plays every case, or those named, and writes what was seen into docs/reliability.md: `make faults`."""

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from tests.reliability.bench import Seen, undisturbed
from tests.reliability.case import Case
from tests.reliability.document import write
from tests.reliability.table import CASES, play

AT_ONCE = 4


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.reliability", description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="only these; nothing is written then")
    named = parser.parse_args().cases
    if unknown := sorted(set(named) - {case.name for case in CASES}):
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(case.name for case in CASES)}")
    chosen = [case for case in CASES if not named or case.name in named]
    undisturbed()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        seen = dict(zip([case.name for case in chosen], pool.map(_outcome, chosen), strict=True))
    failed = [name for name, found in seen.items() if found is None]
    if failed:
        print(f"{len(failed)} of {len(chosen)} failed: {', '.join(failed)}")
        return 1
    if not named:
        write({name: found for name, found in seen.items() if found is not None})
    print(f"{len(chosen)} faults: nothing lost, nothing doubled")
    return 0


def _outcome(case: Case) -> Seen | str | None:
    """Plays one case and says how it went; None where it failed."""
    began = time.monotonic()
    if reason := case.impossible():
        print(f"skipped  {case.name}: {reason}", flush=True)
        return reason
    try:
        found = play(case)
    except AssertionError as error:
        print(f"FAILED   {case.name}: {error}", flush=True)
        return None
    print(f"{time.monotonic() - began:6.1f} s {case.name}: {found.line}", flush=True)
    return found


if __name__ == "__main__":
    sys.exit(main())
