"""The user of a case: answers what the application asks in the sense of the case, and invents nothing.

What a case says stands above what follows from it: an answer that the case gives for a question is said as written.
What no answer covers follows from the constraints: asked whether they avoid peanuts, a user with that allergy says yes.
The constraints, and what the messages rule out in plain words, are the whole truth about the user: what they do not
forbid is eaten, and a wish that they do not state is none.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from evaluation.chat_flow.case import Constraints, FlowCase, UserAnswer
from evaluation.chat_flow.judged import compact
from evaluation.chat_flow.questions import SUBJECT_WORDS, Question, Subject, read_questions
from evaluation.chat_flow.stated import constraints_in
from evaluation.food.lexicon import Lexicon
from evaluation.food.reading import mentions
from evaluation.food.rules import Rules
from evaluation.food.tokens import words
from evaluation.records import Turn

STATED_BY: dict[str, Subject] = {
    "available": "ingredients",
    "time_budget_minutes": "time",
    "servings": "servings",
    "diet": "diet",
    "allergies": "allergies",
    "forbidden": "allergies",
}
"""Constraint -> the subject of the question that it answers."""
RULED_OUT = ("diet", "allergies", "forbidden")
"""The constraints that say what is not eaten."""


@dataclass(frozen=True, slots=True)
class ScriptedUser:
    """The user of one case."""

    case: FlowCase
    lexicon: Lexicon

    def answer(self, message: str, said: Sequence[Turn]) -> str:
        """The user's answer to the application's message, which may ask several things; `said` is all before it.

        For each question: the case's answer to a word of it, unless it is on another subject, those first that were
        not given yet; the case's answer that states what is asked for; what follows from the constraints; the next of
        those that fit any question; `otherwise`. A yes or no about foods always follows from the constraints, those
        that the answers state included.
        """
        spoken = [turn.content for turn in said if turn.role == "user"]
        asked = read_questions(message, self.lexicon) or (Question(message, frozenset(), is_open=True),)
        questions = [each for question in asked for each in _by_subject(question)]
        found = [reply for question in questions if (reply := self._reply(question, said, spoken))]
        general = [each.say for each in self.case.user_answers if not each.to and each.say not in spoken]
        return " ".join(dict.fromkeys(found)) or next(iter(general), self.case.otherwise)

    def _reply(self, question: Question, said: Sequence[Turn], spoken: Sequence[str]) -> str:
        known = self.case.constraints_after(said)
        unsaid = [each for each in self.case.user_answers if each.say not in spoken]
        fitting = [each for each in self.case.user_answers if fits(each, question)]
        if question.foods or question.diets:
            plain = [each.say for each in fitting if not each.states.model_fields_set]
            own = next(iter(plain), "") or self._yes_or_no(question, self._truth(known, unsaid, said), spoken)
            # What only an answer states is said in the words of that answer: it counts from then on.
            new = next((each.say for each in unsaid if self._forbids_any(each.states, question)), "")
            return " ".join(filter(None, (own if _lead(new) != _lead(own) else "", new))) if new else own
        fresh = [each.say for each in fitting if each.say not in spoken]
        by_states = [each.say for each in unsaid if question.subjects & _stated_subjects(each)]
        computed = _number_answer(question, known) or _open_answer(question, known)
        return next(iter([*fresh, *by_states, *(each.say for each in fitting)]), computed)

    def _truth(self, known: Constraints, unsaid: Iterable[UserAnswer], said: Sequence[Turn]) -> Constraints:
        """With what is to be said yet, and with what the messages rule out beside the case's data."""
        for each in unsaid:
            known = known.with_more(each.states)
        read = constraints_in(said, self.lexicon)
        return known.with_more(Constraints(**{name: read[name] for name in RULED_OUT if name in read}))

    def _forbids_any(self, states: Constraints, question: Question) -> bool:
        rules = states.rules(self.lexicon)
        return any(rules.forbids(food, self.lexicon) for food in question.foods) or any(
            _keeps(diet, states, rules, self.lexicon) for diet in question.diets
        )

    def _yes_or_no(self, question: Question, truth: Constraints, spoken: Iterable[str]) -> str:
        rules = truth.rules(self.lexicon)
        if question.diets:
            of_diets = self._of_diets(question, truth, rules)
            foods = replace(question, diets=(), english=False) if question.foods and of_diets else None
            return f"{of_diets} {self._yes_or_no(foods, truth, spoken)}" if foods else of_diets
        if question.stance == "have":
            return self._what_is_there(question, truth, rules, spoken)
        avoided = [food for food in question.foods if rules.forbids(food, self.lexicon)]
        eaten = [food for food in question.foods if food not in avoided]
        if question.is_wish and not avoided:
            return ""
        parts = [
            *([f"I avoid {_listed(avoided)}."] if avoided else []),
            *([f"I eat {_listed(eaten)}."] if eaten else []),
        ]
        if (avoided and eaten) or not question.english:
            return " ".join(parts)
        yes = bool(avoided) == (question.stance == "avoid")
        others = _statements(truth, {"allergies"}) if "allergies" in question.subjects and not avoided else ()
        return " ".join((f"{'Yes' if yes else 'No'}, {parts[0]}", *others))

    def _of_diets(self, question: Question, truth: Constraints, rules: Rules) -> str:
        """Whether the user keeps to one of the diets, and else to which; no wish is stated for another."""
        kept = [diet for diet in question.diets if _keeps(diet, truth, rules, self.lexicon)]
        if not kept and question.is_wish:
            return ""
        stated = kept or truth.diet
        lead = "Yes" if kept else "No"
        return f"{lead}, {_listed(stated)}." if stated else f"{lead}."

    def _what_is_there(self, question: Question, truth: Constraints, rules: Rules, spoken: Iterable[str]) -> str:
        """A food is there where the case says so, or the user named it."""
        named = [*truth.available, compact(self.case.fridge_input), *spoken]
        missing = [food for food in question.foods if rules.forbids(food, self.lexicon) or not self._is_in(food, named)]
        there = [food for food in question.foods if food not in missing]
        if not there and not truth.available:
            return ""
        parts = [
            f"I have {_listed(there)}." if there else "",
            f"I have no {_listed(missing, ' or ')}." if missing else "",
        ]
        lead = "" if (there and missing) or not question.english else "Yes, " if there else "No, "
        return lead + " ".join(filter(None, parts))

    def _is_in(self, food: str, texts: Iterable[str]) -> bool:
        sought = {mention.food for mention in mentions(food, self.lexicon)}
        return any(
            self.lexicon.are_related(mention.food, one)
            for text in texts
            for mention in mentions(text, self.lexicon)
            for one in sought
        )


