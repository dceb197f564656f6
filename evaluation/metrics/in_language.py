"""The rules of a rubric in a language that is not its own: what is there for them, and why a metric has no value."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from evaluation.languages.known_by import UNKNOWN, name_of, signs
from evaluation.languages.pack import Pack
from evaluation.languages.packs import ENGLISH, generation, pack_of
from evaluation.languages.script import WITHOUT_BLANKS
from evaluation.languages.speech import USUAL, Speech
from evaluation.metrics.cues import CUES
from evaluation.metrics.cues.cue import Cue, Formula, Needs
from evaluation.records import Json
from evaluation.rubrics.from_pack import FromPack
from evaluation.rubrics.rubric import CueUse, Metric, Rubric

OF_PACKS = ("matches", "contractions")
"""Settings of cues that the pack itself gives beside its lists."""


def speech_of(language: str) -> Speech:
    """How texts of a language are counted; one without a pack is cut into sentences as far as sentencex knows it."""
    if language in (ENGLISH, UNKNOWN):
        return USUAL
    pack = pack_of(language)
    return Speech(language) if pack is None else pack.speech


def settings_with(pack: Pack | None, rubric: Rubric) -> Callable[[CueUse, Metric], Mapping[str, Json]]:
    """A cue's settings where its lists are those of a pack: what the pack says of them too. As written for English."""

    def settings_of(use: CueUse, metric: Metric) -> Mapping[str, Json]:
        settings = rubric.settings_of(use, metric)
        if pack is None or pack.language == ENGLISH or not any(map(_is_from_pack, settings.values())):
            return settings
        known = CUES[use.when].settings.model_fields
        return {**{name: getattr(pack, name) for name in OF_PACKS if name in known}, **settings}

    return settings_of


def constants_with(pack: Pack | None, constants: Mapping[str, Json], needs: Needs) -> Mapping[str, Json]:
    """The constants of a formula, its lengths those of the pack's language where it measures by these."""
    if pack is None or pack.reading is None or not needs.reading:
        return constants
    reading = pack.reading
    return {**constants, "sentence_words": reading.sentence_words, "word_characters": reading.word_characters}


def _is_from_pack(value: Json) -> bool:
    return isinstance(value, FromPack)


class Lacking:
    """Says what a metric lacks in a language other than the rubric's own."""

    def __init__(self, rubric: Rubric, language: str, pack: Pack | None) -> None:
        self._rubric, self._pack = rubric, pack
        self._name = "an unknown language" if language == UNKNOWN else name_of(language)
        self._countable = language not in languages_without_blanks() if pack is None else True

    def of_metric(self, metric: Metric) -> str:
        """Why the metric has no value by its cues; empty where all is there."""
        return next(filter(None, self._reasons(metric)), "")

    def of_formula(self, formula: Formula, constants: Mapping[str, Json]) -> str:
        """The same of a formula."""
        return self._reason(formula, constants, f"formula {formula.name!r}")

    def _reasons(self, metric: Metric) -> Iterator[str]:
        for adjustment in metric.adjustments:
            for use in adjustment.uses:
                yield self._reason(CUES[use.when], self._rubric.settings_of(use, metric), f"cue {use.when!r}")

    def _reason(self, entry: Cue | Formula, settings: Mapping[str, Json], what: str) -> str:
        needs, name, pack = entry.needs, self._name, self._pack
        if pack is None and (needs.own or needs.lists or needs.reading):
            return f"no language pack for {name}"
        own = name_of(self._rubric.language)
        if needs.own:
            return f"{what} reads {own} alone, and this is {name}"
        written = [key for key in needs.lists if settings.get(key) and not _is_from_pack(settings[key])]
        if written:
            return f"{what} has a list ({written[0]}) that the rubric writes in {own}, and this is {name}"
        if needs.words == "counted" and not self._countable:
            return f"no language pack for {name}, which parts words by no blank"
        if needs.words == "apart" and (not self._countable or (pack is not None and pack.words.by == "characters")):
            return f"no blank parts words in {name}"
        if needs.reading and pack is not None and pack.reading is None:
            return f"the pack of {name} gives no usual lengths of words and sentences"
        return ""


def languages_without_blanks() -> frozenset[str]:
    """The languages that are written in a script without blanks between words."""
    return _without_blanks(generation())


@cache
def _without_blanks(_generation: int) -> frozenset[str]:
    scripts: Mapping[str, Sequence[str]] = signs().scripts
    return frozenset(language for script in WITHOUT_BLANKS for language in scripts.get(script, ()))
