"""The Markdown of the reports as a renderer reads it: GitHub's is CommonMark with tables, and folds what HTML says."""

import re
from collections.abc import Callable, Iterator
from functools import cache

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from evaluation.reports.comparison import describe_comparison
from evaluation.reports.document import (
    Block,
    Bullet,
    Bullets,
    Column,
    Document,
    Fold,
    Heading,
    Listing,
    Outside,
    Row,
    Table,
    document,
)
from evaluation.reports.markdown import MOST_BYTES, to_markdown
from evaluation.reports.run import describe_run
from tests.evaluation.made_runs import JUDGED, failed, made_outcome, scenario, scored, summary_of
from tests.evaluation.reports.documents import every_block
from tests.evaluation.reports.hostile import EVIL, hostile_run
from tests.evaluation.reports.test_comparison import HOSTILE, compared

OURS = re.compile(r"<details>|</details>|<summary>[^<>]*</summary>")


def made_run() -> Document:
    plan = [scenario(f"s{number}", category=("calm", "upset")[number % 2]) for number in range(12)]
    results = [*(scored(item.id, 0.8, judge=0.7) for item in plan[1:]), failed("s0")]
    return describe_run(made_outcome(summary_of(results, plan, sources=JUDGED), plan))


DOCUMENTS: dict[str, Callable[[], Document]] = {
    "run": made_run,
    "hostile run": lambda: describe_run(hostile_run()),
    "comparison": lambda: describe_comparison(compared({"warmth": 0.1}, gaps=2)),
    "hostile comparison": lambda: describe_comparison(compared({"warmth": 0.1}, name=HOSTILE), notes=(HOSTILE,)),
    "every block": lambda: every_block(EVIL),
}


@cache
def markdown(name: str) -> str:
    return to_markdown(DOCUMENTS[name]())


def tokens_of(text: str) -> list[Token]:
    return MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)


def flat(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from flat(token.children or [])


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_table_is_one_and_nothing_else_is_html_or_a_link(name: str) -> None:
    text = markdown(name)
    tokens = list(flat(tokens_of(text)))
    assert sum(token.type == "table_open" for token in tokens) == len(re.findall(r"^\| -{3}", text, re.MULTILINE))
    bare = [token.content for token in tokens if token.type == "text"]
    assert not [each for each in bare if "|" in each]
    for token in tokens:
        assert token.type not in ("html_inline", "image"), token.content
        if token.type == "html_block":
            assert all(OURS.fullmatch(line) for line in token.content.splitlines()), token.content
        if token.type == "link_open":
            assert str(token.attrs["href"]).startswith("https://"), token.attrs
    for sign in ("<script", "@everyone", "#1", "evil", "javascript", "\x1b", "\u202e"):
        assert not [each for each in bare if sign in each], sign


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_is_folded_is_still_markdown(name: str) -> None:
    text = markdown(name)
    assert text.count("<details>") == text.count("</details>") == text.count("<summary>")
    folds = re.findall(r"^<details>\n<summary>[^\n]+</summary>\n\n(.*?)^</details>$", text, re.MULTILINE | re.DOTALL)
    assert len(folds) == text.count("<details>")
    kinds = {token.type for fold in folds for token in tokens_of(fold)}
    assert "html_block" not in kinds
    assert not folds or kinds & {"bullet_list_open", "table_open", "fence"}


def test_the_first_screen_is_not_folded() -> None:
    for name, words in (("run", ("no verdict: 92%", "1 failed")), ("comparison", ("higher in 7", "coverage 98%"))):
        head = markdown(name).split("<details>")[0]
        assert all(each in head for each in words), head


def test_a_title_of_a_fold_is_text() -> None:
    text = to_markdown(document([Fold("a <b>bold</b> & `title`", [Bullets([Bullet("inside")])])]))
    assert text == ("<details>\n<summary>a &lt;b&gt;bold&lt;/b&gt; &amp; `title`</summary>\n\n- inside\n\n</details>\n")


def test_a_fold_that_the_size_cuts_is_ended() -> None:
    table = Table([Column("n"), Column("said")], [Row([str(row), Outside("x" * 300)]) for row in range(190)])
    inside: list[Block] = [Heading("Deep"), table, Listing(["y" * 60] * 400, "diff")]
    text = to_markdown(document([Fold("Long", inside)], [Fold("Never reached", inside)]))
    assert len(text.encode()) < MOST_BYTES
    assert text.count("<details>") == text.count("</details>") == 1
    assert text.endswith("\n</details>\n\n*Cut at 60 KB: the files of the run hold the rest.*\n")
    last = tokens_of(text)[-2]
    assert last.content == "*Cut at 60 KB: the files of the run hold the rest.*"
