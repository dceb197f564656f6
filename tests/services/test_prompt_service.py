"""Prompt references and the prompt folder: what each means, and what is said when it means nothing."""

import asyncio
from pathlib import Path

import pytest

from evaluation.errors import ParseError, UsageError
from evaluation.prompts import prompt_digest
from evaluation.records import Turn
from services.langfuse_access import LangfuseAccess
from services.prompt_service import PromptService, open_prompts, parse_reference
from services.prompt_versions import DirectoryPrompts, FoundPrompt, list_values, parse_prompt
from services.settings import Settings
from tests.services.langfuse_prompt_server import PUBLIC, SECRET, StoredPrompt, prompt_server

TEXT = """\
---
config:
  temperature: 0.7
changes: Warmer.
---

You are Penpal. The user is {{audience}}.

Keep it short.
"""
CHAT = """\
messages:
  - {role: system, content: "You are {{name}}."}
  - {placeholder: history}
config: {max_tokens: 80}
"""


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(
        tmp_path / "prompts/penpal",
        v1_md="One.",
        v2_md=TEXT,
        v10_yaml=CHAT,
        labels_yaml="production: 2\nv7: 1\nv1: 2\n",
    )
    write(tmp_path / "prompts/team/greeter", v1_md="Greet.", notes_md="not a version")
    write(tmp_path / "outside", v1_md="Secret.")
    return tmp_path / "prompts"


def load(root: Path, reference: str) -> FoundPrompt:
    return asyncio.run(PromptService(DirectoryPrompts(root), "penpal").load(reference))


def refused(root: Path, reference: str) -> str:
    with pytest.raises(UsageError) as caught:
        load(root, reference)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("v3", ("penpal", "v3")),
        (" 3 ", ("penpal", "3")),
        ("production", ("penpal", "production")),
        ("other@v3", ("other", "v3")),
        ("folder/name@latest", ("folder/name", "latest")),
        ("me@home@2", ("me@home", "2")),
        ("prompts/penpal/v3.md", Path("prompts/penpal/v3.md")),
        ("a@b/v3.md", Path("a@b/v3.md")),
        ("chat.yaml", Path("chat.yaml")),
        ("./v3", Path("v3")),
        ("folder/name", Path("folder/name")),
    ],
)
def test_the_grammar_of_references(reference: str, expected: Path | tuple[str, str]) -> None:
    assert parse_reference(reference, "penpal") == expected


@pytest.mark.parametrize("reference", ["", "  ", "@v3", "name@", "v3\x1b[2J", "v" * 501, "\ud800"])
def test_what_is_no_reference_is_refused(reference: str) -> None:
    with pytest.raises(UsageError, match=r"^prompt reference .*: write "):
        parse_reference(reference, "penpal")


@pytest.mark.parametrize(
    ("reference", "name", "version", "label", "resolution"),
    [
        ("v2", "penpal", 2, None, 'penpal v2 = version 2 (there is no label "v2"), from prompts/penpal/v2.md'),
        ("10", "penpal", 10, None, 'penpal 10 = version 10 (there is no label "10"), from prompts/penpal/v10.yaml'),
        (
            "v1",
            "penpal",
            1,
            None,
            "penpal v1 = version 1 (the label exists too and is not used), from prompts/penpal/v1.md",
        ),
        (
            "v7",
            "penpal",
            1,
            "v7",
            'penpal v7 = the version with the label "v7" (there is no version 7), which is version 1, '
            "from prompts/penpal/v1.md",
        ),
        (
            "latest",
            "penpal",
            10,
            "latest",
            'penpal latest = the version with the label "latest", which is version 10, from prompts/penpal/v10.yaml',
        ),
        (
            "team/greeter@v1",
            "team/greeter",
            1,
            None,
            'team/greeter v1 = version 1 (there is no label "v1"), from prompts/team/greeter/v1.md',
        ),
    ],
)
def test_a_reference_is_pinned_and_explained(
    root: Path, reference: str, name: str, version: int, label: str | None, resolution: str
) -> None:
    found = load(root, reference)
    pin = found.prompt.pin
    assert (pin.name, pin.version, pin.label, pin.source) == (name, version, label, "directory")
    assert found.resolution == resolution


