"""The rows of a damaged SQLite file, read page by page past whatever SQLite itself stumbles over.

SQLite gives up a file whose header is lost or whose end is missing, although nearly every page is as it was. Here the
trees of tables and indices are followed from their roots; a page that is gone or is none is noted and passed over.
Nothing is written. The names of bytes and formulas are those of https://www.sqlite.org/fileformat2.html.
"""

import os
import struct
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = tuple[Any, ...]
Cell: TypeAlias = tuple[int | None, Row | None]
"""Row number, None in an index; and the values, None where they cannot be read."""

MAGIC = b"SQLite format 3\0"
_HEADER = 100
_INTERIOR_INDEX, _INTERIOR_TABLE, _LEAF_INDEX, _LEAF_TABLE = 2, 5, 10, 13
_KINDS = (_INTERIOR_INDEX, _INTERIOR_TABLE, _LEAF_INDEX, _LEAF_TABLE)
_SIZES = tuple(512 << power for power in range(8))
_WAL_HEADER, _FRAME_HEADER = 32, 24
_WAL_MAGIC = {0x377F0682: "<", 0x377F0683: ">"}
"""Byte order of the checksums."""
_WIDTHS = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)
"""Bytes of the serial types 0 to 9."""
_UNREADABLE = (IndexError, ValueError, struct.error)


