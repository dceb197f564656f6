"""A recipe as an application sent it: what can be read of it, and where it breaks the contract."""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.records import Json

NAME_KEYS = ("name", "ingredient", "item", "text", "description", "instruction")
"""Of an entry that is a mapping, the first of these that holds a text says what it is."""
MOST = 1e9
"""No minutes and no servings are this many; a number may have thousands of digits."""
Number = int | float


@dataclass(frozen=True, slots=True)
class Recipe:
    """One option, or the selection. What is missing or unreadable is empty or None, and named in `violations`."""

    title: str
    ingredients: tuple[str, ...] | None
    """As written, amounts included; None where the recipe has no such list, () where the list is empty."""
    time_minutes: Number | None
    servings: Number | None
    steps: tuple[str, ...] | None
    """As `ingredients`."""
    diet: tuple[str, ...]
    """Diets that the application says it suits; a claim, and no evidence."""
    raw: Json
    violations: tuple[str, ...] = ()
    """Breaches of the contract: "time_minutes is missing", "steps is a text, not a list"."""

    @classmethod
    def read(cls, raw: Json) -> "Recipe":
        """Reads whatever a recipe came as; never raises.

        Required: title (or name), ingredients, time_minutes, steps. Optional: servings, diet. A number written as text
        and a list written as one text are read, and reported.
        """
        if not isinstance(raw, dict):
            return cls("", None, None, None, None, (), raw, (f"is {kind_of(raw)}, not a mapping",))
        problems: list[str] = []
        return cls(
            title=_title(raw, problems),
            ingredients=_texts(raw, "ingredients", problems),
            time_minutes=_number(raw, "time_minutes", problems),
            servings=_number(raw, "servings", problems, required=False),
            steps=_texts(raw, "steps", problems),
            diet=_texts(raw, "diet", problems, required=False) or (),
            raw=raw,
            violations=tuple(problems),
        )


def kind_of(value: Json) -> str:
    """The kind of a JSON value, in words that fit "is ..."."""
    if value is None:
        return "null"
    kinds = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
        dict: "a mapping",
    }
    return kinds.get(type(value), "no JSON value")


def _title(raw: Mapping[str, Json], problems: list[str]) -> str:
    value = raw.get("title", raw.get("name"))
    if isinstance(value, str):
        if not value.strip():
            problems.append("title is empty")
        return value.strip()
    problems.append("title is missing" if value is None else f"title is {kind_of(value)}, not a text")
    return ""


def _number(raw: Mapping[str, Json], key: str, problems: list[str], *, required: bool = True) -> Number | None:
    value = raw.get(key)
    if value is None:
        if required:
            problems.append(f"{key} is missing")
        return None
    number = value
    if isinstance(value, str):
        problems.append(f"{key} is a text, not a number")
        number = _plain_number(value)
        if number is None:
            return None
    if isinstance(number, bool) or not isinstance(number, int | float):
        problems.append(f"{key} is {kind_of(value)}, not a number")
        return None
    if not 0 < number < MOST:
        problems.append(f"{key} is {number if abs(number) < MOST else 'out of range'}, not a positive number")
        return None
    return number


def _plain_number(text: str) -> Number | None:
    """A number of at most nine characters at the beginning of a text: "20", "20 min", "2.5"."""
    words = text[:40].split()
    try:
        return float(words[0][:9]) if words else None
    except ValueError:
        return None


def _texts(raw: Mapping[str, Json], key: str, problems: list[str], *, required: bool = True) -> tuple[str, ...] | None:
    value = raw.get(key)
    if value is None:
        if required:
            problems.append(f"{key} is missing")
        return None
    if isinstance(value, str):
        problems.append(f"{key} is a text, not a list")
        parts = value.splitlines() if "\n" in value or key == "steps" else value.split(",")
        return tuple(part.strip() for part in parts if part.strip())
    if not isinstance(value, list):
        problems.append(f"{key} is {kind_of(value)}, not a list")
        return None
    texts = [_entry(entry) for entry in value]
    if wrong := texts.count(None):
        problems.append(f"{key} has {wrong} {'entry' if wrong == 1 else 'entries'} without a text")
    return tuple(text for text in texts if text)


def _entry(value: Json) -> str | None:
    """The words of an entry: a text, which may be blank, or the name in a mapping; None for anything else."""
    if isinstance(value, dict):
        value = next((value[name] for name in NAME_KEYS if isinstance(value.get(name), str)), None)
    return value.strip() if isinstance(value, str) else None
