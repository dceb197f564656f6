"""The language of an exchange, and whether answer and question are in one language."""

from typing import NamedTuple

from evaluation.languages.detect import NOTHING, Seen
from evaluation.languages.known_by import UNKNOWN


class Languages(NamedTuple):
    """The languages of one exchange."""

    named: str
    """By the scenario; empty where it names none."""
    message: Seen
    reply: Seen

    def scored(self, own: str) -> str:
        """The language by whose pack the exchange is scored: as named, else that of the message, else of the reply.

        What one or two words say counts where both say the same: they may be a name, or borrowed. Without anything
        that counts it is `own`, the rubric's.
        """
        if self.named:
            return self.named
        for seen in (self.message, self.reply):
            if seen.sure:
                return seen.language
        if self.message.language and self.message.language == self.reply.language:
            return self.message.language
        return own

    def match(self, wanted: str = "") -> bool | None:
        """Whether the reply is in the wanted language, or else in that of the message; None where nobody can tell."""
        expected = wanted or (self.message.language if self.message.sure else "")
        if not expected or not self.reply.sure or expected == self.reply.language == UNKNOWN:
            return None
        return self.reply.language == expected


SILENT = Languages("", NOTHING, NOTHING)
"""Of an exchange in which nothing was said."""
