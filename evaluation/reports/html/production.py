"""report.html of a sample of production: its document, with the way to its traces and to the run that judged."""

from collections.abc import Sequence
from dataclasses import replace

from evaluation.reports.document import Document
from evaluation.reports.html.page import Assets, render


def production_page(
    document: Document,
    assets: Assets,
    *,
    sample_id: str,
    subject: str,
    answer: str,
    facts: str,
    judged_by: str = "",
    banners: Sequence[str] = (),
) -> str:
    """The whole page; `judged_by` is the run that judged, whose page lies beside it, and empty without a judge."""
    sections = list(document.shown(short=False))
    values = {
        "title": f"sample of {subject}",
        "sample_id": sample_id,
        "subject": subject,
        "answer": f"{answer[:1].upper()}{answer[1:]}",
        "facts": facts,
        "judged_by": judged_by,
        "sections": sections,
        "banners": list(banners),
    }
    return render(replace(assets, js=""), "production.html.j2", values, None)
