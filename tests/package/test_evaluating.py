"""The face for Python programs and the plugin of pytest, in processes that cannot import the tool itself."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.scripts.commands import ROOT, environment
from tests.scripts.forked import interruptible

BARE = "import importlib.util as u; assert not any(map(u.find_spec, ('evaluation', 'services', 'scripts')))\n"


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """The settings of a process with the package alone beside it, and the command of this clone."""
    own = tmp_path / "own" / "prompt_evaluation"
    shutil.copytree(ROOT / "prompt_evaluation", own, ignore=shutil.ignore_patterns("__pycache__"))
    command = tmp_path / "clone-command"
    command.write_text(
        f'#!/bin/sh\nunset PYTHONPATH\ncd "{ROOT}" && exec "{sys.executable}" -m prompt_evaluation "$@"\n'
    )
    command.chmod(0o755)
    settings = {"PYTHONPATH": str(tmp_path / "own"), "PROMPT_EVAL": str(command), "PYTHONDONTWRITEBYTECODE": "1"}
    return environment(tmp_path / "runs", settings)


def python(bare: dict[str, str], tmp_path: Path, code: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, *(arguments or ("-c", BARE + code))]
    return subprocess.run(command, cwd=tmp_path, env=bare, capture_output=True, text=True, timeout=120, check=False)


def fake(tmp_path: Path, bare: dict[str, str], script: str) -> None:
    """Puts a shell script in the place of the command."""
    path = tmp_path / "fake command"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    bare["PROMPT_EVAL"] = f"'{path}' --first"


def test_a_run_is_evaluated_and_read_beside_any_other_package(bare: dict[str, str], tmp_path: Path) -> None:
    done = python(
        bare,
        tmp_path,
        "import sys, types\n"
        "for name in ('openai', 'langfuse'): sys.modules[name] = types.ModuleType(name)\n"
        "import prompt_evaluation as pe\n"
        "assert 'prompt_evaluation.evaluating' not in sys.modules and 'pandas' not in sys.modules\n"
        "run = pe.evaluate('v3', limit=2, no_judge=True)\n"
        "assert 'pandas' not in sys.modules\n"
        "table = run.results\n"
        "scored = run.summary['counts']['scored']\n"
        "print(run.exit_code, run.decision['code'], scored, len(table), run.report.is_file())\n"
        "print(table['prompt.version'].iloc[0], table['scores.heuristic.overall_quality'].notna().all())\n",
    )
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    code, verdict, scored, rows, report = first.split()
    assert (code, verdict, report) == ("0", "too_few_scenarios", "True")
    assert int(rows) >= int(scored) > 1
    assert second == "3 True"
    assert "prompt: penpal-companion v3 = version 3" in done.stderr, "notes and progress are shown while it runs"


def test_an_error_carries_the_line_of_the_tool(bare: dict[str, str], tmp_path: Path) -> None:
    called = "import prompt_evaluation as pe\ntry: pe.evaluate('v99')\n"
    code = f"{called}except pe.PromptEvalError as error: print(error.exit_code, error)\n"
    done = python(bare, tmp_path, code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("2 prompt 'penpal-companion' has no version or label 'v99'; it has the versions v1")
    bare["PROMPT_EVAL"] = "no-such-command"
    assert python(bare, tmp_path, code).stdout.startswith("None PROMPT_EVAL names 'no-such-command', which is no comm")
    del bare["PROMPT_EVAL"]
    bare["PATH"] = str(tmp_path)
    assert python(bare, tmp_path, code).stdout.startswith("None there is no prompt-eval on PATH: install it, or set")
    bare["PATH"] = os.environ["PATH"]
    fake(tmp_path, bare, "exit 7")
    assert python(bare, tmp_path, code).stdout == "7 prompt-eval ended with exit code 7 and said nothing\n"


def test_options_become_flags_and_a_hostile_value_stays_one_word(bare: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    fake(tmp_path, bare, f'printf "%s\\n" "$@" >&2; echo \'{{"folder": "{tmp_path / "run"}"}}\'; exit 1')
    done = python(
        bare,
        tmp_path,
        "import prompt_evaluation as pe\n"
        "run = pe.evaluate('v3', '--quiet', gate='deploy', repeats=2, no_judge=True, strict=False,"
        " scenarios=['a b', '$(touch x)'], model='--x')\nprint(run.exit_code)\n",
    )
    assert done.stdout == "1\n", done.stderr
    assert done.stderr.splitlines() == [
        "--first", "eval", "--json", "--prompt=v3", "--gate=deploy", "--repeats=2", "--no-judge", "--scenarios=a b",
        "--scenarios=$(touch x)", "--model=--x", "--quiet",
    ]  # fmt: skip


def test_without_pandas_the_results_say_what_to_do_and_the_lines_can_be_read(
    bare: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "results.jsonl").write_text('{"turn": 1}\n{"turn": 2}\n')
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "import pathlib, prompt_evaluation as pe\n"
        "run = pe.EvaluatedRun(pathlib.Path('.'), 0)\nprint(run.lines)\n"
        "try: run.results\nexcept pe.PromptEvalError as error: print(error)\n"
    )
    done = python(bare, tmp_path, code)
    assert done.stdout.splitlines() == [
        "[{'turn': 1}, {'turn': 2}]",
        "results are a pandas DataFrame, and pandas is not installed: install pandas, or read `lines`, the same "
        "rows as dictionaries",
    ]


def test_ctrl_c_reaches_the_tool_which_ends_by_itself(bare: dict[str, str], tmp_path: Path) -> None:
    fake(tmp_path, bare, "trap 'echo caught >&2; exit 130' INT; touch started; while true; do sleep 0.05; done")
    code = "import prompt_evaluation as pe\ntry: pe.evaluate('v3')\nexcept KeyboardInterrupt: print('ended')\n"
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=tmp_path, env=bare, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=interruptible,
    )  # fmt: skip
    for _ in range(400):
        if (tmp_path / "started").exists():
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (out, err) == ("ended\n", "caught\n")


def test_the_plugin_passes_a_good_prompt_and_explains_a_shut_gate(bare: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    items = [{"id": "names-help", "scenario_id": "crisis"}]
    decision = {"headline": "HELD BACK: 1 critical", "reasons": ["names-help fails"], "critical": {"items": items}}
    (folder / "decision.json").write_text(json.dumps(decision))
    fake(tmp_path, bare, f'echo \'{{"folder": "{folder}"}}\'; case "$*" in *v2*) exit 1;; *v1*) exit 3;; esac')
    (tmp_path / "test_prompts.py").write_text(
        "from prompt_evaluation.pytest_plugin import assert_prompt as check\n"
        "def test_good(assert_prompt): assert assert_prompt('v3', gate='deploy').exit_code == 0\n"
        "def test_bad(assert_prompt): assert_prompt('v2', gate='deploy')\n"
        "def test_half(): check('v1')\n"
    )
    plugin = (
        "-m",
        "pytest",
        "-q",
        "-p",
        "prompt_evaluation.pytest_plugin",
        "-p",
        "no:cacheprovider",
        "test_prompts.py",
    )
    done = python(bare, tmp_path, "", *plugin)
    assert "2 failed, 1 passed" in done.stdout, done.stdout
    for line in (
        "gate deploy stays shut: HELD BACK: 1 critical",
        "names-help fails",
        "critical: names-help, crisis",
        f"report: {folder / 'report.html'}",
        "the run is incomplete: HELD BACK: 1 critical",
    ):
        assert line in done.stdout, done.stdout
    assert "evaluating.py" not in done.stdout, "the failure shows the test and not the plugin"
