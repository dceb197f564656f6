"""docs/languages.md against the packs and their sentence tables."""

import re

import pytest

from evaluation.languages.packs import pack_of
from scripts.documents.languages import with_packs
from tests.evaluation.languages.reading import claims
from tests.evaluation.languages.test_sentence_tables import WITH_TABLE
from tests.pages import ROOT

PAGE = (ROOT / "docs/languages.md").read_text("utf-8")


def share(language: str, part: str, kind: str) -> str:
    found = [claim.holds for claim in claims(language, part) if claim.what.startswith(kind)]
    return f"{sum(found)} of {len(found)}"


def test_the_page_has_the_table_of_packs_as_they_are() -> None:
    assert with_packs(PAGE) == PAGE, "run make docs"


@pytest.mark.slow
def test_the_page_says_what_each_pack_finds_and_spares() -> None:
    rows = [
        "| pack | finds | spares | counts | finds, held out | spares, held out |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for language in WITH_TABLE:
        pack = pack_of(language)
        assert pack is not None
        counts = [claim.holds for claim in claims(language, "table") if claim.what.split()[0] not in ("says", "not")]
        cells = [share(language, part, kind) for part in ("table", "held_out") for kind in ("says", "not")]
        cells.insert(2, f"{sum(counts)} of {len(counts)}")
        rows.append(f"| {pack.name} | {' | '.join(cells)} |")
    (block,) = re.findall(r"<!-- sentences -->\n(.*?)<!-- end -->", PAGE, re.DOTALL)
    assert block == "\n".join(rows) + "\n"
