"""EVAL_RUBRIC: every command that takes --rubric goes by it for the companion suite, and a flag wins."""

import json
from pathlib import Path
from typing import Any

import pytest

from scripts.reviewing.items import rubrics
from scripts.run.texts import chosen_rubric
from services.settings import Settings
from tests.evaluation.metrics.shipped import companion_rubric, v3_rubric
from tests.scripts.commands import document, run

EVALUATED = ("--prompt", "v3", "--limit", "4", "--no-judge")
LINE = {"id": "a", "user_input": "I feel sad", "response": "**That** sounds hard.", "ratings": {"overall": 1.0}}
V3, DEFAULT = v3_rubric(), companion_rubric()
NO_FILE = ("scripts.crisis_table", "scripts.mutation_test", "scripts.stuffing_table")


def rubric_of(folder: Path) -> tuple[str, str]:
    pin = document(folder, "manifest.json")["spec"]["rubric"]
    return pin["version"], pin["sha256"]


def rubrics_of(runs: Path) -> set[tuple[str, str]]:
    return {rubric_of(manifest.parent) for manifest in runs.glob("*Z-*/manifest.json")}


def written(folder: Path, *lines: dict[str, Any]) -> str:
    file = folder / "lines.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(file)


def test_a_flag_wins_and_another_suite_has_its_own() -> None:
    settings = Settings(rubric="companion-v3")
    assert chosen_rubric("companion", None, settings) == "companion-v3"
    assert chosen_rubric("companion", "mine.yaml", settings) == "mine.yaml"
    assert chosen_rubric("companion", None, Settings()) is None
    assert chosen_rubric("chat_flow", None, settings) is None
    assert chosen_rubric("chat_flow", "mine.yaml", settings) == "mine.yaml"


def test_an_evaluation_its_rescoring_and_its_flags(tmp_path: Path) -> None:
    assert run(*EVALUATED, runs=tmp_path, EVAL_RUBRIC="companion-v3").code == 0
    assert rubric_of((tmp_path / "latest").resolve()) == (V3.version, V3.sha256)
    done = run(*EVALUATED, "--rubric", "companion", runs=tmp_path, EVAL_RUBRIC="companion-v3")
    assert done.code == 0, done.err
    assert rubric_of((tmp_path / "latest").resolve()) == (DEFAULT.version, DEFAULT.sha256)
    rescored = ("last", "--no-judge", "--quiet")
    assert run(*rescored, runs=tmp_path, module="scripts.rescore_run", EVAL_RUBRIC="companion-v3").code == 0
    assert rubric_of((tmp_path / "latest").resolve()) == (V3.version, V3.sha256)
    assert run(*rescored, runs=tmp_path, module="scripts.rescore_run").code == 0
    assert rubric_of((tmp_path / "latest").resolve()) == (V3.version, V3.sha256), "the run's own"
    named = (*rescored, "--rubric", "companion")
    assert run(*named, runs=tmp_path, module="scripts.rescore_run", EVAL_RUBRIC="companion-v3").code == 0
    assert rubric_of((tmp_path / "latest").resolve()) == (DEFAULT.version, DEFAULT.sha256)


def test_a_comparison(tmp_path: Path) -> None:
    arguments = ("--base", "v2", "--prompt", "v3", "--limit", "4", "--no-judge", "--quiet")
    done = run(*arguments, runs=tmp_path, module="scripts.compare_prompts", EVAL_RUBRIC="companion-v3")
    assert done.code == 0, done.err
    assert rubrics_of(tmp_path) == {(V3.version, V3.sha256)}


def test_a_sweep(tmp_path: Path) -> None:
    arguments = ("--suite", "companion", "--vary", "temperature=0.2,0.8", "--limit", "3", "--quiet")
    done = run(*arguments, runs=tmp_path, module="scripts.sweep_parameters", EVAL_RUBRIC="companion-v3")
    assert done.code == 0, done.err
    assert rubrics_of(tmp_path) == {(V3.version, V3.sha256)}


def test_a_night(tmp_path: Path) -> None:
    arguments = ("--limit", "4", "--no-judge", "--quiet")
    settings = {"EVAL_RUBRIC": "companion-v3", "EVAL_BASELINES_DIR": str(tmp_path / "baselines")}
    done = run(*arguments, runs=tmp_path / "runs", module="scripts.nightly", **settings)
    assert "NO BASELINE" in done.out
    assert rubrics_of(tmp_path / "runs") == {(V3.version, V3.sha256)}


def test_scores_of_responses(tmp_path: Path) -> None:
    def metric(*flags: str, **settings: str) -> float:
        done = run(written(tmp_path, LINE), *flags, runs=tmp_path, module="scripts.score_responses", **settings)
        assert done.code == 0, done.err
        value: float = json.loads(done.out)["scores"]["personalization_continuity"]
        return value

    bases = [rubric.metrics["personalization_continuity"].base for rubric in (DEFAULT, V3)]
    assert bases[0] != bases[1]
    assert metric() == bases[0]
    assert metric(EVAL_RUBRIC="companion-v3") == bases[1]
    assert metric("--rubric", "companion", EVAL_RUBRIC="companion-v3") == bases[0]


@pytest.mark.parametrize("module", [*NO_FILE, "scripts.calibrate", "scripts.choose_amounts", "scripts.validate_rubric"])
def test_what_looks_at_a_rubric(module: str, tmp_path: Path) -> None:
    arguments = () if module in NO_FILE else (written(tmp_path, LINE),)
    refused = run(*arguments, runs=tmp_path, module=module, EVAL_RUBRIC="no-such")
    assert (refused.code, refused.out) == (2, "")
    assert "there is no rubric 'no-such'" in refused.err
    named = run(*arguments, "--rubric", "companion", runs=tmp_path, module=module, EVAL_RUBRIC="no-such")
    assert "no-such" not in named.err


def test_reviews_that_belong_to_no_run() -> None:
    settings = Settings(rubric="companion-v3")
    assert rubrics(None, settings)("companion").version == V3.version
    assert rubrics(None, settings)("chat_flow").name == "chat_flow"
    assert rubrics("companion", settings)("companion").version == DEFAULT.version


HINT = "--rubric companion-v3 (EVAL_RUBRIC) has rules that agree more with people: docs/validity.md"


def test_under_the_default_one_line_points_to_the_other_rubric(tmp_path: Path) -> None:
    done = run(*EVALUATED, runs=tmp_path)
    assert f"rules: companion {DEFAULT.version}; {HINT}" in done.err.splitlines()
    assert HINT not in done.out
    assert HINT not in run(*EVALUATED, "--quiet", runs=tmp_path).err
    assert HINT not in run(*EVALUATED, "--json", "--quiet", runs=tmp_path).out


@pytest.mark.parametrize("rubric", ["companion", "companion-v3"])
def test_a_chosen_rubric_needs_no_pointer(rubric: str, tmp_path: Path) -> None:
    assert HINT not in run(*EVALUATED, "--rubric", rubric, runs=tmp_path).err
    assert HINT not in run(*EVALUATED, runs=tmp_path, EVAL_RUBRIC=rubric).err
