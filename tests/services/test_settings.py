"""Settings: precedence, checks, and that no key is ever shown."""

import os
from pathlib import Path

import pytest

from evaluation.errors import ParseError, UsageError
from services import workspace as module
from services.langfuse_access import LangfuseAccess
from services.setting_sources import Sources
from services.settings import Settings, read_settings, settings_of, variables
from services.workspace import TOOL

SECRET = "sk-lf-very-secret-value"
PAIR = {"LANGFUSE_PUBLIC_KEY": "pk-lf-1", "LANGFUSE_SECRET_KEY": SECRET}


@pytest.fixture(autouse=True)
def no_project_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A developer's own .env is out of reach."""
    monkeypatch.setattr(module, "TOOL", tmp_path / "project")


def read(folder: Path, env_text: str = "", **environ: str) -> Settings:
    (folder / ".env").write_text(env_text, encoding="utf-8")
    return read_settings(environ, folder)


def test_nothing_set_gives_the_documented_defaults(tmp_path: Path) -> None:
    settings = read_settings({}, tmp_path)
    assert settings == Settings()
    assert settings.prompt_name == "penpal-companion"
    assert settings.prompts_dir == TOOL / "prompts"
    assert settings.tracing_environment == "evaluation"
    assert settings.runs_dir == Path("runs")
    assert (settings.concurrency, settings.call_timeout_seconds) == (16, 60.0)
    assert (settings.langfuse, settings.openai_api_key, settings.model, settings.temperature) == (None,) * 4


def test_every_value_arrives_in_its_type(tmp_path: Path) -> None:
    text = """
        OPENAI_API_KEY='sk-1'
        export OPENAI_BASE_URL=http://localhost:8000/v1/   # a comment
        EVAL_MODEL="a-model"
        EVAL_JUDGE_MODEL=a-judge
        EVAL_JUDGE_PROMPT=our-judge@production
        EVAL_JUDGE_FORM=reasoned
        EVAL_MODERATION_MODEL=a-moderator
        EVAL_TEMPERATURE=0
        EVAL_MAX_TOKENS=200
        EVAL_PROMPT_NAME=folder/name
        EVAL_PROMPTS_DIR=my/prompts
        LANGFUSE_PUBLIC_KEY=pk-lf-1
        LANGFUSE_SECRET_KEY=sk-lf-1
        LANGFUSE_BASE_URL=https://langfuse.example/base/
        LANGFUSE_TRACING_ENVIRONMENT=nightly
        LANGFUSE_SAMPLE_RATE=0.5
        LANGFUSE_TRACING_ENABLED=False
        CHAT_FLOW_URL=http://127.0.0.1:3000
        EVAL_RUNS_DIR=/srv/runs
        EVAL_CONCURRENCY=32
        EVAL_CALL_TIMEOUT_SECONDS=2.5
    """
    assert read(tmp_path, text) == Settings(
        openai_api_key="sk-1",
        openai_base_url="http://localhost:8000/v1",
        model="a-model",
        judge_models=("a-judge",),
        judge_prompt="our-judge@production",
        judge_form="reasoned",
        moderation_model="a-moderator",
        temperature=0.0,
        max_tokens=200,
        prompt="folder/name",
        prompts_dir=Path("my/prompts"),
        langfuse=LangfuseAccess("https://langfuse.example/base", "pk-lf-1", "sk-lf-1"),
        tracing_environment="nightly",
        sample_rate=0.5,
        tracing_enabled=False,
        chat_flow_url="http://127.0.0.1:3000",
        runs_dir=Path("/srv/runs"),
        concurrency=32,
        call_timeout_seconds=2.5,
        env_file=tmp_path / ".env",
    )


def test_an_exported_variable_wins_over_the_file(tmp_path: Path) -> None:
    assert read(tmp_path, "EVAL_MODEL=from-file", EVAL_MODEL="exported").model == "exported"


@pytest.mark.parametrize("empty", ["", "  "])
def test_empty_is_unset_in_the_file_and_in_the_environment(tmp_path: Path, empty: str) -> None:
    assert read(tmp_path, f"EVAL_MODEL='{empty}'").model is None
    assert read(tmp_path, "EVAL_MODEL=from-file", EVAL_MODEL=empty).model == "from-file"


def test_the_process_environment_is_read_and_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVAL_MODEL", "exported")
    (tmp_path / ".env").write_text("EVAL_RUNS_DIR=elsewhere\n", encoding="utf-8")
    before = dict(os.environ)
    settings = read_settings()
    assert (settings.model, settings.runs_dir) == ("exported", Path("elsewhere"))
    assert dict(os.environ) == before


