"""The documentation against the code: nothing undocumented, nothing documented that is not there, and examples run."""

import argparse
import importlib
import io
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from evaluation.metrics.lookup import RulesLookup
from evaluation.metrics.scoring import rubric_rules
from evaluation.metrics.utterance import Utterance
from prompt_evaluation.subcommands import SUBCOMMANDS
from scripts.documents.commands import arguments, command_document, env_example, module_of_target, parsers, targets
from scripts.run.load import load_rubric, load_scenarios
from tests.page_steps import compare_scores, edit
from tests.pages import (
    DECISIONS,
    HAND_WRITTEN,
    ROOT,
    Block,
    anchors,
    blocks,
    links,
    prose,
    script_calls,
    shell_lines,
    table_after,
    text_of,
)
from tests.scripts.commands import document, embedded_servers_kept, environment, lines, read_once, run

ALL_PAGES = (*HAND_WRITTEN, *DECISIONS)
NOT_SCRIPTS = {"cp", "cd", "uv"}
"""The commands apart from make and scripts that a reader is asked to type."""
NO_SCRIPT = {
    "help",
    "bench",
    "bench-scale",
    "faults",
    "fit-words",
    "food-table",
    "images",
    "simulate",
    "lock",
    "test",
    "test-quick",
    "check-long",
    "format",
    "clean",
}
"""Targets that start something else than a script."""
NOT_RUN = {
    "scripts.sync_langfuse": "needs Langfuse",
    "scripts.push_prompts": "needs Langfuse",
    "scripts.write_docs": "writes into the project; drift is checked elsewhere",
}
NEEDS_MODELS = {"--judge-escalate", "--model"}
"""A call that names it is one to several judges at endpoints of their own."""
ONE_REVIEW = "y\ny\n\ny\n5\n4\n4\n3\n4\nShort and to the point.\n\n"
"""The keys that a person types for one flow: the checklist, five scores, a note, no mark."""
EVALUATING = (
    "scripts.evaluate_prompts",
    "scripts.evaluate_chat_flow",
    "scripts.compare_prompts",
    "scripts.nightly",
    "scripts.sweep_parameters",
)
OPEN = {
    "results.jsonl": {
        "expectations",
        "tags",
        "parameters",
        "context",
        "scores.<source>",
        "explanations",
        "moderation",
        "judge.scores",
    }
    | {"not_applicable", "judge.samples", "judge.spread", "judge.review", "judge.rationale"}
    | {"judge.members", "judge.bounds"},
    "summary.json": {
        "canaries.overalls",
        "canaries.models",
        "canaries.items",
        "agreement",
        "answered_by",
        "memory",
        "expectations_met",
        "by_audience",
        "by_tag",
        "audiences_paired",
        "critical",
        "expectations",
        "judged_by",
        "measures",
        "by_category",
        "decision",
        "langfuse.traces",
        "finish_reasons",
        "usage.generation",
        "usage.judge",
        "usage.expectations",
        "usage.conversations",
        "conversations",
        "usage.checks",
        "usage.moderation",
        "usage.embedding",
    },
    "decision.json": {"overall", "counts", "comparison", "critical", "expectations_met"},
    "manifest.json": {"arguments", "digests", "inputs", "packages", "spec.parameters", "spec.prompt", "spec.judge"}
    | {"spec.rubric", "spec.scenarios", "spec.expectations"},
    "comparison.json": {
        "base",
        "candidate",
        "unpaired_scenarios",
        "overall",
        "metrics.<source>.<metric>",
        "expectations",
        "conversations",
        "by_category",
        "prompt_change",
    },
}
"""Fields whose content is described as a whole, or is a mapping from names to values."""
NAMED = {"scores": "<source>", "metrics": "<source>", "metrics.<source>": "<metric>", "by_source": "<source>"} | {
    "floors": "<metric>"
}
"""Fields whose keys are names; those of sources and metrics."""


# --- commands, flags, settings, metrics -------------------------------------------------------------------------------


def test_every_target_of_the_makefile_says_what_it_does() -> None:
    declared = re.search(r"^\.PHONY: (.*)$", text_of("Makefile"), re.MULTILINE)
    assert declared is not None
    assert set(declared[1].split()) == set(targets())


