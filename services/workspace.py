"""Where everything is found: prompts, scenarios, rubrics, suites, runs, baselines. No other module decides it.

A workspace is the nearest folder with a workspace file, from the working directory upwards. Without one the tool's own
folder serves: its prompts, and runs and baselines in the working directory.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.errors import UsageError
from services.text_files import TextFile, read_text, show_path
from services.workspace_file import WorkspaceFile, find_file

TOOL = Path(__file__).resolve().parent.parent
"""The tool's own folder."""
_SHIPPED = TOOL / "evaluation"
RUBRICS = _SHIPPED / "rubrics"
GATE_RULES = _SHIPPED / "gates"
EXPECTATIONS = _SHIPPED / "sweep"
MUTATIONS = _SHIPPED / "mutations"
RATED_PAIRS = _SHIPPED / "calibration"
AGREEMENT = _SHIPPED / "agreement"
SCENARIOS = _SHIPPED / "scenarios"
CRITERIA = _SHIPPED / "criteria"
PAGES = _SHIPPED / "reports" / "html"
PAGE_STYLES = (
    *("base", "hero", "pictures", "tables", "expectations", "prompts", "comparison", "sweep", "browser", "chips"),
    *("judging", "figures", "plots", "narrow", "print"),
)
"""Files of styles in the order in which they take effect: windows and paper last."""
PAGE_SCRIPTS = (
    *("texts", "rows", "judgements", "filters", "chips", "list", "address", "talk", "beside", "scores", "response"),
    *("matrix", "judging", "keys", "help", "start"),
)
"""Files of the page's one script; each may use what those before it declare."""
PROMPTS = "prompts"
WAIVERS = "waivers.yaml"
MIX = "mix.yaml"
SUITE_FILE = "suite.yaml"
ENV_FILE = ".env"
YAML_SUFFIXES = (".yaml", ".yml")
HERE = Path()
"""The working directory."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folder that the work belongs to."""

    folder: Path = field(default_factory=lambda: TOOL)
    """Its prompts lie here, and it is what is under version control."""
    file: WorkspaceFile | None = None
    """None where no workspace file was found, and the tool's own folder serves."""

    @property
    def output(self) -> Path:
        """The folder of what is written unless it is named: runs, baselines."""
        return HERE if self.file is None else _from_here(self.folder)

    @property
    def prompts(self) -> Path:
        """The folder of prompt files unless one is named: the workspace's own where there is one."""
        own = self.output / PROMPTS
        return own if self.file is not None and own.is_dir() else TOOL / PROMPTS

    @property
    def waivers(self) -> Path:
        """The file of waivers unless one is named."""
        return self.output / WAIVERS

    @property
    def mix(self) -> Path:
        """The file of the users' mix unless one is named."""
        return self.output / MIX

    @property
    def criteria(self) -> Path:
        """The folder of the team's own sets of criteria."""
        return self.output / "criteria"

    def env_file(self, started_in: Path = HERE) -> Path | None:
        """The first `.env` there is; a named pipe counts too, as secret managers offer one.

        Without a workspace file it is looked for where the command was started, and in the tool's own folder.
        """
        folders = (started_in, self.folder) if self.file is None else (self.folder,)
        candidates = (folder / ENV_FILE for folder in folders)
        return next((each for each in candidates if each.exists() and not each.is_dir()), None)

    def path_of(self, written: str) -> Path:
        """A path as the workspace file writes it: relative to its folder."""
        return self.output / Path(written).expanduser()

    def own_reference(self, written: str) -> str | None:
        """The path of what lies beside the workspace file, written so that it is no name; None where nothing is."""
        try:
            path = self.path_of(written)
            found = path.exists()
        except (OSError, ValueError, RuntimeError):
            return None
        return (str(path) if path.is_absolute() else f"./{path}") if found else None

    def known_names(self, key: str) -> tuple[str, ...]:
        """The names of what is shipped that a key of the workspace file may say instead of a path."""
        return shipped_names({"rubric": RUBRICS, "scenarios": SCENARIOS}[key])


def find_workspace(started_in: Path | None = None) -> Workspace:
    """The nearest workspace from the folder upwards, the working directory unless given; the tool's own is one.

    Raises ParseError for a workspace file that cannot be read as one.
    """
    start = Path.cwd() if started_in is None else started_in.resolve()
    for folder in (start, *start.parents):
        file = find_file(folder)
        if file is not None:
            return Workspace(folder, file)
        if folder == TOOL:
            break
    return Workspace()


def _from_here(folder: Path) -> Path:
    """A folder as people know it where it is the working directory or lies below it, else whole."""
    try:
        return folder.relative_to(Path.cwd())
    except (OSError, ValueError):
        return folder


# --- by name, file or folder ------------------------------------------------------------------------------------------


def read_named(kind: str, reference: str, folder: Path, beside: Path = HERE) -> TextFile:
    """A file by the name of one that is shipped in `folder` ("companion"), or by its path, as seen from `beside`.

    Raises UsageError, with `kind` for what it should be and a list of what exists, when there is neither.
    """
    path = _find(kind, reference, folder, beside)
    return read_text(path)


