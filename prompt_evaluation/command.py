"""The command `prompt-eval`: finds the script of a subcommand and runs it, whatever lies in the working directory.

Only the standard library is imported here, and hardly any of it before the search path is in order: a user's folder
may hold modules of any name.
"""

import os
import sys
from pathlib import Path

DONE, USAGE = 0, 2
WIDTH, COLUMN = 80, 19


def main() -> int:
    """Runs the subcommand that the process was started with; returns its exit code."""
    _put_in_order(sys.path)
    from prompt_evaluation.launcher import started_as
    from prompt_evaluation.subcommands import IN_TWO_WORDS, STARTED_AS, SUBCOMMANDS

    words = sys.argv[1:]
    if (typed := tuple(words[:2])) in IN_TWO_WORDS:
        words[:2] = [IN_TWO_WORDS[typed]]
    name = words[0] if words else "--help"
    os.environ[STARTED_AS] = launcher = started_as()
    if name in ("--help", "-h", "help"):
        print("\n".join(_help(launcher)))
        return DONE
    if name == "--version":
        from prompt_evaluation import __version__

        print(f"prompt-eval {__version__}")
        return DONE
    if name not in SUBCOMMANDS:
        print(f"error: {_unknown(name, launcher)}", file=sys.stderr)
        return USAGE
    subcommand = SUBCOMMANDS[name]
    rest = words[1:] or [subcommand.otherwise] * bool(subcommand.otherwise)
    from importlib import import_module

    code: int = import_module(subcommand.module).main(rest)
    return code


def house() -> Path:
    """Where scripts/, services/ and evaluation/ lie: in the installed package, or in the clone that it is part of."""
    here = Path(__file__).resolve().parent
    installed = here / "_app"
    return installed if installed.is_dir() else here.parent


def _put_in_order(path: list[str]) -> None:
    """The program first; what the user's folder and PYTHONPATH add comes last, so that no name there hides another."""
    users = {_whole(each) for each in ("", *os.environ.get("PYTHONPATH", "").split(os.pathsep))}
    program = str(house())
    others = [each for each in path if each != program]
    path[:] = [program, *(each for each in others if _whole(each) not in users)]
    path += [each for each in others if _whole(each) in users]


def _whole(folder: str) -> str:
    """The path from the root; of the empty one, the working directory, which may have been removed."""
    try:
        return os.path.realpath(folder or os.curdir)
    except OSError:
        return folder


def _help(launcher: str) -> list[str]:
    """The page of `--help`, at most 80 columns wide but for commands, which are never folded."""
    from textwrap import wrap

    from prompt_evaluation.subcommands import SUBCOMMANDS, command_line

    lines = [f"usage: {launcher} SUBCOMMAND [ARGUMENT ...]", ""]
    for name, subcommand in SUBCOMMANDS.items():
        example = command_line(launcher, name, dict(subcommand.example)) if subcommand.example else ""
        about = wrap(f"{subcommand.about}:" if example else subcommand.about, WIDTH - COLUMN)
        if example and COLUMN + len(about[-1]) + 1 + len(example) <= WIDTH:
            about[-1] += f" {example}"
        elif example:
            about.append(example)
        lines += [f"{f'  {name}' if not row else '':<{COLUMN}}{text}" for row, text in enumerate(about)]
    lines += ["", "SUBCOMMAND --help says what it takes; --version, which release this is."]
    return lines


def _unknown(name: str, launcher: str) -> str:
    from difflib import get_close_matches

    from prompt_evaluation.subcommands import SUBCOMMANDS

    shown = "".join(each if each.isprintable() else "?" for each in name[:80])
    near = get_close_matches(name, SUBCOMMANDS, 1)
    return f"there is no subcommand {shown!r}" + (f": did you mean {near[0]}?" if near else f" (see {launcher} --help)")
