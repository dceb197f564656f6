"""The main job against a Langfuse server, asserted through its public API alone, with the SDK's generated client.

Self-contained: each test makes its own prompt name and scenarios, and removes prompt and dataset items at the end.
Traces and scores stay, in the environment `live-test`.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, urlsplit
from uuid import uuid4

import httpx
import pytest

from tests.live.conftest import LiveProject
from tests.scripts.commands import Finished, Server, all_lines, document, lines, run, server

if TYPE_CHECKING:
    from langfuse.api.client import LangfuseAPI

SCENARIOS = """
category: basic_conversations
scenarios:
  - {{id: {token}-single, turns: ['I had a long day.'], tags: [live], note: Warm and short.}}
  - {{id: {token}-other, turns: ['Tell me something interesting.'], tags: [live], note: One fact.}}
  - {{id: {token}-talk, turns: ['I lost my job.', 'What now?', 'Thank you.'], tags: [live], note: Stays with it.}}
"""
TEXTS = {"v1.md": "You are a companion.\n", "v2.md": "You are a warm companion. Ask one question back.\n"}


@dataclass(frozen=True)
class Story:
    """The things that one test has to itself."""

    project: LiveProject
    api: "LangfuseAPI"
    folder: Path
    token: str
    began: datetime

    @property
    def prompt(self) -> str:
        return f"live-{self.token}"

    def command(self, module: str, *arguments: str, **more: str) -> Finished:
        settings = {"EVAL_PROMPTS_DIR": str(self.folder / "prompts"), "EVAL_PROMPT_NAME": self.prompt}
        runs = self.folder / "runs"
        return run(*arguments, runs=runs, module=module, **self.project.settings, **settings, **more)

    def publish(self) -> None:
        folder = self.folder / "prompts" / self.prompt
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in TEXTS.items():
            (folder / name).write_text(text)
        done = self.command("scripts.push_prompts", "--yes")
        assert done.code == 0, done.err

    def evaluate(self, version: str, endpoint: Server, *more: str) -> Path:
        """The folder of a run that was delivered whole."""
        scenarios = self.folder / "scenarios.yaml"
        scenarios.write_text(SCENARIOS.format(token=self.token))
        arguments = ("--prompt", version, "--scenarios", str(scenarios), "--quiet", *more)
        done = self.command("scripts.evaluate_prompts", *arguments, **endpoint.settings)
        assert done.code == 0, done.err + done.out
        return (self.folder / "runs" / "latest").resolve()


@pytest.fixture
def story(project: LiveProject, tmp_path: Path) -> Iterator[Story]:
    from langfuse.api.client import LangfuseAPI
    from langfuse.api.core.api_error import ApiError

    with httpx.Client(timeout=30) as connection:
        api = LangfuseAPI(
            base_url=project.base_url,
            username=project.public_key,
            password=project.secret_key,
            x_langfuse_public_key=project.public_key,
            httpx_client=connection,
        )
        token = uuid4().hex[:10]
        yield Story(project, api, tmp_path, token, datetime.now(UTC) - timedelta(hours=1))
        with suppress(ApiError):
            api.prompts.delete(f"live-{token}")
        for name in ("single", "other", "talk"):
            with suppress(ApiError):
                api.dataset_items.delete(quote(f"companion/{token}-{name}", safe=""))


def experiment_ids(report: dict[str, Any]) -> list[str]:
    return [parse_qs(urlsplit(url).query)["baseline"][0] for url in report["experiments"]]


def test_published_versions_come_back_as_they_were(story: Story) -> None:
    story.publish()
    found = [story.api.prompts.get(story.prompt, version=number) for number in (1, 2)]
    assert [prompt.prompt for prompt in found] == [text.strip() for text in TEXTS.values()]
    again = story.command("scripts.push_prompts", "--yes")
    assert (again.code, again.out.strip().startswith("nothing to publish")) == (0, True)
    (listed,) = story.api.prompts.list(name=story.prompt).data
    assert listed.versions == [1, 2]


def test_a_run_arrives_whole_linked_and_once(story: Story) -> None:
    story.publish()
    with server() as endpoint:
        folder = story.evaluate("v2", endpoint, "--repeats", "2")
    written, report = lines(folder), document(folder, "summary.json")["langfuse"]
    assert len(written) == 2 * (1 + 1 + 3)
    assert report["complete"]
    by_trace = Counter(line["trace_id"] for line in written)
    counted = 0
    for trace, turns in by_trace.items():
        observations = story.api.observations.get_many(trace_id=trace, fields="core,basic,prompt", limit=100).data
        assert len({each.id for each in observations}) == len(observations)
        linked = [each for each in observations if each.prompt_name]
        assert [(each.prompt_name, each.prompt_version) for each in linked] == [(story.prompt, 2)] * turns
        held = [line["expectations"] for line in written if line["trace_id"] == trace]
        asked = sum(any(answer["answers"] for answer in answers) for answers in held)
        whole = sum(line["trace_id"] == trace for line in all_lines(folder) if line["scope"] == "conversation")
        assert whole == (turns > 1)
        assert len(observations) == (2 if turns == 1 else 1 + 2 * turns) + asked + whole
        scores = story.api.scores.get_many(trace_id=trace, fields="core,subject,details", limit=100).data
        assert len({each.id for each in scores}) == len(scores)
        assert {"overall_quality", "judge_parsed", "quality_level"} <= {each.name for each in scores}
        answered = any(answer["outcome"] != "not_shown" for answers in held for answer in answers)
        assert answered == ("expectations_met" in {each.name for each in scores})
        counted += len(scores)
    for experiment in experiment_ids(report):
        of_run = story.api.scores.get_many(experiment_id=experiment, fields="core", limit=100).data
        names = {each.name for each in of_run}
        assert {"coverage", "failures", "overall_quality", "expectations_met", "critical_failures"} <= names
        assert "decision" not in names, "three situations decide nothing"
        counted += len(of_run)
    assert counted == report["verified"]


def test_each_repeat_is_an_experiment_with_scores_on_its_items(story: Story) -> None:
    story.publish()
    with server() as endpoint:
        folder = story.evaluate("v1", endpoint, "--repeats", "2")
    report = document(folder, "summary.json")["langfuse"]
    for repeat, experiment in enumerate(experiment_ids(report), start=1):
        shown = story.api.experiments.list_items(
            from_start_time=story.began, experiment_id=experiment, fields="core,io,scores", limit=100
        ).data
        names = {f"companion/{story.token}-{name}" for name in ("single", "other", "talk")}
        assert {each.experiment_item_id for each in shown} == names
        traces = {line["trace_id"] for line in lines(folder) if line["repeat"] == repeat}
        assert {each.trace_id for each in shown} == traces
        assert all("overall_quality" in {score.name for score in each.scores or ()} for each in shown)
        notes = {"single": "Warm and short.", "other": "One fact.", "talk": "Stays with it."}
        expected = {each.experiment_item_id: each.expected_output for each in shown}
        assert expected == {f"companion/{story.token}-{name}": note for name, note in notes.items()}
    item = story.api.dataset_items.get(quote(f"companion/{story.token}-single", safe=""))
    assert item.input == "I had a long day."


def test_a_later_version_is_shown_beside_the_earlier_one(story: Story) -> None:
    story.publish()
    with server() as endpoint:
        first = story.evaluate("v1", endpoint, "--limit", "1")
        second = story.evaluate("v2", endpoint, "--limit", "1")
    before, after = (document(folder, "summary.json")["langfuse"] for folder in (first, second))
    address = parse_qs(urlsplit(after["comparison_url"]).query)
    assert address == {"baseline": experiment_ids(before), "c": experiment_ids(after)}
    done = story.command("scripts.sync_langfuse")
    assert (done.code, "nothing to deliver" in done.out) == (0, True)
