"""A promotion without its proof is refused: a line for each thing that is missing, with the command that brings it."""

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from services.journal import Journal
from tests.scripts.commands import run
from tests.scripts.judges import Judging
from tests.scripts.promotion.conftest import SCENARIOS, SHORT, evaluated, kind
from tests.scripts.promotion.promoting import Place
from tests.services.scripted_endpoint import scripted_endpoint


def refused(place: Place, *arguments: str, **settings: str) -> str:
    """The lines of a refusal, which changes nothing."""
    before = place.label()
    done = place.promote(*arguments, **settings)
    assert done.code == 1, done.out + done.err
    assert place.label() == before and place.certificates == []
    head, *lines = done.out.splitlines()
    assert head.startswith("production stays on version 2: version ")
    assert lines and all(line.startswith("- ") and ": " in line for line in lines)
    return done.out


def test_no_run_at_all_and_none_is_made_for_that(empty: Place) -> None:
    assert "no run is stored in " in refused(empty)
    assert not empty.runs.exists()


def test_no_run_of_this_text(proved: Place) -> None:
    row = next(row for row in proved.langfuse.store.prompts["penpal-companion"] if row.version == 3)
    row.prompt, row.version = f"{row.prompt}\nBe brief.", 4
    out = refused(proved, "v4", "--to", "production")
    assert "no run of penpal-companion v4 is stored that played exactly this text" in out
    assert out.rstrip().endswith("make eval PROMPT=v4")


def test_no_run_of_a_version(empty: Place) -> None:
    Journal.in_folder(empty.runs).close()
    out = refused(empty)
    assert "no run of penpal-companion v3 is stored that played exactly this text" in out
    assert out.rstrip().endswith("make eval PROMPT=v3")


def test_a_run_of_another_text_under_the_same_number(proved: Place) -> None:
    """What a version includes may have changed since it was evaluated."""
    row = next(row for row in proved.langfuse.store.prompts["penpal-companion"] if row.version == 3)
    row.prompt = f"{row.prompt}\nBe brief."
    out = refused(proved)
    assert f"run {proved.run.name} of that version played another (hash " in out


def test_a_rehearsal_proves_nothing(empty: Place) -> None:
    given = {"EVAL_SCENARIOS": str(empty.folder / "talk.yaml")}
    assert run("--prompt", "v3", *SHORT, runs=empty.runs, **given).code == 0
    assert "is of the rehearsal model, which proves nothing" in refused(empty)


@pytest.mark.parametrize(
    ("settings", "said", "command"),
    [
        ({"EVAL_RUBRIC": "companion-v3"}, "was scored by rubric companion 2", "make rescore RUN={run}"),
        ({"EVAL_JUDGE_MODEL": "other"}, "was judged by judge, and today's judge is other", "--judge-model other"),
        ({"EVAL_JUDGE_MODEL": "judge,other"}, "today's judge is judge and other", "make rescore RUN={run}"),
        ({"EVAL_MODEL": "larger"}, "was answered by model, and today's model is larger", "make eval PROMPT=v3"),
        ({"EVAL_SCENARIOS": "{folder}/more.yaml"}, "played 12 scenarios", "make eval PROMPT=v3"),
        ({"EVAL_SCENARIOS": "{folder}/held.yaml"}, "was held to other expectations", "make rescore RUN={run}"),
        ({"EVAL_JUDGE_MODEL": "", "EVAL_MODEL": ""}, "no judge is set today", "export EVAL_JUDGE_MODEL=judge"),
    ],
)
def test_a_run_on_other_terms_than_today(proved: Place, settings: dict[str, str], said: str, command: str) -> None:
    more = '  - {id: one-more, turns: ["Hello?"], tags: [t], note: n}\n'
    (proved.folder / "more.yaml").write_text(SCENARIOS + more)
    expects = "note: n, expect: [{id: greets, ask: Does it greet?}]}"
    (proved.folder / "held.yaml").write_text(SCENARIOS.replace("note: n}", expects, 1))
    given = {name: value.format(folder=proved.folder) for name, value in settings.items()}
    out = refused(proved, **given)
    assert said in out and command.format(run=proved.run.name) in out


def test_what_one_command_mends_has_one_command(proved: Place) -> None:
    given = {"EVAL_RUBRIC": "companion-v3", "EVAL_JUDGE_MODEL": "other"}
    _, rubric, judge = refused(proved, **given).splitlines()
    command = f'make rescore RUN={proved.run.name} ARGS="--judge-model other"'
    assert rubric.endswith(command) and judge.endswith(command)
    _, *lines = refused(proved, EVAL_MODEL="larger", **given).splitlines()
    assert len(lines) == 3 and all(line.endswith(": make eval PROMPT=v3") for line in lines)


