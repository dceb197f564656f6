"""A collection read from an object store, and written into it."""

import json
from typing import Any, ClassVar

import fsspec
import pytest
from fsspec.spec import AbstractBufferedFile, AbstractFileSystem

from scripts.score_responses import main

ROWS = [
    {"id": f"r{number}", "user_input": "I feel sad", "response": f"I understand. And {number}?"} for number in range(9)
]
SOURCE = "".join(f"{json.dumps(row)}\n" for row in ROWS).encode()


class StoredFile(AbstractBufferedFile):  # type: ignore[misc]  # without types
    """Read by ranges, as the files of real stores are."""

    def _fetch_range(self, start: int, end: int) -> bytes:
        content: bytes = self.fs.stored[self.path]
        return content[start:end]


class Store(AbstractFileSystem):  # type: ignore[misc]  # without types
    """Keeps objects by their whole names and knows no folder."""

    protocol = "kept"
    cachable = False
    stored: ClassVar[dict[str, bytes]] = {}
    refused: ClassVar[set[str]] = set()

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        beginning = f"{path.rstrip('/')}/"
        names = {
            beginning + name[len(beginning) :].partition("/")[0] for name in self.stored if name.startswith(beginning)
        }
        found = [self._entry(name) for name in sorted(names | ({path} & self.stored.keys()))]
        if not found:
            raise FileNotFoundError(path)
        return found if detail else [each["name"] for each in found]

    def _entry(self, name: str) -> dict[str, Any]:
        content = self.stored.get(name)
        return {"name": name, "type": "directory" if content is None else "file", "size": len(content or b"")}

    def _open(self, path: str, mode: str = "rb", **_: Any) -> StoredFile:
        if path not in self.stored:
            raise FileNotFoundError(path)
        return StoredFile(self, path, mode, size=len(self.stored[path]))

    def pipe_file(self, path: str, value: bytes, **_: Any) -> None:
        if path.rpartition("/")[2] in self.refused:
            raise PermissionError("Access Denied")
        self.stored[path] = value

    def rm_file(self, path: str) -> None:
        del self.stored[path]


@pytest.fixture(autouse=True)
def store() -> Any:
    fsspec.register_implementation("kept", Store, clobber=True)
    Store.stored, Store.refused = {"logs/in/a.jsonl": SOURCE}, set()
    yield Store
    Store.stored, Store.refused = {}, set()


def score(*flags: str, into: str = "kept://logs/out/") -> int:
    return main(["kept://logs/in/", "--output", into, "--jobs", "1", "--quiet", *flags])


def test_the_output_at_an_address_is_that_of_this_machine(tmp_path: Any) -> None:
    assert score() == 0
    local = tmp_path / "out"
    assert score(into=f"{local}/") == 0
    here = {str(path.relative_to(local)): path.read_bytes() for path in local.rglob("*") if path.is_file()}
    there = {
        name.removeprefix("logs/out/"): kept for name, kept in Store.stored.items() if name.startswith("logs/out/")
    }
    assert there.keys() == here.keys()
    assert there["part-00000.jsonl"] == here["part-00000.jsonl"]
    assert json.loads(there["summary.json"])["digest"] == json.loads(here["summary.json"])["digest"]


def test_what_is_done_there_is_not_done_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert score() == 0
    Store.stored["logs/out/part-00000.jsonl"] = b"left as it is"
    assert score() == 0
    assert "1 of 1 parts are done already" in capsys.readouterr().err
    assert Store.stored["logs/out/part-00000.jsonl"] == b"left as it is"
    Store.stored["logs/out/done/part-00000.json"] = b'{"key": "cut'
    assert score() == 0
    assert len(Store.stored["logs/out/part-00000.jsonl"].splitlines()) == len(ROWS)


def test_a_shorter_input_leaves_no_part_of_before() -> None:
    assert score() == 0
    Store.stored["logs/out/part-00001.jsonl"] = Store.stored["logs/out/done/part-00001.json"] = b"{}"
    assert score() == 0
    assert not [name for name in Store.stored if "00001" in name]


def test_what_cannot_be_done_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    Store.stored["logs/full/other.txt"] = b"of somebody else"
    assert score(into="kept://logs/full/") == 2
    assert "kept://logs/full: is not empty: choose another --output" in capsys.readouterr().err
    Store.refused = {"part-00000.jsonl"}
    assert score() == 3
    assert "kept://logs/out: part-00000.jsonl cannot be written: access is refused" in capsys.readouterr().err
    assert main(["kept://logs/none/", "--output", "kept://logs/x/"]) == 2
    assert "kept://logs/none/: there is no file of responses" in capsys.readouterr().err
    assert score("--suite", "text_quality") == 2
    assert "kept://logs/out: holds the output of other files, rules or forms" in capsys.readouterr().err
