"""The page of the sets of criteria."""

from scripts.documents.inputs import criteria_document
from scripts.documents.markdown import ROOT
from scripts.run.criteria import find_criteria
from services.workspace import CRITERIA, shipped_names


def test_the_page_in_docs_holds_every_shipped_criterion_with_its_sources() -> None:
    sets = {name: find_criteria()(name) for name in shipped_names(CRITERIA)}
    page = (ROOT / "docs" / "criteria.md").read_text(encoding="utf-8")
    assert page == criteria_document(sets), "run make docs"
    assert len(sets) >= 4
    for found in sets.values():
        assert all(f"`{each.item.id}`" in page for each in found.criteria)
        assert all(source.url in page and f"({source.year})" in page for source in found.sources.values())
