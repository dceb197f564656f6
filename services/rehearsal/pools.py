"""The pools of phrases and wordings beside this module: the only files that the rehearsal model reads."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def load_pool(name: str) -> dict[str, Any]:
    """One table of pools/, read once per process."""
    return tomllib.loads((Path(__file__).parent / "pools" / f"{name}.toml").read_text(encoding="utf-8"))
