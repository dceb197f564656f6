"""The subcommands of `prompt-eval` are the targets of the Makefile that make sense outside a clone."""

from evaluation.commands import write_command
from prompt_evaluation.subcommands import SUBCOMMANDS
from scripts.documents.commands import module_of_target, targets

IN_A_CLONE = {
    "food-table",
    *(
        "help",
        "docs",
        "images",
        "bench",
        "bench-scale",
        "fit-words",
        "simulate",
        "faults",
        "lock",
        "test",
        "test-quick",
        "check",
        "check-long",
    ),
    *("format", "clean"),
}
"""Targets on the project itself: its documents, tests, measurements and pins."""


def test_each_target_but_those_on_the_project_itself_is_a_subcommand() -> None:
    started = module_of_target()
    assert {name: each.module for name, each in SUBCOMMANDS.items()} == {
        name: started[name] for name in targets() if name not in IN_A_CLONE
    }


def test_make_help_and_prompt_eval_help_say_the_same() -> None:
    for name, said in targets().items():
        if name in SUBCOMMANDS:
            subcommand = SUBCOMMANDS[name]
            assert said.startswith(subcommand.about), name
            if subcommand.example:
                assert said.startswith(f"{subcommand.about}: {write_command(name, **dict(subcommand.example))}"), name
