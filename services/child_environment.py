"""The environment that the processes of this one see: everything but the settings, which hold keys."""

import os

SETTINGS = ("OPENAI_", "LANGFUSE_", "EVAL_", "CHAT_FLOW_")
"""Beginnings of the names of settings: what is started here (embedded servers, git) needs none of them."""


def child_environment(**more: str) -> dict[str, str]:
    """The environment without settings, and with `more`."""
    return {**{name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}, **more}
