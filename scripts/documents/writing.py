"""Every page that comes from the code: made, compared with what lies there, and written."""

import sys
from collections.abc import Mapping

from scripts.documents.commands import command_document, env_example
from scripts.documents.printed import ROOT, with_output, with_tables
from scripts.documents.quality_metrics import quality_document, quality_picture, read_examples
from scripts.documents.rubric import rubric_document
from scripts.documents.scenarios import scenario_document
from scripts.run.load import load_expectations, load_rubric, load_scenarios
from scripts.shell import DONE, GATE_FAILED
from services.record_files import SCHEMA


def write_documents(*, check: bool) -> int:
    """Writes what has drifted; with `check` only names it."""
    drifted = {name: text for name, text in generated().items() if _page(name) != text}
    if check and drifted:
        print(f"drifted: {', '.join(drifted)}: run make docs and commit", file=sys.stderr)
        return GATE_FAILED
    for name, text in drifted.items():
        (ROOT / name).write_text(text, encoding="utf-8")
        print(f"wrote {name}")
    return DONE


def generated() -> Mapping[str, str]:
    """Path in the project -> what the file must hold."""
    rubric, quality = load_rubric("companion"), load_rubric("text_quality")
    expected = load_expectations("text_quality", tuple(quality.metrics))
    sweeps = with_output(_page("docs/sweeps.md"))
    metrics = quality_document(_page("docs/quality-metrics.md"), quality, read_examples(ROOT), expected)
    return {
        "docs/commands.md": command_document(),
        ".env.example": env_example(),
        "docs/prompt-evaluation-rubric.md": rubric_document(rubric),
        "docs/quality-metrics.md": with_tables(metrics, sweeps),
        "docs/images/text-quality-curves.svg": quality_picture(quality),
        "docs/scenarios.md": scenario_document(load_scenarios((), rubric), rubric.categories),
        "docs/eval_record.schema.json": SCHEMA.read_text(encoding="utf-8"),
        "docs/sweeps.md": sweeps,
        "README.md": with_output(_page("README.md")),
    }


def _page(name: str) -> str:
    """The file as it is; empty where there is none."""
    path = ROOT / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""
