"""A suite as one YAML file with its parts in it: read by the parsers that read them in files of their own."""

from pathlib import Path
from textwrap import indent

import pytest

from evaluation.errors import ParseError, UsageError
from evaluation.expectations.criteria import no_sets
from evaluation.records import Scenario
from evaluation.request import EvaluationRequest
from evaluation.suites.loaded import LoadedSuite, parse_sets
from evaluation.text.forms import SourceText
from scripts.run.load import load_suite
from scripts.run.suites import find_suite
from scripts.run.texts import read_sets
from services.settings import Settings
from services.workspace import RUBRICS
from tests.scripts.commands import run
from tests.scripts.support_bot import RUBRIC, SCENARIOS, canaries, write_support_bot

HELLO = """\
scenarios:
  - {id: hello, turns: ["Hello?"]}
"""
WITHOUT_CATEGORY = SCENARIOS.replace("category: billing\n", "")


def one_file(*parts: str) -> str:
    return "".join(parts)


def within(key: str, text: str) -> str:
    return f"{key}:\n{indent(text, '  ')}"


def in_list(key: str, *texts: str) -> str:
    return f"{key}:\n" + "".join(f"  - {indent(text, '    ').lstrip()}" for text in texts)


WHOLE = one_file("# ours\n", within("rubric", RUBRIC), in_list("scenarios", SCENARIOS), canaries())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_support_bot(tmp_path, checked=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tests.scripts.commands.ROOT", tmp_path)
    return tmp_path


def read(reference: str) -> tuple[LoadedSuite, tuple[Scenario, ...]]:
    definition = find_suite(reference)
    loaded = load_suite(reference)
    texts = read_sets(EvaluationRequest(suite=reference), definition, Settings(suite="support"))
    return loaded, parse_sets(texts, loaded.rubric, definition.parse, no_sets)


def test_one_file_is_the_same_suite_as_a_folder_with_a_file_for_each_part(folder: Path) -> None:
    (folder / "mine").mkdir()
    (folder / "mine/support.yaml").write_text(WHOLE, encoding="utf-8")
    one, played = read("./mine/support.yaml")
    many, set_apart = read("support")
    assert one.rubric.model_dump() == many.rubric.model_dump()
    assert played == set_apart
    assert one.suite.judge == many.suite.judge
    assert one.suite.name == many.suite.name == "support"


def test_the_rubrics_digest_is_that_of_its_words_wherever_they_stand(folder: Path) -> None:
    (folder / "suites/support/canaries.yaml").unlink()
    (folder / "one.yaml").write_text(one_file(within("rubric", RUBRIC), HELLO), encoding="utf-8")
    (folder / "two.yaml").write_text(one_file("# more\n", HELLO, within("rubric", RUBRIC)), encoding="utf-8")
    of_folder, one, two = (load_suite(name).rubric.sha256 for name in ("support", "./one.yaml", "./two.yaml"))
    assert of_folder == one == two


@pytest.mark.parametrize(
    ("text", "ids", "categories"),
    [
        (one_file("rubric: suites/support/rubric.yaml\n", HELLO), ["hello"], {"general"}),
        (
            one_file(
                "rubric: suites/support/rubric.yaml\n",
                in_list("scenarios", "suites/support/scenarios\n", f"category: other\n{HELLO}"),
            ),
            ["charged-twice", "cancel-plan", "hello"],
            {"billing", "other"},
        ),
        (
            "rubric: suites/support/rubric.yaml\nscenarios: [{id: a, turns: [Hi]}, {id: b, turns: [Ho]}]\n",
            ["a", "b"],
            {"general"},
        ),
    ],
)
def test_parts_stand_in_the_file_or_in_others(folder: Path, text: str, ids: list[str], categories: set[str]) -> None:
    (folder / "mixed.yaml").write_text(text, encoding="utf-8")
    _, scenarios = read("mixed.yaml")
    assert [scenario.id for scenario in scenarios] == ids
    assert {scenario.category for scenario in scenarios} == categories


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("base: 0.5", "base: 7", "base: 7\n metrics.brevity.base: 7.0 is outside the scale"),
        ("id: cancel-plan", "id: Cancel", "id: Cancel\n scenario 2: id is 'Cancel': use small letters"),
        ("level: 0.9", "level: 9", "level: 9, \n judge.canaries[0].level"),
        ("# ours\n", "plays: promt\n", "plays: promt\n plays: 'promt': input should be 'prompt', 'model' or"),
        ("# ours\n", "taged: {}\n", "taged\n taged: unknown key 'taged'; did you mean 'tagged'?"),
        ("# ours\nrubric:", "rubric: 3\nold:", "old:\n old: unknown key 'old'"),
        (
            "- category: billing",
            "- {id: a, turns: [Hi]}\n  - category: billing",
            "{id: a\n scenarios[0]: is a scenario among files and sets: put it under 'scenarios:' of a set",
        ),
        (
            "canaries:",
            "tagged: {more: more.yaml}\ncanaries:",
            "more.yaml\n tagged.more: there is no 'more.yaml' beside",
        ),
    ],
)
def test_what_is_wrong_in_it_is_named_with_its_own_line(folder: Path, old: str, new: str, said: str) -> None:
    text = WHOLE.replace(old, new, 1)
    (folder / "mine.yaml").write_text(text, encoding="utf-8")
    where, _, problem = said.partition("\n")
    line = next(number for number, each in enumerate(text.splitlines(), 1) if where in each)
    with pytest.raises(UsageError) as raised:
        read("mine.yaml")
    assert str(raised.value).startswith(f"mine.yaml:{line}:{problem}")