def test_the_command_that_is_named_brings_what_was_missing(proved: Place) -> None:
    given = {"EVAL_RUBRIC": "companion-v3"}
    assert f": make rescore RUN={proved.run.name}" in refused(proved, **given)
    judged_at = urlsplit(json.loads((proved.run / "manifest.json").read_text())["spec"]["endpoint"])
    with scripted_endpoint(Judging(opinion=kind), judged_at.port or 0) as endpoint:
        asked = {**proved.settings, **given, "OPENAI_BASE_URL": endpoint.url}
        done = run(proved.run.name, "--no-langfuse", runs=proved.runs, module="scripts.rescore_run", **asked)
    assert done.code == 0, done.err
    now = proved.promote("--gate", "ab_test", **given)
    assert now.code == 0, now.out
    assert proved.content["runs"][0]["rubric"]["name"] == "companion"
    assert "-rescored-" in proved.content["runs"][0]["run_id"]
    assert proved.verify().code == 0


def test_a_run_that_other_code_scored(proved: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scripts.promotion.today.scorer_digest", lambda _modules: "0" * 64)
    out = refused(proved)
    assert "was scored by other code than today's: make rescore" in out and f"RUN={proved.run.name}" in out


def test_a_run_that_is_not_complete(proved: Place) -> None:
    with Journal.in_folder(proved.runs) as journal:
        journal.finish_run(proved.run.name, "incomplete")
    out = refused(proved)
    assert "is not complete (incomplete)" in out and f'ARGS="--resume {proved.run.name}"' in out


def test_a_run_whose_files_are_lost_or_changed(proved: Place) -> None:
    summary = proved.run / "summary.json"
    content = json.loads(summary.read_text())
    content["metrics"]["combined"]["overall_quality"]["mean"] += 0.01
    summary.write_text(json.dumps(content))
    assert "summary.json: metrics.combined.overall_quality.mean is 0." in refused(proved)
    (proved.run / "results.jsonl").unlink()
    assert "has lost its results.jsonl" in refused(proved)


def test_a_verdict_below_the_gate(tmp_path: Path, empty: Place) -> None:
    evaluated(empty.folder, lambda quality, canary, _: 0.5 if canary is None else quality, "--prompt", "v3")
    out = refused(empty)
    assert "did not pass its gate: the verdict is needs revision, the gate asks for deploy" in out
    assert 'make compare BASE=penpal-companion@v2 PROMPT=v3 ARGS="--gate no_regression"' in out
    against = refused(empty, "--against", "v1")
    assert 'no comparison with v1 is stored: make compare BASE=v1 PROMPT=v3 ARGS="--gate no_regression"' in against


def test_an_unfit_judge(empty: Place) -> None:
    evaluated(empty.folder, lambda *_: 0.95, "--prompt", "v3")
    out = refused(empty)
    assert "the judge is unfit" in out
    assert "--judge-model NAME" in out


def test_a_run_that_is_named_and_another(proved: Place) -> None:
    out = refused(proved, "--run", "20260101T000000Z-nothing")
    assert "run 20260101T000000Z-nothing is not stored" in out
    named = proved.promote("--run", proved.run.name)
    assert named.code == 0, named.out


def test_a_refusal_as_json_names_what_is_missing_and_the_command(empty: Place) -> None:
    done = empty.promote("--json")
    answer = json.loads(done.out)
    assert done.code == 1 and answer["promoted"] is False
    assert [each["command"] for each in answer["missing"]] == ["make eval PROMPT=v3"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("v3", "--to", "latest"), "label 'latest' is always on the newest version"),
        (("v3", "--to", "Prod!"), "Langfuse takes 1 to 36"),
        (("prompts/penpal-companion/v3.md", "--to", "production"), "is a file"),
        (("v9", "--to", "production"), "has no version or label 'v9'"),
        (("--to", "production"), "the prompt is missing"),
    ],
)
def test_what_cannot_be_meant_is_one_line(empty: Place, arguments: tuple[str, ...], said: str) -> None:
    done = empty.promote(*arguments)
    assert done.code == 2 and said in done.err and done.err.count("\n") == 1, done.err


def test_without_keys_nothing_can_be_promoted(proved: Place) -> None:
    done = proved.promote(LANGFUSE_PUBLIC_KEY="", LANGFUSE_SECRET_KEY="")
    assert done.code == 2 and done.err.count("\n") == 1
    assert "are not set" in done.err and "nothing can be promoted" in done.err
