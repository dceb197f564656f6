"""A file system of a few hundred kilobytes, in a mount namespace of its own: what is mounted there nobody else sees."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMESPACE = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-Urm"]
ENTER = ["-m"] if os.geteuid() == 0 else ["-U", "-m", "--preserve-credentials"]


@cache
def why_not() -> str:
    """Why no file system can be mounted here; empty where one can."""
    try:
        command = [*NAMESPACE, "mount", "-t", "tmpfs", "none", "/mnt"]
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        return f"no mount namespace can be made here ({error})"
    return "" if done.returncode == 0 else f"nothing can be mounted here ({done.stderr.strip()})"


class SmallDisk:
    """A mounted file system; `prefix` starts a command that sees it."""

    def __init__(self, folder: Path, holder: int) -> None:
        self._folder = folder
        # Entering a namespace of mounts leads to its root folder; commands are started in the project's.
        self.prefix = ["nsenter", "-t", str(holder), *ENTER, "--", "env", "-C", str(ROOT)]
        self.seen = Path(f"/proc/{holder}/root{folder}")
        """The folder as this process sees it."""

    def remount(self, options: str) -> None:
        """Another size, or read-only: "size=64m", "ro"."""
        subprocess.run([*self.prefix, "mount", "-o", f"remount,{options}", str(self._folder)], check=True)


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[SmallDisk]:
    """Mounted at `folder` while the block runs."""
    folder.mkdir()
    script = f'mount -t tmpfs -o size={kilobytes}k,mode=700 none "$0" && echo ready && exec cat'
    command = [*NAMESPACE, "sh", "-c", script, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdin is not None
        assert holder.stdout.readline() == "ready\n"
        try:
            yield SmallDisk(folder, holder.pid)
        finally:
            holder.stdin.close()
            holder.wait()
