"""A prompt whose config or template is not what would run: refused from every source and by every command, unpaid."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.scripts.commands import Finished, document, only_run, run
from tests.services.langfuse_prompt_server import PUBLIC, SECRET, StoredPrompt, prompt_server
from tests.services.scripted_endpoint import say, scripted_endpoint

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "scripts.evaluate_prompts": ("--prompt", "v1"),
    "scripts.compare_prompts": ("--base", "v2", "--prompt", "v1"),
    "scripts.sweep_parameters": ("--prompt", "v1", "--vary", "temperature=0.3,0.7"),
    "scripts.nightly": (),
}
OTHERS = "config:\n  temperature: 0.5\n  crew: blue\n  owner: ana\n  stop: null\n  ticket: null\n"


def folder_of(tmp_path: Path, first: str, second: str = "You are Bo.") -> dict[str, str]:
    """Settings under which the default prompt has two versions in a folder; production is the first."""
    folder = tmp_path / "prompts" / "penpal-companion"
    folder.mkdir(parents=True)
    (folder / "v1.md").write_text(first)
    (folder / "v2.md").write_text(second)
    (folder / "labels.yaml").write_text("production: 1\n")
    return {"EVAL_PROMPTS_DIR": str(tmp_path / "prompts")}


def refused(tmp_path: Path, module: str, *arguments: str, **settings: str) -> str:
    """The one line with which a command ends at once, before it asked the endpoint anything."""
    given = {"EVAL_BASELINES_DIR": str(tmp_path / "baselines"), **settings}
    with scripted_endpoint([say("hello")]) as endpoint:
        model = {"OPENAI_BASE_URL": endpoint.url, "EVAL_MODEL": "m"}
        done = run(*COMMANDS[module], *arguments, "--quiet", runs=tmp_path / "runs", module=module, **model, **given)
    assert (done.code, done.out, endpoint.calls) == (2, "", []), done
    assert done.err.count("\n") == 1, done.err
    return done.err


@pytest.mark.parametrize("module", COMMANDS)
def test_a_key_that_no_call_is_sent_stops_every_command_before_it_pays(tmp_path: Path, module: str) -> None:
    settings = folder_of(tmp_path, f"---\n{OTHERS}---\nYou are Ada.")
    said = refused(tmp_path, module, **settings)
    assert all(part in said for part in ("'penpal-companion' v1", "crew, owner,", "EVAL_IGNORE_CONFIG=crew,owner"))
    assert "docs/prompts.md" in said  # it lists those that are sent
    assert "ticket" not in said
    if module != "scripts.nightly":
        assert refused(tmp_path, module, "--dry-run", **settings) == said


def test_the_same_holds_for_a_file_and_for_langfuse(tmp_path: Path) -> None:
    file = tmp_path / "bot.yaml"
    file.write_text("config: {tool_choice: auto}\nmessages: [{role: system, content: hello}]\n")
    assert "tool_choice" in refused(tmp_path, "scripts.evaluate_prompts", "--prompt", str(file))
    stored = StoredPrompt("penpal-companion", 1, "hello", ["production"], {"functions": [{"name": "clock"}]})
    with prompt_server(stored) as langfuse:
        keys = {"LANGFUSE_BASE_URL": langfuse.url, "LANGFUSE_PUBLIC_KEY": PUBLIC, "LANGFUSE_SECRET_KEY": SECRET}
        said = refused(tmp_path, "scripts.evaluate_prompts", **keys)
    assert "'penpal-companion' v1: its config holds functions" in said


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ("model: [a]", "model"),
        ("variables: [a]", "variables"),
        ("temperature: -1", "temperature"),
        ('temperature: "0.5"', "temperature"),
        ("temperature: true", "temperature"),
        ("max_tokens: 0", "max_tokens"),
        ("max_tokens: 1.5", "max_tokens"),
        ("top_p: 1.5", "top_p"),
        ("presence_penalty: 3", "presence_penalty"),
    ],
)
def test_a_key_of_another_form_than_is_read_is_refused_too(tmp_path: Path, config: str, named: str) -> None:
    settings = folder_of(tmp_path, f"---\nconfig:\n  {config}\n---\nYou are Ada.")
    assert f"v1: {named} in its config is" in refused(tmp_path, "scripts.evaluate_prompts", **settings)


def test_keys_that_the_team_calls_no_part_of_a_call_are_passed_over_and_the_manifest_says_so(tmp_path: Path) -> None:
    settings = folder_of(tmp_path, f"---\n{OTHERS}---\nYou are Ada.")
    assert "its config holds crew," in refused(
        tmp_path, "scripts.evaluate_prompts", EVAL_IGNORE_CONFIG="owner", **settings
    )
    done = run(
        "--prompt", "v1", "--tag", "smoke", "--limit", "1", "--no-judge", "--quiet", runs=tmp_path / "runs",
        EVAL_IGNORE_CONFIG="owner, crew", **settings,
    )  # fmt: skip
    assert done.code == 0, done.err
    manifest = document(only_run(tmp_path / "runs"), "manifest.json")
    assert manifest["config_not_sent"] == ["crew", "owner"]
    assert manifest["spec"]["parameters"] == {"temperature": 0.5}


def dry(tmp_path: Path, text: str, **settings: str) -> Finished:
    file = tmp_path / "bot.md"
    file.write_text(text)
    return run("--prompt", str(file), "--dry-run", "--quiet", runs=tmp_path / "runs", **settings)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Hi.\n{{#if premium}}Be brief.{{/if}}", ("'{{#if premium}}' in line 2", "'{{/if}}' in line 2")),
        ("{{{audience}}}", ("'{{{audience}}'",)),
        ("{{upper audience}}", ("'{{upper audience}}'",)),
        ("{{ audience | upper }}", ("'{{ audience | upper }}'",)),
        ("{{> header}} {{! note }}", ("'{{> header}}'", "'{{! note }}'")),
        ('{{"who": {{audience}}}}', ("""'{{"who": {{audience}}'""",)),
        ("{% if audience %}a{% endif %}", ("'{% if audience %}'", "'{% endif %}'")),
        ("".join(f"{{{{#b{number}}}}}" for number in range(9)), ("'{{#b0}}'", "and 6 more")),
    ],
)
def test_syntax_that_langfuse_does_not_fill_is_refused_with_its_place(
    tmp_path: Path, text: str, shown: tuple[str, ...]
) -> None:
    done = dry(tmp_path, text)
    assert (done.code, done.err.count("\n")) == (2, 1), done
    assert all(part in done.err for part in ("prompt 'bot'", "plain {{name}}", *shown)), done.err


@pytest.mark.parametrize(
    "text",
    [
        'Answer like {"a": {"who": {{audience}}}}.',
        'Answer like {{"a": {"b": [1]}, "c": "d"}}.',
        "```jsx\n<p style={{color: 'red'}} />\n```\n{{ audience }}",
        "An empty {{}} and an open {{pair, 100% {sure}",
    ],
)
def test_plain_variables_and_the_text_of_objects_pass(tmp_path: Path, text: str) -> None:
    assert dry(tmp_path, text).code == 0


def test_every_variable_without_a_value_is_named_at_once(tmp_path: Path) -> None:
    done = dry(tmp_path, "{{tone}} {{audience}} {{Größe}}")
    assert done.code == 2
    assert "{{Größe}}, {{tone}}" in done.err
    assert "audience" in done.err.partition("given are")[2]


def test_a_judges_own_prompt_is_held_to_the_same_and_all_that_it_lacks_is_named(tmp_path: Path) -> None:
    judge = tmp_path / "judge.md"
    judge.write_text("{{context_summary}}{{#each scores}}")
    settings = {"EVAL_JUDGE_PROMPT": str(judge)}
    assert "'{{#each scores}}' in line 1" in dry(tmp_path, "hello", **settings).err
    judge.write_text("{{context_summary}}")
    assert "lacks {{user_message}}, {{assistant_response}}" in dry(tmp_path, "hello", **settings).err
    judge.write_text("{{context_summary}} {{user_message}} {{assistant_response}} {{tone}} {{mood}}")
    assert "unknown placeholders {{tone}}, {{mood}}" in dry(tmp_path, "hello", **settings).err
