"""A panel of judges with Langfuse: which scores name its members."""

from pathlib import Path

import pytest

from tests.langfuse_double.double import LangfuseDouble
from tests.scripts.commands import run
from tests.scripts.run.test_panel import endpoints, panel_of_three
from tests.scripts.test_with_langfuse import keys, publish

NAMES = {"one-small", "two-small", "three-small"}


def test_the_scores_of_the_judge_name_every_member_with_its_value(tmp_path: Path) -> None:
    members, own = panel_of_three(tmp_path)
    runs = tmp_path / "runs"
    with LangfuseDouble() as langfuse, endpoints(*members) as (settings, flags):
        publish(langfuse, runs)
        done = run(*own, *flags, runs=runs, **settings, **keys(langfuse))
        assert done.code in (0, 1), done.err + done.out
        stored = langfuse.scores()
    judged = [each for each in stored if "judge_members" in (each.metadata or {})]
    said = {each.name: each.metadata or {} for each in judged}
    assert said.keys() >= {"judge.overall_quality", "judge.conversation.memory"}
    assert all(set(metadata["judge_members"]) == NAMES for metadata in said.values())
    memory = said["judge.conversation.memory"]
    assert memory["judge_members"] == {"one-small": 0.2, "two-small": 0.5, "three-small": 0.8}
    assert memory["judge_spread"] == pytest.approx(0.6)
    assert [each.value for each in judged if each.name == "judge.conversation.memory"] == [pytest.approx(0.5)]
    commented = [each for each in judged if each.name in ("judge.overall_quality", "judge.conversation.memory")]
    assert all(f"[{name}]" in (each.comment or "") for each in commented for name in NAMES)
