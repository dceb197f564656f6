"""Sound recipe assistants that are built differently pass every shipped case, each through its mapping file."""

from pathlib import Path

import pytest

from tests.applications.recipe_servers import RECIPE_APPLICATIONS
from tests.applications.servers import serving
from tests.scripts.commands import document, lines, only_run, run

SHIPPED = 81
MODULE = "scripts.evaluate_chat_flow"


@pytest.mark.parametrize("name", RECIPE_APPLICATIONS)
def test_a_sound_application_passes_every_case(name: str, tmp_path: Path) -> None:
    built, mapping = RECIPE_APPLICATIONS[name]
    file = tmp_path / "mapping.yaml"
    file.write_text(mapping)
    with serving(built()) as seen:
        flags = ("--url", seen.url, "--mapping", str(file), "--gate", "checks", "--no-judge", "--quiet")
        done = run(*flags, runs=tmp_path / "runs", module=MODULE)
    found = lines(only_run(tmp_path / "runs"))
    failed = {
        (line["scenario_id"], check): line["explanations"][check]
        for line in found
        for check, value in line["scores"]["check"].items()
        if value == 0 and check != "overall"
    }
    assert failed == {}
    assert (len(found), done.code) == (SHIPPED, 0), done.err
    assert document(only_run(tmp_path / "runs"), "decision.json")["gate"]["passed"]
