"""One wheel and one installation for all tests of the package."""

from pathlib import Path

import pytest

from tests.package.installation import Installation, build, install
from tests.shared import made_once


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    [built] = made_once(tmp_path_factory, "wheel", lambda folder: build("wheel", folder)).iterdir()
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return Installation(made_once(tmp_path_factory, "environment", lambda folder: install(wheel, folder)))
