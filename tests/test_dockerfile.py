"""The Dockerfile and what it copies: read line by line, since no image is built here."""

import re
import tomllib
from pathlib import Path

from tests.pages import ROOT

LINES = [
    line
    for line in re.sub(r"\\\n\s*", " ", (ROOT / "Dockerfile").read_text(encoding="utf-8")).splitlines()
    if line.strip()
]
INSTRUCTIONS = [tuple(line.split(maxsplit=1)) for line in LINES if not line.startswith("#")]
ALLOWED = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()


def values(name: str) -> list[str]:
    return [value for instruction, value in INSTRUCTIONS if instruction == name]


def test_the_base_is_one_tag_of_a_supported_python() -> None:
    bases = {value.split()[0] for value in values("FROM")}
    assert len(bases) == 1
    (base,) = bases
    found = re.fullmatch(r"python:3\.(\d+)-slim", base)
    assert found is not None, "pinned by tag, and small"
    assert int(found[1]) >= 11


def test_the_program_runs_without_rights_and_keeps_runs_in_a_volume() -> None:
    last = [name for name, _ in INSTRUCTIONS]
    assert values("USER") == ["evaluator"]
    assert last.index("USER") < last.index("ENTRYPOINT")
    assert not [value for value in values("RUN") if "sudo" in value]
    assert values("VOLUME") == ['["/workspace/runs"]']
    assert "EVAL_RUNS_DIR=/workspace/runs" in values("ENV")[0]
    assert values("ENTRYPOINT") == ['["prompt-eval"]']
    after_volume = INSTRUCTIONS[last.index("VOLUME") + 1 :]
    assert all(name != "RUN" for name, _ in after_volume), "what is written into a volume after it is declared is lost"


def test_every_package_is_pinned_by_hash_and_nothing_is_kept_of_the_download() -> None:
    installs = [value for value in values("RUN") if "pip install" in value]
    assert len(installs) == 2
    assert all("--no-cache-dir" in value for value in installs)
    assert "--require-hashes -r requirements.lock" in installs[0]
    assert "--no-deps ." in installs[1]
    assert not values("ADD")


def test_what_the_wheel_is_made_of_and_nothing_else_enters_the_build() -> None:
    copied = {word for value in values("COPY") if "--from" not in value for word in value.split()[:-1]}
    copied = {word.removeprefix("./") for word in copied}
    assert ALLOWED[1] == "*", "all is left out but what is named"
    assert {line[1:] for line in ALLOWED if line.startswith("!")} == copied
    assert "**/.env" in ALLOWED
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert {*wheel["packages"], *wheel["force-include"]} <= copied
    assert all((ROOT / name).exists() for name in copied)


def test_secrets_stay_out() -> None:
    assert not [line for line in LINES if re.search(r"(API_KEY|SECRET|TOKEN)\s*=", line)]
    assert Path(ROOT / ".dockerignore").is_file()
