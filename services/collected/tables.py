"""Where a CSV file may be cut: behind line feeds that stand outside of quotes, found in one pass over its bytes."""

import re
from collections.abc import Iterator
from typing import IO

BLOCK = 1_000_000
"""Bytes that lie in memory at a time."""
_BOM = b"\xef\xbb\xbf"
_IN_FIELD = re.compile(rb'(?<=[^,\r\n"])"(?=[^,\r\n"])')
"""A quote in the middle of a field that is in no quotes: from there on the number of quotes says nothing."""


def cuts_of(file: IO[bytes], part_bytes: int) -> list[int] | None:
    """Bytes at which parts behind the first begin, each at least `part_bytes` behind the one before.

    A line feed is outside of quotes where the number of quotes before it is even. Returns None for a file in which that
    is not so: a quote is never closed, or stands in a field without quotes.
    """
    cuts, found, quotes, block_at, before = list[int](), 0, 0, 0, b""
    for block in _blocks(file):
        seen = before + (block.removeprefix(_BOM) if not block_at else block)
        if _IN_FIELD.search(seen):
            return None
        before = seen[-2:]
        counted = 0
        while (target := found + part_bytes) <= block_at + len(block):
            place = block.find(b"\n", max(counted, target - 1 - block_at))
            if place < 0:
                break
            quotes += block.count(b'"', counted, place)
            counted = place + 1
            if quotes % 2 == 0:
                found = block_at + counted
                cuts.append(found)
        quotes += block.count(b'"', counted)
        block_at += len(block)
    if quotes % 2:
        return None
    return [cut for cut in cuts if cut < block_at]


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    while block := file.read(BLOCK):
        yield block
