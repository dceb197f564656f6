"""A score says of itself what was counted, and for a low one what would raise it."""

from evaluation.metrics.text.points import LOW
from tests.evaluation.metrics.text.shipped import explained, words

EXPLANATIONS = [
    (
        "coherence",
        "However, we all run. Then we all run. Then we all run. Thus it ended.",
        "0.6 x 0.5 for 2 transitions (however, thus) in 4 sentences + 0.4 x 0.8 for the most repeated trigram, 3x "
        '("we all run"); to raise it: 2 more transitions such as however, therefore, furthermore, '
        "fewer repeated phrases",
    ),
    ("lexical_diversity", "a b a", "2 different of 3 words; to raise it: fewer repeated words"),
    ("lexical_diversity", words(101), "1.0 on average in 3 windows of 50 of its 101 words"),
    (
        "completeness",
        "It began, and,",
        '-0.1 ends in ",", +0.0 1 sentence, +0.0 no conclusion, +0.0 3.0 words per sentence; to raise it: '
        'end in . or ! or ?, 3 or more sentences, a conclusion such as "in conclusion", sentences of 10 or more words',
    ),
    (
        "structure",
        "# Why\n\n- One",
        '+0.2 2 paragraphs, +0.3 list ("- One"), +0.0 sentence lengths vary by 0.0 words, +0.2 heading ("# Why")',
    ),
    (
        "readability",
        "Internationalisation.",
        "0.034 for 1.0 words per sentence + 0.0 for 20.0 characters per word, over 1 sentence: very difficult "
        "(graduate level); to raise it: longer sentences (best about 17.5 words), "
        "shorter words (best about 5 characters)",
    ),
    ("length_appropriateness", words(20), "20 words; best from 75 to 300; to raise it: 55 more words"),
    ("length_appropriateness", words(600), "600 words; best from 75 to 300; to raise it: 300 fewer words"),
    ("length_appropriateness", words(100), "100 words; best from 75 to 300"),
]


def test_the_explanation() -> None:
    for metric, text, said in EXPLANATIONS:
        found = explained(metric, text)
        assert found.explanation == said, (metric, text, said)
        assert found.value is not None, (metric, text, said)
        assert ("to raise it" in said) == (found.value < LOW), (metric, text, said)


def test_evidence_is_quoted_on_one_safe_line() -> None:
    hostile = '# \x1b[2J"quoted" title that goes on and on and on, far beyond what anybody wants to read\n\nText.'
    said = explained("structure", hostile).explanation
    assert said.isprintable()
    assert '\\x1b[2J\\"quoted\\"' in said
    assert "..." in said