def read_scenarios(references: Sequence[str] = (), folder: Path = SCENARIOS) -> tuple[TextFile, ...]:
    """The files of scenario sets, each by the name of a shipped file or folder, or by a file or folder of one's own.

    Without a reference: the shipped files, in the order of their names. A file named twice is read once.
    Raises UsageError, listing what exists, for an unknown name and for a folder without YAML files.
    """
    paths: list[Path] = [] if references else _yaml_files(folder)
    for reference in references:
        path = _find("scenario set", reference, folder)
        paths.extend(_yaml_files(path) if path.is_dir() else [path])
    return tuple(read_text(path) for path in {path.resolve(): path for path in paths}.values())


def read_criteria(name: str, own: Path, shipped: Path = CRITERIA) -> TextFile:
    """The file of a set of criteria by its name: a shipped one, or one in the team's own folder.

    Raises UsageError, listing what exists, for an unknown name.
    """
    for folder in (shipped, own):
        for path in (folder / f"{name}{suffix}" for suffix in YAML_SUFFIXES):
            if _NAME.fullmatch(name) and path.is_file():
                return read_text(path)
    known = ", ".join((*shipped_names(shipped), *shipped_names(own)))
    raise UsageError(
        f"there is no set of criteria {name[:80]!r}; there are {known}: write {own / name}.yaml, or correct it"
    )


def find_suite_file(reference: str, suites: Path) -> Path | None:
    """The file of a suite without code, by its name in the folder of suites, or by its folder or file; None else."""
    named = [suites / reference] if _NAME.fullmatch(reference) else []
    for path in (*named, Path(reference).expanduser()):
        candidates = [path / SUITE_FILE, path] + [path.with_name(f"{path.name}{end}") for end in YAML_SUFFIXES]
        for candidate in candidates:
            if _is_yaml(candidate):
                return candidate
    return None


def suite_name(path: Path) -> str:
    """The name of the suite in a file, or of the folder of one."""
    return path.resolve().parent.name if path.name == SUITE_FILE else path.stem


def own_suite_names(suites: Path) -> tuple[str, ...]:
    """The names of the suites without code in their folder, sorted."""
    entries = suites.iterdir() if suites.is_dir() else ()
    return tuple(sorted(each.stem for each in entries if _is_yaml(each) or (each / SUITE_FILE).is_file()))


def read_page_assets(folder: Path = PAGES) -> tuple[dict[str, str], str, str]:
    """The parts that HTML pages are built from: templates by file name, styles, script. Raises UsageError."""
    templates = {path.name: read_text(path).text for path in sorted(folder.glob("*.html.j2"))}
    styles = (read_text(folder / "assets" / f"{name}.css").text for name in PAGE_STYLES)
    scripts = (read_text(folder / "assets" / f"{name}.js").text for name in PAGE_SCRIPTS)
    return templates, "\n".join(styles), '"use strict";\n(() => {\n' + "\n".join(scripts) + "})();\n"


def read_index_assets(folder: Path = PAGES) -> tuple[str, str]:
    """The styles and the script that the index of all runs has of its own. Raises UsageError."""
    return read_text(folder / "assets" / "index.css").text, read_text(folder / "assets" / "index.js").text


def shipped_names(folder: Path) -> tuple[str, ...]:
    """The names by which the files and folders of a shipped folder can be asked for, sorted."""
    entries = [entry for entry in folder.iterdir() if _NAME.fullmatch(entry.stem)] if folder.is_dir() else []
    return tuple(
        sorted(
            entry.stem
            for entry in entries
            if entry.suffix in YAML_SUFFIXES or (entry.is_dir() and any(_is_yaml(inner) for inner in entry.iterdir()))
        )
    )


def _find(kind: str, reference: str, folder: Path, beside: Path = HERE) -> Path:
    """The shipped file or folder of that name, which is never a path, or else a path of the user's own."""
    if _NAME.fullmatch(reference) and reference in shipped_names(folder):
        files = [folder / f"{reference}{suffix}" for suffix in YAML_SUFFIXES]
        return next((file for file in files if file.is_file()), folder / reference)
    path = beside / Path(reference).expanduser() if reference.strip() and "\0" not in reference else None
    try:
        if path is not None and path.exists():
            return path
    except OSError:
        pass  # a name too long for the file system does not exist either
    known = ", ".join(shipped_names(folder)) or "none"
    raise UsageError(f"there is no {kind} {reference[:200]!r}, neither shipped nor as a file; shipped are {known}")


def _yaml_files(folder: Path) -> list[Path]:
    files = sorted(entry for entry in folder.iterdir() if _is_yaml(entry))
    if not files:
        raise UsageError(
            f"{show_path(folder)}: holds no {' or '.join(YAML_SUFFIXES)} file: name another folder or a file"
        )
    return files


def _is_yaml(path: Path) -> bool:
    return path.suffix in YAML_SUFFIXES and path.is_file()
