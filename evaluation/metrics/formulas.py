"""The formulas by name: metrics whose value is a function of the text and of constants in the rubric."""

from evaluation.metrics.cues.cue import FORM, Formula, Needs, NoSettings
from evaluation.metrics.meaning.measures import MEASURES, Between, formula_of, index_of
from evaluation.metrics.text.finished import Finished, finished
from evaluation.metrics.text.indices import (
    Draws,
    Threshold,
    Window,
    flesch_kincaid_grade,
    flesch_reading_ease,
    hdd_index,
    mattr_index,
    mtld_index,
    of_syllables,
)
from evaluation.metrics.text.layout import Layout, layout
from evaluation.metrics.text.not_applicable import NotApplicable, not_applicable
from evaluation.metrics.text.signs import (
    Coherence,
    Completeness,
    Diversity,
    Structure,
    coherence,
    completeness,
    diversity,
    structure,
)
from evaluation.metrics.text.sizes import LengthCurve, Readability, length_curve, readability


def _table(*formulas: Formula) -> dict[str, Formula]:
    return {formula.name: formula for formula in formulas}


_APART, _COUNTED = Needs(words="apart"), Needs(words="counted")

FORMULAS = _table(
    Formula(
        "coherence",
        "transitions per sentence, and repeated trigrams",
        Coherence,
        coherence,
        Needs(lists=("transitions",), words="counted"),
    ),
    Formula("lexical_diversity", "share of different words", Diversity, diversity, _APART),
    Formula(
        "completeness",
        "ending, number of sentences, conclusion",
        Completeness,
        completeness,
        Needs(lists=("conclusions", "end_marks", "open_marks"), words="counted"),
    ),
    Formula("structure", "paragraphs, lists, headings, varied sentences", Structure, structure, _COUNTED),
    Formula(
        "readability",
        "nearness of sentences and words to their best length",
        Readability,
        readability,
        Needs(words="apart", reading=True),
    ),
    Formula("length_curve", "a curve over the number of words", LengthCurve, length_curve, _COUNTED),
    Formula(
        "finished",
        "ending, and as much as is wanted",
        Finished,
        finished,
        Needs(lists=("conclusions", "end_marks", "open_marks"), words="counted"),
    ),
    Formula("layout", "signs of form that are wanted", Layout, layout, _COUNTED),
    Formula("not_applicable", "no value, with a reason", NotApplicable, not_applicable, FORM),
    *(
        Formula(name, f"{name}, on a scale from a worst to a best cosine", Between, formula_of(measuring), FORM)
        for name, measuring in MEASURES.items()
    ),
)
"""Values from 0 to 1: of metrics."""

INDICES = _table(
    Formula("flesch_reading_ease", "Flesch reading ease", NoSettings, lambda _: of_syllables(flesch_reading_ease)),
    Formula(
        "flesch_kincaid_grade", "Flesch-Kincaid grade level", NoSettings, lambda _: of_syllables(flesch_kincaid_grade)
    ),
    Formula("mtld", "measure of textual lexical diversity", Threshold, mtld_index, _APART),
    Formula("hdd", "HD-D, by the hypergeometric distribution", Draws, hdd_index, _APART),
    Formula("mattr", "moving-average type-token ratio", Window, mattr_index, _APART),
    *(
        Formula(name, f"{name}, by vectors", NoSettings, index_of(measuring), FORM)
        for name, measuring in MEASURES.items()
    ),
)
"""Values on scales of their own: of measures. Those without needs are of English."""
