"""The workspace: found upwards, its keys checked, and each setting read from the first place that says it."""

from pathlib import Path

import pytest

from evaluation.errors import UsageError
from services import workspace as module
from services.settings import Settings, declared_settings, read_settings
from services.workspace import TOOL, find_workspace


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A developer's own files are out of reach."""
    monkeypatch.setattr(module, "TOOL", tmp_path / "tool")
    monkeypatch.chdir(tmp_path)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def settings(folder: Path, text: str, **environ: str) -> Settings:
    """Those of a workspace file in a folder."""
    write(folder / "prompt-eval.toml", text)
    return read_settings(environ, folder)


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(UsageError) as caught:
        settings(folder, text)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix("prompt-eval.toml:")


def test_the_nearest_file_upwards_is_the_workspace(tmp_path: Path) -> None:
    write(tmp_path / "prompt-eval.toml", 'model = "outer"')
    write(tmp_path / "a/pyproject.toml", '[project]\nname = "x"\n[tool.prompt-eval]\nmodel = "inner"')
    write(tmp_path / "a/b/pyproject.toml", '[tool.other]\nmodel = "none of ours"')
    (tmp_path / "a/b/c").mkdir()
    found = find_workspace(tmp_path / "a/b/c")
    assert found.folder == tmp_path / "a"
    assert read_settings({}, tmp_path / "a/b/c").model == "inner"
    assert find_workspace(tmp_path).folder == tmp_path


def test_of_two_files_in_one_folder_the_one_that_is_the_workspaces_alone_counts(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.prompt-eval]\nmodel = "python"')
    assert settings(tmp_path, 'model = "own"').model == "own"


def test_without_a_file_the_tools_own_folder_serves(tmp_path: Path) -> None:
    found = find_workspace(tmp_path)
    assert (found.folder, found.file) == (tmp_path / "tool", None)
    bare = read_settings({}, tmp_path)
    assert bare == Settings()
    assert (bare.runs_dir, bare.night.baselines_dir) == (Path("runs"), Path("baselines"))


def test_the_tools_own_folder_ends_the_search(tmp_path: Path) -> None:
    write(tmp_path / "prompt-eval.toml", 'model = "around the clone"')
    (tmp_path / "tool/docs").mkdir(parents=True)
    assert find_workspace(tmp_path / "tool/docs").file is None


