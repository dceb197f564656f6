"""Parts of a page that show what the rules of a rubric see."""

from scripts.documents.writing import with_measures

PAGE = """before

<!-- crisis table: companion, open -->
stale
<!-- end -->

between

<!-- stuffing table: companion -->
<!-- end -->

after
"""


def test_every_part_is_written_again_and_the_rest_stays() -> None:
    page = with_measures(PAGE)
    assert page.startswith(
        "before\n\n<!-- crisis table: companion, open -->\n\n## `rules of companion 2.0.4, open half`"
    )
    assert page.endswith("\n<!-- end -->\n\nafter\n")
    assert "stale" not in page
    assert page.count("<!-- end -->\n\nbetween\n\n<!-- stuffing table: companion -->\n\n## ") == 1
    assert with_measures(page) == page


def test_the_half_that_is_named_is_counted() -> None:
    assert "`rules of companion 2.0.4, shut half`" in with_measures(PAGE.replace("companion, open", "companion, shut"))