def test_a_text_prompt_is_one_system_message_without_its_front_matter(root: Path) -> None:
    prompt = load(root, "production").prompt
    assert prompt.kind == "text"
    assert prompt.messages == (Turn("system", "You are Penpal. The user is {{audience}}.\n\nKeep it short."),)
    assert dict(prompt.config) == {"temperature": 0.7}
    assert prompt.variables == ("audience",)
    assert prompt.pin.sha256 == prompt_digest("text", prompt.messages, {"temperature": 0.7})


def test_a_chat_prompt_has_messages_and_placeholders(root: Path) -> None:
    prompt = load(root, "v10").prompt
    assert prompt.kind == "chat"
    assert prompt.messages == (Turn("system", "You are {{name}}."), Turn("placeholder", "history"))
    assert dict(prompt.config) == {"max_tokens": 80}


@pytest.mark.parametrize(
    ("reference", "name"),
    [("prompts/penpal/v2.md", "penpal/v2"), ("./mine.md", "mine"), ("prompts/../mine.md", "mine")],
)
def test_a_file_is_read_as_a_file(root: Path, reference: str, name: str) -> None:
    (root.parent / "mine.md").write_text("\ufeffMine.\r\nTwo.", encoding="utf-8")
    found = load(root, reference)
    pin = found.prompt.pin
    assert (pin.name, pin.version, pin.label, pin.source) == (name, None, None, "file")
    assert found.resolution == f"file {reference.removeprefix('./').replace('prompts/../', '')}"
    assert "\r" not in found.prompt.messages[0].content


def test_an_unknown_reference_lists_what_exists(root: Path) -> None:
    assert refused(root, "nope") == (
        "prompt 'penpal' has no version or label 'nope'; "
        "it has the versions v1, v2, v10 and the labels latest, production, v1, v7: choose one"
    )
    assert (
        refused(root, "nobody@v1")
        == "there is no prompt 'nobody' in prompts/; there are penpal, team/greeter: choose one"
    )
    assert refused(root, "nowhere.md") == "there is no prompt file 'nowhere.md': check the path"
    assert refused(root, "team/greeter").endswith("for a prompt in a folder write folder/name@v3")
    assert refused(root, "prompts/penpal.md/") == "there is no prompt file 'prompts/penpal.md': check the path"


@pytest.mark.parametrize(
    "name", ["..", "../outside", "team/../../outside", "/etc", ".", "", "a\\..", "outside/../penpal"]
)
def test_a_name_is_never_a_path(root: Path, name: str) -> None:
    assert DirectoryPrompts(root).versions(name) == {}
    assert DirectoryPrompts(root).labels(name) == {}


def test_two_files_of_one_version_are_refused(root: Path) -> None:
    write(root / "penpal", v2_yaml=CHAT)
    assert refused(root, "v1") == "prompts/penpal/v2.yaml: is version 2 like v2.md: remove one of the two"


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (
            "production: 9",
            "prompts/penpal/labels.yaml:1: label 'production' is on 9, which is no version: choose from 1, 2, 10",
        ),
        (
            "a: 1\nb: true",
            "prompts/penpal/labels.yaml:2: label 'b' is on True, which is no version: choose from 1, 2, 10",
        ),
        ("[]", "prompts/penpal/labels.yaml: is not a mapping: write lines like 'production: 3'"),
        ("- production", "prompts/penpal/labels.yaml: is not a mapping: write lines like 'production: 3'"),
    ],
)
def test_broken_labels_are_refused(root: Path, labels: str, message: str) -> None:
    write(root / "penpal", labels_yaml=labels)
    assert refused(root, "v1") == message


def test_latest_can_be_given_and_an_empty_label_file_is_none(root: Path) -> None:
    write(root / "penpal", labels_yaml="latest: 1")
    assert load(root, "latest").prompt.pin.version == 1
    write(root / "penpal", labels_yaml="# none yet\n")
    assert DirectoryPrompts(root).labels("penpal") == {"latest": 10}


