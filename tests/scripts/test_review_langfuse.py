"""Review in Langfuse: a queue is filled, people score there, their scores come back, and reviews go to the traces."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.langfuse_double.double import LangfuseDouble
from tests.scripts.commands import Finished, run
from tests.scripts.commands import lines as lines_of

DIMENSIONS = (
    *("appropriateness", "conversational_quality", "helpfulness", "emotional_intelligence"),
    *("personalization_continuity", "trust_boundaries"),
)


ONLY = ("--limit", "12")


@pytest.fixture(scope="module")
def langfuse() -> Iterator[LangfuseDouble]:
    with LangfuseDouble() as double:
        yield double


@pytest.fixture(scope="module")
def keys(langfuse: LangfuseDouble) -> dict[str, str]:
    return {
        "LANGFUSE_PUBLIC_KEY": langfuse.public_key,
        "LANGFUSE_SECRET_KEY": langfuse.secret_key,
        "LANGFUSE_BASE_URL": langfuse.base_url,
    }


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, keys: dict[str, str]) -> Path:
    """A delivered run of a few scenarios."""
    folder = tmp_path_factory.mktemp("runs")
    assert run("--yes", runs=folder, module="scripts.push_prompts", **keys).code == 0
    done = run("--prompt", "v3", *ONLY, "--deliver-rehearsal", "--quiet", runs=folder, **keys)
    assert done.code == 0, done.err
    return folder


def place(line: dict[str, Any]) -> tuple[str, int, int]:
    return line["scenario_id"], line["repeat"], line["turn"]


def review(runs: Path, *arguments: str, **settings: str) -> Finished:
    return run(*arguments, runs=runs, module="scripts.review", **settings)


def test_a_queue_is_filled_once_and_what_people_score_comes_back(
    runs: Path, langfuse: LangfuseDouble, keys: dict[str, str]
) -> None:
    done = review(runs, "queue", "last", "--name", "weekly", **keys)
    assert done.code == 0, done.err
    (queue,) = langfuse.store.queues.values()
    items = list(langfuse.store.queue_items.values())
    names = {langfuse.store.configs[config]["name"] for config in queue["scoreConfigIds"]}
    assert names == {f"human.{name}" for name in DIMENSIONS}
    assert f"{len(items)} responses added" in done.out
    assert {item["objectType"] for item in items} == {"TRACE", "OBSERVATION"}, "single turns and conversations"
    traces, spans = {span.trace_id for span in langfuse.spans()}, {span.id for span in langfuse.spans()}
    for item in items:
        assert item["objectId"] in (traces if item["objectType"] == "TRACE" else spans)
    again = review(runs, "queue", "last", "--name", "weekly", **keys)
    assert f"0 responses added to queue 'weekly', {len(items)} were there" in again.out
    assert len(langfuse.store.queue_items) == len(items)

    first, second, third = items[:3]
    for name in DIMENSIONS:
        for item, author in ((first, "u-1"), (second, "u-1"), (first, "u-2")):
            value = 0.85 if author == "u-1" else 0.65
            langfuse.annotate(
                "weekly", item["objectType"], item["objectId"], f"human.{name}", value, author=author, comment="fine"
            )
    langfuse.annotate("weekly", third["objectType"], third["objectId"], "human.appropriateness", 1.0, author="u-1")
    fetched = review(runs, "fetch", "last", "--name", "weekly", **keys)
    assert fetched.code == 0, fetched.err
    assert "3 reviews taken from queue 'weekly', 0 were known, 1 are not complete yet" in fetched.out
    lines = [json.loads(line) for line in (runs / "reviews" / "langfuse-u-1.jsonl").read_text().splitlines()]
    assert len(lines) == 2
    without_context = 0.9 * 0.85 + 0.1 * 0.4  # continuity counts with the rubric's own value there
    contexts = {place(line): line["context"] for line in lines_of(runs / "latest")}
    for line in lines:
        expected = 0.85 if contexts[place(line)] else without_context
        assert line["scores"]["overall_quality"] == pytest.approx(expected)
    assert lines[0]["rationale"]["helpfulness"] == "fine"
    assert lines[0]["blind"] is False
    repeated = review(runs, "fetch", "last", "--name", "weekly", **keys)
    assert "0 reviews taken from queue 'weekly', 3 were known" in repeated.out
    assert langfuse.body_problems() == []


def test_reviews_go_to_their_traces_once_under_names_of_their_own(
    runs: Path, langfuse: LangfuseDouble, keys: dict[str, str], tmp_path: Path
) -> None:
    sheet = tmp_path / "sheet.jsonl"
    assert review(runs, "sheet", "last", "--jsonl", str(sheet)).code == 0
    rows = [json.loads(line) for line in sheet.read_text().splitlines()]
    for row in rows[:2]:
        row |= dict.fromkeys((name for name in DIMENSIONS if name in row), 4) | {"notes": "Kind and short."}
    sheet.write_text("".join(json.dumps(row) + "\n" for row in rows))
    where = ("--reviews", str(tmp_path / "reviews"))
    taken = review(runs, "take", str(sheet), "last", "--reviewer", "ana", *where)
    assert taken.code == 0, taken.err
    before = len(langfuse.scores())
    done = review(runs, "send", *where, **keys)
    assert done.code == 0, done.err
    human = [score for score in langfuse.scores() if score.name.startswith("human.") and score.source == "API"]
    assert len(langfuse.scores()) - before == len(human)
    assert f"{len(human)} scores of 2 reviews confirmed" in done.out
    assert {score.name for score in human} <= {f"human.{name}" for name in (*DIMENSIONS, "overall_quality")}
    observations = {(span.trace_id, span.id) for span in langfuse.generations()}
    assert {(score.trace_id, score.observation_id) for score in human} <= observations
    by_name = {(score.name == "human.overall_quality"): score.value for score in human if score.value != 0.85}
    assert by_name == {True: 0.805}, "without an earlier conversation its metric counts with the rubric's own value"
    assert {(score.metadata or {})["reviewer"] for score in human} == {"ana"}
    again = review(runs, "send", *where, **keys)
    assert again.code == 0
    assert len(langfuse.scores()) - before == len(human), "sending again replaces"
    assert langfuse.body_problems() == []


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("queue", "last", "--name", "weekly"), "LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY are not set"),
        (("fetch", "last", "--name", "weekly"), "LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY are not set"),
    ],
)
def test_without_keys_one_line_says_so(runs: Path, arguments: tuple[str, ...], complaint: str) -> None:
    done = review(runs, *arguments)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert complaint in done.err


def test_a_queue_that_is_not_there_is_named(runs: Path, keys: dict[str, str]) -> None:
    done = review(runs, "fetch", "last", "--name", "monthly", **keys)
    assert done.code == 2
    assert "there is no queue 'monthly'" in done.err


def test_an_item_whose_answer_was_lost_is_not_added_twice(
    runs: Path, langfuse: LangfuseDouble, keys: dict[str, str]
) -> None:
    langfuse.fail("POST */annotation-queues/*/items", "reset_after_store", times=1)
    before = len(langfuse.store.queue_items)
    done = review(runs, "queue", "last", "--name", "second", "--limit", "2", **keys)
    assert done.code == 0, done.err
    assert len(langfuse.store.queue_items) == before + 2


def test_the_trace_says_who_is_speaking(runs: Path, langfuse: LangfuseDouble) -> None:
    text = (runs / "latest" / "results.jsonl").read_text(encoding="utf-8")
    expected = sorted(line["audience"] for line in map(json.loads, text.splitlines()) if line["audience"])
    name = "langfuse.observation.metadata.audience"
    found = [json.loads(str(span.attributes[name])) for span in langfuse.spans() if name in span.attributes]
    assert expected and sorted(found) == expected