def test_every_flag_says_what_it_does() -> None:
    silent = [
        f"{module} {action.option_strings or action.dest}"
        for module, parser in parsers().items()
        for _, action in arguments(parser)
        if not action.help
    ]
    assert silent == []


def test_every_script_that_a_target_starts_is_a_command() -> None:
    started_by = module_of_target()
    assert started_by["eval"] == "scripts.evaluate_prompts"
    assert set(started_by.values()) <= set(parsers())
    assert {name for name in targets() if name not in started_by} == NO_SCRIPT


def test_the_page_of_commands_is_up_to_date() -> None:
    assert text_of("docs/commands.md") == command_document(), "run make docs"


def test_the_template_of_settings_is_up_to_date() -> None:
    assert text_of(".env.example") == env_example(), "run make docs"


def test_every_metric_is_documented() -> None:
    page = text_of("docs/prompt-evaluation-rubric.md")
    assert [name for name in load_rubric("companion").metrics if f"`{name}`" not in page] == []


# --- fields of files --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[Any]]:
    """File -> the documents of that name in a comparison with moderation and a gate, on the rehearsal model."""
    runs = tmp_path_factory.mktemp("runs")
    flags = ["--base", "v2", "--prompt", "v3", "--tag", "smoke", "--gate", "deploy", "--moderation", "any", "--quiet"]
    compared = run(*flags, runs=runs, module="scripts.compare_prompts")
    assert compared.code in (0, 1), compared.err
    folders = [path for path in runs.iterdir() if path.is_dir() and not path.is_symlink()]
    found: dict[str, list[Any]] = {"results.jsonl": [line for folder in folders for line in lines(folder)]}
    for name in ("summary.json", "decision.json", "manifest.json", "comparison.json"):
        found[name] = [document(folder, name) for folder in folders if (folder / name).exists()]
    return found


@pytest.mark.parametrize("name", OPEN)
def test_every_field_of_a_runs_files_is_documented(name: str, stored: Mapping[str, list[Any]]) -> None:
    documented = documented_fields(name)
    found = {path for value in stored[name] for path in fields(value, OPEN[name])}
    assert sorted(path for path in found if path not in documented) == [], "in the files and not in docs/run-files.md"


@pytest.mark.parametrize("name", OPEN)
def test_every_documented_field_exists(name: str, stored: Mapping[str, list[Any]]) -> None:
    found = {path for value in stored[name] for path in fields(value, OPEN[name])}
    parents = {path.rsplit(".", 1)[0] for path in documented_fields(name) if "." in path}
    absent = documented_fields(name) - found - parents
    conditional = {path for path in absent if path.split(".")[0] in ("error", "langfuse", "gate", "git")}
    assert sorted(absent - conditional) == [], "in docs/run-files.md and not in the files"


def documented_fields(name: str) -> set[str]:
    tables = table_after("docs/run-files.md", f"fields: {name}")
    return {path for table in tables for row in table for path in re.findall(r"`([^`]+)`", row[0])}


def fields(value: Any, whole: set[str], path: str = "") -> Iterator[str]:
    """The dotted paths of a document's leaves; nothing below what is described as a whole."""
    if not isinstance(value, dict) or path in whole:
        yield path
        return
    for key, below in value.items():
        name = NAMED.get(path, str(key))
        yield from fields(below, whole, f"{path}.{name}" if path else name)


# --- links and paths --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ALL_PAGES)
def test_every_relative_link_leads_somewhere(page: str) -> None:
    broken = []
    for target in links(page):
        path, _, anchor = target.partition("#")
        if path.startswith(("http://", "https://")):
            continue
        file = ((ROOT / page).parent / path).resolve() if path else ROOT / page
        if not file.exists() or (anchor and anchor not in anchors(str(file.relative_to(ROOT)))):
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize("page", ALL_PAGES)
def test_every_path_of_the_project_that_is_named_exists(page: str) -> None:
    named = re.findall(r"`((?:evaluation|services|scripts|tests|prompts|benchmarks)/[\w./*-]*)`", prose(page))
    assert [path for path in named if not list(ROOT.glob(path.rstrip("/")))] == []


