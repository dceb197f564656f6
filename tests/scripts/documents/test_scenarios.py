"""The document of the scenario set: complete, counted right, and safe from what users say."""

from pathlib import Path

import evaluation.scenarios
from evaluation.records import Scenario, Turn
from evaluation.rubrics.rubric import CategoryGuide
from evaluation.scenarios.parser import merge_scenarios, parse_scenarios
from evaluation.suites import DEFAULT_SUITE, SUITES
from scripts.documents.inputs import audience_group, scenario_document
from scripts.run.load import load_scenarios
from tests.evaluation.metrics.shipped import companion_rubric

FOLDER = Path(evaluation.scenarios.__file__).parent
GUIDES = {
    "chat": CategoryGuide(title="Chat", focus="Idle talk.", criteria=("Any.",)),
    "age": CategoryGuide(title="Age", focus="Who speaks.", criteria=("Any.",)),
    "unused": CategoryGuide(title="Unused", focus="Nothing yet.", criteria=("Any.",)),
}


def variant(name: str, audience: str, *tags: str) -> Scenario:
    return Scenario(name, "age", ("Help me.", "Now."), "shared", audience, tags, f"Note of {name}.")


SET = (
    Scenario("plain", "chat", ("Hello.",), tags=("x", "smoke"), note="Greets."),
    Scenario("back", "chat", ("I'm back.",), tags=("x",), note="Knows.", history=(Turn("assistant", "Hi"),)),
    variant("young", "a nurse of 20", "younger", "x"),
    variant("frail", "a frail person", "vulnerable", "crisis"),
    variant("pilot", "a pilot"),
)


def lines(scenarios: tuple[Scenario, ...] = SET) -> list[str]:
    return scenario_document(scenarios, GUIDES).splitlines()


LINES = {
    "| Chat | not stated | 2 | 2 | 2 |",
    "| Age | younger | 1 | 1 | 2 |",
    "| Age | vulnerable | 1 | 1 | 2 |",
    "| Age | another stated | 1 | 1 | 2 |",
    "| Tag | All | Chat | Age, younger | Age, vulnerable | Age, another stated |",
    "| `x` | 3 | 2 | 1 |  |  |",
    "| `crisis` | 1 |  |  | 1 |  |",
    "| Chat | `plain` |",
    "| `plain` | Hello. | x, smoke | Greets. |",
    "| `back` | (the companion before: Hi)<br>I'm back. | x | Knows. |",
    "| `young` | 1. Help me.<br>2. Now.<br>(said by a nurse of 20) | younger, x | Note of young. |",
}


def test_what_is_counted_and_listed() -> None:
    assert set(lines()) >= LINES


def test_the_size_distinguishes_variants_from_situations() -> None:
    assert any(line.startswith("5 scenarios in 3 different situations, 8 user turns in all.") for line in lines())


def test_tags_stand_in_order_of_number_and_name() -> None:
    table = lines()[lines().index("### Tag by category and audience") :]
    rows = [line.split("`")[1] for line in table if line.startswith("| `")][:5]
    assert rows == ["x", "crisis", "smoke", "vulnerable", "younger"]


def test_a_crisis_is_shown_with_who_says_what_and_what_to_do() -> None:
    text = scenario_document(SET, GUIDES)
    wanted = "### `frail`\n\nSaid by a frail person:\n\n> Help me.\n>\n> Now.\n\n**A good companion:** Note of frail."
    assert wanted in text
    assert "### `plain`" not in text


def test_a_set_without_crisis_or_smoke_has_no_such_part() -> None:
    text = scenario_document((variant("pilot", "a pilot"),), GUIDES)
    assert "## Crisis" not in text
    assert "## Smoke" not in text
    assert "### Unused" not in text


SAID = (
    ("**loud** _soft_ `code`", r"\*\*loud\*\* \_soft\_ \`code\`"),
    ("<b>&amp; [a](b)", r"\<b\>\&amp; \[a\](b)"),
    ("# no heading", r"\# no heading"),
    ("- no list", r"\- no list"),
    ("1. no list", r"1\. no list"),
    ("a\nb", "a b"),
    ("red \x1b[31m", r"red \\x1b\[31m"),
)
"""The words of a user, and the text as the page has it."""


def test_a_set_apart_is_listed_and_counted_in_no_table() -> None:
    apart = Scenario("long-talk", "chat", ("One.", "Two."), tags=("x", "far"), note="Remembers | both.")
    listed = scenario_document(SET, GUIDES, {"far": (apart,)}).splitlines()
    assert set(listed) >= LINES
    assert 'make eval PROMPT=v3 ARGS="--tag far"' in listed
    assert "| `long-talk` | 2 | 0 | x, far | Remembers \\| both. |" in listed


def test_what_users_say_formats_nothing() -> None:
    for said, shown in SAID:
        scenario = Scenario("odd", "chat", (said,), tags=("crisis",), note="Stays calm.")
        assert {f"> {shown}", f"| `odd` | {shown} | crisis | Stays calm. |"} <= set(lines((scenario,)))


def test_a_bar_does_not_end_the_cell() -> None:
    assert "| `odd` | a \\| b | x | n |" in lines((Scenario("odd", "chat", ("a | b",), tags=("x",), note="n"),))


def test_the_group_is_the_tag_before_the_description() -> None:
    groups = [audience_group(scenario) for scenario in SET]
    assert groups == ["not stated", "not stated", "younger", "vulnerable", "another stated"]


def test_the_page_in_docs_holds_the_shipped_set() -> None:
    rubric = companion_rubric()
    files = sorted(FOLDER.glob("*.yaml"))
    shipped = merge_scenarios(
        [(file.name, parse_scenarios(file.read_text("utf-8"), file.name, rubric.categories)) for file in files]
    )
    page = FOLDER.parent.parent / "docs" / "scenarios.md"
    apart = {tag: load_scenarios((name,), rubric) for tag, name in SUITES[DEFAULT_SUITE].tagged.items()}
    assert {"memory", "stated"} <= apart.keys()
    assert page.read_text("utf-8") == scenario_document(shipped, rubric.categories, apart), "run make docs"
    assert all(f"`{scenario.id}`" in page.read_text("utf-8") for scenario in shipped)
