"""The folder that a collection's output goes to, on this machine or at an address that fsspec reaches."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.errors import UsageError
from services.collected.addresses import is_remote
from services.collected.reaching import reached, system_of
from services.run_folder import write_bytes


@dataclass(frozen=True, slots=True)
class OutputFolder:
    """Files by their names within the folder, such as "done/part-00000.json".

    A file of this machine is whole or not there, and so it is in an object store. Where a server does not keep this, a
    file may be cut: a part counts as done only when its record, which is written last, can be read.
    """

    address: str = field(repr=False)
    """A whole path, or an address."""

    def write(self, name: str, content: bytes) -> None:
        """Raises UsageError where the address cannot be written."""
        if not is_remote(self.address):
            write_bytes(Path(self.address, name), content)
            return
        system, path = self._at(name)
        with reached(self.address, f"{name} cannot be written"):
            system.makedirs(path.rpartition("/")[0], exist_ok=True)
            system.pipe_file(path, content)

    def read(self, name: str) -> bytes | None:
        """None where there is no such file. Raises UsageError where it cannot be read."""
        if not is_remote(self.address):
            return _read(Path(self.address, name))
        system, path = self._at(name)
        with reached(self.address, f"{name} cannot be read"):
            try:
                content: bytes = system.cat_file(path)
            except FileNotFoundError:
                return None
        return content

    def names(self) -> frozenset[str]:
        """Every file of the folder; empty where there is no folder. Raises UsageError where it cannot be listed."""
        if not is_remote(self.address):
            return frozenset(_names_below(Path(self.address)))
        system, path = self._at("")
        with reached(self.address, "cannot be listed"):
            try:
                # Others wrote since the folder was listed last.
                system.invalidate_cache()
                found = system.find(path)
            except FileNotFoundError:
                return frozenset()
        return frozenset(each.removeprefix(path).lstrip("/") for each in found)

    def remove(self, name: str) -> None:
        """Takes a file away, if it is there."""
        if not is_remote(self.address):
            Path(self.address, name).unlink(missing_ok=True)
            return
        system, path = self._at(name)
        with reached(self.address, f"{name} cannot be removed"), suppress(FileNotFoundError):
            system.rm_file(path)

    def _at(self, name: str) -> tuple[Any, str]:
        system, path = system_of(self.address)
        return system, f"{path.rstrip('/')}/{name}" if name else path.rstrip("/")


def _names_below(folder: Path) -> Iterator[str]:
    return (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror or error})") from None
