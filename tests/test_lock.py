"""The packages that `make` installs: each pinned with its hashes, and nothing that the requirements do not ask for."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

from tests.pages import ROOT, text_of

LOCKS = {
    "requirements.lock": ["requirements.txt"],
    "requirements-dev.lock": ["requirements.txt", "requirements-dev.txt"],
}


def locked(name: str) -> dict[str, list[Requirement]]:
    """Package -> its pins, one for each kind of machine."""
    found: dict[str, list[Requirement]] = {}
    for entry in entries(name):
        requirement = Requirement(entry.split(" --hash=")[0])
        found.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return found


def entries(name: str) -> list[str]:
    text = re.sub(r"\s*\\\n\s*", " ", text_of(name))
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def asked(name: str) -> list[Requirement]:
    lines = [line for line in text_of(name).splitlines() if line and not line.startswith(("#", "-r"))]
    return [Requirement(line) for line in lines]


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_is_pinned_with_hashes_and_from_no_address(name: str) -> None:
    for entry in entries(name):
        assert re.search(r" --hash=sha256:[0-9a-f]{64}(?: |$)", entry), entry
        assert re.match(r"[A-Za-z0-9._-]+(?:\[[\w,-]+\])?==[^\s;]+", entry), entry
    assert not re.search(r"://|--(?:extra-)?index-url|--find-links|-i ", text_of(name))


@pytest.mark.parametrize("name", LOCKS)
def test_the_lock_is_of_the_requirements_as_they_are(name: str) -> None:
    pins = locked(name)
    stale = [
        str(requirement)
        for source in LOCKS[name]
        for requirement in asked(source)
        if not all(str(pin.specifier) == str(requirement.specifier) for pin in pins.get(requirement.name.lower(), ()))
        or canonicalize_name(requirement.name) not in pins
    ]
    assert stale == [], "run make lock"


def test_what_runs_is_what_is_tested() -> None:
    development = locked("requirements-dev.lock")
    different = [
        name
        for name, pins in locked("requirements.lock").items()
        if [*map(str, pins)] != [*map(str, development[name])]
    ]
    assert different == [], "run make lock"


@pytest.mark.parametrize("name", LOCKS)
def test_nothing_that_a_package_needs_is_missing(name: str) -> None:
    """By what the installed packages say of themselves: pip installs what the lock names and looks for no more."""
    pins, missing = locked(name), []
    left_out = set(re.findall(r"^NOT_INSTALLED := (.*)$", text_of("Makefile"), re.MULTILINE)[0].split())
    assert left_out & pins.keys() == set()
    here = {"extra": ""}
    for package in pins:
        try:
            needed = metadata.requires(package) or []
        except metadata.PackageNotFoundError:  # of another kind of machine
            continue
        for each in map(Requirement, needed):
            if each.name in left_out or (each.marker is not None and not each.marker.evaluate(here)):
                continue
            fitting = [
                pin for pin in pins.get(canonicalize_name(each.name), ()) if not pin.marker or pin.marker.evaluate()
            ]
            if not any(
                each.specifier.contains(str(pin.specifier).removeprefix("=="), prereleases=True) for pin in fitting
            ):
                missing.append(f"{package} needs {each}")
    assert missing == [], "run make lock"


def test_nothing_is_installed_that_is_not_locked() -> None:
    """Also what comes with a fresh environment: pip is the locked one, and no setuptools stays behind."""
    pins, strange = locked("requirements-dev.lock"), []
    for package in metadata.distributions():
        name = canonicalize_name(package.metadata["Name"])
        if not any(pin.specifier.contains(package.version, prereleases=True) for pin in pins.get(name, ())):
            strange.append(f"{name} {package.version}")
    assert strange == [], "run make clean, then make check"


def test_make_installs_nothing_without_its_hash() -> None:
    installs = [line for line in text_of("Makefile").splitlines() if "scripts/setup/install.py" in line]
    assert len(installs) == 2
    assert all(".lock" in line for line in installs)
    assert "pip install" not in text_of("Makefile")
    [pip] = [line for line in text_of("scripts/setup/install.py").splitlines() if '"install"' in line]
    assert '"--require-hashes", "--no-deps"' in pip
    assert (ROOT / "requirements.lock").exists()


NOT_INSTALLED = {"pip", "pytest"}
"""Of requirements.txt: what installs and tests the clone."""
MOST_MB = 250


def asked_by_the_package(*extras: str) -> dict[NormalizedName, Requirement]:
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    of_extras = [line for extra in extras for line in project["optional-dependencies"][extra]]
    return {canonicalize_name(each.name): each for each in map(Requirement, [*project["dependencies"], *of_extras])}


def test_the_package_asks_for_what_the_clone_is_tested_with() -> None:
    package = asked_by_the_package("tables", "stats", "plots")
    clone = {canonicalize_name(each.name): each for each in asked("requirements.txt")}
    assert package.keys() == clone.keys() - NOT_INSTALLED
    for name, ranged in package.items():
        pinned = str(clone[name].specifier).removeprefix("==")
        assert ranged.extras == clone[name].extras, name
        assert ranged.specifier.contains(pinned), name
        assert f">={pinned}" in str(ranged.specifier), f"{name}: older versions are not tested"
        assert "<" in str(ranged.specifier), name


def test_the_core_of_an_installation_is_small() -> None:
    """All that the dependencies without an extra need, as it lies here."""
    ahead, found = list(asked_by_the_package().values()), {}
    while ahead:
        requirement = ahead.pop()
        name = canonicalize_name(requirement.name)
        if (name, *sorted(requirement.extras)) in found:
            continue
        found[name, *sorted(requirement.extras)] = sum(
            path.stat().st_size for file in metadata.files(name) or () if (path := Path(str(file.locate()))).is_file()
        )
        for extra in ("", *requirement.extras):
            needed = map(Requirement, metadata.requires(name) or ())
            ahead += [each for each in needed if each.marker is None or each.marker.evaluate({"extra": extra})]
    sizes = {key[0]: size for key, size in found.items()}
    assert {"pandas", "scipy", "matplotlib", "pytest"} & sizes.keys() == set()
    assert 50 < sum(sizes.values()) / 1e6 < MOST_MB, sizes
