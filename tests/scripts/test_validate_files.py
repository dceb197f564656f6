"""The command that reads what a team wrote and names everything that is wrong with it."""

import json
from contextlib import chdir
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.evaluation.rubrics.made import OWN
from tests.scripts.commands import ROOT, Finished, run
from tests.scripts.support_bot import write_support_bot

SCENARIOS = """\
category: small_talk
scenarios:
  - {id: hello, turns: [Hi there]}
  - {id: Good Bye, turns: [Bye]}
  - {id: bare, turns: []}
"""


def validate(tmp_path: Path, *arguments: object, **settings: str) -> Finished:
    return run(*map(str, arguments), runs=tmp_path / "runs", module="scripts.validate_files", **settings)


def written(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_shipped_files_are_valid(tmp_path: Path) -> None:
    folders = [ROOT / "evaluation" / name for name in ("rubrics", "scenarios", "gates", "criteria")]
    done = validate(tmp_path, *folders, ROOT / "prompts")
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith(" files, nothing wrong\n")
    assert int(done.out.split()[0]) > 20


def test_every_problem_of_every_file_is_one_line_with_its_place_and_the_next_step(tmp_path: Path) -> None:
    scenarios = written(tmp_path, "set/talk.yaml", SCENARIOS)
    rubric = written(tmp_path, "own.yaml", OWN.replace("weight: 0.6", "weight: 0.5").replace("base: 0.5", "base: 7"))
    waivers = written(tmp_path, "waivers.yaml", "waivers: [{scenario: a, item: b, reason: c, who: d, expiry: soon}]\n")
    gate = written(tmp_path, "gate.yaml", "gate: no_regression\nmin_coverage: 2\nmax_failure_rate: -1\n")
    prompt = written(tmp_path, "prompts/pen/v2.md", "Hello {{#if name}}\n")
    labels = written(tmp_path, "prompts/pen/labels.yaml", "production: 9\n")
    done = validate(tmp_path, scenarios, rubric, waivers, gate, prompt, labels, tmp_path / "gone.yaml")
    assert done.code == 2
    lines = done.out.splitlines()
    begins = [
        (f"{scenarios}:4", "scenario 2: id is 'Good Bye': use small letters"),
        (f"{scenarios}:5", "scenario 'bare': turns is empty: write"),
        (f"{rubric}:", "metrics.brevity.base: 7.0 is outside the scale"),
        (f"{rubric}:", "metrics: weights add up to 0.9"),
        (f"{waivers}:1", "waivers[0].expiry: 'soon'"),
        (f"{gate}:2", "min_coverage: 2"),
        (f"{gate}:3", "max_failure_rate: -1"),
        (f"{prompt}", "prompt 'pen' v2: it has '{{#if name}}' in line 1"),
        (f"{labels}:1", "label 'production' is on 9, which is no version: choose from 2"),
        (f"{tmp_path / 'gone.yaml'}", "cannot be read"),
    ]
    assert len(lines) == len(begins), done.out
    for line, (place, said) in zip(lines, begins, strict=True):
        assert line.startswith(place), (line, place)
        assert said in line, (line, said)
    assert done.err == "10 problems in 7 files\n"


def test_ids_are_held_against_the_files_that_lie_beside(tmp_path: Path) -> None:
    head = "category: small_talk\nscenarios:\n"
    written(tmp_path, "set/a.yaml", f"{head}  - {{id: hello, turns: [Hi]}}\n")
    second = written(tmp_path, "set/b.yaml", f"{head}  - {{id: hello, turns: [Ho]}}\n")
    written(tmp_path, "other/c.yaml", f"{head}  - {{id: hello, turns: [Hu]}}\n")
    written(tmp_path, "set/broken.yaml", "scenarios: [\n")
    done = validate(tmp_path, second, tmp_path / "other")
    assert done.code == 2
    first = tmp_path / "set/a.yaml"
    assert done.out == f"{second}: scenario id 'hello' is also used in {first}: rename one of the two\n"


def test_scenarios_belong_to_the_suite_whose_rubric_knows_their_category_or_that_is_named(tmp_path: Path) -> None:
    texts = written(tmp_path, "t.yaml", "category: argue\nscenarios:\n  - {id: a, turns: [What is rain?]}\n")
    assert validate(tmp_path, texts).code == 0
    refused = validate(tmp_path, texts, "--suite", "companion")
    assert refused.code == 2
    assert refused.out.startswith(f"{texts}:1: category is 'argue': choose one of ")
    assert validate(tmp_path, texts, "--suite", "txt").err.startswith("error: there is no suite 'txt'")
    own = written(tmp_path, "own.yaml", OWN)
    ours = written(tmp_path, "o.yaml", "category: ours\nscenarios: [{id: b, turns: [Hi]}]\n")
    assert validate(tmp_path, ours).code == 2
    assert validate(tmp_path, ours, "--rubric", own).code == 0, "a rubric without categories takes any"


def test_a_rubric_that_extends_another_names_the_file_that_is_wrong(tmp_path: Path) -> None:
    written(tmp_path, "base.yaml", OWN.replace("base: 0.5", "base: 7"))
    head = "extends: base.yaml\nversion: two\nhistory: [{version: two, date: '2026-12-01', changes: [More]}]\n"
    team = written(tmp_path, "team.yaml", head)
    done = validate(tmp_path, team)
    assert done.code == 2
    assert done.out.startswith(f"{tmp_path / 'base.yaml'}:")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.yaml", "jobs: {}\n", "a.yaml:1: is no file that this tool reads: a rubric has 'metrics:'"),
        ("a.yaml", "a: [\n", "a.yaml:2: is not YAML"),
        ("a.csv", "x", "a.csv: ends with none of "),
        ("v1.yaml", "message: hello\n", "v1.yaml:1: message: unknown key 'message'; did you mean 'messages'?"),
        ("labels.yaml", "production: 1\n", "labels.yaml: stands beside no version of a prompt"),
        ("a.yaml", "\x1b[31m: 1\n", "a.yaml: is not YAML"),
    ],
)
def test_a_file_of_no_kind_is_a_problem_too(tmp_path: Path, name: str, text: str, said: str) -> None:
    path = written(tmp_path, name, text)
    done = validate(tmp_path, path)
    assert done.code == 2
    assert done.out.startswith(str(path.parent / said)), done.out
    assert "\x1b" not in done.out


