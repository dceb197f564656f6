"""Who may import whom, and what a `make eval` process may load."""

import ast
import gc
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SERVICES_MAY_USE = {
    "evaluation.applications.events",
    "evaluation.applications.mapping",
    "evaluation.applications.places",
    "evaluation.chat_flow.flow_run",
    "evaluation.chat_flow.mapping",
    "evaluation.delivered",
    "evaluation.errors",
    "evaluation.identity",
    "evaluation.messages",
    "evaluation.moments",
    "evaluation.commands",
    "evaluation.ports",
    "evaluation.prompts",
    "evaluation.records",
    "evaluation.request",
    "evaluation.text.forms",
    "evaluation.run",
    "evaluation.runspec",
    "evaluation.suites",
    "evaluation.suites.own",
    "evaluation.suites.suite",
    "evaluation.text.yaml_text",
    "evaluation.vectors",
}
"""The core's records, ports and errors, commands as typed, the parser of YAML, and what says where one is wrong."""
PURE_MAY_NOT_USE = {
    "aiohttp", "asyncio.subprocess", "dotenv", "http", "httpx", "httpx2", "langfuse", "openai", "os", "pathlib",
    "random", "requests", "scripts", "services", "shutil", "socket", "sqlite3", "subprocess", "tempfile", "threading",
    "time", "urllib",
}  # fmt: skip
HOUSE = ("evaluation", "services", "scripts", "prompt_evaluation")
HEAVY = ("pandas", "scipy", "numpy", "matplotlib", "langfuse")


ACTION = re.compile(r"[a-z_]+\.[a-z_]+:[a-z_]+")
"""The function that a command runs, as `scripts.shell.run_action` imports it: "runs.views:list_runs"."""


@pytest.fixture(autouse=True)
def nothing_collected() -> Iterator[None]:
    """The collector finds no garbage among trees of syntax, and takes longer than to parse them."""
    gc.disable()
    yield
    gc.enable()


def imports_of(path: Path) -> tuple[tuple[int, str], ...]:
    """(line, module) of every import, those inside functions and of actions included."""
    return read(path)[0]


