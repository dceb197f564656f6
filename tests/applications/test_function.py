"""A Python function of the workspace in HTTP's place, as docs/applications.md shows it."""

from pathlib import Path

import pytest

from tests.page_steps import edit
from tests.pages import blocks
from tests.scripts.commands import Finished, document, lines, only_run, run
from tests.scripts.support_bot import write_support_bot


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_support_bot(tmp_path)
    (tmp_path / "suites/support/suite.yaml").write_text("plays: application\n")
    for block in blocks("docs/applications.md"):
        if block.mark in ("my_app.py: file", "prompt-eval.toml: file"):
            edit(block, tmp_path)
    toml = tmp_path / "prompt-eval.toml"
    toml.write_text(f'suite = "support"\n{toml.read_text()}')
    monkeypatch.setattr("tests.scripts.commands.ROOT", tmp_path)
    return tmp_path


def evaluate(workspace: Path, **settings: str) -> Finished:
    return run("--quiet", runs=workspace / "runs", **settings)


def test_a_function_answers_and_its_text_is_part_of_what_is_compared(workspace: Path) -> None:
    assert evaluate(workspace).code == 0
    first = only_run(workspace / "runs")
    said = {line["response"] for line in lines(first)}
    assert "You asked: How do I cancel my plan? Could you tell me your order number?" in said
    spec = document(first, "manifest.json")["spec"]
    assert (spec["endpoint"], spec["model"]) == ("my_app.py:answer", "")
    assert len(spec["parameters"]["code"]) == 12


def test_it_sees_the_environment_and_the_files_beside_it(workspace: Path) -> None:
    (workspace / "beside.py").write_text('WORDS = open("words.txt").read()\n')
    (workspace / "words.txt").write_text("read from beside")
    (workspace / "my_app.py").write_text(
        "import os\nfrom beside import WORDS\nprint('noise')\n"
        "def answer(messages):\n    print('more noise')\n"
        "    return {'reply': WORDS + os.environ['OPENAI_API_KEY'][:2]}\n"
    )
    plain = run("--quiet", "--no-judge", runs=workspace / "again", OPENAI_API_KEY="sk-0000", EVAL_MODEL="m")
    assert plain.code == 0, plain.err
    assert {line["response"] for line in lines(only_run(workspace / "again"))} == {"read from besidesk"}


def test_an_exception_is_a_failure_with_its_line(workspace: Path) -> None:
    (workspace / "my_app.py").write_text("def answer(messages):\n    return messages[7]\n")
    done = evaluate(workspace)
    assert done.code == 3
    message = lines(only_run(workspace / "runs"))[0]["error"]["message"]
    assert "IndexError at line 2 of my_app.py" in message


@pytest.mark.parametrize(
    ("call", "code", "said"),
    [
        ("my_app.py", None, "write FILE.py:NAME"),
        ("my_app.py:nothing", None, "the application my_app.py:nothing is ended with status 1: AttributeError"),
        ("my_app.py:answer", "def answer(:\n", "the application my_app.py:answer is ended with status 1: SyntaxError"),
        ("other.py:answer", None, "other.py"),
    ],
)
def test_what_is_no_function_is_one_line(workspace: Path, call: str, code: str | None, said: str) -> None:
    toml = workspace / "prompt-eval.toml"
    toml.write_text(toml.read_text().replace("my_app.py:answer", call))
    if code is not None:
        (workspace / "my_app.py").write_text(code)
    done = evaluate(workspace)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert said in done.err