def test_each_part_that_is_neither_path_nor_itself_is_named(folder: Path) -> None:
    (folder / "mine.yaml").write_text("rubric: 3\nscenarios: [[]]\ncanaries: {}\n", encoding="utf-8")
    with pytest.raises(ParseError) as raised:
        find_suite("mine.yaml")
    assert [str(each) for each in raised.value.all] == [
        "mine.yaml:1: rubric: 3: give the path of a file, or the rubric itself: a mapping with 'name:' and 'metrics:'",
        "mine.yaml:2: scenarios[0]: give the path of a file, or a scenario or a set of them",
        "mine.yaml:3: canaries: give the path of a file, or a list of canaries",
    ]


def test_a_rubric_in_the_file_may_extend_another(folder: Path) -> None:
    own = "extends: suites/support/rubric.yaml\nversion: two\n"
    own += "history: [{version: two, date: '2026-12-01', changes: [More]}]\nmetrics: {brevity: {base: 0.4}}\n"
    (folder / "mine.yaml").write_text(one_file(within("rubric", own), HELLO), encoding="utf-8")
    assert load_suite("mine.yaml").rubric.metrics["brevity"].base == 0.4
    (folder / "mine.yaml").write_text(one_file(within("rubric", own.replace("0.4", "7")), HELLO), encoding="utf-8")
    with pytest.raises(UsageError, match=r"^mine\.yaml:5: metrics\.brevity\.base: 7\.0 is outside"):
        load_suite("mine.yaml")


def test_it_is_evaluated_as_others_are(folder: Path) -> None:
    (folder / "mine.yaml").write_text(one_file(within("rubric", RUBRIC), HELLO), encoding="utf-8")
    done = run("--suite", "./mine.yaml", "--quiet", "--json", runs=folder / "runs")
    assert done.code == 0, done.err
    assert '"suite": "mine"' in done.out


def test_one_file_in_the_folder_of_suites_is_known_by_its_name(folder: Path) -> None:
    (folder / "suites/mine.yaml").write_text(one_file(within("rubric", RUBRIC), HELLO), encoding="utf-8")
    assert load_suite("mine").suite.name == "mine"


def test_a_long_rubric_with_texts_of_many_lines_is_the_same_within_the_file(folder: Path) -> None:
    text = (RUBRICS / "companion.yaml").read_text(encoding="utf-8")
    (folder / "mine.yaml").write_text(
        one_file(within("rubric", text), in_list("scenarios", f"category: small_talk\n{HELLO}")), encoding="utf-8"
    )
    source = find_suite("mine.yaml").source
    assert source is not None
    found = SourceText(source.text, "mine.yaml").value()
    assert found == SourceText(text, "companion.yaml").value()
