"""What is set and where it is said: each place is named, and no secret is shown."""

import json
from pathlib import Path
from typing import Any

import pytest

from scripts import show_config
from services.settings import declared_settings, variables
from tests.pages import blocks, table_after

KEY, PASSWORD, HEADER, HOOK = "sk-kept-0123456789", "passw0rd-kept", "kept-in-a-header", "kept-in-a-hook"
FILE = """\
model = "from-file"
prompts = "words"
judge_models = ["a", "b"]
rpm = 7
[langfuse]
mask = ["email"]
[endpoints.second]
url = "http://localhost:9/v1"
rpm = 5
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace that says each thing in one of the places."""
    for each in variables():
        for name in (each.name, each.older_name):
            monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words").mkdir()
    (tmp_path / "prompt-eval.toml").write_text(FILE)
    said = {
        "EVAL_MODEL": "from-env-file",
        "EVAL_RPM": "8",
        "EVAL_ENDPOINT_SECOND_KEY": KEY,
        "CHAT_FLOW_HEADERS": json.dumps({"Authorization": f"Bearer {HEADER}"}),
        "EVAL_WEBHOOK_URL": f"https://chat.example/{HOOK}",
        "LANGFUSE_HOST": f"https://ana:{PASSWORD}@traces.example",
    }
    (tmp_path / ".env").write_text("".join(f"{name}='{value}'\n" for name, value in said.items()))
    monkeypatch.setenv("EVAL_MODEL", "exported-model")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", f"pk-lf-{PASSWORD}")
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", f"sk-lf-{PASSWORD}")
    return tmp_path


def shown(capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """All that --json prints, and its settings by their names."""
    assert show_config.main(["--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    return printed, {each["name"]: each for each in printed["settings"]}


def test_each_value_names_the_place_that_wins(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed, settings = shown(capsys)
    found = {name: (each["value"], each["source"], each["place"]) for name, each in settings.items()}
    assert found["EVAL_MODEL"] == ("exported-model", "environment", "EVAL_MODEL")
    assert found["EVAL_RPM"] == (8, "env_file", "EVAL_RPM in .env")
    assert found["EVAL_PROMPTS_DIR"] == ("words", "workspace", "prompt-eval.toml:2")
    assert found["EVAL_JUDGE_MODEL"] == (["a", "b"], "workspace", "prompt-eval.toml:3")
    assert found["LANGFUSE_MASK"] == (["email"], "workspace", "prompt-eval.toml:6")
    assert found["EVAL_ENDPOINT_SECOND_RPM"] == (5, "workspace", "prompt-eval.toml:9")
    assert found["EVAL_CONCURRENCY"] == (16, "default", "")
    assert found["EVAL_TEMPERATURE"] == (None, "default", "")
    assert found["LANGFUSE_TRACING_ENABLED"] == (True, "default", "")
    assert printed["workspace"] == {"folder": str(folder), "file": str(folder / "prompt-eval.toml")}
    assert printed["env_file"] == str(folder / ".env")


def test_every_setting_is_shown_with_its_key(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, settings = shown(capsys)
    declared = {each.name.replace("_NAME_", "_SECOND_"): each.key.replace("*", "second") for each in variables()}
    declared["EVAL_PROMPT_NAME"] = "prompt"
    declared |= {name: name for name in ("cues", "languages", "application.call")}
    declared.pop("EVAL_PROMPT_SECOND_", None)
    assert {name: each["key"] for name, each in settings.items()} == declared


def test_secrets_are_set_and_never_shown(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVAL_JUDGE_ESCALATE", f"model-{KEY}")
    _, settings = shown(capsys)
    secret = (
        *("OPENAI_API_KEY", "LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY", "LANGFUSE_BASE_URL", "CHAT_FLOW_HEADERS"),
        *("EVAL_WEBHOOK_URL", "EVAL_ENDPOINT_SECOND_KEY", "EVAL_ENDPOINT_SECOND_URL", "EVAL_JUDGE_ESCALATE"),
    )
    assert {name: settings[name]["value"] for name in secret} == dict.fromkeys(secret, "set")
    for arguments in ([], ["--json"]):
        assert show_config.main(arguments) == 0
        printed = "".join(capsys.readouterr())
        assert [each for each in (KEY, PASSWORD, HEADER, HOOK) if each in printed] == []


def test_lines_end_at_eighty_characters(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVAL_JUDGE_MODEL", ",".join(["a-model-with-a-long-name"] * 5))
    monkeypatch.setenv(f"EVAL_ENDPOINT_{'LONG' * 9}_URL", "http://localhost:9/v1")
    assert show_config.main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    rows = [line.split() for line in lines]
    assert ["EVAL_MODEL", "exported-model", "exported"] in rows
    assert ["EVAL_RPM", "8", ".env"] in rows
    assert ["EVAL_CONCURRENCY", "16", "default"] in rows
    assert ["EVAL_TEMPERATURE", "-", "default"] in rows


def test_without_a_workspace_file_the_prompt_folder_is_the_tools_own(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "prompt-eval.toml").write_text("")
    (folder / ".env").unlink()
    (folder / "prompts").mkdir()
    _, settings = shown(capsys)
    assert settings["EVAL_PROMPTS_DIR"]["value"] == "prompts"
    (folder / "prompt-eval.toml").unlink()
    printed, settings = shown(capsys)
    assert printed["workspace"] == {"folder": None, "file": None}
    assert Path(settings["EVAL_PROMPTS_DIR"]["value"]).is_absolute()


def test_what_cannot_be_used_is_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "prompt-eval.toml").write_text('modle = "x"')
    assert show_config.main([]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "error: prompt-eval.toml:1: modle: unknown key: did you mean model?\n")


def test_the_page_on_workspaces_names_every_key() -> None:
    [rows] = table_after("docs/workspace.md", "keys")
    keys = {each.key: each.name for each in declared_settings() if each.key}
    assert {key.strip("`| "): name.strip("`| ") for key, name in rows} == keys


def test_the_page_prints_what_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in variables():
        for name in (each.name, each.older_name):
            monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    [file] = [each.text for each in blocks("docs/workspace.md") if each.language == "toml"]
    (tmp_path / "prompt-eval.toml").write_text(file)
    for name in ("prompts", "scenarios"):
        (tmp_path / name).mkdir()
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-of-the-page\n")
    monkeypatch.setenv("EVAL_RPM", "60")
    [printed] = [each.text for each in blocks("docs/workspace.md") if each.mark == "config"]
    assert show_config.main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in printed.splitlines() if line not in lines] == ["..."]