class DamagedFile:
    """A SQLite file and its write-ahead log, as far as they can be read.

    `size` is that of a page where neither of them says so. Raises OSError when the file cannot be read.
    """

    def __init__(self, path: Path, size: int) -> None:
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        head = os.pread(self._file, _HEADER, 0)
        log = path.with_name(f"{path.name}-wal")
        self._log = log.read_bytes() if log.exists() else b""
        self._head = head if _is_header(head) else b""
        self.size = _size(self._head, 16, ">H") or _size(self._log, 8, ">I") or size
        self._frames = dict(_committed(self._log, self.size))
        self.bad: set[int] = set()
        """Numbers of the pages that a tree led to and that are gone, or none."""
        self._seen: set[int] = set()

    def close(self) -> None:
        """Ends reading. Raises nothing."""
        os.close(self._file)

    def damaged(self) -> int:
        """How many pages are gone, or none: those that trees led to, and those behind the end of a file cut off."""
        head = self._frames.get(1, self._head)
        planned = int.from_bytes(head[28:32], "big") if head[24:28] == head[92:96] else 0
        behind = range(self._whole() + 1, planned + 1)
        return len(behind) + sum(number not in behind for number in self.bad)

    def roots(self) -> dict[str, int]:
        """Name of a table or index -> its first page, as far as the file's own schema can be read."""
        rows = (values for _, values in self.cells(1) if values is not None and len(values) == 5)
        return {name: root for _, name, _, root, _ in rows if isinstance(root, int) and root > 1}

    def cells(self, root: int) -> Iterator[Cell]:
        """All cells of the tree of a table or index, in its order."""
        waiting = [root]
        while waiting:
            number = waiting.pop()
            if number in self._seen:
                continue
            self._seen.add(number)
            start, page = _start(number), self._page(number)
            places = None if page is None else _places(page, start)
            if page is None or places is None:
                self.bad.add(number)
                continue
            if page[start] in (_INTERIOR_TABLE, _INTERIOR_INDEX):
                children = [int.from_bytes(page[place : place + 4], "big") for place in places]
                waiting += [int.from_bytes(page[start + 8 : start + 12], "big"), *reversed(children)]
                places = [place + 4 for place in places]
            if page[start] != _INTERIOR_TABLE:
                yield from self._records(number, page, places)

    def strays(self, columns: Collection[int]) -> Iterator[Cell]:
        """The cells of table leaves that no tree has led to and that hold rows of so many columns; no free pages."""
        apart = self._seen | self._free()
        for number in range(2, max(self._whole(), *self._frames, 0) + 1):
            page = None if number in apart else self._page(number)
            places = None if page is None or page[0] != _LEAF_TABLE else _places(page, 0)
            if page is not None and places is not None:
                found = list(self._records(number, page, places))
                if any(values is not None and len(values) in columns for _, values in found):
                    yield from found

    def _whole(self) -> int:
        """How many pages the file holds to their end."""
        return os.fstat(self._file).st_size // self.size

    def _page(self, number: int) -> bytes | None:
        """A page, the end of one that is cut off filled with zeros; None behind the end of the file."""
        if number in self._frames:
            return self._frames[number]
        page = b""
        with suppress(OSError):  # of a bad sector
            page = os.pread(self._file, self.size, (number - 1) * self.size) if number > 0 else b""
        return page.ljust(self.size, b"\0") if len(page) > _start(number) else None

    def _records(self, number: int, page: bytes, places: Sequence[int]) -> Iterator[Cell]:
        """The records that begin at these places of a page; the page is noted where one of them cannot be read."""
        table = page[_start(number)] == _LEAF_TABLE
        for place in places:
            row, values = None, None
            with suppress(*_UNREADABLE):
                length, at = _varint(page, place)
                if not length:
                    raise ValueError("zeros: this part of the page is gone")
                row, at = _varint(page, at) if table else (None, at)
                values = _values(self._payload(page, at, length, table=table))
            if values is None:
                self.bad.add(number)
            if values is not None or row is not None:
                yield row, values

    def _payload(self, page: bytes, at: int, length: int, *, table: bool) -> bytes:
        """The bytes of a record, those on further pages too. Raises ValueError where one of these is gone."""
        most = self.size - 35 if table else (self.size - 12) * 64 // 255 - 23
        if length <= most:
            return page[at : at + length]
        least = (self.size - 12) * 32 // 255 - 23
        here = least + (length - least) % (self.size - 4)
        here = here if here <= most else least
        parts, left = [page[at : at + here]], length - here
        following = int.from_bytes(page[at + here : at + here + 4], "big")
        while left > 0:
            more = self._page(following) if following else None
            if more is None:
                raise ValueError("a further page is gone")
            parts.append(more[4 : 4 + left])
            following, left = int.from_bytes(more[:4], "big"), left - (self.size - 4)
        return b"".join(parts)

    def _free(self) -> set[int]:
        """Pages that hold what was removed; none where the header that leads to them is gone."""
        head = self._frames.get(1, self._head)
        trunk, free = int.from_bytes(head[32:36], "big"), set[int]()
        while trunk and trunk not in free and (page := self._page(trunk)) is not None:
            count = min(int.from_bytes(page[4:8], "big"), self.size // 4 - 2)
            free |= {trunk, *struct.unpack_from(f">{count}I", page, 8)}
            trunk = int.from_bytes(page[:4], "big")
        return free


def _is_header(head: bytes) -> bool:
    return head.startswith(MAGIC) and len(head) >= _HEADER and _size(head, 16, ">H") > 0


def _size(content: bytes, at: int, form: str) -> int:
    """A page's size, as it stands there; 0 where none can."""
    try:
        (size,) = struct.unpack_from(form, content, at)
    except struct.error:
        return 0
    size = 65_536 if size == 1 else size
    return size if size in _SIZES else 0


def _start(number: int) -> int:
    """Where a page begins: the first one with the header of the file."""
    return _HEADER if number == 1 else 0


def _places(page: bytes, start: int) -> list[int] | None:
    """Where the cells of a page lie, in order; None for a page that is none of a tree."""
    kind, count, content = struct.unpack_from(">BxxHH", page, start)
    first = start + (12 if kind in (_INTERIOR_INDEX, _INTERIOR_TABLE) else 8)
    end = first + 2 * count
    if kind not in _KINDS or not end <= (content or 65_536) <= len(page):
        return None
    places = [place for place in struct.unpack_from(f">{count}H", page, first) if end <= place < len(page) - 4]
    return places if 2 * len(places) >= count else None  # of noise, few numbers point into the page


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for place in range(at, at + 8):
        value = value << 7 | content[place] & 0x7F
        if content[place] < 0x80:
            return value, place + 1
    value = value << 8 | content[at + 8]
    return value - (1 << 64 if value >= 1 << 63 else 0), at + 9


def _values(payload: bytes) -> Row:
    """The columns of a record. Raises ValueError or IndexError for one that is cut off, or none."""
    end, at = _varint(payload, 0)
    place, values = end, list[Any]()
    while at < end:
        kind, at = _varint(payload, at)
        width = (kind - 12) // 2 if kind >= 12 else _WIDTHS[kind]
        content = payload[place : place + width]
        if len(content) < width or at > end:
            raise ValueError("the record is cut off")
        place += width
        values.append(_value(kind, content))
    if place != len(payload):
        raise ValueError("the record is longer than its columns")
    return tuple(values)


def _value(kind: int, content: bytes) -> Any:
    if kind >= 12:
        return content.decode() if kind % 2 else content
    if kind == 7:
        return struct.unpack(">d", content)[0]
    return None if kind == 0 else kind - 8 if kind >= 8 else int.from_bytes(content, "big", signed=True)


def _committed(log: bytes, size: int) -> Iterator[tuple[int, bytes]]:
    """(number, page) of every frame of a write-ahead log up to the last commit, in order."""
    if len(log) < _WAL_HEADER or int.from_bytes(log[:4], "big") not in _WAL_MAGIC:
        return
    order, salt = _WAL_MAGIC[int.from_bytes(log[:4], "big")], log[16:24]
    sums, waiting = _checksum(log[:24], (0, 0), order), list[tuple[int, bytes]]()
    for at in range(_WAL_HEADER, len(log) - _FRAME_HEADER - size + 1, _FRAME_HEADER + size):
        number, commit = struct.unpack_from(">II", log, at)
        page = log[at + _FRAME_HEADER : at + _FRAME_HEADER + size]
        sums = _checksum(page, _checksum(log[at : at + 8], sums, order), order)
        if log[at + 8 : at + 16] != salt or struct.unpack_from(">II", log, at + 16) != sums:
            return
        waiting.append((number, page))
        if commit:
            yield from waiting
            waiting = []


def _checksum(content: bytes, sums: tuple[int, int], order: str) -> tuple[int, int]:
    one, two = sums
    for first, second in struct.iter_unpack(f"{order}II", content):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two
