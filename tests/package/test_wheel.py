"""What lies in the wheel: the program with all its data, below one name."""

import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.package.installation import build
from tests.pages import ROOT

pytestmark = pytest.mark.slow


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as file:
        return set(file.namelist())


def tracked(*folders: str) -> set[str]:
    done = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_wheel_adds_one_name_to_an_environment(wheel: Path) -> None:
    tops = {name.partition("/")[0] for name in names(wheel)}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"prompt_evaluation"}


def test_the_whole_program_lies_in_it_and_nothing_else(wheel: Path) -> None:
    shipped = tracked("evaluation", "services", "scripts", "examples", "prompts")
    found = {name.removeprefix("prompt_evaluation/_app/") for name in names(wheel) if "/_app/" in name}
    assert found == shipped
    entrance = {name for name in names(wheel) if name.startswith("prompt_evaluation/") and "/_app/" not in name}
    assert entrance == tracked("prompt_evaluation")


def test_a_wheel_of_the_sdist_is_the_same(wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(build("sdist", tmp_path)) as file:
        file.extractall(tmp_path, filter="data")
    [source] = [path for path in tmp_path.iterdir() if path.is_dir()]
    (tmp_path / "wheel").mkdir()
    assert names(build("wheel", tmp_path / "wheel", source)) == names(wheel)
