"""Commands as people can type them here, and where a text holds one: it is never folded."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from typing import Any

from prompt_evaluation.subcommands import SUBCOMMANDS, command_line

_NOT_IN_DOUBLE_QUOTES = frozenset('"\\$`!')
_OF_MAKE = r"""\bmake [a-z]+(?:-[a-z]+)*(?: [A-Z]+=(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\])+)*"""
_WORD = r"""(?:"[^"\n]*"|'[^'\n]*'|\\.|[^\s"'\\])+"""
_ENDS = ",;:.)"

_launcher = ""


def start_with(launcher: str) -> None:
    """Commands are written from here on as arguments of `launcher` ("prompt-eval"); empty: as targets of make.

    The outer edge says so once, since what it knows of the process is a part of its environment.
    """
    global _launcher
    _launcher = launcher


def write_command(target: str, *flags: str, **variables: str) -> str:
    """The command that starts a target of the Makefile, or the subcommand of that name, for any Bourne shell.

    `variables` are those that the target knows (PROMPT="v3"), left out where empty; `flags` are further arguments of
    the script behind it. Every text may hold blanks, quotes and dollar signs, but no line break: make has none.
    In a sentence a punctuation mark follows the command, or nothing: only so does a reader see where it ends.
    """
    given = {name: value for name, value in variables.items() if value}
    if _launcher and target in SUBCOMMANDS:
        return command_line(_launcher, target, given, flags)
    if flags:
        given["ARGS"] = " ".join(flag if shlex.quote(flag) == flag else _quote(flag, "'") for flag in flags)
    return " ".join(["make", target, *(f"{name}={_assigned(value, name == 'ARGS')}" for name, value in given.items())])


def write_flags(**values: Any) -> list[str]:
    """Flags with their values as they are typed: of a list or tuple each value has the flag before it.

    What is None, False or empty is left out; what is True has no value.
    """
    words = []
    for name, value in values.items():
        flag = f"--{name.replace('_', '-')}"
        for each in value if isinstance(value, list | tuple) else (value,):
            if each is True:
                words.append(flag)
            elif each is not None and each is not False and each != "":
                words += [flag, f"{each:g}" if isinstance(each, float) else str(each)]
    return words


def split_commands(text: str) -> Iterator[tuple[str, bool]]:
    """The text in parts, each with True where it is a command of `write_command`'s form.

    A subcommand ends where a word ends with a punctuation mark or a parenthesis begins, or with the line.
    """
    end = 0
    for found in _commands(_launcher).finditer(text):
        command = found[0].rstrip(_ENDS)
        if found.start() > end:
            yield text[end : found.start()], False
        end = found.start() + len(command)
        yield command, True
    if end < len(text):
        yield text[end:], False


@cache
def _commands(launcher: str) -> re.Pattern[str]:
    if not launcher:
        return re.compile(_OF_MAKE)
    names = "|".join(sorted(map(re.escape, SUBCOMMANDS), key=len, reverse=True))
    ended = rf"(?<![{re.escape(_ENDS)}])"
    started = rf"(?<![^\s(]){re.escape(launcher)} (?:{names})(?![\w-])"
    return re.compile(rf"{_OF_MAKE}|{started}(?:{ended} (?!\(){_WORD})*")


def _assigned(value: str, always: bool) -> str:
    # make takes $ for its own, and drops blanks at the beginning of a value.
    text = ("$()" if value[:1].isspace() else "") + value.replace("$", "$$")
    return text if not always and shlex.quote(text) == text else _quote(text, '"')


def _quote(text: str, first: str) -> str:
    """The text in quotes: of the kind that is tried first where it needs nothing escaped, else of the other."""
    fits = {"'": "'" not in text, '"': not _NOT_IN_DOUBLE_QUOTES & set(text)}
    mark = next((mark for mark in (first, "'", '"') if fits[mark]), None)
    return f"{mark}{text}{mark}" if mark else "'" + text.replace("'", r"'\''") + "'"
