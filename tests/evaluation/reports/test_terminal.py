import re

import pytest
from rich.cells import cell_len

from evaluation.commands import write_command
from evaluation.reports.document import (
    Bullet,
    Bullets,
    Column,
    Command,
    Heading,
    Listing,
    Outside,
    Paragraph,
    Row,
    Table,
    document,
)
from evaluation.reports.terminal import LONGEST_COPIED, to_terminal
from evaluation.text.safe_text import width
from tests.evaluation.reports.documents import every_block
from tests.evaluation.reports.hostile import EVIL

WIDE = "界漢字\u200d👍🏽❤️\u0301\U0001f1e9\U0001f1ea" * 90


@pytest.mark.parametrize("text", [EVIL, WIDE, "x" * 5000, "", "[red]markup[/red] :smile: [link=http://x]"])
@pytest.mark.parametrize("columns", [60, 80, 132])
def test_no_line_is_wider_than_the_terminal_but_what_is_to_be_copied(text: str, columns: int) -> None:
    sections = every_block(text, columns=5).sections
    shown = to_terminal(document(*sections[:-1]), columns=columns)
    assert all(max(width(line), cell_len(line)) <= columns for line in shown.splitlines())
    copied = to_terminal(document(sections[-1]), columns=columns)
    assert all(width(line) <= LONGEST_COPIED for line in copied.splitlines())
    assert shown.endswith("\n") and not re.search(" $", shown, re.MULTILINE)


def test_hostile_text_steers_nothing() -> None:
    text = to_terminal(every_block(EVIL))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ud800-\udfff]", text)
    assert "\\x1b[2J" in text
    assert "[red]markup[/red]" in to_terminal(every_block("[red]markup[/red]"))  # not taken for the report's styling
    assert ":smile:" in to_terminal(every_block(":smile:"))


def test_sections_stand_apart_and_lists_are_indented() -> None:
    items = [Bullet("one two three four five six seven"), Bullet(("deep ", Outside("down")), depth=1), Bullet("last")]
    report = document([Heading("Title"), Bullets(items, brief=2, rest="x.json")], (), [Paragraph("an end")])
    assert to_terminal(report, columns=24) == (
        "Title\n  - one two three four\n    five six seven\n    - deep down\n  - 1 more are in x.json\n\nan end\n"
    )


def test_what_a_terminal_need_not_say_is_left_to_markdown() -> None:
    table = Table([Column("a"), Column("b", detail=True), Column("c", right=True)], [Row(["1", "2", "3"])])
    assert to_terminal(document([Heading("hidden", printed=False), table])) == "a c\n1 3\n"


def test_a_listing_is_shown_in_the_colours_of_a_diff_up_to_a_number_of_lines() -> None:
    lines = ["@@ system @@", " same", "-old", "+new"]
    assert to_terminal(document([Listing(lines, "diff")])) == "@@ system @@\n same\n-old\n+new\n"
    coloured = to_terminal(document([Listing(lines, "diff")]), color=True)
    assert "\x1b[1;31m-old" in coloured and "\x1b[1;32m+new" in coloured
    assert "\x1b" not in to_terminal(document([Listing(lines)]), color=True)
    long = to_terminal(document([Listing([str(number) for number in range(70)], rest="report.html")]))
    assert long.endswith("\n59\n10 more lines are in report.html\n")


def test_commands_are_whole() -> None:
    command = "make eval PROMPT=v3 ARGS='" + "--scenarios x " * 20 + "'"
    assert to_terminal(document([Command("to go on", command)])) == f"to go on:\n{command}\n"


def test_columns_that_do_not_fit_follow_below_with_the_names() -> None:
    names = [f"metric_{number}" for number in range(3)]
    columns = [Column("metric"), *(Column(f"setting {number}") for number in range(6))]
    text = to_terminal(document([Table(columns, [Row([each, *["0.74 [0.70, 0.78]"] * 6]) for each in names])]))
    assert [len(re.findall("setting", line)) for line in text.splitlines() if "setting" in line] == [4, 2]
    assert text.count("metric_1") == 2
    assert text.count("0.74 [0.70, 0.78]") == 18


def test_long_tables_say_where_the_rest_is() -> None:
    text = to_terminal(document([Table([Column("n")], [Row([str(each)]) for each in range(50)], rest="all.json")]))
    assert text.endswith("29\n20 more are in all.json\n")


def test_colour_only_where_asked() -> None:
    coloured, plain = (to_terminal(every_block("x"), color=color) for color in (True, False))
    assert "\x1b[1m" in coloured and "\x1b[" not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


@pytest.mark.parametrize("columns", [40, 80, 132])
def test_a_command_in_a_text_is_never_broken(columns: int) -> None:
    long = write_command(
        "eval", "--resume", "20261122T190546Z-penpal-companion-v3-b795fc", "--tag", "it's so", PROMPT="a b"
    )
    short = write_command("approve-baseline", RUN="last")
    shown = to_terminal(
        document(
            [Paragraph(f"What was answered is kept and nothing is lost; go on with: {long}, then read on.")],
            [Bullets((Bullet(f"note: production was changed a moment ago, so {short} is next: {long}"),))],
            [Bullets((Bullet("words " * 200 + long),))],
        ),
        columns=columns,
    )
    lines = [line.strip() for line in shown.splitlines()]
    assert sum(long in line for line in lines) == 3
    assert sum(short in line for line in lines) == 1
    if len(long) > columns:
        assert lines.count(long) == 3, "on a line of its own"
    assert all(width(line) <= columns for line in shown.splitlines() if long not in line)
    assert "\u2800" not in shown
