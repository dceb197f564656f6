"""The catalogue: names, files and folders, and that a name is never a path."""

from pathlib import Path

import pytest

from evaluation.errors import UsageError
from services.text_files import MAX_BYTES, read_text
from services.workspace import SCENARIOS, read_named, read_scenarios, shipped_names


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "shipped"
    (folder / "chat").mkdir(parents=True)
    (folder / "empty").mkdir()
    for name, text in {
        "b.yaml": "b: 1",
        "a.yaml": "a: 1",
        "c.yml": "c: 1",
        "parser.py": "",
        "chat/x.yaml": "x: 1",
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    (tmp_path / "secret.yaml").write_text("s: 1", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return folder


def test_names_are_those_of_files_and_folders_that_hold_yaml(shipped: Path) -> None:
    assert shipped_names(shipped) == ("a", "b", "c", "chat")
    assert shipped_names(shipped / "nowhere") == ()


def test_a_rubric_by_name_and_by_file(shipped: Path) -> None:
    named = read_named("rubric", "a", shipped)
    assert (named.name, named.place, named.text) == ("a", "shipped/a.yaml", "a: 1")
    assert read_named("rubric", "c", shipped).text == "c: 1"
    assert read_named("rubric", "secret.yaml", shipped).place == "secret.yaml"
    assert read_named("rubric", str(shipped.parent / "secret.yaml"), shipped).place == "secret.yaml"


def test_without_a_reference_the_shipped_scenario_files_are_read_in_order(shipped: Path) -> None:
    assert [file.place for file in read_scenarios((), shipped)] == ["shipped/a.yaml", "shipped/b.yaml", "shipped/c.yml"]


def test_scenarios_by_name_folder_and_file_each_once(shipped: Path) -> None:
    files = read_scenarios(["chat", "b", "secret.yaml", "shipped/b.yaml", "./shipped/chat"], shipped)
    assert [file.place for file in files] == ["shipped/chat/x.yaml", "shipped/b.yaml", "secret.yaml"]


def test_a_shipped_name_wins_over_a_folder_of_that_name(shipped: Path) -> None:
    (shipped.parent / "chat").mkdir()
    assert [file.place for file in read_scenarios(["chat"], shipped)] == ["shipped/chat/x.yaml"]


@pytest.mark.parametrize("reference", ["../secret", "", " ", "chat/../a", "nope", "a\0", "parser", "x" * 5000])
def test_an_unknown_name_lists_what_exists(shipped: Path, reference: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_named("rubric", reference, shipped / "chat" / "..")
    expected = f"there is no rubric {reference[:200]!r}, neither shipped nor as a file; shipped are a, b, c, chat"
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: \xff", "bad.yaml: is not UTF-8 text (byte 3): save it as such"),
        (b"a" * (MAX_BYTES + 1), "bad.yaml: is larger than 8,000,000 bytes: name a smaller file"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(shipped: Path, content: bytes, message: str) -> None:
    (shipped.parent / "bad.yaml").write_bytes(content)
    with pytest.raises(UsageError) as caught:
        read_named("rubric", "bad.yaml", shipped)
    assert str(caught.value) == message


def test_missing_files_and_empty_folders_are_refused(shipped: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere\.md: cannot be read \(No such file or directory\)"):
        read_text(Path("nowhere.md"))
    with pytest.raises(UsageError, match=r"is a folder: name a file in it"):
        read_named("rubric", "..", shipped)
    with pytest.raises(UsageError, match=r"shipped/empty: holds no \.yaml or \.yml file"):
        read_scenarios(["shipped/empty"], shipped)


def test_line_ends_and_a_byte_order_mark_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\rthree\n")
    assert read_text(path).text == "one\ntwo\nthree\n"


def test_the_shipped_scenarios_are_found() -> None:
    assert {"basic_conversations", "emotional_support", "continuity"} <= set(shipped_names(SCENARIOS))
