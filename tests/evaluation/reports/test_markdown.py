import html
import re

import pytest

from evaluation.reports.document import (
    Bullet,
    Bullets,
    Column,
    Command,
    Heading,
    Listing,
    Outside,
    Row,
    Table,
    TableCell,
    document,
)
from evaluation.reports.markdown import MOST_BYTES, code, link, prose, to_markdown
from tests.evaluation.reports.documents import every_block
from tests.evaluation.reports.hostile import EVIL


def outside_code(text: str) -> str:
    """The document without its listings and code spans: what a renderer reads as markup."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^(`{3,})\w*\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL))


def test_every_block() -> None:
    table = Table(
        [Column("metric"), Column("mean", right=True)], [Row([Outside("a_b"), TableCell("0.74", "92%")], "strong")]
    )
    items = [Bullet(("0.45 in ", Outside("s 1"), ".")), Bullet("deep", depth=1)]
    page = to_markdown(document([Heading("Title", 2), table], [Bullets(items), Command("to go on", "make x")]))
    assert page == (
        "## Title\n\n| metric | mean |\n| --- | ---: |\n| **`a_b`** | 0.74, 92% |\n\n"
        "- 0.45 in `s 1`.\n  - deep\n\n- to go on: `make x`\n"
    )


def test_hostile_text_stays_inside_code_spans() -> None:
    bare = outside_code(to_markdown(every_block(EVIL)))
    assert "`" not in bare
    for sign in ("<script", "</td", "@", "](", "http", "www.", "#1", "evil", "javascript", "alert", "\x1b", "\u202e"):
        assert sign not in bare, sign


def test_no_line_of_a_listing_can_end_it() -> None:
    lines = ["-Answer in a block:", "```", "+````python", " ``` ", "```diff"]
    page = to_markdown(document([Listing(lines, "diff")]))
    assert page == "`````diff\n-Answer in a block:\n```\n+````python\n ``` \n```diff\n`````\n"


def test_a_long_listing_says_where_the_rest_is() -> None:
    page = to_markdown(document([Listing(["x" * 99] * 300, rest="report.html")]))
    assert page.startswith("```\nxxx")
    assert page.endswith("xxx\n```\n\n100 more lines are in `report.html`.\n")


def test_a_listing_that_the_size_cuts_is_ended() -> None:
    first, between = Listing(["`" * 4, "z" * 900]), Bullets([Bullet("word " * 9)] * 950)
    page = to_markdown(document([first, between, Listing(["y" * 60] * 300, "diff")]))
    assert page.endswith("yyy\n```\n\n*Cut at 60 KB: the files of the run hold the rest.*\n")
    assert len(page.encode()) < MOST_BYTES
    assert outside_code(page).count("`") == 0


def test_every_table_row_has_the_same_number_of_cells() -> None:
    rows = [line for line in to_markdown(every_block(EVIL, rows=12)).splitlines() if line.startswith("|")]
    assert len(rows) == 14
    assert {row.count("|") for row in rows} == {5}


@pytest.mark.slow
def test_it_stays_under_its_size() -> None:
    text = to_markdown(document(*every_block("漢" * 10_000, rows=60, columns=40).sections * 9))
    assert len(text.encode()) < MOST_BYTES
    assert text.endswith("the files of the run hold the rest.*\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("trust 0.48 < 0.50 floor", "trust 0.48 < 0.50 floor"),
        ("trust_a 0.48", "`trust_a` 0.48"),
        ("see trust_a, now", "see `trust_a`, now"),
        ("36 of 38 (95%; 0 skipped): within [0.73, 0.80]", "36 of 38 (95%; 0 skipped): within [0.73, 0.80]"),
        ("people's choice isn't", "people's choice isn't"),
        ("<b>x</b>", "`<b>x</b>`"),
        ("mail a@b.c", "mail `a@b.c`"),
        ("[a](http://x)", "[`a](http://x`)"),
        ("| `x` |", "`¦` `ˋxˋ` `¦`"),
        ("", ""),
    ],
)
def test_sentences_keep_words_and_figures_plain(text: str, shown: str) -> None:
    assert prose(text) == shown


def test_a_command_in_a_sentence_is_one_span() -> None:
    said = 'go on with: make eval ARGS="--resume r_1", then (make sync)'
    assert prose(said) == 'go on with: `make eval ARGS="--resume r_1"`, then (`make sync`)'


def test_code_has_no_way_out() -> None:
    assert code("a`b|c\nd") == "`aˋb¦c\\nd`"
    assert code("  ") == "(empty)"
    assert code("x" * 100, 10) == "`" + "x" * 9 + "…`"
    assert "`" not in code(EVIL)[1:-1]


def test_links_lead_to_plain_addresses_only() -> None:
    assert link("run", "https://lf.example/project/p?a=b&c=d") == "run: <https://lf.example/project/p?a=b&c=d>"
    assert link("run", "javascript:alert(1)") == "run: `javascript:alert(1)`"
    assert link("run", "https://x.example/><script>") == "run: `https://x.example/><script>`"
    assert html.escape("<") not in link("run", "https://x.example/")