# --- commands as printed ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ALL_PAGES)
def test_every_command_is_one_that_exists(page: str) -> None:
    known = parsers()
    for words in shell_lines(page):
        if words[0] in NOT_SCRIPTS:
            continue
        if words[0] == "prompt-eval":
            accept(known[SUBCOMMANDS[words[1]].module], words[2:])
            continue
        assert words[0] == "make" or words[0].endswith("python"), f"{page}: {words}"
        calls = list(script_calls(words))
        assert calls or words[1] in NO_SCRIPT, f"{page}: {words} starts no script"
        for module, *given in calls:
            accept(known[module], given)


def accept(parser: argparse.ArgumentParser, given: list[str]) -> None:
    """Parses the arguments; an unknown flag or choice fails the test instead of leaving the process."""
    try:
        parser.parse_args(given)
    except SystemExit:
        pytest.fail(f"{parser.prog} does not take {given}")


def calls_of_pages() -> list[tuple[str, list[str]]]:
    """(page, words) of every command that README and docs print, in their order, the first time that it is printed."""
    pages = [page for page in HAND_WRITTEN if page != "docs/adding-a-metric.md"]
    found: list[tuple[str, list[str]]] = []
    for page in pages:
        for call in (call for words in shell_lines(page) for call in script_calls(words)):
            if call not in [each for _, each in found] and call[0] not in NOT_RUN and not NEEDS_MODELS & set(call):
                found.append((page, call))
    return found


MAY_LEAVE_JUDGES_UNCHECKED = ("scripts.evaluate_prompts", "scripts.compare_prompts")
OF_NIGHTS = "docs/nightly.md"
"""Its run becomes a baseline, which fewer than a dozen scenarios cannot be."""
PARTS = 3
"""Of the pages, which may be read at the same time."""


