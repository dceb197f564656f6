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


def test_packages_of_the_workspace_may_bear_any_name(workspace: Path) -> None:
    for name in ("services", "evaluation", "scripts"):
        (workspace / name).mkdir(exist_ok=True)
        (workspace / name / "words.py").write_text(f"WORDS = {name!r}\n")
    (workspace / "my_app.py").write_text(
        "from evaluation.words import WORDS as a\nfrom scripts.words import WORDS as b\n"
        "from services.words import WORDS as c\ndef answer(messages):\n    return ' '.join((a, b, c))\n"
    )
    done = evaluate(workspace)
    assert done.code == 0, done.err
    assert {line["response"] for line in lines(only_run(workspace / "runs"))} == {"evaluation scripts services"}


@pytest.mark.parametrize(
    ("code", "kind", "said"),
    [
        (
            "import sys\ndef answer(messages):\n    sys.exit('no more')\n",
            "http_status",
            "SystemExit at line 3 of my_app",
        ),
        (
            "import json\ndef answer(m):\n    return json.loads('{')\n",
            "http_status",
            "JSONDecodeError at line 3 of my_",
        ),
        ("def answer(messages):\n    return {'reply': b'x'}\n", "http_status", "bytes is not JSON serializable"),
        ("def answer(messages):\n    return 5\n", "malformed", "no text at a usual place"),
        ("def answer(messages):\n    return None\n", "malformed", "no text at a usual place"),
        ("import time\ndef answer(messages):\n    time.sleep(60)\n", "timeout", "no whole answer within 0.5 s"),
    ],
)
def test_what_goes_wrong_in_a_function_has_its_name(workspace: Path, code: str, kind: str, said: str) -> None:
    (workspace / "my_app.py").write_text(code)
    done = evaluate(workspace, CHAT_FLOW_TIMEOUT_SECONDS="0.5")
    assert done.code == 3, done.err
    for line in lines(only_run(workspace / "runs")):
        assert line["error"]["kind"] == kind
        assert said in line["error"]["message"]


@pytest.mark.parametrize("death", ["os._exit(3)", "os.kill(os.getpid(), 9)"])
def test_a_function_that_ends_its_process_is_started_again(workspace: Path, death: str) -> None:
    (workspace / "my_app.py").write_text(
        "import os\ndef answer(messages):\n    if 'twice' in messages[-1]['content']:\n"
        f"        {death}\n    return 'Hi'\n"
    )
    done = run("--quiet", "--concurrency", "1", runs=workspace / "runs")
    assert done.code == 3, done.err
    said = {line["scenario_id"]: line["error"] or line["response"] for line in lines(only_run(workspace / "runs"))}
    assert said.pop("charged-twice")["kind"] == "connection"
    assert said == {"cancel-plan": "Hi"}


def test_what_it_writes_to_its_streams_reaches_nobody(workspace: Path) -> None:
    (workspace / "my_app.py").write_text(
        "import os, subprocess, sys\nos.system('echo while it is loaded')\n"
        "def answer(messages):\n"
        "    os.write(1, b'x' * 300_000)\n    subprocess.run(['echo', 'more'])\n"
        "    return 'read ' + repr(sys.stdin.read() + subprocess.run(['cat'], capture_output=True, text=True).stdout)\n"
    )
    done = evaluate(workspace)
    assert done.code == 0, done.err
    assert {line["response"] for line in lines(only_run(workspace / "runs"))} == {"read ''"}


@pytest.mark.parametrize(
    "code",
    [
        "import asyncio\nasync def answer(messages):\n    await asyncio.sleep(0)\n    return 'Hi'\n",
        "class App:\n    async def __call__(self, m, conversation, *, tries=3):\n        return 'Hi'\nanswer = App()\n",
        "def answer(*given):\n    return 'Hi' * (len(given) - 1)\n",
    ],
)
def test_any_callable_will_do(workspace: Path, code: str) -> None:
    (workspace / "my_app.py").write_text(code)
    done = evaluate(workspace)
    assert done.code == 0, done.err
    assert {line["response"] for line in lines(only_run(workspace / "runs"))} == {"Hi"}


def test_it_may_end_its_own_work(workspace: Path) -> None:
    (workspace / "my_app.py").write_text(
        "import atexit, pathlib\natexit.register(lambda: pathlib.Path('sent').write_text('all'))\n"
        "def answer(messages):\n    return 'Hi'\n"
    )
    assert evaluate(workspace).code == 0
    assert (workspace / "sent").read_text() == "all"
