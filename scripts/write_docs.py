"""Write the documents that come from the code, or say with --check which of them have drifted."""

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from scripts.shell import DONE, GATE_FAILED, run_command

DOCS = Path(__file__).resolve().parent.parent / "docs"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="write_docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a document has drifted")
    options = parser.parse_args(arguments)
    return run_command(lambda: _write(check=options.check))


def generated() -> Mapping[str, str]:
    """File name in docs/ -> what it must hold."""
    from evaluation.reports.rubric_document import rubric_document
    from scripts.loading import load_rubric

    return {"prompt-evaluation-rubric.md": rubric_document(load_rubric("companion"))}


def _write(*, check: bool) -> int:
    drifted = []
    for name, text in generated().items():
        path = DOCS / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        drifted.append(name)
        if not check:
            path.write_text(text, encoding="utf-8")
            print(f"wrote docs/{name}")
    if check and drifted:
        print(f"drifted: {', '.join(f'docs/{name}' for name in drifted)}: run make docs and commit", file=sys.stderr)
        return GATE_FAILED
    return DONE


if __name__ == "__main__":
    sys.exit(main())
