"""The texts that HTML pages are built from: templates, styles and script, as shipped."""

from pathlib import Path

from evaluation.errors import UsageError

FOLDER = Path(__file__).resolve().parent.parent / "evaluation" / "reports" / "html"
TEMPLATES = "*.html.j2"


def read_page_assets(folder: Path = FOLDER) -> tuple[dict[str, str], str, str]:
    """Templates by file name, styles, script. Raises UsageError where one cannot be read."""
    try:
        templates = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob(TEMPLATES))}
        css, js = ((folder / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    except OSError as error:
        raise UsageError(f"{error.filename}: cannot be read ({error.strerror}): install the tool anew") from None
    return templates, css, js
