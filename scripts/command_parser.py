"""A command's arguments, read by argparse; what is wrong with them is one line, with the nearest name that exists."""

import argparse
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import takewhile
from typing import Any, NoReturn

from evaluation.commands import write_command
from prompt_evaluation.subcommands import SUBCOMMANDS
from scripts.shell import USAGE, name_launcher, printable

_ABOUT = re.compile(r"argument (?P<name>.+?): (?P<said>.*)", re.DOTALL)
_CHOICE = re.compile(r"invalid choice: (?P<value>'.*?'|\".*?\"|\S+) \(", re.DOTALL)
_SAID: tuple[tuple[str, str], ...] = (
    (r"argument (.+?): expected (?:one|at least one) argument", r"\1 needs a value"),
    (r"argument (.+?): expected (\d+) arguments", r"\1 needs \2 values"),
    (r"argument (.+?): not allowed with argument (.+)", r"\1 does not go with \2: leave out one of them"),
    (r"argument (.+?): ignored explicit argument (.+)", r"\1 takes no value, and was given \2"),
    (r"argument (.+?): invalid int value: (.+)", r"\1: \2 is not a whole number"),
    (r"one of the arguments (.+) is required", r"one of these is needed: \1"),
    (r"the following arguments are required: (.+)", r"\1 is missing"),
    (r"ambiguous option: (.+) could match (.+)", r"\1 could be \2: write it out"),
)
"""argparse's sentences -> this project's; any other stays as it is."""


class CommandParser(argparse.ArgumentParser):
    """As argparse's, with errors of one line on stderr and exit code 2.

    `prog` is the name of the script, which the usage shows unless a subcommand of `prompt-eval` started it. Commands
    that help texts name are written right from here on.
    """

    def __init__(self, prog: str, **rest: Any) -> None:
        launcher = name_launcher()
        script, _, action = prog.partition(" ")
        named = [name for name, each in SUBCOMMANDS.items() if each.module == f"scripts.{script}"]
        self._help = f"{prog} --help"
        if named:
            self._help = write_command(named[0], *action.split(), "--help")
            prog = self._help.removesuffix(" --help") if launcher else prog
        super().__init__(prog=prog, **rest)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Raises SystemExit (2) after the line that says what is wrong."""
        found, others = self.parse_known_args(args, namespace)
        if others:
            self._refuse(others)
        return found

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """An unknown flag is named before anything that may be missing because of it."""
        given: Sequence[str] = sys.argv[1:] if args is None else args
        # Behind "--" all belong to the arguments without a flag, and behind an action's name all are its own.
        own = takewhile(lambda word: word != "--" and word not in self._actions_by_name(), given)
        if unknown := [word for word in own if word.startswith("--") and not self._knows(word)]:
            self._refuse(unknown)
        return super().parse_known_args(given, namespace)

    def error(self, message: str) -> NoReturn:
        """Prints argparse's complaint as one line and exits with 2."""
        about = _ABOUT.fullmatch(message)
        choice = _CHOICE.match(about["said"]) if about else None
        if about and choice:
            message = self._say_choices(about["name"], choice["value"].strip("'\""))
        else:
            for pattern, said in _SAID:
                message = re.sub(rf"^{pattern}$", said, message, flags=re.DOTALL)
            message = message.removeprefix("argument ")
        message = message if message.endswith("?") else f"{message} (see {self._help})"
        self.exit(USAGE, f"error: {printable(message)}\n")

    def _refuse(self, words: Sequence[str]) -> NoReturn:
        """Names every flag among the words with the nearest that there is; of a word without a flag that it is one."""
        flags = [word.partition("=")[0] for word in words if word.startswith("-") and word != "--"]
        if not flags:
            self.error(f"{', '.join(map(repr, words))} belongs to no flag: write it behind one, or leave it out")
        self.error("; ".join(map(self._say_flag, dict.fromkeys(flags))))

    def _say_flag(self, flag: str) -> str:
        actions = self._actions_by_name()
        if having := [name for name, action in actions.items() if flag in action._option_string_actions]:
            return f"{flag} is a flag of {', '.join(having)}: write it behind {'one of them' if having[1:] else 'that'}"
        known = [known for parser in (self, *actions.values()) for known in parser._option_string_actions]
        return f"{flag} is not a flag of {self.prog}{_nearest(flag, known)}"

    def _say_choices(self, name: str, value: str) -> str:
        actions = [action for action in self._actions if name in (*action.option_strings, action.metavar, action.dest)]
        choices = [str(choice) for action in actions for choice in action.choices or ()]
        what = f"{name} {value!r}" if name.startswith("-") else repr(value)
        return f"{what} is none of {', '.join(choices)}{_nearest(value, choices)}"

    def _actions_by_name(self) -> "Mapping[str, CommandParser]":
        """The actions of a command that has several, each with its own arguments."""
        return next((found.choices for found in self._actions if isinstance(found, argparse._SubParsersAction)), {})

    def _knows(self, word: str) -> bool:
        name = word.partition("=")[0]
        return " " in word or any(flag.startswith(name) for flag in self._option_string_actions)


def _nearest(word: str, known: Iterable[str]) -> str:
    # Without the dashes, which any two flags share.
    names = {name.lstrip("-"): name for name in reversed(tuple(known))}
    near = get_close_matches(word.lstrip("-"), names, 1)
    return f": did you mean {names[near[0]]}?" if near else ""
