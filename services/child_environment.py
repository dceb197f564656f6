"""What the processes that this one starts see of its environment: everything but the settings, which hold keys."""

import os

SETTINGS = ("OPENAI_", "LANGFUSE_", "EVAL_", "CHAT_FLOW_")
"""How the names of settings begin: what is started here (embedded servers, git) needs none of them."""


def child_environment(**more: str) -> dict[str, str]:
    """The environment without settings, and with `more`."""
    return {**{name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}, **more}
