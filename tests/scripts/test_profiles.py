"""A profile as its users name it: on the commands that score text, pinned in a run, and never compared in silence."""

import json
from pathlib import Path

import pytest

from tests.scripts.commands import document, lines, run, server

FRUITS = {"id": 1, "user_input": "List five fruits.", "response": "1. Apple\n2. Banana\n3. Cherry\n4. Grape\n5. Pear"}
SCORE = ("--suite", "text_quality")


@pytest.mark.slow
def test_responses_of_a_file_are_scored_under_a_profile(tmp_path: Path) -> None:
    file = tmp_path / "responses.jsonl"
    file.write_text(json.dumps(FRUITS) + "\n")
    found = {}
    for profile in ("auto", "essay", ""):
        flags = (*SCORE, "--profile", profile) if profile else SCORE
        done = run(str(file), *flags, runs=tmp_path, module="scripts.score_responses")
        assert done.code == 0, done.err
        found[profile] = json.loads(done.out)
    assert [found[name]["scores"]["length_appropriateness"] for name in ("auto", "essay", "")] == [1.0, 1.0, 0.1]
    assert found["auto"]["scores"]["coherence"] is None
    assert found["auto"]["explanations"]["overall"].endswith('profile list: "List five fruits"; asked for 5 items')
    assert "profile" not in found[""]["explanations"]["overall"]
    wrong = run(str(file), "--profile", "peom", *SCORE, runs=tmp_path, module="scripts.score_responses")
    assert (wrong.code, wrong.err.count("\n")) == (2, 1)
    assert "did you mean poem?" in wrong.err
    other = run(str(file), "--profile", "auto", runs=tmp_path, module="scripts.score_responses")
    assert (other.code, other.err.count("\n")) == (2, 1)
    assert "name --suite text_quality" in other.err


@pytest.mark.slow
def test_a_collection_under_another_profile_is_another_output(tmp_path: Path) -> None:
    file = tmp_path / "responses.jsonl"
    file.write_text(json.dumps(FRUITS) + "\n")
    flags = (*SCORE, "--output", f"{tmp_path}/out/", "--quiet", "--jobs", "1")
    for profile, code in (("list", 0), ("list", 0), ("poem", 2)):
        done = run(str(file), *flags, "--profile", profile, runs=tmp_path, module="scripts.score_responses")
        assert done.code == code, (profile, done.err)
    assert "holds the output of other files, rules or forms" in done.err


@pytest.mark.slow
def test_a_run_keeps_its_profile_and_is_not_compared_with_another_one(tmp_path: Path) -> None:
    with server() as endpoint:

        def command(*flags: str, module: str, code: int = 0) -> str:
            done = run(*flags, runs=tmp_path, module=f"scripts.{module}", **endpoint.settings)
            assert done.code == code, done.err
            return done.out + done.err

        command("--suite", "text_quality", "--category", "list", "--quiet", module="evaluate_prompts")
        plain = (tmp_path / "latest").resolve()
        command("last", "--profile", "auto", "--quiet", module="rescore_run")
        under = (tmp_path / "latest").resolve()
        command("last", "--quiet", module="rescore_run")
        again = (tmp_path / "latest").resolve()
        command("last", "--profile", "none", "--quiet", module="rescore_run")
        back = (tmp_path / "latest").resolve()
        refused = command("--base", plain.name, "--prompt", under.name, module="compare_prompts", code=2)
        changed = command("--resume", under.name, "--profile", "poem", module="evaluate_prompts", code=2)
    pins = [document(folder, "manifest.json")["spec"]["rubric"] for folder in (plain, under, again, back)]
    assert [pin["version"] for pin in pins] == ["1.1.1", "1.1.1 profile auto", "1.1.1 profile auto", "1.1.1"]
    assert pins[0] == pins[3]
    assert pins[1] == pins[2] != pins[0]
    assert 'rubric.version "1.1.1" / "1.1.1 profile auto"' in refused
    assert "--profile cannot change on --resume" in changed
    assert [line["response"] for line in lines(under)] == [line["response"] for line in lines(plain)]
    assert all("coherence" in line["not_applicable"] for line in lines(under))
    assert [line["scores"] for line in lines(back)] == [line["scores"] for line in lines(plain)]
