"""Three sound recipe assistants that are built differently, each on a loopback server with a mapping file of its own.

They cook from the sample's book; what they are asked, how they ask, and what their answers look like is their own. The
one with sessions keeps the conversation itself; the streaming one offers as soon as it knows an ingredient; the polling
one first makes sure of what the user does not eat, and breaks off where the answer contradicts what was said.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

from examples.recipe_assistant.conversation import QUESTIONS, answer_turn
from examples.recipe_assistant.recipes import Dish
from examples.recipe_assistant.requests import read_turn
from examples.recipe_assistant.search import Found, main_ingredients, options_for
from examples.recipe_assistant.wishes import Message, Wishes, gather
from tests.applications.servers import Answers, Sent
from tests.examples.loopback_assistant import COOKBOOK

BOOK = COOKBOOK
TRANSLATED = {
    "鶏もも肉": " chicken, ", "鶏肉": " chicken, ", "ご飯": " rice, ", "玉ねぎ": " onion, ", "分": " minutes. ",
    "patlıcan": "eggplant", "domates": "tomatoes", "biber": "bell pepper", "soğan": "onion", "helal": "halal",
}  # fmt: skip
"""What the sample does not read, and these must: they are to pass every case."""


def understood(messages: Sequence[Mapping[str, str]], fridge: Any) -> tuple[Wishes, tuple[Message, ...]]:
    """The wishes of a conversation in the sample's own terms."""
    said = [{**each, "content": _translated(each["content"])} for each in messages]
    turn = read_turn(json.dumps({"messages": said, "fridge_input": fridge}).encode())
    return gather(turn.messages, turn.fridge, BOOK.larder), turn.messages


def _translated(text: str) -> str:
    for word, meaning in TRANSLATED.items():
        text = text.replace(word, meaning).replace(word.capitalize(), meaning)
    return text


def cookie_sessions() -> Answers:
    """Knows a conversation by its cookie, reads the newest message alone, and has a page for the choice."""
    sessions: dict[str, list[dict[str, str]]] = {}
    shown: dict[str, list[Any]] = {}
    ids = count(1)

    def card(found: Found) -> dict[str, Any]:
        dish = found.dish
        return {
            "key": f"card/{dish.id}",
            "name": dish.title,
            "needs": [{"amount": amount, "name": name} for name, amount in dish.amounts.items()],
            "duration": {"minutes": dish.minutes},
            "method": [{"text": step} for step in dish.steps],
            "feeds": dish.servings,
        }

    def answers(_method: str, path: str, headers: Mapping[str, str], body: Any) -> Sent:
        if path not in ("/talk", "/pick"):
            return Sent({"error": "not here"}, 404)
        sid = headers.get("cookie", "").removeprefix("sid=")
        given = [{"role": each["who"], "content": each["says"]} for each in body["log"]]
        if path == "/pick":
            return Sent({"taken": shown[sid][0]["key"]}) if sid in shown else Sent({"error": "no session"}, 403)
        new = {} if sid in sessions else {"set-cookie": f"sid=s{next(ids)}; Path=/; HttpOnly"}
        sid = sid if sid in sessions else new["set-cookie"].split(";")[0].removeprefix("sid=")
        # What came before the conversation is told once; afterwards the newest message is read alone.
        log = sessions.setdefault(sid, [])
        log += given[-1:] if log else given
        wishes, said = understood(log, body["fridge"])
        found = options_for(wishes, BOOK)
        answer = answer_turn(said, wishes, found, BOOK)
        log.append({"role": "assistant", "content": answer["reply"]})
        state = {"ask": "question", "options": "cards", "end": "over"}[answer["next_action"]]
        shown[sid] = [card(one) for one in found]
        cards = shown[sid] if state == "cards" else [] if state == "over" else None
        return Sent({"state": state, "text": answer["reply"], "cards": cards}, headers=new)

    return answers


COOKIE_MAPPING = """
turn:
  path: /talk
  request: {messages: log, fridge_input: fridge}
  response: {next_action: state, reply: text, options: cards}
choose:
  path: /pick
  request: {messages: log, options: offered}
  response: {selected: taken}
  send: ids
message: {role: who, content: says}
recipe: {id: key, title: name, ingredients: needs, time_minutes: duration.minutes, steps: method, servings: feeds}
next_actions: {question: ask, cards: options, over: end}
"""


