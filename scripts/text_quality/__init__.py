"""The text quality metrics as functions of a text, by the shipped rubric, for use outside a run.

Each gives a value from 0 to 1, or None where there is nothing to measure; the `explain_` variant beside it gives the
same value with what was counted, what would raise it, or why there is none. None of them raises, whatever the text.
"""

from functools import partial

from evaluation.records import Score
from scripts.run.rules import shipped_rules


def _explain(metric: str, text: str) -> Score:
    from evaluation.metrics.utterance import Utterance

    return shipped_rules("text_quality").score(metric, Utterance("", text))


def _value(metric: str, text: str) -> float | None:
    return _explain(metric, text).value


explain_coherence_score = partial(_explain, "coherence")
explain_lexical_diversity = partial(_explain, "lexical_diversity")
explain_completeness_score = partial(_explain, "completeness")
explain_structure_score = partial(_explain, "structure")
explain_readability_score = partial(_explain, "readability")
explain_length_appropriateness = partial(_explain, "length_appropriateness")
explain_overall_score = partial(_explain, "overall")

coherence_score = partial(_value, "coherence")
lexical_diversity = partial(_value, "lexical_diversity")
completeness_score = partial(_value, "completeness")
structure_score = partial(_value, "structure")
readability_score = partial(_value, "readability")
length_appropriateness = partial(_value, "length_appropriateness")
overall_score = partial(_value, "overall")
