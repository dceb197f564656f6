"""Whether an assistant asks once more what it asked before, in the same words or in others."""

from collections import Counter
from dataclasses import dataclass, field

from evaluation.chat_flow.questions import Question, Subject, read_questions
from evaluation.food.lexicon import Lexicon

INGREDIENTS_ASKED = 2
"""How often ingredients may be asked for: who understood none of them asks once more, in other words."""


@dataclass(slots=True)
class AskedBefore:
    """The questions of one conversation."""

    lexicon: Lexicon
    texts: set[str] = field(default_factory=set)
    meanings: set[object] = field(default_factory=set)
    subjects: Counter[Subject] = field(default_factory=Counter)

    def repeats(self, message: str) -> bool:
        """True where the message asks nothing that was not asked before; keeps what it asks."""
        plain = " ".join(message.casefold().split())
        questions = read_questions(message, self.lexicon)
        again = plain in self.texts or (bool(questions) and all(map(self._was_asked, questions)))
        self.texts.add(plain)
        for question in questions:
            self.meanings.add(question.meaning)
            if _is_of_subjects(question):
                self.subjects.update(question.subjects)
        return again

    def _was_asked(self, question: Question) -> bool:
        if not _is_of_subjects(question):
            return question.meaning is not None and question.meaning in self.meanings
        most = {subject: INGREDIENTS_ASKED if subject == "ingredients" else 1 for subject in question.subjects}
        return all(self.subjects[subject] >= times for subject, times in most.items())


def _is_of_subjects(question: Question) -> bool:
    """True of an open question about what a case may say: how it is put makes no difference."""
    return question.is_open and bool(question.subjects) and not question.asks_for_more
