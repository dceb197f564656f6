"""The project as its users install it: a wheel of this clone, in an environment of its own."""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.pages import ROOT


def build(target: str, folder: Path, source: Path = ROOT) -> Path:
    """Builds a wheel or an sdist of the clone, or of `source`, with what is installed here; returns the file."""
    before = set(folder.iterdir())
    words = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder)]
    subprocess.run(words, cwd=source, check=True, capture_output=True, timeout=60)
    [built] = set(folder.iterdir()) - before
    return built


@dataclass(frozen=True)
class Installation:
    """An environment in which the wheel is installed."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def program(self) -> Path:
        return self.folder / "bin" / "prompt-eval"

    @property
    def packages(self) -> Path:
        return Path(sysconfig.get_path("purelib", vars={"base": str(self.folder)}))

    def run(
        self, *words: str, cwd: Path, more: Mapping[str, str] | None = None, code: int | None = 0
    ) -> "subprocess.CompletedProcess[str]":
        """Runs a program in a folder, with nothing in the environment but PATH, HOME and `more`."""
        home = cwd.parent / "home"
        home.mkdir(exist_ok=True)
        path = os.pathsep.join((str(self.folder / "bin"), "/usr/local/bin", "/usr/bin", "/bin"))
        done = subprocess.run(
            words,
            cwd=cwd,
            env={"PATH": path, "HOME": str(home), **(more or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert code is None or done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done


def install(wheel: Path, folder: Path) -> Installation:
    """Installs a wheel; the packages that it needs are those of this environment, so that nothing is fetched."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=60)
    installed = Installation(folder)
    words = ["-m", "pip", "--python", str(installed.python), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run(_pip(words, wheel), check=True, timeout=60)
    here = sysconfig.get_path("purelib")
    (installed.packages / "packages_of_the_tests.pth").write_text(f"{here}\n", encoding="utf-8")
    return installed


def _pip(words: Sequence[str], wheel: Path) -> list[str]:
    return [sys.executable, *words, "--disable-pip-version-check", "--no-warn-script-location", str(wheel)]
