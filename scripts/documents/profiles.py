"""What profiles do with the tables of prompts and texts beside docs/quality-metrics.md: the figures of its sections."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.languages.packs import ENGLISH
from evaluation.metrics.lookup import RulesLookup
from evaluation.metrics.profiles import AUTO, CHOICES, OF_FORMS, PROFILES, UNKNOWN
from evaluation.metrics.profiles.choosing import choose_profile
from evaluation.metrics.profiles.profile import Profile, shipped_profile
from evaluation.metrics.text.asked import INF, read_request
from evaluation.metrics.utterance import Utterance
from evaluation.records import Json
from evaluation.rubrics.rubric import Rubric
from evaluation.text.yaml_text import load_yaml

WORDINGS, HELD_OUT_WORDINGS = "prompt-wordings", "prompt-wordings-hold-out"
PROMPTS, HELD_OUT_PROMPTS = "profile-prompts", "profile-prompts-hold-out"
EXAMPLES = "profile-examples"
TABLES = (WORDINGS, HELD_OUT_WORDINGS, PROMPTS, HELD_OUT_PROMPTS, EXAMPLES)
"""Names of the files in docs/ that hold them."""
FIELDS = {
    "words": "words",
    "sentences": "sentences",
    "paragraphs": "paragraphs",
    "lines": "lines",
    "items": "items",
    "format": "form",
    "audience": "reader",
    "language": "language",
}
"""Field of a table -> that of `Asked`."""


@dataclass(frozen=True, slots=True)
class WordingFigures:
    """What of a table of wordings is read as it says."""

    title: str
    asked: int
    """Prompts that ask for something."""
    asked_right: int
    """Of these, those of which all is read and nothing else."""
    look_alikes: int
    left_alone: int
    """Of these, those of which nothing is read."""
    precision: float
    """Share of the values that were read that stand in the table."""
    recall: float
    """Share of the values of the table that were read."""
    missed: tuple[str, ...]
    """Prompts that were read otherwise."""


@dataclass(frozen=True, slots=True)
class ChoiceFigures:
    """What `auto` chose of the prompts of a table."""

    title: str
    prompts: int
    right: int
    unknown: int
    """Missed: unknown was chosen, and the table names a profile."""
    wrong: int
    """Another profile than the table's."""
    missed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PairFigures:
    """The overall of two texts, under the profile and by the formulas as they are."""

    profile: str
    prompt: str
    better: str
    poorer: str
    under_profile: tuple[float, float]
    chosen: tuple[float, float]
    """Under `auto`."""
    as_they_are: tuple[float | None, float | None]


def measure_wordings(title: str, text: str) -> WordingFigures:
    """The figures of one table of wordings."""
    table = load_yaml(text, title)
    read_right = read_wrong = missed = 0
    right: dict[str, int] = {}
    odd = list[str]()
    for side in ("asked", "look_alikes"):
        for entry in table[side]:
            found = read_request(entry["prompt"])
            pairs = [(_stated(entry.get(key)), getattr(found, name)) for key, name in FIELDS.items()]
            read_right += sum(1 for wanted, got in pairs if got is not None and got == wanted)
            read_wrong += sum(1 for wanted, got in pairs if got is not None and got != wanted)
            missed += sum(1 for wanted, got in pairs if wanted is not None and got != wanted)
            whole = all(wanted == got for wanted, got in pairs)
            right[side] = right.get(side, 0) + whole
            if not whole:
                odd.append(entry["prompt"])
    return WordingFigures(
        title,
        len(table["asked"]),
        right["asked"],
        len(table["look_alikes"]),
        right["look_alikes"],
        read_right / (read_right + read_wrong),
        read_right / (read_right + missed),
        tuple(odd),
    )


def _stated(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(INF if each is None else float(each) for each in value)
    return value


def measure_choices(title: str, text: str) -> ChoiceFigures:
    """The figures of one table of prompts for `auto`."""
    pairs = [(entry["profile"], prompt) for entry in load_yaml(text, title) for prompt in entry["prompts"]]
    found = [(wanted, choose_profile(prompt).profile, prompt) for wanted, prompt in pairs]
    return ChoiceFigures(
        title,
        len(found),
        sum(1 for wanted, got, _ in found if wanted == got),
        sum(1 for wanted, got, _ in found if wanted != got == UNKNOWN),
        sum(1 for wanted, got, _ in found if UNKNOWN != got != wanted),
        tuple(prompt for wanted, got, prompt in found if wanted != got),
    )


def measure_pairs(text: str, rubric: Rubric) -> Iterator[PairFigures]:
    """The figures of each pair of texts."""
    lookups = {name: RulesLookup(rubric.model_copy(update={"profile": name})) for name in (None, *CHOICES)}
    for profile, pairs in load_yaml(text, EXAMPLES).items():
        for pair in pairs:
            yield PairFigures(
                profile,
                pair["prompt"],
                pair["better"],
                pair["poorer"],
                *(_overalls(lookups[name], rubric.overall, pair) for name in (profile, AUTO, None)),
            )


def _overalls(lookup: RulesLookup, overall: str, pair: Mapping[str, Json]) -> Any:
    """The overall of both texts of a pair."""
    prompt = str(pair["prompt"])
    found = []
    for text in (str(pair["better"]), str(pair["poorer"])):
        utterance = Utterance(prompt, text)
        found.append(lookup.of(utterance, ENGLISH).explain(utterance)[overall].value)
    return tuple(found)


def profiles_in_order() -> Sequence[Profile]:
    """Every shipped one: what follows the prompt, the kinds of text, and the forms of an answer."""
    return [shipped_profile(name) for name in (UNKNOWN, *PROFILES, *OF_FORMS)]


def page_values(tables: Mapping[str, str], rubric: Rubric) -> dict[str, Any]:
    """What the template of docs/quality-metrics.md says of profiles; `tables` are the texts of `TABLES` by name."""
    return {
        "profiles": profiles_in_order(),
        "wordings": [
            measure_wordings("Written first", tables[WORDINGS]),
            measure_wordings("Held out", tables[HELD_OUT_WORDINGS]),
        ],
        "choices": [
            measure_choices("Written first", tables[PROMPTS]),
            measure_choices("Held out", tables[HELD_OUT_PROMPTS]),
        ],
        "pairs": list(measure_pairs(tables[EXAMPLES], rubric)),
    }
