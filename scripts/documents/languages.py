"""The table of language packs in docs/languages.md, from the packs."""

import re

from evaluation.languages.pack import Lists, Pack
from evaluation.languages.packs import pack_of, shipped_languages

PACKS = re.compile(r"(<!-- packs -->\n).*?(<!-- end -->)", re.DOTALL)
"""The place of the table in the page."""


def with_packs(page: str) -> str:
    """The page with a row for each shipped pack."""
    packs = [pack for language in shipped_languages() if (pack := pack_of(language)) is not None]
    rows = [
        "| language | a word is | phrases | forms of address | usual lengths | help lines | reviewed by | wanted |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        *map(_row, packs),
    ]
    table = "\n".join(rows)
    return PACKS.sub(lambda found: f"{found[1]}{table}\n{found[2]}", page)


def _row(pack: Pack) -> str:
    phrases = sum(len(getattr(pack.lists, name)) for name in Lists.model_fields)
    per_word = pack.words.characters_per_word
    word = "between blanks" if per_word is None else f"{per_word:g} characters"
    address = "familiar and polite" if pack.lists.formal_address and pack.lists.informal_address else "one"
    reading = pack.reading
    lengths = "none" if reading is None else f"{reading.sentence_words:g} words, {reading.word_characters:g} characters"
    cells = (
        f"{pack.name} (`{pack.language}`)",
        word,
        f"{phrases}",
        address,
        lengths,
        ", ".join(pack.help_lines),
        ", ".join(pack.reviewed_by) or "**nobody**",
        pack.review_wanted,
    )
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
