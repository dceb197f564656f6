"""The folder that a collection's output goes to, on this machine or at an address that fsspec reaches."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.errors import UsageError
from services.collected.parts import is_remote, system_of
from services.run_folder import write_bytes


@dataclass(frozen=True, slots=True)
class OutputFolder:
    """Files by their names within the folder, such as "done/part-00000.json".

    A file of this machine is whole or not there, and so it is in an object store. Where a server does not keep this, a
    file may be cut: a part counts as done only when its record, which is written last, can be read.
    """

    address: str
    """A whole path, or an address."""

    def write(self, name: str, content: bytes) -> None:
        """Raises UsageError where the address cannot be written."""
        if not is_remote(self.address):
            write_bytes(Path(self.address, name), content)
            return
        system, path = self._at(name)
        try:
            system.makedirs(path.rpartition("/")[0], exist_ok=True)
            system.pipe_file(path, content)
        except (OSError, NotImplementedError) as error:
            raise UsageError(f"{self.address}: {name} cannot be written ({_reason(error)})") from None

    def read(self, name: str) -> bytes | None:
        """None where there is no such file. Raises UsageError where the address cannot be read."""
        try:
            if not is_remote(self.address):
                return Path(self.address, name).read_bytes()
            system, path = self._at(name)
            content: bytes = system.cat_file(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise UsageError(f"{self.address}: {name} cannot be read ({_reason(error)})") from None
        return content

    def names(self) -> frozenset[str]:
        """Every file of the folder; empty where there is no folder. Raises UsageError where it cannot be listed."""
        if not is_remote(self.address):
            return frozenset(_names_below(Path(self.address)))
        system, path = self._at("")
        try:
            # Others wrote since the folder was listed last.
            system.invalidate_cache()
            found = system.find(path)
        except FileNotFoundError:
            return frozenset()
        except OSError as error:
            raise UsageError(f"{self.address}: cannot be listed ({_reason(error)})") from None
        return frozenset(each.removeprefix(path).lstrip("/") for each in found)

    def remove(self, name: str) -> None:
        """Takes a file away, if it is there."""
        if not is_remote(self.address):
            Path(self.address, name).unlink(missing_ok=True)
            return
        system, path = self._at(name)
        try:
            system.rm_file(path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise UsageError(f"{self.address}: {name} cannot be removed ({_reason(error)})") from None

    def _at(self, name: str) -> tuple[Any, str]:
        system, path = system_of(self.address)
        return system, f"{path.rstrip('/')}/{name}" if name else path.rstrip("/")


def _names_below(folder: Path) -> Iterator[str]:
    return (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