def test_mappings_of_applications_are_read_as_their_suites_read_them(tmp_path: Path) -> None:
    written(tmp_path, "any.yaml", "path: /chat\nbody: {q: '{last}'}\n")
    written(tmp_path, "recipes.yaml", "turn: {path: /v2/dialog}\nsession: {body: id}\n")
    assert validate(tmp_path, tmp_path).out == "2 files, nothing wrong\n"
    written(tmp_path, "any.yaml", "path: /chat\nbody: {q: '{lst}'}\n")
    written(tmp_path, "recipes.yaml", "turn: {path: '/v2/{sesion}'}\n")
    done = validate(tmp_path, tmp_path)
    assert done.code == 2
    first, second = done.out.splitlines()
    assert "any.yaml:2: body: {lst} is no name" in first
    assert "recipes.yaml:1: turn.path: {sesion} is no name" in second


def test_a_pattern_a_folder_and_json(tmp_path: Path) -> None:
    written(tmp_path, "set/a.yaml", "category: small_talk\nscenarios: [{id: a, turns: [Hi]}]\n")
    written(tmp_path, "set/b.yml", "category: small_talk\nscenarios: [{id: b, turns: [Hi]}]\n")
    written(tmp_path, "set/.hidden/c.yaml", "nothing: here\n")
    written(tmp_path, "set/notes.md", "# not a prompt version\n")
    assert validate(tmp_path, tmp_path / "set" / "*.y*ml").out == "2 files, nothing wrong\n"
    found = json.loads(validate(tmp_path, tmp_path / "set", "--json").out)
    assert found == {"files": [str(tmp_path / "set" / name) for name in ("a.yaml", "b.yml")], "problems": []}
    (tmp_path / "empty").mkdir()
    empty = validate(tmp_path, tmp_path / "empty")
    assert (empty.code, empty.err.count("\n")) == (2, 1)
    assert "holds no YAML, JSON or prompt file" in empty.err


