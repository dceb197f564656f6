"""A page on which a response called tools, and is one field of its reply."""

from dataclasses import replace

from evaluation.records import Cell, Exchange, ToolCall, Turn
from tests.evaluation.made_runs import reply
from tests.evaluation.reports.hostile import EVIL
from tests.evaluation.reports.html.pages import known_plan, known_results, run_page

EARLIER = ToolCall("c1", "clock", "{}", "12:40")
CALLS = (ToolCall("c2", "weather", '{"city": "Bern"}', f"rain {EVIL}"), ToolCall("c3", "pay", '{"amount": 5}'))
RAW = '{"reply": "Take a coat.", "mood": "calm"}'


def page() -> str:
    """s11 called the weather and a payment, and before it the clock; s12 called the clock and said nothing."""
    found = known_results()
    context = (Turn("user", "What time is it?"), Turn("assistant", "Noon.", (EARLIER,)))
    outcome = replace(reply(RAW), tool_calls=CALLS, finish_reason="tool_calls")
    called = Exchange(Cell("s11", 1), 1, context, "message 11", outcome, words="Take a coat.")
    found[11] = replace(found[11], exchange=called)
    alone = replace(reply(""), tool_calls=(replace(EARLIER, result=None),), finish_reason="tool_calls")
    found[12] = replace(found[12], exchange=replace(found[12].exchange, outcome=alone))
    return run_page(found, known_plan())
