"""The steps of a page that a reader follows with an editor, done to the files in a folder."""

import json
import re
from pathlib import Path

import pytest

from tests.pages import Block


def edit(block: Block, folder: Path) -> None:
    """Does to a file what the comment before the block says."""
    name, _, what = block.mark.partition(": ")
    path = folder / name
    if what == "file":
        path.write_text(block.text)
        return
    text = path.read_text()
    before, _, after = (
        text.partition(json.loads(place[0])) if (place := re.findall(r'"[^"]+"', what)) else (text, "", "")
    )
    if what == "append":
        text += block.text
    elif what.startswith("insert before"):
        assert text.count(json.loads(place[0])) == 1, block.mark
        text = before + block.text + text[len(before) :]
    elif what.startswith("replace after"):
        old = "".join(f"{line[1:]}\n" for line in block.text.splitlines() if line.startswith("-"))
        new = "".join(f"{line[1:]}\n" for line in block.text.splitlines() if line.startswith("+"))
        assert old in after, block.mark
        text = text[: len(text) - len(after)] + after.replace(old, new, 1)
    else:
        pytest.fail(f"a block without a known instruction: {block.mark!r}")
    path.write_text(text)


def compare_scores(block: Block, folder: Path) -> int:
    metric = block.mark.removeprefix("scored.jsonl: ")
    scored = {line["id"]: line for line in map(json.loads, (folder / "scored.jsonl").read_text().splitlines())}
    shown = [line.split(maxsplit=2) for line in block.text.splitlines()]
    for name, value, explanation in shown:
        assert scored[name]["scores"][metric] == pytest.approx(float(value))
        assert scored[name]["explanations"][metric] == explanation
    return len(shown)
