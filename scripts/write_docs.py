"""Write the documents that come from the code, or say with --check which of them have drifted."""

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from scripts.shell import DONE, GATE_FAILED, run_command

ROOT = Path(__file__).resolve().parent.parent
SHOWN = re.compile(r"(<!-- printed by: (?P<command>[^>]+) -->\n```text\n).*?(```\n)", re.DOTALL)
"""A block of a page that shows what a command prints."""
COPIED = re.compile(r"(<!-- table of docs/sweeps.md: (?P<beginning>[^>]+) -->\n```text\n).*?(```\n)", re.DOTALL)
"""A block of another page that shows one table of what the sweep prints."""
CUT = "...\n"
KEPT = ("mean [95%", "combined ", "temperature 0.3 to ", "best setting", "expected ", "spread of ")
"""How the tables begin that a page shows."""


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    return run_command(lambda: _write(check=options.check))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="write_docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a document has drifted")
    return parser


def generated() -> Mapping[str, str]:
    """Path in the project -> what the file must hold."""
    from evaluation.reports.rubric_document import rubric_document
    from evaluation.reports.scenario_document import scenario_document
    from scripts.documents.commands import command_document, env_example
    from scripts.documents.quality_metrics import quality_document, quality_picture, read_examples
    from scripts.run.load import load_expectations, load_rubric, load_scenarios
    from services.record_schema import SCHEMA

    rubric, quality = load_rubric("companion"), load_rubric("text_quality")
    expected = load_expectations("text_quality", tuple(quality.metrics))
    quality_page = (ROOT / "docs" / "quality-metrics.md").read_text(encoding="utf-8")
    sweeps = with_output((ROOT / "docs" / "sweeps.md").read_text(encoding="utf-8"))
    return {
        "docs/commands.md": command_document(),
        ".env.example": env_example(),
        "docs/prompt-evaluation-rubric.md": rubric_document(rubric),
        "docs/quality-metrics.md": with_tables(
            quality_document(quality_page, quality, read_examples(ROOT), expected), sweeps
        ),
        "docs/images/text-quality-curves.svg": quality_picture(quality),
        "docs/scenarios.md": scenario_document(load_scenarios((), rubric), rubric.categories),
        "docs/eval_record.schema.json": SCHEMA.read_text(encoding="utf-8"),
        "docs/sweeps.md": sweeps,
        "README.md": with_output((ROOT / "README.md").read_text(encoding="utf-8")),
    }


def with_output(page: str) -> str:
    """The page with every shown command run anew, on the rehearsal model, which always answers alike."""
    return SHOWN.sub(lambda match: match[1] + essence(printed_by(match["command"])) + match[3], page)


def with_tables(page: str, source: str) -> str:
    """The page with every copied table as it stands in the source."""
    sections = source.split("\n\n")

    def copied(match: re.Match[str]) -> str:
        table = next(section for section in sections if section.startswith(match["beginning"]))
        return f"{match[1]}{table}\n{match[3]}"

    return COPIED.sub(copied, page)


def printed_by(command: str) -> str:
    """What one of the project's commands prints, with no settings and a folder of its own."""
    with tempfile.TemporaryDirectory() as runs:
        environment = {"PATH": os.environ["PATH"], "EVAL_RUNS_DIR": runs, "HOME": runs, "LANG": "C.UTF-8"}
        words = [sys.executable, "-m", *shlex.split(command), "--quiet"]
        done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        return done.stdout


def essence(output: str) -> str:
    """The output without what differs from run to run, cut to what explains itself; "..." stands for what is left out.

    Kept are the verdict, the tables in `KEPT`, and the first of the weakest responses.
    """
    sections = output.split("\n\n")
    kept = [sections[0]]
    for section in sections[1:]:
        heading = section.split("\n")[0]
        if heading.startswith(KEPT):
            kept.append(section)
        elif "weakest responses" in heading:
            kept.append(section.split("\n2. ")[0])
    return "\n\n".join(kept) + "\n" + CUT


def _write(*, check: bool) -> int:
    drifted = []
    for name, text in generated().items():
        path = ROOT / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        drifted.append(name)
        if not check:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    if check and drifted:
        print(f"drifted: {', '.join(drifted)}: run make docs and commit", file=sys.stderr)
        return GATE_FAILED
    return DONE


if __name__ == "__main__":
    sys.exit(main())