def _by_subject(question: Question) -> Iterator[Question]:
    """An open question about several subjects as one about each."""
    if not question.is_open or not question.subjects:
        yield question
        return
    for subject in STATED_BY.values():
        if subject in question.subjects:
            yield replace(question, subjects=frozenset({subject}))


def _number_answer(question: Question, known: Constraints) -> str:
    budget, people = known.time_budget_minutes, known.servings
    if question.minutes is not None and budget is not None:
        too_long = "too long" in question.text or "too much" in question.text
        fits = question.minutes < budget if question.asks_for_more else question.minutes <= budget
        yes = fits != too_long
        return f"{'Yes' if yes else 'No'}, at most {budget:g} minutes."
    if question.people is not None and people is not None:
        return f"{'Yes' if question.people == people else 'No'}, for {people:g}."
    return ""


def _open_answer(question: Question, known: Constraints) -> str:
    stated = " ".join(_statements(known, question.subjects))
    return f"{stated} Nothing else." if stated and question.asks_for_more else stated


def _statements(known: Constraints, subjects: Collection[Subject]) -> Iterator[str]:
    if "ingredients" in subjects and known.available:
        yield f"I have {', '.join(known.available)}."
    if "time" in subjects and known.time_budget_minutes is not None:
        yield f"At most {known.time_budget_minutes:g} minutes."
    if "servings" in subjects and known.servings is not None:
        yield f"For {known.servings:g}."
    if not {"diet", "allergies"}.isdisjoint(subjects):
        if known.diet:
            yield f"{_listed(known.diet).capitalize()}, please."
        if known.allergies:
            yield f"I am allergic to {_listed(known.allergies)}."
        if known.forbidden:
            yield f"I avoid {_listed(known.forbidden)}."


def _keeps(name: str, asked: Constraints, rules: Rules, lexicon: Lexicon) -> bool:
    """True where whoever keeps to the constraints keeps to the diet."""
    diet = lexicon.diet(name)
    stated = {each.name for own in asked.diet if (each := lexicon.diet(own)) is not None}
    return diet is not None and (diet.name in stated or (bool(diet.forbids) and diet.forbids <= rules.tags.keys()))


def fits(answer: UserAnswer, question: Question) -> bool:
    """True where a word of the question is one that the answer is for, and the two are not on different subjects."""
    asked = _caseless(question.text)
    if not any(_caseless(word) in asked for word in answer.to):
        return False
    own = _stated_subjects(answer) | {SUBJECT_WORDS[word] for word in answer.to if word in SUBJECT_WORDS}
    return not own or not question.subjects or bool(own & question.subjects)


def _lead(answer: str) -> str:
    """The yes or no that an answer begins with; empty where it begins otherwise."""
    first = next(iter(words(answer)), "")
    return first if first in ("yes", "no") else ""


def _stated_subjects(answer: UserAnswer) -> frozenset[Subject]:
    stated = answer.states.model_fields_set & STATED_BY.keys()
    return frozenset(STATED_BY[name] for name in stated)


def _caseless(text: str) -> str:
    return f" {' '.join(words(text))} "


def _listed(names: Sequence[str], last: str = " and ") -> str:
    return last.join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""