def test_the_file_of_the_project_serves_where_the_folder_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, folder = tmp_path / "project", tmp_path / "folder"
    project.mkdir()
    (project / ".env").write_text("EVAL_MODEL=of-project\n", encoding="utf-8")
    folder.mkdir()
    assert read_settings({}, folder).model == "of-project"
    assert read(folder, "EVAL_RUNS_DIR=x").model is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f'A=1\n\n\nOPENAI_API_KEY="{SECRET}\n', 4),
        (f"OPENAI_API_KEY {SECRET}\n", 1),
        (f"# fine\n{SECRET}\n", 2),
    ],
)
def test_a_malformed_file_is_named_with_its_line_and_without_its_text(tmp_path: Path, text: str, line: int) -> None:
    with pytest.raises(ParseError) as caught:
        read(tmp_path, text)
    expected = f"{tmp_path / '.env'}:{line}: is not NAME=value: close its quotes, or write # before a comment"
    assert str(caught.value) == expected


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"EVAL_MODEL=\xff\xfe\n")
    with pytest.raises(UsageError, match="is not UTF-8 text"):
        read_settings({}, tmp_path)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"OPENAI_BASE_URL": "localhost:8000"}, "OPENAI_BASE_URL is no address: write it like https://host"),
        ({"OPENAI_BASE_URL": f"ftp://me:{SECRET}@host"}, "OPENAI_BASE_URL is no address"),
        ({"CHAT_FLOW_URL": "http://"}, "CHAT_FLOW_URL is no address"),
        ({"CHAT_FLOW_URL": "http://[::1"}, "CHAT_FLOW_URL is no address"),
        ({"CHAT_FLOW_URL": "http://host:99999"}, "CHAT_FLOW_URL is no address"),
        ({"LANGFUSE_HOST": "nowhere", **PAIR}, "LANGFUSE_HOST is no address"),
        ({"EVAL_TEMPERATURE": "2.1"}, "EVAL_TEMPERATURE is '2.1': give a number from 0 to 2"),
        ({"EVAL_TEMPERATURE": "nan"}, "EVAL_TEMPERATURE is 'nan': give a number from 0 to 2"),
        ({"EVAL_TEMPERATURE": "warm"}, "EVAL_TEMPERATURE is 'warm': give a number from 0 to 2"),
        ({"EVAL_CONCURRENCY": "0"}, "EVAL_CONCURRENCY is '0': give a whole number from 1 to 1000"),
        ({"EVAL_CONCURRENCY": "4.5"}, "EVAL_CONCURRENCY is '4.5': give a whole number from 1 to 1000"),
        ({"EVAL_MAX_TOKENS": "9" * 5000}, "EVAL_MAX_TOKENS is '99"),
        ({"EVAL_CALL_TIMEOUT_SECONDS": "0"}, "EVAL_CALL_TIMEOUT_SECONDS is '0': give a number from 0.1 to 3600"),
        ({"LANGFUSE_SAMPLE_RATE": "2"}, "LANGFUSE_SAMPLE_RATE is '2': give a number from 0 to 1"),
        ({"LANGFUSE_TRACING_ENABLED": "perhaps"}, "LANGFUSE_TRACING_ENABLED is 'perhaps': give true or false"),
        ({"LANGFUSE_TRACING_ENVIRONMENT": "langfuse-x"}, "LANGFUSE_TRACING_ENVIRONMENT is 'langfuse-x': use at most"),
        ({"LANGFUSE_TRACING_ENVIRONMENT": "A B"}, "LANGFUSE_TRACING_ENVIRONMENT is 'A B': use at most 40"),
        ({"EVAL_MODEL": "a\x1b[31m"}, r"EVAL_MODEL is 'a\x1b[31m': give one line of printable text"),
        ({"OPENAI_API_KEY": f"{SECRET} {SECRET}"}, "OPENAI_API_KEY holds blanks or characters that no key has"),
        ({"OPENAI_API_KEY": f"{SECRET}é"}, "OPENAI_API_KEY holds blanks or characters that no key has"),
        ({"LANGFUSE_PUBLIC_KEY": "pk-lf-1"}, "LANGFUSE_PUBLIC_KEY is set and LANGFUSE_SECRET_KEY is not: set both"),
        ({"LANGFUSE_SECRET_KEY": SECRET}, "LANGFUSE_SECRET_KEY is set and LANGFUSE_PUBLIC_KEY is not: set both"),
        (
            {"LANGFUSE_PUBLIC_KEY": SECRET, "LANGFUSE_SECRET_KEY": "pk-lf-1"},
            "LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY are exchanged",
        ),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_in_one_line(values: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        settings_of(Sources(values))
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("values", "url"),
    [
        ({}, "https://cloud.langfuse.com"),
        ({"LANGFUSE_HOST": "http://old:3000"}, "http://old:3000"),
        ({"LANGFUSE_BASE_URL": "http://new:3000", "LANGFUSE_HOST": "http://old:3000"}, "http://new:3000"),
    ],
)
def test_the_address_of_langfuse(values: dict[str, str], url: str) -> None:
    access = settings_of(Sources({**PAIR, **values})).langfuse
    assert access is not None
    assert access.base_url == url


def test_repr_shows_no_secret() -> None:
    settings = settings_of(
        Sources({**PAIR, "OPENAI_API_KEY": "sk-openai-secret", "OPENAI_BASE_URL": "http://me:pass-word@host/v1"})
    )
    for secret in (SECRET, "sk-openai-secret", "pass-word"):
        assert secret not in repr(settings)
        assert secret not in str(settings)
    assert settings.secrets() == ("sk-openai-secret", SECRET)


def test_every_variable_has_a_name_of_its_own_and_says_what_it_is() -> None:
    declared = list(variables())
    names = [name for each in declared for name in (each.name, each.older_name) if name]
    assert sorted(names) == sorted(set(names))
    assert [each.name for each in declared if not each.meaning.endswith(".")] == []


def test_the_example_file_as_it_stands_changes_nothing(tmp_path: Path) -> None:
    example = (TOOL / ".env.example").read_text(encoding="utf-8")
    assert read(tmp_path, example) == Settings(env_file=tmp_path / ".env")
