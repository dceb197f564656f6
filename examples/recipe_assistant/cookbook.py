"""The data files of the assistant, read once when it starts."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from examples.recipe_assistant.larder import Larder, read_larder
from examples.recipe_assistant.recipes import Recipe, read_recipes

FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Cookbook:
    larder: Larder
    recipes: tuple[Recipe, ...]


def load_cookbook(folder: Path = FOLDER) -> Cookbook:
    """Reads ingredients.yaml and recipes.yaml. Raises ValueError when they do not fit together."""
    larder = read_larder(_yaml(folder / "ingredients.yaml"))
    return Cookbook(larder, read_recipes(_yaml(folder / "recipes.yaml"), larder))


def _yaml(path: Path) -> Any:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(path.read_text(encoding="utf-8"), Loader=loader)