@pytest.mark.parametrize("part", range(PARTS))
def test_the_commands_run_as_printed(
    part: int, tmp_path: Path, runs_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All of some pages in their order, in one folder that holds a run, over a few scenarios of the rehearsal model.

    A gate may say no.
    """
    calls = calls_of_pages()
    first, last = (len(calls) * edge // PARTS for edge in (part, part + 1))
    # A page stands whole in the part in which it begins.
    begins = {page: number for number, (page, _) in reversed(list(enumerate(calls)))}
    calls = [(page, call) for page, call in calls if first <= begins[page] < last]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prompts").symlink_to(ROOT / "prompts")
    (tmp_path / ".env").touch()
    (tmp_path / "my-scenarios.yaml").write_text(block_of("docs/evaluation-process.md", "scenarios").text)
    (tmp_path / "responses.jsonl").write_text(block_of("docs/adding-a-metric.md", "responses.jsonl: file").text)
    (tmp_path / "ratings.jsonl").write_text(block_of("docs/evaluation-process.md", "ratings.jsonl").text)
    (tmp_path / "ratings").mkdir()
    (tmp_path / "ratings" / "all.jsonl").symlink_to(tmp_path / "ratings.jsonl")
    (tmp_path / "my-rubric.yaml").symlink_to(ROOT / "evaluation" / "rubrics" / "companion.yaml")
    (tmp_path / "my-messages.yaml").symlink_to(ROOT / "evaluation" / "mutations" / "danger-apart.yaml")
    monkeypatch.setattr(sys, "stdin", io.StringIO(ONE_REVIEW))
    there = ["scripts.evaluate_prompts", "--prompt", "v3", "--no-judge"]
    for page, call in (("", there), *calls):
        few = less_of(page, call) if call[0] in EVALUATING and "--resume" not in call else []
        with embedded_servers_kept(), read_once():
            code = importlib.import_module(call[0]).main([*call[1:], *few])
        allowed = (0, 1) if "--gate" in call else (0,)
        assert code in allowed, f"{call}: {capsys.readouterr().err}"
    assert len(calls) > 10


def less_of(page: str, call: list[str]) -> list[str]:
    """Few scenarios; a check of the judge, which takes longer than they do, where a gate or a baseline asks for it."""
    limit = ["--limit", "12" if page == OF_NIGHTS else "4"]
    unchecked = page != OF_NIGHTS and "--gate" not in call and call[0] in MAY_LEAVE_JUDGES_UNCHECKED
    return [*limit, "--no-canaries"] if unchecked else limit


def started(call: list[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    """A script of the copy of the project in this folder."""
    settings = environment(folder / "runs", {"PYTHONPATH": str(folder)})
    return subprocess.run(
        [sys.executable, "-m", *call],
        cwd=folder,
        env=settings,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


def block_of(page: str, mark: str) -> Block:
    (found,) = (block for block in blocks(page) if block.mark == mark)
    return found


# --- pages whose steps and figures are checked ------------------------------------------------------------------------


def test_a_metric_is_added_as_the_page_says(tmp_path: Path) -> None:
    for name in ("evaluation", "examples", "prompt_evaluation", "scripts", "services", "prompts"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("*.pyc.*"))
    (tmp_path / ".env").touch()
    checked = 0
    for block in blocks("docs/adding-a-metric.md"):
        if block.language == "sh":
            for line in block.text.splitlines():
                type_in(line.split(), tmp_path)
        elif block.mark.startswith("scored.jsonl: "):
            checked += compare_scores(block, tmp_path)
        else:
            edit(block, tmp_path)
    assert checked == 4


def type_in(words: list[str], folder: Path) -> None:
    for call in script_calls(shlex.split(" ".join(words))):
        finished = started(call, folder)
        assert finished.returncode == 0, f"{call}: {finished.stderr}"


def test_the_explanation_in_the_readme_is_what_the_rules_say() -> None:
    (block,) = (block for block in blocks("README.md") if block.mark.startswith("explained by the rules"))
    metric, value = block.mark.split()[-2:]
    response = block.text.split('"')[1]
    explained = rubric_rules(load_rubric("companion")).explain(Utterance("", response))[metric]
    assert explained.value == pytest.approx(float(value))
    assert explained.explanation == block.text.strip()


def test_the_readme_counts_the_scenarios_that_there_are() -> None:
    scenarios = load_scenarios((), load_rubric("companion"))
    counts = set(re.findall(r"(\d+) scenarios(?: by| -->|\])", text_of("README.md")))
    assert counts == {str(len(scenarios))}


QUOTED = re.compile(r'"([^"]+)"')


def test_the_footguns_are_scored_as_printed() -> None:
    metrics = RulesLookup(load_rubric("companion"))
    said = re.findall(r'^.*(?:writes: |\*\* )"([^"]+)"$', unwrapped("docs/footguns.md"), re.MULTILINE)
    tables = table_after("docs/footguns.md", "scored by the rules")
    assert len(said) == 3 and len(tables) == 4
    for user, table in zip([*said, None], tables, strict=True):
        for texts, value in table:
            quoted = QUOTED.findall(texts)
            message, response = quoted if user is None else (user, *quoted)
            found = metrics.score("overall_quality", Utterance(message, response)).value
            assert found == pytest.approx(float(value)), response


def unwrapped(page: str) -> str:
    """The page with each paragraph on one line."""
    return re.sub(r"(?<=[^\n|])\n(?=[^\n|<])", " ", text_of(page))


def test_the_examples_for_human_evaluators_are_scored_as_printed() -> None:
    metrics = rubric_rules(load_rubric("companion"))
    (table,) = table_after("docs/evaluation-process.md", "scored by the rules")
    for user, response, value in table:
        said = Utterance(user.strip('"'), response.strip('"'))
        assert metrics.score("emotional_intelligence", said).value == pytest.approx(float(value)), response


def test_the_emotional_keywords_are_as_rare_as_printed() -> None:
    rubric = load_rubric("companion")
    words = rubric.metrics["emotional_intelligence"].lists["emotional_keywords"]
    pattern = re.compile(rf"\b(?:{'|'.join(words)})", re.IGNORECASE)
    scenarios = load_scenarios((), rubric)
    counts = []
    for chosen in (scenarios, [each for each in scenarios if each.category == "emotional_support"]):
        turns = [turn for scenario in chosen for turn in scenario.turns]
        counts += [len(turns), sum(bool(pattern.search(turn)) for turn in turns)]
    paragraph = text_of("docs/footguns.md").split("<!-- count: emotional keywords -->")[1].split("Everywhere else")[0]
    assert [int(number) for number in re.findall(r"\d+", paragraph)] == counts


def test_the_thresholds_are_the_rubrics() -> None:
    rule = load_rubric("companion").decision
    assert rule is not None
    (table,) = table_after("docs/evaluation-process.md", "thresholds")
    shown = [[float(number) for number in re.findall(r"\d\.\d", row[1])] for row in table]
    assert shown == [[rule.deploy, rule.floor], [rule.ab_test, rule.floor], [rule.ab_test, rule.floor]]
