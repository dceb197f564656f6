"""A run with facts and a set of criteria, from outside: what is found, by whom, and where it stands."""

from pathlib import Path

import pytest

from tests.scripts.commands import document, lines, only_run, run
from tests.scripts.judges import ItemAnswer, Judging, item_questions, judged_canary, know, settings
from tests.services.scripted_endpoint import Answer, Call, say, scripted_endpoint

WRONG = "Gladly, and I hope that you like it. The library ticket costs 15 euros a year, and Mr Toll will be glad."
SCENARIOS = """\
category: small_talk
scenarios:
  - id: ticket
    turns: [What does the library ticket cost?]
    facts: [{id: price, text: The library ticket costs 20 euros a year., critical: true}]
  - id: dinner
    turns: [I don't eat pork. What shall I cook?]
    criteria_sets: [food-and-fasting]
    stated: {food: I don't eat pork}
"""


class Librarian(Judging):
    def __call__(self, call: Call) -> Answer:
        if call.body["model"] != "judge":
            return say(WRONG)
        return super().__call__(call)


def see(question: str, call: Call) -> ItemAnswer:
    if judged_canary(call) is not None:
        return know(question, call)
    wrong = "contradict this fact" in question
    return {"quote": "costs 15 euros a year", "answer": "yes"} if wrong else {"quote": "", "answer": "no"}


@pytest.mark.slow
def test_a_wrong_price_is_found_by_rule_and_confirmed_by_the_judge(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(SCENARIOS, encoding="utf-8")
    with scripted_endpoint(Librarian(item=see, noise=0.0)) as server:
        asked = ("--prompt", "v3", "--scenarios", str(file), "--quiet", "--conversations", "none")
        done = run(*asked, runs=tmp_path / "runs", **settings(server.url))
        assert done.code == 0, done.err
        questions = [each for call in server.calls for each in item_questions(call)]
    assert any(
        each.endswith('Does it contradict this fact: "The library ticket costs 20 euros a year."?')
        for each in questions
    )
    assert any("food or drink that the user said they do not take" in each for each in questions)
    folder = only_run(tmp_path / "runs")
    found = {(line["scenario_id"], each["id"]): each for line in lines(folder) for each in line["expectations"]}
    price = found["ticket", "agrees-with-facts"]
    assert (price["outcome"], price["source"]) == ("fails", "rule")
    assert price["quote"] == "The library ticket costs 15 euros a year, and Mr Toll will be glad."
    assert price["reason"] == 'says "15 euros" against the fact "The library ticket costs 20 euros a year."'
    assert found["ticket", "adds-no-facts"]["reason"] == 'neither facts nor conversation say "Toll"'
    assert (found["ticket", "fact-price"]["outcome"], found["ticket", "fact-price"]["source"]) == ("fails", "judge")
    assert found["dinner", "offers-what-was-ruled-out"]["outcome"] == "holds"
    critical = document(folder, "summary.json")["critical"]
    assert [each["id"] for each in critical["items"]] == ["fact-price"]
    assert "against the fact" in (folder / "report.html").read_text(encoding="utf-8")
