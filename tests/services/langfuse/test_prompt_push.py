"""Publishing the prompt folder: what it would change, what it changes, and what it never makes twice."""

import asyncio
from pathlib import Path

import pytest

from evaluation.errors import UsageError
from scripts.push_prompts import main
from services.langfuse.prompts import PushPlan, push, push_plan
from services.langfuse.rest import LangfuseRest
from services.prompt_versions import DirectoryPrompts
from tests.langfuse_double import LangfuseDouble
from tests.services.langfuse.stories import VirtualTime, settings_for


def folder_with(root: Path, files: dict[str, str]) -> DirectoryPrompts:
    for name, text in files.items():
        path = root / "pal" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return DirectoryPrompts(root)


def published(double: LangfuseDouble, folder: DirectoryPrompts, *, move_labels: bool = False) -> PushPlan:
    access = settings_for(double, folder.root).langfuse
    assert access is not None

    async def work() -> PushPlan:
        async with LangfuseRest(access, timing=VirtualTime().timing()) as rest:
            plan = await push_plan(rest, folder, "pal", move_labels=move_labels)
            await push(rest, plan)
            return plan

    return asyncio.run(work())


FILES = {
    "v1.md": "Be kind.\n",
    "v2.md": "---\nconfig: {temperature: 0.5}\nchanges: warmer\n---\nBe warm, {{user}}.\n",
    "labels.yaml": "production: 1\n",
}


def test_versions_config_notes_and_labels_arrive_and_a_second_time_nothing_changes(
    double: LangfuseDouble, tmp_path: Path
) -> None:
    folder = folder_with(tmp_path, FILES)
    plan = published(double, folder)
    assert plan.lines() == (
        "pal: new version from v1: no note",
        *("    --- newest version", "    +++ v1 of the folder", "    @@ -0,0 +1,2 @@"),
        *("    +[system]", "    +Be kind."),
        "pal: new version from v2: warmer",
        *("    --- newest version", "    +++ v2 of the folder", "    @@ -1,2 +1,3 @@", "     [system]"),
        *("    -Be kind.", "    +Be warm, {{user}}.", '    +config: {"temperature":0.5}'),
        "pal: label production moves from no version to v1 of the folder",
    )
    first, second = double.store.prompts["pal"]
    assert (first.prompt, first.labels) == ("Be kind.", ["production"])
    assert (second.prompt, second.config, second.commit_message) == (
        *("Be warm, {{user}}.", {"temperature": 0.5}),
        "warmer",
    )
    assert published(double, folder).empty
    assert len(double.store.prompts["pal"]) == 2
    assert double.body_problems() == []


def test_a_version_equal_to_the_newest_is_not_made(double: LangfuseDouble, tmp_path: Path) -> None:
    published(double, folder_with(tmp_path, FILES))
    again = folder_with(tmp_path, {"v3.md": FILES["v2.md"], "labels.yaml": "production: 3\n"})
    plan = published(double, again, move_labels=True)
    assert plan.versions == ()
    assert len(double.store.prompts["pal"]) == 2
    assert double.store.prompts["pal"][1].labels == ["latest", "production"]


def test_a_changed_text_becomes_one_new_version(double: LangfuseDouble, tmp_path: Path) -> None:
    published(double, folder_with(tmp_path, FILES))
    plan = published(double, folder_with(tmp_path, {"v3.md": "Be warm, {{user}}. Ask back.\n"}))
    assert "    +Be warm, {{user}}. Ask back." in plan.lines()
    assert [row.prompt for row in double.store.prompts["pal"]][2:] == ["Be warm, {{user}}. Ask back."]
    assert double.store.prompts["pal"][0].labels == ["production"]


def test_labels_that_people_moved_stay_unless_asked(double: LangfuseDouble, tmp_path: Path) -> None:
    published(double, folder_with(tmp_path, FILES))
    folder = folder_with(tmp_path, {"labels.yaml": "production: 2\nstaging: 2\n"})
    plan = published(double, folder)
    assert plan.lines() == (
        "pal: label staging moves from no version to v2 of the folder",
        "pal: label production stays on version 1, where the folder has v2: move it with --move-labels",
    )
    first, second = double.store.prompts["pal"]
    assert (first.labels, second.labels) == (["production"], ["latest", "staging"])
    published(double, folder, move_labels=True)
    assert (first.labels, sorted(second.labels)) == ([], ["latest", "production", "staging"])


def test_a_changed_old_version_is_reported_and_left_alone(double: LangfuseDouble, tmp_path: Path) -> None:
    published(double, folder_with(tmp_path, FILES))
    plan = published(double, folder_with(tmp_path, {"v1.md": "Be unkind."}))
    assert plan.empty
    assert plan.problems[0].startswith("pal: v1 of the folder differs from version 1 in Langfuse")


def test_chat_prompts_keep_their_placeholders(double: LangfuseDouble, tmp_path: Path) -> None:
    text = "messages:\n  - {role: system, content: Be kind.}\n  - {placeholder: history}\n"
    folder = folder_with(tmp_path, {"v1.yaml": text})
    published(double, folder)
    (row,) = double.store.prompts["pal"]
    assert row.prompt[1] == {"type": "placeholder", "name": "history"}
    assert published(double, folder).empty


def test_a_lost_acknowledgement_makes_no_second_version(double: LangfuseDouble, tmp_path: Path) -> None:
    folder = folder_with(tmp_path, FILES)
    double.fail("POST */v2/prompts", "reset_after_store")
    with pytest.raises(UsageError, match="run it again"):
        published(double, folder)
    published(double, folder)
    assert [row.prompt for row in double.store.prompts["pal"]] == ["Be kind.", "Be warm, {{user}}."]


def test_nobody_at_the_terminal_is_a_no(
    double: LangfuseDouble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder_with(tmp_path, FILES)
    for name, value in (
        ("EVAL_PROMPTS_DIR", str(tmp_path)),
        ("LANGFUSE_BASE_URL", double.base_url),
        ("LANGFUSE_PUBLIC_KEY", double.public_key),
        ("LANGFUSE_SECRET_KEY", double.secret_key),
    ):
        monkeypatch.setenv(name, value)
    assert main([]) == 1
    assert double.store.prompts == {}
    assert "pal: new version from v1" in capsys.readouterr().out
    assert main(["--yes"]) == 0
    assert len(double.store.prompts["pal"]) == 2
    assert main([]) == 0