def streaming() -> Answers:
    """Speaks word by word in server-sent events, each dish an event of its own field; asks for ingredients alone."""

    def dish(one: Dish) -> dict[str, Any]:
        listed = [f"{name} ({amount})" for name, amount in one.amounts.items()]
        facts = {"mins": one.minutes, "portions": one.servings}
        return {"ref": one.id, "dish": one.title, "uses": listed, "facts": facts, "todo": list(one.steps)}

    def speak(words: str, **fields: Any) -> Sent:
        pieces = [f"event: say\ndata: {json.dumps({'say': piece + ' '})}\n\n" for piece in words.split(" ")]
        last = [f"event: {name}\ndata: {json.dumps({name: value})}\n\n" for name, value in fields.items()]
        return Sent(kind="text/event-stream", pieces=(": hello\n\n", *pieces, *last, "data: [DONE]\n\n"))

    def answers(method: str, path: str, _headers: Mapping[str, str], body: Any) -> Sent:
        if (method, path) == ("PUT", "/choice"):
            first = body["dishes"][0]
            # The same in other spellings, as a second system may return it.
            spelled = [used.replace(" g)", " grams)").replace(" tbsp)", " tablespoons)") for used in first["uses"]]
            return Sent({"dish": {**first, "uses": spelled, "facts": {**first["facts"], "calories": 500}}})
        if path != "/stream":
            return Sent({"error": "not here"}, 404)
        wishes, said = understood(body["messages"], body["fridge_input"])
        asked = any(QUESTIONS["ingredients"] in message.content for message in said)
        if not main_ingredients(wishes, BOOK.larder) and not wishes.anything and not asked:
            return speak(QUESTIONS["ingredients"], phase="ASK")
        found = options_for(wishes, BOOK)
        if not found:
            return speak("There is no dish of these that would suit you.", dishes=[], phase="END")
        return speak("Look what can be made of it:", dishes=[dish(one.dish) for one in found], phase="SHOW")

    return answers


STREAM_MAPPING = """
turn:
  path: /stream
  response: {next_action: phase, options: dishes}
choose:
  method: PUT
  path: /choice
  request: {options: dishes}
  response: {selected: dish}
stream: say
recipe: {id: ref, title: dish, ingredients: uses, time_minutes: facts.mins, steps: todo, servings: facts.portions}
next_actions: {ASK: ask, SHOW: options, END: end}
"""


def polling() -> Answers:
    """Takes each turn as a job, whose result is there when it is asked for the second time; errors are status 200."""
    jobs: dict[str, list[Any]] = {}
    ids = count(1)

    def option(found: Found) -> dict[str, Any]:
        dish = found.dish
        ingredients = [f"{amount} {name}" for name, amount in dish.amounts.items()]
        recipe = {"title": dish.title, "ingredients": ingredients, "steps": list(dish.steps)}
        return {"id": dish.id, "recipe": {**recipe, "servings": dish.servings}, "time": dish.minutes}

    def turn(messages: Sequence[Mapping[str, str]], fridge: Any) -> dict[str, Any]:
        wishes, said = understood(messages, fridge)
        kept = sorted(wishes.diets)
        sure = f"You avoid {kept[0].removesuffix('-free')}, right?" if kept and kept[0].endswith("-free") else ""
        sure = sure or (f"Do you keep to {kept[0]} food?" if kept else "")
        asked = [place for place, message in enumerate(said) if message.content == sure]
        if sure and not asked:
            return {"do": "ASK", "say": sure}
        if sure and not said[asked[0] + 1].content.startswith("Yes"):
            return {"problem": f"{sure} {said[asked[0] + 1].content}"}
        answer = answer_turn(said, wishes, options_for(wishes, BOOK), BOOK)
        offered = [option(one) for one in options_for(wishes, BOOK)]
        action = answer["next_action"].upper()
        shown = None if action == "ASK" else offered if action == "OPTIONS" else []
        return {"do": action, "say": answer["reply"], "ideas": shown}

    def answers(method: str, path: str, _headers: Mapping[str, str], body: Any) -> Sent:
        if method == "POST" and path in ("/jobs", "/jobs/choice"):
            given = body["input"]
            found = turn(given["messages"], given.get("fridge")) if path == "/jobs" else {"picked": given["ideas"][0]}
            job = f"job/{next(ids)}"
            jobs[job] = [0, found]
            return Sent({"job": {"id": job, "state": "queued"}}, 202)
        name = path.removeprefix("/jobs/").replace("%2F", "/")
        if method != "GET" or name not in jobs:
            return Sent({"result": {"problem": "no such job"}, "job": {"state": "ready"}})
        jobs[name][0] += 1
        if jobs[name][0] < 2:
            return Sent({"job": {"id": name, "state": "running"}})
        return Sent({"job": {"id": name, "state": "ready"}, "result": jobs[name][1]})

    return answers


POLL_MAPPING = """
turn:
  path: /jobs
  request: {messages: input.messages, fridge_input: input.fridge}
  response: {next_action: result.do, reply: result.say, options: result.ideas}
choose:
  path: /jobs/choice
  request: {messages: input.messages, fridge_input: input.fridge, options: input.ideas}
  response: {selected: result.picked}
recipe:
  title: recipe.title
  ingredients: recipe.ingredients
  time_minutes: time
  steps: recipe.steps
  servings: recipe.servings
next_actions: {ASK: ask, OPTIONS: options, END: end}
poll: {path: "/jobs/{id}", id: job.id, status: job.state, until: [ready], every_seconds: 0.01}
error: result.problem
"""
RECIPE_APPLICATIONS: Mapping[str, tuple[Callable[[], Answers], str]] = {
    "cookie sessions": (cookie_sessions, COOKIE_MAPPING),
    "streaming": (streaming, STREAM_MAPPING),
    "polling": (polling, POLL_MAPPING),
}
"""Name -> the application, and the mapping file with which it is evaluated."""