# --- suites and workspaces --------------------------------------------------------------------------------------------

WHOLE = """\
plays: promt
taged: {}
rubric:
  name: support
  metrics:
    brevity:
      definition: Whether it is short.
      criteria: [{from: 0.6, to: 1.0, label: Good, text: Yes}, {from: 0.0, to: 0.5, label: Poor, text: No}]
      base: 7
      adjustments: [{when: word_cuont, at_least: 1, at_most: 40, add: +0.5}]
scenarios:
  - {id: Hello, turns: [Hi]}
  - {id: bare, turns: []}
"""


def test_everything_that_is_wrong_with_a_suite_of_one_file_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, "support.yaml", WHOLE)
    done = validate(tmp_path, path)
    assert done.code == 2
    begins = [
        "2: taged: unknown key 'taged'; did you mean 'tagged'?",
        "1: plays: 'promt': input should be 'prompt', 'model' or 'application'",
        "9: metrics.brevity.base: 7.0 is outside the scale",
        "12: scenario 1: id is 'Hello': use small letters",
        "13: scenario 'bare': turns is empty",
    ]
    lines = done.out.splitlines()
    assert [line[: len(f"{path}:{said}")] for line, said in zip(lines, begins, strict=True)] == [
        f"{path}:{said}" for said in begins
    ]
    right = WHOLE.replace("promt", "prompt").replace("taged: {}\n", "").replace("7", "0.5").replace("cuont", "count")
    written(tmp_path, "support.yaml", right.replace("Hello", "hello").replace("turns: []", "turns: [Ho]"))
    assert validate(tmp_path, path).out == "1 file, nothing wrong\n"


def test_a_suites_folder_is_read_as_it_is_played(tmp_path: Path) -> None:
    write_support_bot(tmp_path, checked=True)
    whole = validate(tmp_path, tmp_path)
    assert (whole.code, whole.out) == (0, "7 files, nothing wrong\n"), whole.out
    folder = tmp_path / "suites/support"
    (folder / "suite.yaml").write_text("rubric: rubrik.yaml\ncanaries: none.yaml\n", encoding="utf-8")
    canaries = (folder / "canaries.yaml").read_text(encoding="utf-8")
    (folder / "canaries.yaml").write_text(canaries.replace("level: 0.9", "level: 9", 1), encoding="utf-8")
    done = validate(tmp_path, folder / "suite.yaml")
    assert done.out.splitlines() == [
        f"{folder / 'suite.yaml'}:1: rubric: there is no 'rubrik.yaml' beside the file: write it, or correct the path",
        f"{folder / 'suite.yaml'}:2: canaries: there is no 'none.yaml' beside the file: write it, or correct the path",
    ]
    (folder / "suite.yaml").write_text("plays: prompt\n", encoding="utf-8")
    done = validate(tmp_path, folder / "canaries.yaml")
    assert done.out.startswith(f"{folder / 'canaries.yaml'}:2: judge.canaries[0].level")
    alone = written(tmp_path, "alone/canaries.yaml", "canaries: [{id: 3}, {idd: a}]\n")
    said = validate(tmp_path, alone).out
    assert "canaries[0].id: 3 is no text" in said and "unknown key 'idd'; did you mean 'id'?" in said


WORKSPACE = """\
promts = "prompts"
temperature = 7
prompt = 3
openai_api_key = "x"
scenarios = ["gone"]
[langfuse]
mask = ["emial"]
[endpoints.other]
rpm = "many"
"""


@pytest.mark.parametrize(("name", "head"), [("prompt-eval.toml", ""), ("pyproject.toml", "[tool.prompt-eval]\n")])
def test_everything_that_is_wrong_with_a_workspace_file_is_named(tmp_path: Path, name: str, head: str) -> None:
    inner = WORKSPACE if not head else WORKSPACE.replace("\n[", "\n[tool.prompt-eval.")
    path = written(tmp_path, name, head + inner)
    with chdir(tmp_path):
        done = validate(tmp_path, path)
    assert done.code == 2
    begins = [
        (1, "promts: unknown key: did you mean prompts?"),
        (4, "openai_api_key: a secret has no place in a file that is shared: set OPENAI_API_KEY in .env"),
        (2, "temperature: is '7': give a number from 0 to 2"),
        (3, "prompt: is 3: give a text in quotes"),
        (5, "scenarios: there is no 'gone' beside the file"),
        (7, "langfuse.mask: is 'emial': choose from email, phone"),
        (9, "endpoints.other.rpm: is 'many': give a whole number"),
    ]
    added = 1 if head else 0
    lines = done.out.splitlines()
    for line, (number, said) in zip(lines, begins, strict=True):
        assert line.startswith(f"{path}:{number + added}: {said}"), line


