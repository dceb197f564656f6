"""The better of several versions, from the outside: verdicts, refusals, rankings, gates."""

import json
import re
import shutil
from pathlib import Path
from unittest.mock import patch

import pytest

from services.rehearsal.options import RehearsalOptions
from tests.scripts.commands import ROOT, Finished, document, lines, run, server, uncritical_scenarios
from tests.services.scripted_endpoint import Answer, Call, say, scripted_endpoint

MANY = ("--limit", "40")
"""Of 245 scenarios, spread over the categories: enough for no_regression to tell v3 from v2."""


def compare(*arguments: str, runs: Path, **settings: str) -> Finished:
    return run(*arguments, "--quiet", runs=runs, module="scripts.compare_prompts", **settings)


def run_folders(runs: Path) -> list[Path]:
    return sorted(path for path in runs.glob("*Z-*") if path.is_dir())


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Finished]:
    runs = tmp_path_factory.mktemp("runs")
    return runs, compare("--base", "v2", "--prompt", "v3", *MANY, runs=runs)


def copied(compared: tuple[Path, Finished], folder: Path) -> Path:
    """A folder with both runs, for a test that adds others."""
    shutil.copytree(compared[0], folder / "runs", symlinks=True)
    return folder / "runs"


def test_the_better_version_is_said_to_be_better_and_how_sure(compared: tuple[Path, Finished]) -> None:
    runs, done = compared
    assert done.code == 0, done.err
    first = " ".join(done.out.splitlines()[:8])
    assert re.search(r"v3 is better than v2: higher in \d+ of \d+ scenarios|higher in all \d+ scenarios", first)
    assert re.search(r"- \+0\.\d+ overall \(95% CI \+0\.\d+ to \+0\.\d+\); p <?0\.", first)
    assert "asks a question more often" in first
    assert all(len(line) <= 80 for line in done.out.splitlines() if not line.startswith("/"))
    candidate = next(folder for folder in run_folders(runs) if "-v3-" in folder.name)
    written = document(candidate, "comparison.json")
    assert written["verdict"] == "better"
    assert written["overall"]["difference"] == pytest.approx(mean_of(runs, "v3") - mean_of(runs, "v2"), abs=1e-6)
    assert (candidate / "comparison.md").read_text().strip()


def mean_of(runs: Path, version: str) -> float:
    folder = next(folder for folder in run_folders(runs) if f"-{version}-" in folder.name)
    mean: float = document(folder, "summary.json")["metrics"]["combined"]["overall_quality"]["mean"]
    return mean


def test_runs_of_equal_digests_are_reused_and_dated(compared: tuple[Path, Finished]) -> None:
    runs, _ = compared
    before = run_folders(runs)
    again = compare("--base", "v2", "--prompt", "v3", *MANY, runs=runs)
    assert again.code == 0, again.err
    assert run_folders(runs) == before
    assert "is an earlier run, of 20" in " ".join(again.out.split())


def test_stored_runs_are_compared_without_an_endpoint(compared: tuple[Path, Finished]) -> None:
    runs, _ = compared
    old, new = (folder.name for folder in sorted(run_folders(runs), key=lambda folder: "-v3-" in folder.name))
    done = compare("--base", old, "--prompt", new, "--json", runs=runs, OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    assert done.code == 0, done.err
    assert json.loads(done.out)["verdict"] == "better"
    backwards = compare("--base", new, "--prompt", old, "--json", runs=runs)
    assert json.loads(backwards.out)["verdict"] == "worse"


def test_a_side_that_other_code_scored_is_scored_again_without_a_call(
    compared: tuple[Path, Finished], tmp_path: Path
) -> None:
    runs = copied(compared, tmp_path)
    with patch("scripts.run.plan.scorer_digest", return_value="0" * 64):
        assert run("--prompt", "v1", *MANY, "--quiet", runs=runs).code == 0
    old = next(folder.name for folder in run_folders(runs) if "-v1-" in folder.name)
    new = next(folder.name for folder in run_folders(runs) if "-v3-" in folder.name)
    nowhere = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    done = compare("--base", old, "--prompt", new, "--json", runs=runs, **nowhere)
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["verdict"], found["other_differences"]) == ("better", [])
    assert found["base"]["run_id"] != old
    assert (
        f"{old} was scored by other code: it was scored again, without a call, as {found['base']['run_id']}"
        in found["notes"]
    )
    assert found["overall"]["mean_a"] == pytest.approx(mean_of(runs, "v1"), abs=1e-9)
    itself = compare("--base", old, "--prompt", new, "--by", "prompt,scorer", "--json", runs=runs, **nowhere)
    assert json.loads(itself.out)["base"]["run_id"] == old, "where the code is compared, nothing is scored again"