@cache
def read(path: Path) -> tuple[tuple[tuple[int, str], ...], tuple[str, ...], tuple[tuple[int, str], ...]]:
    """Every import; what is imported of modules by its name, which may be a module itself; calls by a plain name."""
    found: list[tuple[int, str]] = []
    names: list[str] = []
    calls: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively"
            found.append((node.lineno, node.module or ""))
            names += (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and ACTION.fullmatch(node.value):
            found.append((node.lineno, f"scripts.{node.value.partition(':')[0]}"))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            calls.append((node.lineno, node.func.id))
    return tuple(found), tuple(names), tuple(calls)


def sources(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def imported_in(folder: str) -> Iterator[tuple[str, str]]:
    """(file:line, module) of every import below a folder; there is at least one."""
    assert sources(folder)
    for path in sources(folder):
        yield from ((f"{path.relative_to(ROOT)}:{line}", module) for line, module in imports_of(path))


def test_the_core_knows_neither_the_world_nor_its_siblings() -> None:
    found = [each for each in imported_in("evaluation") if each[1].split(".")[0] in PURE_MAY_NOT_USE]
    assert found == []
    calls = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sources("evaluation")
        for line, name in read(path)[2]
        if name in {"open", "print", "input"}
    ]
    assert calls == []


def test_services_use_the_cores_records_ports_and_errors_alone() -> None:
    found = [
        (place, module)
        for place, module in imported_in("services")
        if module.split(".")[0] == "scripts"
        or (module.split(".")[0] == "evaluation" and module not in SERVICES_MAY_USE)
    ]
    assert found == []


def test_the_entrance_needs_the_standard_library_alone_and_shows_the_house_its_subcommands() -> None:
    found = [(place, module) for place, module in imported_in("prompt_evaluation")]
    known = {*sys.stdlib_module_names, "prompt_evaluation"}
    strange = {(place.partition(":")[0], module) for place, module in found if module.split(".")[0] not in known}
    # A table is made with the pandas of the program that asks for one; only pytest loads its plugin.
    of_the_user = {("prompt_evaluation/evaluating.py", "pandas"), ("prompt_evaluation/pytest_plugin.py", "pytest")}
    assert strange == of_the_user
    assert "pandas" not in loaded_by("import prompt_evaluation.evaluating")
    used = {module for folder in HOUSE[:3] for _, module in imported_in(folder) if module.startswith("prompt_eval")}
    inside = {"adding", "extras", "launcher", "subcommands"}
    assert used == {"prompt_evaluation", *(f"prompt_evaluation.{name}" for name in inside)}


def package_of(module: str) -> str | None:
    """The package that a module belongs to: evaluation.reports of evaluation.reports.html.page; None beside them."""
    name = ".".join(module.split(".")[:2])
    return name if (ROOT / name.replace(".", "/")).is_dir() and "." in name else None


def packages() -> dict[str, set[str]]:
    """Every package of the three folders -> the other ones that it imports."""
    found: dict[str, set[str]] = {}
    for path in (path for folder in ("evaluation", "services", "scripts") for path in sources(folder)):
        own = package_of(".".join(path.relative_to(ROOT).with_suffix("").parts))
        if own is not None:
            found.setdefault(own, set()).update(
                other for _, module in imports_of(path) if (other := package_of(module)) is not None and other != own
            )
    return found


def test_no_package_imports_one_that_imports_it() -> None:
    imports = packages()
    assert len(imports) > 20
    for start in imports:
        reached: set[str] = set()
        ahead = [start]
        while ahead:
            following = imports.get(ahead.pop(), set()) - reached
            reached |= following
            ahead += following
        assert start not in reached, f"{start} is imported by what it imports: {sorted(imports[start])}"


def files_reached_by(path: Path) -> set[Path]:
    """The files of the house that a file imports, inside functions too, and for types alone."""
    imports, names, _ = read(path)
    taken = {name: file for name in names if (file := file_of(name)) is not None}
    parts = {name.rpartition(".")[0] for name in taken} - {
        name.rpartition(".")[0] for name in names if name not in taken
    }
    whole = (file_of(module) for _, module in imports if module not in parts)
    return {*taken.values(), *(file for file in whole if file is not None)}


@cache
def file_of(module: str) -> Path | None:
    """The file of a module or package of the house; None for any other name."""
    place = ROOT / module.replace(".", "/")
    files = (place.with_suffix(".py"), place / "__init__.py") if module.partition(".")[0] in HOUSE else ()
    return next((file for file in files if file.exists()), None)


def test_no_file_imports_one_that_imports_it() -> None:
    left = {path: files_reached_by(path) - {path} for folder in HOUSE for path in sources(folder)}
    assert len(left) > 500
    # Whoever imports nothing that is left stands in no circle; neither does whoever nobody imports that is left.
    while done := {path for path, ahead in left.items() if not ahead & left.keys()}:
        left = {path: ahead for path, ahead in left.items() if path not in done}
    while done := left.keys() - {file for ahead in left.values() for file in ahead}:
        left = {path: ahead for path, ahead in left.items() if path not in done}
    assert {str(path.relative_to(ROOT)) for path in left} == set()


def drawn_rooms() -> dict[str, str]:
    """Place, as the table of docs/architecture.md names it, -> its room; "evaluation/" stands for its other files."""
    rows = re.findall(
        r"^\| ((?:`\w+`(?:, )?)+) \| ([^|]+) \|", (ROOT / "docs/architecture.md").read_text(), re.MULTILINE
    )
    found = {}
    for names, lies_in in rows:
        rooms, places = re.findall(r"`(\w+)`", names), re.findall(rf"`((?:{'|'.join(HOUSE)})/[^`]*)`", lies_in)
        for number, place in enumerate(places):
            found[place] = rooms[number] if len(rooms) > 1 else rooms[0]
    return found


def room_of(module: str, rooms: dict[str, str]) -> str:
    """The room of a module: of its own line in the table, of its package, or of the rest of its folder."""
    folder, _, name = module.replace(".", "/").partition("/")
    places = (f"{folder}/{name}.py", f"{folder}/{name.partition('/')[0]}/", f"{folder}/")
    return next(rooms[place] for place in places if place in rooms)


def drawn_arrows() -> set[tuple[str, str]]:
    """The arrows of the drawing of the house; a chain `a --> b & c --> d` is four of them."""
    drawing = re.search(
        r"```mermaid\nflowchart TD\n(.*?)```", (ROOT / "docs/architecture.md").read_text(encoding="utf-8"), re.DOTALL
    )
    assert drawing is not None
    found = set()
    for line in drawing[1].strip().splitlines():
        groups = [group.strip().split(" & ") for group in line.split("-->")]
        for starts, ends in pairwise(groups):
            found |= {(start.strip(), end.strip()) for start in starts for end in ends}
    return found


def reached(start: str, arrows: set[tuple[str, str]]) -> set[str]:
    found: set[str] = set()
    ahead = {start}
    while ahead:
        ahead = {end for begin, end in arrows if begin in ahead} - found
        found |= ahead
    return found


def test_the_house_is_built_as_it_is_drawn() -> None:
    rooms, arrows = drawn_rooms(), drawn_arrows()
    imports: dict[tuple[str, str], str] = {}
    for folder in HOUSE:
        for place, module in imported_in(folder):
            own = room_of(place.partition(":")[0].removesuffix(".py").removesuffix("/__init__"), rooms)
            if module.partition(".")[0] in HOUSE and "." in module:
                imports.setdefault((own, room_of(module, rooms)), place)
    ways = {room: reached(room, arrows) for room in set(rooms.values())}
    assert {room: way for room, way in ways.items() if room in way} == {}, "the drawing has a circle"
    undrawn = {f"{a} --> {b}": place for (a, b), place in imports.items() if a != b and b not in ways[a]}
    assert undrawn == {}
    assert sorted(arrow for arrow in arrows if arrow not in imports) == [], "drawn, but nothing imports so"


COMMANDS = [path for path in sources("scripts") if "def main(" in path.read_text(encoding="utf-8")]


def test_no_script_imports_a_command() -> None:
    commands = {f"scripts.{command.stem}" for command in COMMANDS}
    assert [each for each in imported_in("scripts") if each[1] in commands] == []


def test_a_command_parses_calls_and_prints_in_at_most_100_lines() -> None:
    lengths = {command.name: len(command.read_text(encoding="utf-8").splitlines()) for command in COMMANDS}
    assert {name: length for name, length in lengths.items() if length > 100} == {}


def faces() -> dict[str, set[str]]:
    """Package -> its modules that may be used from outside, for every package whose `__all__` names modules."""
    found = {}
    for folder in ("services", "scripts"):
        for path in (ROOT / folder).rglob("__init__.py"):
            lists = [
                set(ast.literal_eval(node.value))
                for node in ast.parse(path.read_text(encoding="utf-8")).body
                if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
            ]
            modules = {each.stem for each in path.parent.glob("*.py")}
            if lists and lists[0] <= modules:
                found[".".join(path.parent.relative_to(ROOT).parts)] = lists[0]
    return found


def test_packages_are_used_through_the_modules_that_they_name() -> None:
    shown = faces()
    assert {"services.langfuse", "services.model"} <= shown.keys()
    found = []
    for folder in ("services", "scripts"):
        for place, module in imported_in(folder):
            package, _, name = module.rpartition(".")
            inside = place.startswith(f"{package.replace('.', '/')}/")
            if package in shown and not inside and name not in shown[package]:
                found.append(f"{place} {module}")
    assert found == []


def loaded_by(code: str) -> set[str]:
    command = [sys.executable, "-c", f"{code}; import sys; print(*sys.modules, sep='\\n')"]
    return set(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split())


def test_help_loads_nothing_heavy() -> None:
    """All commands in one process: where they load nothing heavy together, none does."""
    loaded = loaded_by(f"import {', '.join(f'scripts.{command.stem}' for command in COMMANDS)}")
    assert {f"scripts.{command.stem}" for command in COMMANDS} <= loaded
    assert sorted(loaded & {*HEAVY, "openai", "aiohttp", "pydantic", "yaml", "rich", "sqlite3"}) == []


@pytest.mark.slow
def test_an_evaluation_loads_neither_pandas_nor_scipy_nor_the_langfuse_client() -> None:
    loaded = loaded_by("import scripts.workflow, scripts.run.output, openai")
    assert sorted(loaded & set(HEAVY)) == []


@pytest.mark.slow
def test_an_evaluation_of_prompts_loads_nothing_of_applications_sweeps_and_reports_until_it_needs_them() -> None:
    code = "import scripts.workflow, scripts.compare.one_pass; from scripts.run.load import load_suite"
    loaded = loaded_by(f"{code}; load_suite('companion')")
    unneeded = (
        "evaluation.chat_flow.case",
        "evaluation.chat_flow.checks",
        "evaluation.sweep",
        "evaluation.reports.html.sweep",
        "evaluation.calibration.ratings",
        "evaluation.comparison.gate",
        "evaluation.eval_records",
        "evaluation.nightly",
        "evaluation.review",
        "scripts.scoring",
        "services.application",
    )
    assert sorted(name for name in loaded if name.startswith((*unneeded, "jinja2", "jsonschema_rs", "openai"))) == []


@pytest.mark.slow
@pytest.mark.parametrize("further", [("--dry-run",), ("--prompt", "v999")], ids=["dry run", "refused"])
def test_what_asks_no_model_loads_no_client(further: tuple[str, ...], runs_dir: Path) -> None:
    words = ["--limit", "1", "--no-langfuse", *further]
    loaded = loaded_by(f"from scripts.evaluate_prompts import main; main({words})")
    assert "scripts.run.wiring" in loaded
    assert sorted(loaded & {*HEAVY, "openai", "aiohttp", "httpx2", "jinja2", "scripts.run.files"}) == []
