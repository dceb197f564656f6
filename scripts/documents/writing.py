"""Every page that comes from the code: made, compared with what lies there, and written.

Parts of some pages show what a command prints, run again on the rehearsal model, which always answers alike.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping

from evaluation.commands import write_command
from evaluation.reports.document import Document
from evaluation.reports.markdown import to_markdown
from evaluation.reports.stuffing import describe_stuffing
from evaluation.suites import DEFAULT_SUITE, SUITES
from scripts.documents.commands import command_document, env_example
from scripts.documents.inputs import criteria_document, rubric_document, scenario_document
from scripts.documents.languages import with_packs
from scripts.documents.markdown import ROOT
from scripts.documents.profiles import TABLES
from scripts.documents.providers import provider_document
from scripts.documents.quality_metrics import quality_document, quality_picture
from scripts.documents.rules import rules_document
from scripts.run.criteria import find_criteria
from scripts.run.load import load_expectations, load_rubric, load_scenarios
from scripts.shell import DONE, GATE_FAILED
from scripts.validity.danger import measure_danger, report_danger
from scripts.validity.mutations import measure_moves, report_moves
from scripts.validity.stuffing import measure_stuffing
from services.model.providers import load_providers
from services.record_files import SCHEMA
from services.workspace import CRITERIA, shipped_names

SHOWN = re.compile(
    r"(?P<begin><!-- printed by: (?P<command>[^>]+?)(?:, the table (?P<table>[^>]+))? -->\n```text\n).*?(?P<end>```\n)",
    re.DOTALL,
)
"""A block of a page that shows what a command prints, or one table of it."""
COPIED = re.compile(r"(<!-- table of docs/sweeps.md: (?P<beginning>[^>]+) -->\n```text\n).*?(```\n)", re.DOTALL)
"""A block of another page that shows one table of what the sweep prints."""
MEASURED = re.compile(
    r"(?P<begin><!-- (?P<table>mutation test|crisis table|stuffing table): (?P<rubric>[\w-]+)"
    r"(?:, (?P<half>open|shut|another author|a third author))? -->\n).*?(?P<end><!-- end -->)",
    re.DOTALL,
)
"""A part of a page that shows what the rules of a rubric see, counted over one half of the material."""
HALVES = ("open", "shut")
CUT = "...\n"
KEPT = ("mean [95%", "combined ", "temperature 0.3 to ", "Best setting", "expected ", "Spread of ")
"""Beginnings of the tables that a page shows."""


def write_documents(*, check: bool) -> int:
    """Writes what has drifted; with `check` only names it."""
    drifted = {name: text for name, text in generate().items() if _page(name) != text}
    if check and drifted:
        print(f"drifted: {', '.join(drifted)}: run {write_command('docs')} and commit", file=sys.stderr)
        return GATE_FAILED
    for name, text in drifted.items():
        (ROOT / name).write_text(text, encoding="utf-8")
        print(f"wrote {name}")
    return DONE


def generate() -> Mapping[str, str]:
    """Path in the project -> what the file must hold."""
    rubric, quality = load_rubric("companion"), load_rubric("text_quality")
    expected = load_expectations("text_quality", tuple(quality.metrics))
    tagged = SUITES[DEFAULT_SUITE].tagged.items()
    sweeps = with_output(_page("docs/sweeps.md"))
    examples = _page("docs/quality-examples.yaml")
    tables = {name: _page(f"docs/{name}.yaml") for name in TABLES}
    metrics = quality_document(_page("docs/quality-metrics.md"), quality, examples, expected, tables)
    return {
        "docs/commands.md": command_document(),
        ".env.example": env_example(),
        "docs/prompt-evaluation-rubric.md": rubric_document(rubric),
        "docs/companion-v3.md": rules_document(load_rubric("companion-v3"), rubric, "companion-v3"),
        "docs/quality-metrics.md": with_tables(metrics, sweeps),
        "docs/images/text-quality-curves.svg": quality_picture(quality),
        "docs/languages.md": with_packs(_page("docs/languages.md")),
        "docs/providers.md": provider_document(load_providers()),
        "docs/scenarios.md": scenario_document(
            load_scenarios((), rubric),
            rubric.categories,
            {tag: load_scenarios((name,), rubric) for tag, name in tagged},
        ),
        "docs/criteria.md": criteria_document({name: find_criteria()(name) for name in shipped_names(CRITERIA)}),
        "docs/eval_record.schema.json": SCHEMA.read_text(encoding="utf-8"),
        "docs/sweeps.md": sweeps,
        "docs/expectations.md": with_output(_page("docs/expectations.md")),
        "docs/report.md": with_output(_page("docs/report.md")),
        "docs/validity.md": with_measures(_page("docs/validity.md")),
        "README.md": with_output(_page("README.md")),
    }


def _page(name: str) -> str:
    """The file as it is; empty where there is none."""
    path = ROOT / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def with_output(page: str) -> str:
    """The page with what every shown command prints now."""

    def show(match: re.Match[str]) -> str:
        output, table = run_printing(match["command"]), match["table"]
        shown = essence(output) if table is None else f"{section_of(output, table)}\n"
        return f"{match['begin']}{shown}{match['end']}"

    return SHOWN.sub(show, page)


def with_measures(page: str) -> str:
    """The page with every table of what rules see, for the rubrics that it names."""
    return MEASURED.sub(
        lambda match: f"{match['begin']}\n{to_markdown(_measured(**match.groupdict()))}\n{match['end']}", page
    )


def _measured(table: str, rubric: str, half: str | None, **_: str) -> Document:
    shut = half == "shut"
    if table == "crisis table":
        return report_danger(measure_danger(DEFAULT_SUITE, rubric, f"{half} half" if half in HALVES else f"{half}"))
    if table == "stuffing table":
        return describe_stuffing(*measure_stuffing(DEFAULT_SUITE, rubric))
    return report_moves(measure_moves(DEFAULT_SUITE, rubric, shut=shut))


def with_tables(page: str, source: str) -> str:
    """The page with every copied table as it stands in the source."""
    return COPIED.sub(lambda match: f"{match[1]}{section_of(source, match['beginning'])}\n{match[3]}", page)


def section_of(output: str, beginning: str) -> str:
    """The part between empty lines that begins so."""
    return next(section for section in output.split("\n\n") if section.startswith(beginning))


def run_printing(command: str) -> str:
    """Runs one of the project's commands and returns what it prints, with no settings and a folder of its own."""
    with tempfile.TemporaryDirectory() as runs:
        environment = {"PATH": os.environ["PATH"], "EVAL_RUNS_DIR": runs, "HOME": runs, "LANG": "C.UTF-8"}
        words = [sys.executable, "-m", *shlex.split(command), "--quiet"]
        done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        return done.stdout


def essence(output: str) -> str:
    """The output without what differs from run to run, cut to what explains itself; "..." stands for what is left out.

    Kept are the verdict, the tables in `KEPT`, and the weakest responses.
    """
    sections = output.split("\n\n")
    kept = [sections[0]]
    for section in sections[1:]:
        heading = section.split("\n")[0]
        if heading.startswith(KEPT) or heading.startswith("The weakest of"):
            kept.append(section)
    return "\n\n".join(kept) + "\n" + CUT