def test_a_python_projects_file_that_is_none_of_ours_may_be_broken(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[broken")
    assert find_workspace(tmp_path).file is None


def test_every_place_in_its_order(tmp_path: Path) -> None:
    def found(**environ: str) -> list[str | None]:
        return [read_settings(environ, tmp_path / "below").model, read_settings(environ, tmp_path).model]

    (tmp_path / "below").mkdir()
    write(tmp_path / "prompt-eval.toml", 'model = "workspace"')
    assert found() == ["workspace", "workspace"]
    write(tmp_path / ".env", "EVAL_MODEL=env-file")
    assert found() == ["env-file", "env-file"]
    write(tmp_path / "below/.env", "EVAL_MODEL=not-the-workspaces")
    assert found() == ["env-file", "env-file"]
    assert found(EVAL_MODEL="exported") == ["exported", "exported"]


def test_every_value_arrives_in_its_type(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    write(tmp_path / "mine.yaml", "")
    found = settings(
        tmp_path,
        """
        prompt = "support@staging"
        prompts = "texts"
        rubric = "mine.yaml"
        base_url = "http://localhost:8000/v1"
        judge_models = ["a", "b"]
        temperature = 1
        max_tokens = 200
        runs = "out/runs"
        concurrency = 4
        [langfuse]
        mask = ["email"]
        enabled = false
        [endpoints.mistral]
        url = "https://mistral.example/v1"
        rpm = 30
        [nightly]
        keep_days = 3
        prompts = ["support", "sales@live"]
        """,
    )
    assert (found.prompt_name, found.prompt_reference) == ("support", "staging")
    assert (found.prompts_dir, found.rubric) == (Path("texts"), "./mine.yaml")
    assert (found.openai_base_url, found.judge_models) == ("http://localhost:8000/v1", ("a", "b"))
    assert (found.temperature, found.max_tokens, found.concurrency, found.night.keep_days) == (1.0, 200, 4, 3)
    assert found.night.prompts == ("support", "sales@live")
    assert (found.mask, found.tracing_enabled) == (("email",), False)
    assert (found.endpoints["mistral"].url, found.endpoints["mistral"].rpm) == ("https://mistral.example/v1", 30)
    assert found.night.baselines_dir == Path("baselines")


def test_paths_are_relative_to_the_file_and_shown_from_where_the_command_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ws/below").mkdir(parents=True)
    write(tmp_path / "ws/.env", "EVAL_BASELINES_DIR=approved")
    whole = settings(tmp_path / "ws", 'runs = "out"')
    assert (whole.runs_dir, whole.night.baselines_dir) == (Path("ws/out"), Path("ws/approved"))
    monkeypatch.chdir(tmp_path / "ws/below")
    below = read_settings({"EVAL_RUNS_DIR": "here"})
    assert (below.runs_dir, below.night.baselines_dir) == (Path("here"), tmp_path / "ws/approved")
    monkeypatch.chdir(tmp_path / "ws")
    assert read_settings({}).runs_dir == Path("out")


def test_the_prompt_folder_beside_the_file_is_the_workspaces(tmp_path: Path) -> None:
    assert settings(tmp_path, "").prompts_dir == tmp_path / "tool/prompts"
    (tmp_path / "prompts").mkdir()
    assert settings(tmp_path, "").prompts_dir == Path("prompts")


def test_what_lies_beside_the_file_wins_over_a_shipped_name(tmp_path: Path) -> None:
    assert settings(tmp_path, 'rubric = "companion-v3"').rubric == "companion-v3"
    write(tmp_path / "companion-v3", "")
    assert settings(tmp_path, 'rubric = "companion-v3"').rubric == "./companion-v3"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('modle = "x"', "1: modle: unknown key: did you mean model?"),
        ('[langfuse]\nmaks = ["email"]', "2: langfuse.maks: unknown key: did you mean langfuse.mask?"),
        ("[unheard.of]\nx = 1", "2: unheard.of.x: unknown key: docs/commands.md lists the settings"),
        ("\nmodel = 3", "2: model: is 3: give a text in quotes"),
        ('temperature = "warm"', "1: temperature: is 'warm': give a number"),
        ("temperature = 2.5", "1: temperature: is '2.5': give a number from 0 to 2"),
        ("concurrency = 1.5", "1: concurrency: is 1.5: give a whole number"),
        ("concurrency = true", "1: concurrency: is true: give a whole number"),
        ("judge_models = [1]", '1: judge_models: is [1]: give a list of texts, such as ["a", "b"]'),
        ("model = {}", "1: model: is a table: give a text in quotes"),
        ('[langfuse]\nenabled = "no"', "2: langfuse.enabled: is 'no': give true or false"),
        ('[langfuse]\nmask = ["names"]', "2: langfuse.mask: is 'names': choose from email, phone"),
        ('# x\nprompts = "nowhere"', "2: prompts: there is no 'nowhere' beside the file: make it, or correct the path"),
        (
            'rubric = "nowhere.yaml"',
            "1: rubric: there is no 'nowhere.yaml' beside the file, and no shipped one of that name (chat_flow, "
            "companion, companion-v3, text_quality): "
            "correct the path or the name",
        ),
        ('prompt = "@v3"', "1: prompt: is '@v3': write name, name@label or name@v3"),
        ('model = "x', "1: is no TOML (Illegal character '\\n'): correct it"),
        ("a = 1\nb = ", "2: is no TOML (Invalid value): correct it"),
        ("langfuse.mask = 3", '1: langfuse.mask: is 3: give a list of texts, such as ["a", "b"]'),
    ],
)
def test_a_broken_file_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    assert refusal(tmp_path, f"{text}\n") == message


@pytest.mark.parametrize(
    ("text", "variable"),
    [
        ('openai_api_key = "hidden-value"', "OPENAI_API_KEY"),
        ('api_key = "hidden-value"', "OPENAI_API_KEY"),
        ('[langfuse]\nsecret_key = "hidden-value"', "LANGFUSE_SECRET_KEY"),
        ('langfuse.public_key = "hidden-value"', "LANGFUSE_PUBLIC_KEY"),
        ('[endpoints.mistral]\nkey = "hidden-value"', "EVAL_ENDPOINT_MISTRAL_KEY"),
        ('webhook_url = "https://hidden-value"', "EVAL_WEBHOOK_URL"),
        ('[application.headers]\nAuthorization = "hidden-value"', "CHAT_FLOW_HEADERS"),
        ('model = "sk-hidden-value"', "EVAL_MODEL"),
    ],
)
def test_a_secret_is_refused_without_being_shown(tmp_path: Path, text: str, variable: str) -> None:
    said = refusal(tmp_path, text)
    if variable != "EVAL_MODEL":
        assert said.endswith(f": a secret has no place in a file that is shared: set {variable} in .env")
    assert "hidden-value" not in said


def test_an_address_with_a_password_is_refused_without_being_shown(tmp_path: Path) -> None:
    said = refusal(tmp_path, 'base_url = "https://me:hidden-value@host/v1"')
    assert said == ("1: base_url: holds a user or a password, and this file is shared: set OPENAI_BASE_URL in .env")


def test_every_key_is_one_settings_alone_and_no_secret_has_one() -> None:
    declared = [each for each in declared_settings() if each.key]
    assert len({each.key for each in declared}) == len(declared) > 20
    addresses = ("base_url", "langfuse.base_url", "application.url", "endpoints.*.url")
    assert [each.key for each in declared if each.secret and each.key not in addresses] == []


def test_the_tools_own_folder_is_the_one_that_holds_it() -> None:
    assert (TOOL / "services/workspace.py").is_file()
