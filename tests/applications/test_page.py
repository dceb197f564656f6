"""docs/applications.md: its mapping and its command, on an application that is built as the page says."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluation.applications.mapping import ConversationMapping
from tests.applications.servers import Sent, ids_in_paths, serving
from tests.page_steps import edit
from tests.pages import blocks, script_calls, text_of
from tests.scripts.commands import lines, only_run, run

PAGE = "docs/applications.md"


def test_the_application_of_the_page_is_evaluated_as_the_page_says(tmp_path: Path) -> None:
    inner = ids_in_paths()

    def answers(method: str, path: str, headers: Mapping[str, str], body: Any) -> Sent:
        if method == "POST" and headers.get("x-api-key") != "key-of-the-shop-0815":
            return Sent({"fault": {"message": "no key"}})
        return inner(method, path, headers, body)

    (command,) = (block.text for block in blocks(PAGE) if block.language == "bash")
    (mapping,) = (block for block in blocks(PAGE) if block.mark == "mapping.yaml: file")
    edit(mapping, tmp_path)
    ((module, *flags),) = script_calls(shlex.split(command))
    with serving(answers) as server:
        places = {"http://localhost:8000": server.url, "mapping.yaml": str(tmp_path / "mapping.yaml")}
        given = [places.get(word, word) for word in flags]
        done = run(
            *given, "--limit", "12", "--quiet", runs=tmp_path / "runs", module=module, SHOP_KEY="key-of-the-shop-0815"
        )
    assert done.code == 0, done.err
    assert all(line["response"] and line["tool_calls"] for line in lines(only_run(tmp_path / "runs")))


def test_every_key_of_a_mapping_is_on_the_page() -> None:
    page = text_of(PAGE)
    assert [name for name in ConversationMapping.model_fields if f"`{name}`" not in page] == []