@pytest.mark.parametrize(
    ("version", "asked", "refused"), [("2.0.1", "", ""), ("2.1", "", "rubric"), ("2.0.1", "Be strict. ", "rubric")]
)
def test_a_side_under_an_earlier_patch_of_the_rubric_is_scored_again_without_a_call(
    compared: tuple[Path, Finished], tmp_path: Path, version: str, asked: str, refused: str
) -> None:
    runs = copied(compared, tmp_path)
    rubric = tmp_path / "companion.yaml"
    text = (ROOT / "evaluation" / "rubrics" / "companion.yaml").read_text(encoding="utf-8")
    changed = text.replace('version: "2.0.4"', f'version: "{version}"').replace(
        "role: >-\n    ", f"role: >-\n    {asked}", 1
    )
    rubric.write_text(changed.replace("add: -0.3", "add: -0.2", 1), encoding="utf-8")
    before = run_folders(runs)
    check = ("--no-canaries",) if refused else ()
    assert run("--prompt", "v1", *MANY, "--rubric", str(rubric), "--quiet", *check, runs=runs).code == 0
    (old,) = (folder.name for folder in run_folders(runs) if folder not in before)
    new = next(folder.name for folder in before if "-v3-" in folder.name)
    done = compare("--base", old, "--prompt", new, "--json", runs=runs, OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    if refused:
        assert (done.code, refused in done.err) == (2, True)
        return
    assert done.code == 0, done.err
    found = json.loads(done.out)
    again = found["base"]["run_id"]
    note = f"{old} was scored by rubric companion 2.0.1: it was scored again, without a call, as {again}"
    assert note in found["notes"] and found["other_differences"] == []
    assert document(runs / again, "manifest.json")["spec"]["rubric"]["version"] == "2.0.4"


def test_the_no_regression_gate_distinguishes_better_from_worse(compared: tuple[Path, Finished]) -> None:
    runs, _ = compared
    passed = compare("--base", "v2", "--prompt", "v3", *MANY, "--gate", "no_regression", runs=runs)
    failed = compare("--base", "v3", "--prompt", "v2", *MANY, "--gate", "no_regression", runs=runs)
    assert (passed.code, failed.code) == (0, 1), passed.out + failed.out
    candidate = next(folder for folder in run_folders(runs) if "-v2-" in folder.name)
    gate = document(candidate, "decision.json")["gate"]
    assert gate["passed"] is False
    assert gate["reasons"]


def test_the_same_version_twice_is_refused(tmp_path: Path) -> None:
    done = compare("--base", "v3", "--prompt", "latest", "--limit", "12", runs=tmp_path)
    assert done.code == 2
    assert "twice" in done.err


def test_runs_that_differ_in_more_are_refused_by_name(compared: tuple[Path, Finished], tmp_path: Path) -> None:
    runs = copied(compared, tmp_path)
    assert run("--prompt", "v3", "--repeats", "2", "--limit", "3", "--quiet", "--no-canaries", runs=runs).code == 0
    other = run_folders(runs)[-1].name
    base = next(folder.name for folder in run_folders(runs) if "-v2-" in folder.name)
    done = compare("--base", base, "--prompt", other, runs=runs)
    assert done.code == 2
    assert "scenarios" in done.err
    assert "repeats" in done.err
    forced = compare("--base", base, "--prompt", other, "--force", runs=runs)
    assert forced.code == 0, forced.err
    assert "differ" in forced.out.lower()


def test_more_than_two_are_ranked_and_twins_cannot_be_distinguished(tmp_path: Path) -> None:
    prompts = tmp_path / "prompts" / "penpal-companion"
    prompts.mkdir(parents=True)
    source = Path(__file__).resolve().parents[2] / "prompts" / "penpal-companion"
    for number, name in ((1, "v1"), (2, "v3"), (3, "v3")):
        (prompts / f"v{number}.md").write_text((source / f"{name}.md").read_text())
    settings = {"EVAL_PROMPTS_DIR": str(tmp_path / "prompts")}
    versions = ("--prompt", "v1", "--prompt", "v2", "--prompt", "v3")
    asked = ("--temperature", "1.0", "--limit", "24", "--no-canaries", "--json")
    done = compare(*versions, *asked, runs=tmp_path / "runs", **settings)
    assert done.code == 0, done.err
    ranking = json.loads(done.out)
    names = {each["run_id"]: each["name"] for each in ranking["runs"]}
    assert ranking["runs"][-1]["name"] == "v1"
    assert ["v2", "v3"] in [sorted(names[run_id] for run_id in group) for group in ranking["groups"]]


def test_temperatures_of_one_prompt_are_compared(tmp_path: Path) -> None:
    arguments = ("--prompt", "v3", "--by", "temperature", "--values", "0.1,1.6", "--limit", "12", "--no-judge")
    done = compare(*arguments, runs=tmp_path)
    assert done.code == 0, done.err
    parameters = {
        document(folder, "manifest.json")["spec"]["parameters"]["temperature"] for folder in run_folders(tmp_path)
    }
    assert parameters == {0.1, 1.6}
    assert "temperature 1.6" in done.out


def test_a_gate_never_passes_on_missing_data(tmp_path: Path) -> None:
    with server(RehearsalOptions(empty=0.2, faults_on="generation")) as endpoint:
        arguments = ("--base", "v2", "--prompt", "v3", "--limit", "12", "--gate", "no_regression")
        done = compare(*arguments, runs=tmp_path, **endpoint.settings)
    assert done.code == 1, done.err
    folder = next(folder for folder in run_folders(tmp_path) if "-v3-" in folder.name)
    reasons = " ".join(document(folder, "decision.json")["gate"]["reasons"])
    assert "no answer" in reasons or "floor" in reasons
    assert any(line["state"] == "failed" for line in lines(folder))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--prompt", "v3"), "two sides"),
        (("--base", "v2", "--prompt", "nope"), "nope"),
        (("--base", "20260101T000000Z-none-ffffff", "--prompt", "v3"), "20260101T000000Z"),
        (("--base", "v2", "--prompt", "v3", "--by", "nope"), "nope"),
        (("--base", "v2", "--prompt", "v3", "--rules", "nope.yaml"), "nope.yaml"),
        (("--prompt", "v3", "--by", "rubric", "--values", "a,b"), "--values"),
        (("--prompt", "v3", "--by", "temperature", "--values", "a,b"), "'a' is not a temperature from 0 to 2"),
    ],
)
def test_a_wrong_argument_is_one_line_and_two(tmp_path: Path, arguments: tuple[str, ...], named: str) -> None:
    done = compare(*arguments, "--limit", "12", runs=tmp_path)
    assert (done.code, done.out) == (2, "")
    complaints = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert len(complaints) == 1, done.err
    assert named in complaints[0]
    assert "Traceback" not in done.err


