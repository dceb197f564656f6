"""Contractions: what "I'm" and "don't" stand for, and what they look like without their apostrophes."""

VERBS = (
    "are",
    "could",
    "did",
    "do",
    "does",
    "had",
    "has",
    "have",
    "is",
    "must",
    "need",
    "should",
    "was",
    "were",
    "would",
)
"""Verbs that take "n't"."""
_PERSONS = ("he", "i", "it", "she", "that", "they", "we", "who", "you")
_TENSES = (("d", "would"), ("ll", "will"), ("ve", "have"))
LONG_FORMS = {
    "can't": "cannot",
    "won't": "will not",
    "i'm": "i am",
    "let's": "let us",
    **{f"{verb}n't": f"{verb} not" for verb in VERBS},
    **{f"{who}'s": f"{who} is" for who in ("he", "here", "how", "it", "she", "that", "there", "what", "where", "who")},
    **{f"{who}'re": f"{who} are" for who in ("they", "we", "what", "who", "you")},
    **{f"{who}'{short}": f"{who} {long}" for who in _PERSONS for short, long in _TENSES},
}
"""A contraction -> what it stands for."""
_OTHER_WORDS = frozenset(("hell", "hed", "hes", "ill", "id", "odd", "shed", "shell", "wed", "well", "were", "whore"))
"""What a contraction would be without its apostrophe, but is another word."""


def bare_form(word: str) -> str:
    """A word without its apostrophes; the word itself where another one would come of it."""
    bare = word.replace("'", "")
    return word if bare in _OTHER_WORDS else bare


def forms_of(word: str) -> tuple[str, ...]:
    """All words with which a word is said: it, those that it stands for, and it without its apostrophes."""
    return (word, *LONG_FORMS.get(word, word).split(), bare_form(word))


def spellings(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The words of a phrase, and the same with contractions written out and without their apostrophes."""
    if not any("'" in word for word in words):
        return [words]
    long = tuple(" ".join(LONG_FORMS.get(word, word) for word in words).split())
    return list(dict.fromkeys((words, long, tuple(map(bare_form, words)))))