def test_a_workspace_is_held_against_what_it_names(tmp_path: Path) -> None:
    write_support_bot(tmp_path)
    path = written(tmp_path, "prompt-eval.toml", 'suite = "suport"\n')
    assert validate(tmp_path, path).out.startswith(
        f"{path}:1: suite: there is no suite 'suport': did you mean 'support'"
    )
    other = written(tmp_path, "pyproject.toml", "[project]\nname = 3\n")
    assert validate(tmp_path, other).out == "1 file, nothing wrong\n"
    path.unlink()
    other.write_text("[tool.prompt-eval\n", encoding="utf-8")
    assert f"{other}:1: is no TOML" in validate(tmp_path, other).out


@pytest.mark.parametrize("template", ["companion", "support", "text", "recipes"])
def test_a_new_workspace_is_valid_as_a_whole_and_what_runs_leave_in_it_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, template: str
) -> None:
    workspace = tmp_path / "shop"
    made = run(str(workspace), "--template", template, runs=tmp_path / "none", module="scripts.init_workspace")
    assert made.code == 0, made.err
    written(workspace, "runs/20261124T000000Z-a/summary.json", '{"metrics": {}}')
    written(workspace, "baselines/shop.json", '{"gate": 3}')
    monkeypatch.setattr("tests.scripts.commands.ROOT", workspace)
    found = run(".", runs=workspace / "runs", module="scripts.validate_files")
    assert (found.code, found.err) == (0, ""), found.out
    named = run("runs/20261124T000000Z-a/summary.json", runs=workspace / "runs", module="scripts.validate_files")
    assert named.code == 2, "what is named itself is read"


CRITERIA = """\
title: Bread
stated: {bread: a bread that the user does not eat}
sources: {baker: {author: A. Baker, title: On bread, year: 2001, url: "https://example.org"}}
criteria:
  - {id: offers-bread, about: bread, never: Does it offer what the user said they do not eat?, sources: [baker]}
"""
NAMING_BREAD = """\
category: small_talk
scenarios:
  - {id: rolls, turns: [No rye for me.], criteria_sets: [bread], stated: {bread: No rye for me}}
"""


def test_sets_of_criteria_of_a_workspace_are_read_and_found_by_the_scenarios_that_name_them(tmp_path: Path) -> None:
    written(tmp_path, "prompt-eval.toml", 'scenarios = ["talk.yaml"]\n')
    own = written(tmp_path, "criteria/bread.yaml", CRITERIA)
    talk = written(tmp_path, "talk.yaml", NAMING_BREAD)
    with patch("tests.scripts.commands.ROOT", tmp_path):
        assert validate(tmp_path, own, talk).out == "2 files, nothing wrong\n"
        written(tmp_path, "criteria/bread.yaml", CRITERIA.replace("the user said they do", "people from there do"))
        done = validate(tmp_path, own, talk)
        written(tmp_path, "criteria/bread.yaml", CRITERIA)
        taken = validate(tmp_path, written(tmp_path, "criteria/money-worries.yaml", CRITERIA))
        unknown = validate(tmp_path, written(tmp_path, "talk.yaml", NAMING_BREAD.replace("[bread]", "[cake]")))
    assert done.code == 2
    assert "bread.yaml:5: criteria[0].never: item 'offers-bread' does not refer to what the user stated" in done.out
    assert len(done.out.splitlines()) == 1, "a scenario that names the set says nothing more"
    assert "the name 'money-worries' is that of a shipped set: rename the file" in taken.out
    assert (
        "there is no set of criteria 'cake'; there are food-and-fasting, leaving-better, medicines-and" in unknown.out
    )
