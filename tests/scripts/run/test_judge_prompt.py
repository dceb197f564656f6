"""A judge's prompt of the team's own: pinned once, checked before anything is paid for, and safe whatever it says."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.langfuse_double.double import LangfuseDouble
from tests.scripts.commands import Finished, document, run
from tests.scripts.run.test_judge_format import SETTINGS, script
from tests.scripts.test_with_langfuse import keys, publish
from tests.services.scripted_endpoint import Answer, say, scripted_endpoint

PLAIN = (
    "Grade this reply strictly. It is the assistant's response.\n{{criteria}}\n"
    "Before: {{context_summary}}\nUser: {{user_message}}\n"
    "Reply: {{assistant_response}}"
)
FEW = (
    *("--prompt", "v3", "--limit", "2", "--quiet", "--no-canaries", "--expectations", "none"),
    *("--judge-format", "text"),
)


@pytest.fixture
def langfuse(tmp_path: Path) -> Iterator[LangfuseDouble]:
    with LangfuseDouble() as double:
        publish(double, tmp_path / "published")
        yield double


def keep(double: LangfuseDouble, prompt: Any, *labels: str, kind: str = "text") -> None:
    """A further version of the judge's prompt, as a team makes one."""
    body = {"name": "penpal-judge", "type": kind, "prompt": prompt, "labels": list(labels), "config": {}}
    keys = (double.public_key, double.secret_key)
    httpx.post(f"{double.base_url}/api/public/v2/prompts", json=body, auth=keys).raise_for_status()


def judge(_asked: Any) -> Answer:
    return say("Score: 0.6 | Reasoning: warm, but it asks nothing")


def questions(calls: list[Any]) -> list[str]:
    """Every question that the judge was asked, whole."""
    asked = [call.body["messages"] for call in calls if call.body["model"] == "judge"]
    return ["\n".join(f"<<{turn['role']}>>{turn['content']}" for turn in messages) for messages in asked]


def evaluated(double: LangfuseDouble, runs: Path, *arguments: str, reference: str) -> tuple[Finished, list[str]]:
    with scripted_endpoint(script(judge)) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, **SETTINGS, **keys(double), "EVAL_JUDGE_PROMPT": reference}
        done = run(*arguments, runs=runs, **settings)
        return done, questions(endpoint.calls)


def test_the_prompt_is_pinned_in_the_run_and_kept_for_resume_and_rescoring(
    tmp_path: Path, langfuse: LangfuseDouble
) -> None:
    keep(langfuse, PLAIN, "production")
    runs = tmp_path / "runs"
    with scripted_endpoint(script(judge)) as endpoint:
        reference = {"EVAL_JUDGE_PROMPT": "penpal-judge@production"}
        settings = {"OPENAI_BASE_URL": endpoint.url, **SETTINGS, **keys(langfuse), **reference}
        done = run(*FEW, runs=runs, **settings)
        assert done.code == 0, done.err
        asked = questions(endpoint.calls)
        first = document(runs / "latest", "manifest.json")
        keep(langfuse, PLAIN.replace("strictly", "kindly"), "production")
        before = len(endpoint.calls)
        for again in (("scripts.evaluate_prompts", "--resume", "last"), ("scripts.rescore_run", "last")):
            kept = run(*again[1:], "--quiet", runs=runs, module=again[0], **settings)
            assert (kept.code, len(endpoint.calls)) == (0, before), kept.err
        other = (
            "last",
            "--judge-prompt",
            "penpal-judge@production",
            "--judge-format",
            "text",
            "--no-canaries",
            "--quiet",
        )
        rescored = run(*other, runs=runs, module="scripts.rescore_run", **settings)
        assert rescored.code == 0, rescored.err
        assert len(endpoint.calls) - before == len(asked)
        asked_again = questions(endpoint.calls[before:])
    pinned = first["spec"]["judge"]["prompt"]
    assert (pinned["name"], pinned["version"], pinned["label"]) == ("penpal-judge", 1, "production")
    assert pinned["source"] == "langfuse"
    for question in asked:
        assert "Grade this reply strictly." in question
        assert "## trust_boundaries: " in question, "the criteria of the rubric"
        assert "nothing else opens or closes one" in question.split("<<user>>")[0]
        assert "Score: X.X | Reasoning:" in question.split("<<user>>")[0]
    assert all("Grade this reply kindly." in question for question in asked_again)
    second = document(runs / "latest", "manifest.json")
    assert second["spec"]["judge"]["prompt"]["version"] == 2
    assert {part for part, value in second["digests"].items() if value != first["digests"][part]} == {"judge"}


