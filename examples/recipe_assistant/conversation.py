"""One turn of the conversation: ask for what is missing, or offer options."""

from collections.abc import Sequence

from examples.recipe_assistant.answers import Json, recipe_json, turn_json
from examples.recipe_assistant.cookbook import Cookbook
from examples.recipe_assistant.search import Found, dishes, main_ingredients
from examples.recipe_assistant.wishes import Message, Topic, Wishes, topic_of

QUESTIONS: dict[Topic, str] = {
    "ingredients": "What ingredients do you have?",
    "time": "How much time do you have, in minutes?",
    "diet": "Is there a diet or an allergy that I should know of?",
}
READS = "I read English, and common foods in Spanish, German, French, Italian and Portuguese."
"""Said before ingredients are asked for once more."""
MOST_QUESTIONS = 2
"""Time and diet are asked for while fewer questions than this were asked."""


def answer_turn(messages: Sequence[Message], wishes: Wishes, found: Sequence[Found], book: Cookbook) -> Json:
    """The answer to a conversation: a question while something important is missing, else the options found."""
    topic = next_question(messages, wishes, book)
    if topic is not None:
        again = any(message.role == "assistant" and topic_of(message.content) == topic for message in messages)
        return turn_json(_question(topic, wishes, again=again), "ask", None, wishes)
    if not main_ingredients(wishes, book.larder) and not wishes.anything:
        reply = "I found nothing: I can suggest nothing without an ingredient that I know."
        return turn_json(_not_known(wishes) + reply, "end", [], wishes, "no_ingredients")
    if not found:
        return turn_json(_nothing(wishes, book), "end", [], wishes, "nothing_fits")
    return turn_json(_offer(found, wishes, book), "options", [recipe_json(one, book.larder) for one in found], wishes)


def next_question(messages: Sequence[Message], wishes: Wishes, book: Cookbook) -> Topic | None:
    """The subject to ask for next; None when it is time to answer.

    Ingredients are asked for twice at most, time and diet once, and not at all when the user said something about them.
    """
    asked = [topic for message in messages if message.role == "assistant" and (topic := topic_of(message.content))]
    if not main_ingredients(wishes, book.larder) and not wishes.anything:
        return "ingredients" if asked.count("ingredients") < 2 else None
    if len(asked) >= MOST_QUESTIONS:
        return None
    if wishes.minutes is None and "time" not in asked and "time" not in wishes.settled:
        return "time"
    gave_time = wishes.minutes is not None and "time" not in asked
    knows_diet = bool(wishes.diets or wishes.allergies) or "diet" in wishes.settled
    # Whoever gives ingredients and time at once has said what matters; asking more would only hold them up.
    return None if gave_time or knows_diet or "diet" in asked else "diet"


def _question(topic: Topic, wishes: Wishes, *, again: bool) -> str:
    said = _not_known(wishes) if topic == "ingredients" else ""
    if again and topic == "ingredients":
        said = f"{said or 'I did not find an ingredient that I know in this. '}{READS} "
    return said + QUESTIONS[topic]


def _not_known(wishes: Wishes) -> str:
    return f"I do not know {_listed(wishes.unknown)}. " if wishes.unknown else ""


def _offer(found: Sequence[Found], wishes: Wishes, book: Cookbook) -> str:
    lines = [f"Here {'is an idea' if len(found) == 1 else f'are {len(found)} ideas'}{_conditions(wishes)}:"]
    for place, one in enumerate(found, 1):
        uses = f"uses your {_listed(one.used)}" if one.used else "a good start"
        buys = f"; you also need {_listed(one.missing)}" if one.missing else "; you have everything"
        lines.append(f"{place}. {one.dish.title} ({one.dish.minutes} minutes): {uses}{buys}.")
    left_out = [name for name in wishes.have if name not in main_ingredients(wishes, book.larder)]
    forbidden = [name for name in left_out if not book.larder.table[name].pantry]
    if forbidden:
        lines.append(f"I left out {_listed(forbidden)}, which you said does not suit you.")
    if wishes.unknown:
        lines.append(f"I do not know {_listed(wishes.unknown)} and left that out.")
    return "\n".join(lines)


def _nothing(wishes: Wishes, book: Cookbook) -> str:
    """Says why nothing fits, and what would help when it is the time."""
    fastest = min(
        (one.dish.minutes for one in dishes(wishes, book) if one.used or wishes.anything),
        default=None,
    )
    start = f"I have no recipe{_conditions(wishes)} with {_listed(wishes.have) or 'what you have'}"
    if fastest is not None and wishes.minutes is not None and fastest > wishes.minutes:
        return f"{start}. The fastest that I know takes {fastest} minutes."
    return f"{start}. Tell me of more ingredients, or what you could do without."


def _conditions(wishes: Wishes) -> str:
    parts = [f", {diet}" for diet in sorted(wishes.diets)]
    if wishes.servings is not None:
        parts.append(f", for {wishes.servings}")
    if wishes.minutes is not None:
        parts.append(f", in at most {wishes.minutes} minutes")
    return "".join(parts)


def _listed(names: Sequence[str]) -> str:
    *first, last = names or ("",)
    return f"{', '.join(first)} and {last}" if first else last
