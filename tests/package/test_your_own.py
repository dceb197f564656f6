"""docs/your-own.md, followed step by step by somebody who has the installed tool and an empty folder."""

import hashlib
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.package.installation import Installation
from tests.page_steps import compare_scores, edit
from tests.pages import blocks

PAGE = "docs/your-own.md"


def digest_of(folder: Path) -> str:
    """Of every file that was installed; what Python keeps beside it is not."""
    found = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"):
        found.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return found.hexdigest()


def check_output(shown: str, done: "subprocess.CompletedProcess[str]") -> None:
    """What a page shows is what was printed; where it ends with "...", the first lines of it."""
    if shown.endswith("...\n"):
        assert done.stdout.startswith(shown.removesuffix("...\n"))
    else:
        assert done.stdout == shown


def test_the_page_leads_from_an_empty_folder_to_a_support_bot(installed: Installation, tmp_path: Path) -> None:
    package = installed.packages / "prompt_evaluation"
    before = digest_of(package)
    folder = tmp_path / "empty"
    folder.mkdir()
    outputs = scores = 0
    for block in blocks(PAGE):
        if block.language == "sh":
            for words in map(shlex.split, block.text.splitlines()):
                if words[0] == "cd":
                    folder /= words[1]
                    continue
                done = installed.run(*words, cwd=folder, code=1 if "--gate" in words else 0)
        elif block.mark == "output":
            check_output(block.text, done)
            outputs += 1
        elif block.mark.startswith("scored.jsonl: "):
            scores += compare_scores(block, folder)
        else:
            edit(block, folder)
    assert (outputs, scores) == (4, 4)
    assert digest_of(package) == before, "a step of the page changed the installed code"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("invents_number, absent", "invents_numbers, absent", "did you mean 'invents_number'?"),
        ("category: greetings", "category: greeting", "choose one of greetings,"),
    ],
)
def test_a_slip_in_a_file_of_the_page_is_named_with_its_line(
    installed: Installation, tmp_path: Path, old: str, new: str, said: str
) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    installed.run("prompt-eval", "init", "shop", "--template", "support", cwd=folder)
    folder /= "shop"
    for block in blocks(PAGE):
        if block.mark.split(":")[0] in ("my_cues.py", "prompt-eval.toml", "scenarios/greetings.yaml", "rubric.yaml"):
            edit(block, folder)
    file = folder / "scenarios" / "greetings.yaml"
    file.write_text(file.read_text().replace(old, new))
    done = installed.run("prompt-eval", "eval", "--prompt", "v2", "--quiet", cwd=folder, code=2)
    assert done.stderr.count("\n") == 1
    assert "scenarios/greetings.yaml:" in done.stderr
    assert said in done.stderr