def test_the_rubrics_own_words_can_be_asked_for_beside_a_setting(tmp_path: Path, langfuse: LangfuseDouble) -> None:
    keep(langfuse, PLAIN)
    done, asked = evaluated(langfuse, tmp_path, *FEW, "--judge-prompt", "rubric", reference="penpal-judge@v1")
    assert done.code == 0, done.err
    assert asked
    assert not any("Grade this reply" in question for question in asked)
    assert document(tmp_path / "latest", "manifest.json")["spec"]["judge"]["prompt"] is None


def test_a_prompt_of_the_folder_serves_without_langfuse(tmp_path: Path) -> None:
    folder = tmp_path / "prompts" / "our-judge"
    folder.mkdir(parents=True)
    (folder / "v1.md").write_text(PLAIN, encoding="utf-8")
    companion = tmp_path / "prompts" / "penpal-companion"
    companion.mkdir()
    (companion / "v3.md").write_text("Be kind.", encoding="utf-8")
    settings = {"EVAL_PROMPTS_DIR": str(tmp_path / "prompts"), "EVAL_JUDGE_PROMPT": "our-judge@v1"}
    for form in ("text", "schema"):
        arguments = (*FEW[:-1], form)
        done = run(*arguments, runs=tmp_path / form, **settings)
        assert done.code == 0, done.err
        pinned = document(tmp_path / form / "latest", "manifest.json")["spec"]["judge"]["prompt"]
        assert (pinned["name"], pinned["version"], pinned["source"]) == ("our-judge", 1, "directory")
        assert document(tmp_path / form / "latest", "summary.json")["fallbacks"]["count"] == 0


FIELDS = "{{context_summary}} {{user_message}} {{assistant_response}}"
WRONG: dict[str, tuple[Any, str, str]] = {
    "a field is missing": ("Grade: {{user_message}} {{assistant_response}}", "text", "lacks {{context_summary}}"),
    "a field is unknown": (f"{FIELDS} {{{{asistant_response}}}}", "text", "did you mean {{assistant_response}}?"),
    "data as an instruction": (
        [{"role": "system", "content": f"Judge {FIELDS}"}, {"role": "user", "content": FIELDS}],
        "chat",
        "in a message of role 'system'",
    ),
    "a placeholder message": (
        [{"role": "user", "content": FIELDS}, {"type": "placeholder", "name": "history"}],
        "chat",
        "placeholder 'history'",
    ),
}


@pytest.mark.parametrize(("prompt", "kind", "said"), WRONG.values(), ids=WRONG.keys())
def test_a_prompt_that_cannot_serve_is_reported_before_anything_is_paid_for(
    tmp_path: Path, langfuse: LangfuseDouble, prompt: Any, kind: str, said: str
) -> None:
    keep(langfuse, prompt, kind=kind)
    with scripted_endpoint(script(judge)) as endpoint:
        settings = {
            "OPENAI_BASE_URL": endpoint.url,
            **SETTINGS,
            **keys(langfuse),
            "EVAL_JUDGE_PROMPT": "penpal-judge@1",
        }
        done = run(*FEW, runs=tmp_path / "runs", **settings)
        assert endpoint.calls == []
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("reference", ["v3", "production", "penpal-judge@v9", "nobody@v1"])
def test_a_reference_that_names_no_prompt_is_one_line_and_two(
    tmp_path: Path, langfuse: LangfuseDouble, reference: str
) -> None:
    keep(langfuse, PLAIN)
    done, asked = evaluated(langfuse, tmp_path / "runs", *FEW, reference=reference)
    assert (done.code, done.out, asked) == (2, "", [])
    assert (reference.rpartition("@")[0] or reference) in done.err
    assert done.err.count("\n") == 1
