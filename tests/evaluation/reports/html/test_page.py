"""Nothing that comes from outside can leave its place in a page."""

import base64
import hashlib
import json
import re

import pytest

from evaluation.reports.html.page import LONGEST_BLOCK, PIECE, address, block, folder, script_json, script_pieces
from tests.evaluation.reports.hostile import EVIL
from tests.evaluation.reports.html.pages import assets, data_of, hostile_page, known_page


@pytest.mark.parametrize("text", [EVIL, "</script>", "<!--", "]]>", "&lt;", "\u2028\u2029", "\ud800", "\x00"])
def test_json_in_a_script_holds_every_text_and_no_sign_that_could_end_it(text: str) -> None:
    shown = script_json({"text": text, text: 1})
    assert not re.search("[<>&\u2028\u2029\ud800-\udfff\x00]", shown)
    assert json.loads(shown) == {"text": text, text: 1}


@pytest.mark.parametrize("count", [0, 1, PIECE, PIECE + 1, 3 * PIECE])
def test_pieces_add_up_to_the_whole(count: int) -> None:
    value = {"a": 1, "list": [[number, EVIL] for number in range(count)], "b": {"c": [1]}}
    pieces = list(script_pieces(value))
    assert "".join(pieces) == script_json(value)
    assert max(map(len, pieces)) <= len(script_json([[count, EVIL]] * PIECE))


@pytest.mark.parametrize("value", [{}, [], None, {"a": []}])
def test_what_has_no_pieces_is_written_at_once(value: object) -> None:
    assert "".join(script_pieces(value)) == script_json(value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://cloud.example/project/1", True),
        ("HTTP://cloud.example", True),
        ("javascript:alert(1)", False),
        (" javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("//cloud.example", False),
        ('https://x" onclick="y', False),
        ("https://x\nhttps://y", False),
    ],
)
def test_only_web_addresses_become_links(url: str, shown: bool) -> None:
    assert address(url) == (url if shown else "")


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden", "a b", "javascript:x"])
def test_only_a_folders_name_becomes_a_relative_link(name: str) -> None:
    assert folder(name) == ""


def test_a_long_text_is_cut_and_says_so() -> None:
    shown = str(block("<b>\n" + "x" * LONGEST_BLOCK))
    assert shown.startswith("&lt;b&gt;<br>xxx")
    assert shown.endswith("x<br><i>… 4 more characters</i>")


def test_the_policy_permits_exactly_the_two_texts_of_the_page() -> None:
    page = known_page()
    styles, scripts = re.findall(r"<style>(.*?)</style>", page, re.S), re.findall(r"<script>(.*?)</script>", page, re.S)
    assert (len(styles), len(scripts)) == (1, 1)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    for kind, text in (("style", styles[0]), ("script", scripts[0])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src &#39;sha256-{digest}&#39;" in policy[1]
    assert policy[1].startswith("default-src &#39;none&#39;")


def test_a_hostile_run_adds_no_element_and_hides_no_character() -> None:
    page = hostile_page()
    markup = re.sub(r"<(script|style)\b[^>]*>.*?</\1>", "", page, flags=re.S)
    assert "alert(1)" in markup
    assert not re.search(r"<script|<img|\x1b|\x07|\u202e|\u2028|\x00", markup)
    assert set(re.findall(r'href="([^#"][^"]*)"', markup)) == {"data:,", "../index.html"}
    page.encode()
    assert data_of(page)["rows"]


def test_templates_hold_no_inline_style_or_handler() -> None:
    """Things that the policy would refuse."""
    for name, text in assets().templates.items():
        assert not re.search(r"\sstyle=|\son[a-z]+=", text), name
