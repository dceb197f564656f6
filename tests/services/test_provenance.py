import subprocess
from pathlib import Path

import pytest

from evaluation.errors import UsageError
from services.provenance import changed_files, provenance


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.com", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", "-C", str(folder), *who, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / "file").write_text("text")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "-q", "-m", "first")
    return tmp_path


def test_a_checkout_is_named_by_its_commit(checkout: Path) -> None:
    assert provenance(checkout)["git"] == {"commit": git(checkout, "rev-parse", "HEAD"), "dirty": False}


@pytest.mark.parametrize("file", ["file", "new"], ids=["changed", "untracked"])
def test_a_checkout_with_changes_says_so(checkout: Path, file: str) -> None:
    (checkout / file).write_text("other text")
    assert provenance(checkout)["git"] == {"commit": git(checkout, "rev-parse", "HEAD"), "dirty": True}


def test_a_commit_that_is_on_no_branch_is_named(checkout: Path) -> None:
    git(checkout, "checkout", "-q", "--detach")
    assert provenance(checkout)["git"] == {"commit": git(checkout, "rev-parse", "HEAD"), "dirty": False}


def test_without_a_checkout_or_a_commit_there_is_none(tmp_path: Path) -> None:
    assert provenance(tmp_path)["git"] is None
    git(tmp_path, "init", "-q")
    assert provenance(tmp_path)["git"] is None


def test_packages_are_named_with_their_versions(tmp_path: Path) -> None:
    found = provenance(tmp_path)
    assert found["packages"]["openai"].split(".")[0].isdecimal()
    assert found["python"].startswith("3.")


def test_a_folder_in_no_repository_is_said_to_be_in_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"lies in no git repository.*start the command in your repository"):
        changed_files(tmp_path, "main", tmp_path)
