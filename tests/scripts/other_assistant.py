"""A second, much smaller implementation of the chat flow, with names of its own: what a mapping file is for."""

from typing import Any

from tests.services.scripted_endpoint import Answer, Call

MAPPING = """
turn:
  path: /v2/dialog
  request: {messages: conversation.history, fridge_input: pantry}
  response: {next_action: state.next, reply: state.say, options: results.items}
choose:
  path: /v2/pick
  request: {messages: conversation.history, options: candidates}
  response: {selected: choice.recipe}
message: {role: speaker, content: text, roles: {user: human, assistant: bot}}
recipe: {title: label, ingredients: parts, time_minutes: duration.minutes, steps: method.lines, servings: feeds}
next_actions: {SHOW: options, QUESTION: ask}
trace_id: {body: meta.span}
"""

CASES = """
category: constraints
scenarios:
  - id: rice-and-garlic
    turns: ["Chicken, rice, garlic."]
    data:
      available: [chicken, rice, garlic]
      time_budget_minutes: 30
      answers: [{say: Thirty minutes., to: [long]}]
  - id: rice-in-a-hurry
    turns: ["Chicken and rice in 10 minutes."]
    data: {available: [chicken, rice], time_budget_minutes: 10, answers: [Ten minutes.]}
"""


def dish(minutes: int) -> dict[str, Any]:
    return {
        "label": f"Chicken rice in {minutes} minutes",
        "parts": ["chicken breast", "rice", "garlic"]
        if minutes < 20
        else ["chicken legs", "brown rice", "garlic", "leek"],
        "duration": {"minutes": minutes, "unit": "min"},
        "method": {
            "lines": ["Cook the rice.", "Fry the chicken with the garlic.", "Mix both."]
            if minutes < 20
            else ["Brown the legs.", "Add leek, garlic and rice.", "Simmer under a lid."]
        },
        "feeds": 2,
    }


def other_assistant(call: Call) -> Answer:
    """Asks once for the time, then offers two dishes, the longer of which takes 25 minutes whatever was said."""
    if call.path == "/v2/dialog":
        said = call.body["conversation"]["history"]
        assert "pantry" in call.body and {message["speaker"] for message in said} <= {"human", "bot"}
        if len(said) == 1:
            return answer({"state": {"next": "QUESTION", "say": "How long may it take?"}})
        return answer({"state": {"next": "SHOW", "say": "Look."}, "results": {"items": [dish(10), dish(25)]}})
    if call.path == "/v2/pick":
        candidates = call.body["candidates"]
        assert candidates == [dish(10), dish(25)], "what was offered comes back as it was offered"
        return answer({"choice": {"recipe": candidates[0]}})
    return Answer(404)


def answer(body: dict[str, Any]) -> Answer:
    return Answer(body={**body, "meta": {"span": "their-trace"}})
