"""A recipe of words that nobody knows, before a judge: it is asked about exactly these words, and never clears them."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from tests.scripts.commands import document, lines, only_run, run
from tests.scripts.judges import item_questions
from tests.services.scripted_endpoint import Answer, Call, say, scripted_endpoint

LINE = "1 sachet of Zelko mix"
OPTION: dict[str, Any] = {
    "title": "Rice bowl",
    "ingredients": ["200 g rice", LINE],
    "time_minutes": 20,
    "servings": 2,
    "steps": ["Boil the rice.", "Stir in the sachet."],
}
DIMENSIONS = ("input_understanding", "option_quality", "selection_quality", "reliability", "clarity")
MARKS: dict[str, Any] = {"scores": 4, "rationale": "Fine."}
CASES = """
category: allergies
scenarios:
  - {id: rice, turns: ["Rice, for 2. I am allergic to milk."], data: {available: [rice], allergies: [milk]}}
"""


def assistant(call: Call) -> Answer:
    body: dict[str, Any] = {"selected": OPTION, "trace_id": "t"}
    if call.path == "/api/chat/turn":
        body = {"next_action": "options", "reply": "Here you are.", "options": [OPTION], "trace_id": "t"}
    return Answer(200, body)


def judged(answer: str) -> Any:
    """A judge that gives every dimension a 4, and this answer to each question about what was said."""

    def endpoint(call: Call) -> Answer:
        if questions := item_questions(call):
            asked.extend(questions)
            quote = LINE if answer == "yes" else ""
            return say(json.dumps({str(n): {"quote": quote, "answer": answer} for n in range(1, len(questions) + 1)}))
        fine: dict[str, Any] = {name: dict.fromkeys(DIMENSIONS, value) for name, value in MARKS.items()}
        return say(json.dumps({**fine, "overall": 4}))

    asked: list[str] = []
    endpoint.asked = asked  # type: ignore[attr-defined]
    return endpoint


@pytest.mark.parametrize(
    ("answer", "value", "said"),
    [
        ("yes", 0.0, f'the judge shows that it may not be eaten: "{LINE}"'),
        ("no", None, "the judge sees nothing that may not be eaten"),
        ("cannot tell", None, "the judge cannot tell"),
    ],
)
def test_a_judge_is_asked_about_the_words(tmp_path: Path, answer: str, value: float | None, said: str) -> None:
    (tmp_path / "cases.yaml").write_text(CASES)
    judge = judged(answer)
    with scripted_endpoint(assistant) as application, scripted_endpoint(judge) as endpoint:
        done = run(
            *(
                "--scenarios",
                str(tmp_path / "cases.yaml"),
                "--url",
                application.url.removesuffix("/v1"),
                "--judge-model",
                "judge",
            ),
            *("--gate", "checks"),
            runs=tmp_path / "runs",
            module="scripts.evaluate_chat_flow",
            OPENAI_API_KEY="sk-test",
            OPENAI_BASE_URL=endpoint.url,
        )
    assert done.code == 1, done.err
    about = [question for question in judge.asked if "zelko" in question]
    assert about and all('"zelko", "mix"' in question and "milk allergy" in question for question in about)
    folder = only_run(tmp_path / "runs")
    (line,) = lines(folder)
    assert line["scores"]["check"]["dietary"] == value
    assert line["checks"]["dietary"]["evidence"].endswith(said)
    assert line["expectations"] == []
    summary = document(folder, "summary.json")
    (case,) = summary["failed_checks" if value == 0 else "open_checks"]
    assert case["checks"]["dietary"].endswith(said)
    junit = ElementTree.parse(folder / "junit.xml")
    assert len(junit.findall(".//testcase[@name='rice']/" + ("failure" if value == 0 else "error"))) == 1