def test_a_limit_beside_the_gate_works_on_fresh_runs_and_leaves_them_usable(tmp_path: Path) -> None:
    arguments = ("--base", "v2", "--prompt", "v3", "--gate", "no_regression", "--min-overall", "0.5", *MANY)
    done = compare(*arguments, runs=tmp_path)
    assert done.code == 0, done.err + done.out
    assert compare("--base", "v2", "--prompt", "v3", *MANY, runs=tmp_path).code == 0
    assert run("show", "last", runs=tmp_path, module="scripts.manage_runs").code == 0


def test_no_gate_passes_when_forced(compared: tuple[Path, Finished], tmp_path: Path) -> None:
    runs = copied(compared, tmp_path)
    before = run_folders(runs)
    assert run("--prompt", "v2", "--no-judge", "--quiet", *MANY, runs=runs).code == 0
    (base,) = (folder.name for folder in run_folders(runs) if folder not in before)
    for gate in ("deploy", "ab_test", "no_regression"):
        done = compare("--base", base, "--prompt", "v3", *MANY, "--force", "--gate", gate, runs=runs)
        assert done.code == 1, done.err + done.out
        assert "FAILED" in done.out or "failed" in done.out


def test_a_refused_baseline_closes_the_gate_in_the_file_too(compared: tuple[Path, Finished], tmp_path: Path) -> None:
    runs = copied(compared, tmp_path)
    passed = compare("--base", "v2", "--prompt", "v3", "--gate", "no_regression", *MANY, runs=runs)
    assert passed.code == 0, passed.err + passed.out
    before = run_folders(runs)
    (candidate,) = (folder for folder in before if "-v3-" in folder.name)
    assert run("--prompt", "v2", "--quiet", "--limit", "20", "--no-canaries", runs=runs).code == 0
    (other,) = (folder.name for folder in run_folders(runs) if folder not in before)
    refused = compare("--base", other, "--prompt", candidate.name, "--gate", "no_regression", runs=runs)
    assert refused.code == 2
    gate = document(candidate, "decision.json")["gate"]
    assert gate["passed"] is False
    assert "scenarios" in gate["reasons"][0]


