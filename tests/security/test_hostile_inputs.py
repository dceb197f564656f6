"""Files that are given to a command: whatever they hold, it is read or refused in one short, harmless line."""

import importlib
from pathlib import Path

import pytest

CONTENTS = {
    "tag": b"!!python/object/apply:os.system ['touch owned']",
    "tag below": b"a: !!python/name:os.system ''",
    "bomb": b"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
    "nested": b"[" * 50_000,
    "nested flow": b"{a: " * 50_000,
    "escapes": b"a\x1b]0;owned\x07: b\n\xe2\x80\xaeb: [",
    "long key": b"x" * 1_000_000 + b": 1",
    "not text": b"\xff\xfe\x00a",
    "nul": b"a\x00b: c",
    "larger than any": b"# " + b"x" * 9_000_000,
    "surrogate": b'"\\ud800": "\\udfff"',
    "number": b'{"a": ' + b"9" * 200_000 + b"}",
}
FILES = {
    "scenarios": ("scripts.evaluate_prompts", ("--prompt", "v3", "--dry-run", "--scenarios", "FILE.yaml")),
    "rubric": ("scripts.evaluate_prompts", ("--prompt", "v3", "--dry-run", "--rubric", "FILE.yaml")),
    "chat prompt": ("scripts.evaluate_prompts", ("--dry-run", "--prompt", "FILE.yaml")),
    "judge prompt": ("scripts.evaluate_prompts", ("--prompt", "v3", "--dry-run", "--judge-prompt", "FILE.yaml")),
    "prices": ("scripts.evaluate_prompts", ("--prompt", "v3", "--dry-run", "--prices", "FILE.yaml")),
    "mapping": ("scripts.evaluate_chat_flow", ("--dry-run", "--url", "http://127.0.0.1:9", "--mapping", "FILE.yaml")),
    "rules": ("scripts.nightly", ("--rules", "FILE.yaml", "--no-canaries")),
    "ratings": ("scripts.calibrate", ("FILE.jsonl", "--no-judge")),
}


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
@pytest.mark.parametrize("kind", FILES)
def test_a_hostile_file_is_refused_in_one_short_line(
    kind: str,
    content: bytes,
    tmp_path: Path,
    runs_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    module, arguments = FILES[kind]
    (name,) = (word for word in arguments if word.startswith("FILE"))
    (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").touch()
    code = importlib.import_module(module).main(list(arguments))
    done = capfd.readouterr()
    last = done.err.strip().splitlines()[-1]
    assert code == 2, done.err[:500]
    assert "Traceback" not in done.err
    assert len(last) < 1_500
    assert not any(char in done.out + done.err for char in "\x1b\x07\u202e\x00")
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
def test_a_hostile_line_of_responses_takes_no_other_down(
    content: bytes, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "responses.jsonl"
    good = b'{"id": "good", "user_input": "Hi", "response": "Hello. How was your day?"}\n'
    path.write_bytes(good + content.replace(b"\n", b" ") + b"\n" + good)
    code = importlib.import_module("scripts.score_responses").main([str(path), "--suite", "companion"])
    done = capfd.readouterr()
    assert code == 3
    assert done.out.count('"scores"') == 2
    assert "Traceback" not in done.err
    assert not any(char in done.out + done.err for char in "\x1b\x07\u202e\x00")


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
def test_a_hostile_env_file_is_refused_or_passed_over(
    content: bytes,
    tmp_path: Path,
    runs_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / ".env").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    code = importlib.import_module("scripts.manage_runs").main(["list"])
    done = capfd.readouterr()
    assert code in (0, 2)
    assert len(done.err) < 1_000
    assert "Traceback" not in done.err
    assert not any(char in done.out + done.err for char in "\x1b\x07\u202e\x00")