@pytest.mark.parametrize(
    ("suffix", "text", "message"),
    [
        (".md", "---\nconfig: {}\nYou are", "p:1: the front matter that '---' opens is not closed: add a line '---'"),
        (".md", "---\nchanges: x\nconfg: {}\n---\nHi", "p:3: confg: unknown key 'confg'; did you mean 'config'?"),
        (".md", "---\n- a\n---\nHi", "p: holds a list, not a mapping: begin with config:"),
        (".md", "---\na: 1\na: 2\n---\nHi", "p:3: key 'a' is given twice (first in line 2): remove one"),
        (".yaml", "config: {}", "p:1: messages: is missing: give a list"),
        (".yaml", "messages: []", "p:1: messages: is missing: give a list"),
        (".yaml", "messages:\n- {role: user}", "p:2: messages[0]: is neither {role, content} nor {placeholder: name}"),
        (".yaml", "messages:\n- {role: user, content: 5}", "p:2: messages[0]: is neither"),
        (".yaml", "messages:\n- {role: placeholder, content: x}", "p:2: messages[0]: is neither"),
        (".yaml", "messages: [{}]\nxyz: 1", "p:2: xyz: unknown key 'xyz'; known are config, changes"),
        (".pdf", "x", "p: a prompt file ends with .md, .txt, .yaml, .yml, .json: rename it"),
    ],
)
def test_a_broken_prompt_file_is_refused_with_its_line(suffix: str, text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_prompt(text, "p", suffix)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("  \n", "v1.md: the prompt is empty: write its text"),
        ("---\nconfig: 5\n---\nHi", "v1.md: config is '5': make it a mapping of parameters, or leave it out"),
    ],
)
def test_a_prompt_that_cannot_be_played_is_refused(root: Path, text: str, message: str) -> None:
    write(root / "penpal", v1_md=text)
    assert refused(root, "v1") == f"prompts/penpal/{message}"


def test_a_chat_prompt_as_json_and_its_notes() -> None:
    parsed = parse_prompt('{"messages": [{"role": "user", "content": "Hi"}], "changes": "none"}', "p", ".json")
    assert parsed.messages == (Turn("user", "Hi"),)
    assert parsed.changes == "none"


def test_front_matter_of_comments_alone_says_nothing() -> None:
    assert parse_prompt("---\n# reviewed\n---\nYou are kind.", "p", ".md").messages[0].content == "You are kind."


def test_long_lists_are_cut() -> None:
    assert list_values([]) == "none"
    assert list_values(str(number) for number in range(22)).startswith("2 others, 2, 3, ")


def test_the_keys_decide_where_prompts_come_from(root: Path) -> None:
    with prompt_server(StoredPrompt("penpal", 1, "From Langfuse.", ["production"])) as server:
        access = LangfuseAccess(server.url, PUBLIC, SECRET)
        settings = Settings(langfuse=access, prompts_dir=root, prompt="penpal")
        remote = asyncio.run(open_prompts(settings).load("production")).prompt
        local = asyncio.run(open_prompts(settings, use_langfuse=False).load("production")).prompt
        file = asyncio.run(open_prompts(settings).load("prompts/penpal/v1.md")).prompt
    unset = asyncio.run(open_prompts(Settings(prompts_dir=root, prompt="penpal")).load("production")).prompt
    assert [prompt.pin.source for prompt in (remote, local, file, unset)] == [
        "langfuse",
        "directory",
        "file",
        "directory",
    ]
    assert remote.messages[0].content == "From Langfuse."


def test_langfuse_without_the_prompt_does_not_fall_back_to_the_folder(root: Path) -> None:
    with prompt_server() as server:
        settings = Settings(langfuse=LangfuseAccess(server.url, PUBLIC, SECRET), prompts_dir=root, prompt="penpal")
        with pytest.raises(UsageError, match=r"there is no prompt 'penpal' in Langfuse at .*; there are none"):
            asyncio.run(open_prompts(settings).load("v1"))