def test_what_cannot_be_compared_is_refused_before_anything_is_paid(tmp_path: Path) -> None:
    with server() as endpoint:
        assert run("--prompt", "v2", "--limit", "4", "--quiet", runs=tmp_path, **endpoint.settings).code == 0
        base = run_folders(tmp_path)[0].name
        before = endpoint.stats()["completions"]
        for arguments in (("--repeats", "2"), ("--by", "bogus"), ("--no-judge",), ("--limit", "3")):
            done = compare(
                "--base", base, "--prompt", "v3", "--limit", "4", *arguments, runs=tmp_path, **endpoint.settings
            )
            assert done.code == 2, done.out
        assert endpoint.stats()["completions"] == before
    assert len(run_folders(tmp_path)) == 1


@pytest.mark.parametrize("values", ["0.2", "nan,0.1", "9,0.1", "0.2,0.2"])
def test_values_are_checked_before_anything_is_paid(tmp_path: Path, values: str) -> None:
    done = compare("--prompt", "v3", "--by", "temperature", "--values", values, "--limit", "4", runs=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err
    assert run_folders(tmp_path) == []


def test_an_incomplete_comparison_says_how_to_go_on(tmp_path: Path) -> None:
    with server(RehearsalOptions(empty=0.2, faults_on="generation")) as endpoint:
        sides = ("--base", "v2", "--prompt", "v3", "--limit", "12", "--no-judge")
        done = compare(*sides, runs=tmp_path, **endpoint.settings)
    assert done.code == 3
    assert "--resume" in " ".join(done.out.split())


def test_a_comparison_that_its_plan_refuses_asks_the_judge_nothing(tmp_path: Path) -> None:
    with server() as endpoint:
        flags = ("--prompt", "v1", "--judge-format", "text", "--limit", "6", "--no-canaries", "--quiet")
        assert run(*flags, runs=tmp_path, **endpoint.settings).code == 0
        before = endpoint.stats()["completions"]
        stored = (tmp_path / "latest").resolve().name
        done = compare("--base", stored, "--prompt", "v3", "--limit", "8", runs=tmp_path, **endpoint.settings)
        assert done.code == 2, done.err
        assert endpoint.stats()["completions"] == before


GOOD = "That sounds like a lot to carry. What would help you most this evening? I am here, and I listen to you."
BAD = "No."


@pytest.mark.parametrize(("limit", "fallen"), [("12", 0), ("24", 0), ("24", 1), ("100", 4)])
def test_falls_in_few_situations_neither_pass_nor_count_as_equal(tmp_path: Path, limit: str, fallen: int) -> None:
    """v3 answers as v2 does, but for a few situations; in a small set none of these may have been drawn at all."""
    worse: dict[str, bool] = {}

    def answer(call: Call) -> Answer:
        messages = call.body["messages"]
        asked = next(message["content"] for message in messages if message["role"] == "user")
        of_v3 = "voice companion" in json.dumps(messages)
        if of_v3 and len(worse) < fallen:
            worse.setdefault(asked, True)
        return say(BAD if of_v3 and asked in worse else GOOD)

    with scripted_endpoint(answer) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "sk-test", "EVAL_MODEL": "m"}
        arguments = ("--base", "v2", "--prompt", "v3", "--limit", limit, "--no-judge", "--gate", "no_regression")
        done = run(*arguments, "--json", runs=tmp_path, module="scripts.compare_prompts", **settings)
    found = json.loads(done.out)
    assert len(worse) == fallen
    assert done.code == 1, done.err + done.out
    assert found["gate"]["passed"] is False
    assert found["verdict"] != "equivalent"
    note = next(line for line in done.err.splitlines() if line.startswith("gate no_regression: "))
    assert "its margins take 74 situations of one size" in note
    assert any("the margin is 0.02" in reason for reason in found["gate"]["reasons"])
    assert any("no situation falls by more than 0.5" in sentence for sentence in found["gate"]["assumptions"])


def test_versions_of_one_pass_end_with_their_comparison_and_no_call_more(tmp_path: Path) -> None:
    given = ("--prompt", "v2", "--prompt", "v3", "--limit", "8", "--quiet")
    with server() as endpoint:
        done = run(*given, "--gate", "deploy", runs=tmp_path, **endpoint.settings)
        asked = endpoint.stats()["completions"]
        as_json = run(*given, "--json", runs=tmp_path / "second", **endpoint.settings)
        assert endpoint.stats()["completions"] == 2 * asked
    assert done.code in (0, 1), done.err
    folder = next(path for path in run_folders(tmp_path) if "-v3-" in path.name)
    comparison = document(folder, "comparison.json")
    *_, page, gate = done.out.splitlines()
    assert gate.startswith("gate deploy: FAILED for v2")
    assert Path(page.strip()) == folder / "comparison.html"
    assert " ".join(done.out.split()).endswith(f"{comparison['headline']} {page.strip()} {gate}")
    assert comparison["base"]["prompt"]["version"] == 2
    assert comparison["notes"] == []
    assert document(folder, "decision.json")["gate"]["gate"] == "deploy"
    assert len(json.loads(as_json.out)) == 2, "JSON stays a list of runs"


def test_one_version_and_an_estimate_end_without_a_comparison(tmp_path: Path) -> None:
    alone = run("--prompt", "v3", "--limit", "2", "--no-judge", "--quiet", runs=tmp_path)
    dry = run("--prompt", "v2", "--prompt", "v3", "--limit", "2", "--dry-run", "--quiet", runs=tmp_path)
    assert (alone.code, dry.code) == (0, 0)
    assert "comparison" not in alone.out + dry.out
    assert not list(tmp_path.glob("*/comparison.html"))


def test_several_prompts_in_one_pass_end_with_the_gate_that_failed(tmp_path: Path) -> None:
    arguments = ("--gate", "deploy", "--expectations", "none", "--scenarios", uncritical_scenarios(tmp_path))
    done = run("--prompt", "v2", "--prompt", "v3", *arguments, runs=tmp_path)
    assert done.code == 1
    assert done.out.splitlines()[-1] == "gate deploy: FAILED for v2"
