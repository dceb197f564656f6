"""Sweeps over an endpoint that honours only some of the parameters, as many local servers do."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.scripts.commands import Finished, document, run
from tests.scripts.test_sweep_parameters import group
from tests.services.scripted_endpoint import Answer, Call, refuse, say, scripted_endpoint


@contextmanager
def endpoint(honoured: Sequence[str], every: int = 1) -> Iterator[str]:
    """Answers follow from the last message and, in one of `every` messages, from the honoured parameters."""

    def answer(call: Call) -> Answer:
        asked = call.body["messages"][-1]["content"]
        heeded = [call.body.get(name) for name in honoured] if sum(asked.encode()) % every == 0 else []
        return say(f"Here is what I think. It has {len(asked)} letters, and I like {heeded}.")

    with scripted_endpoint(answer) as server:
        yield server.url


def sweep(runs: Path, url: str, *arguments: str) -> Finished:
    settings = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "sk-x", "EVAL_MODEL": "m"}
    flags = (*arguments, "--limit", "12", "--repeats", "2", "--quiet")
    found = run(*flags, runs=runs, module="scripts.sweep_parameters", **settings)
    assert found.code == 0, found.err
    return found


def texts(runs: Path, finished: Finished) -> list[str]:
    """What terminal, Markdown and page say, in one line each."""
    files = [(group(runs) / name).read_text(encoding="utf-8") for name in ("sweep.md", "report.html")]
    return [" ".join(text.split()) for text in (finished.out, *files)]


def test_a_parameter_that_changed_no_answer_is_the_first_line(tmp_path: Path) -> None:
    with endpoint([]) as url:
        finished = sweep(tmp_path, url, "--vary", "temperature=0.3,0.7,1.2")
    said = (
        "temperature had no effect at all: all 24 answers are identical at 0.3, 0.7 and 1.2; does the endpoint "
        "honour it?"
    )
    assert " ".join(finished.out.split()).startswith(said)
    assert f"{said} {tmp_path}" in " ".join(finished.out.split()), "it ends with its first line, above the page"
    _, markdown, page = texts(tmp_path, finished)
    assert markdown.startswith(f"## Sweep **{said}**")
    assert '<p class="answer">Temperature had no effect at all</p>' in page
    assert "All 24 answers are identical at 0.3, 0.7 and 1.2; does the endpoint honour it?</p>" in page
    found = document(group(tmp_path), "sweep.json")
    assert found["no_effect"] == said
    assert found["identical"] == [{"factor": "temperature", "compared": 24, "identical": 24, "no_effect": True}]
    assert all(len(line) <= 80 for line in finished.out.replace(str(tmp_path), "runs").splitlines())


def test_of_several_parameters_the_one_without_effect_is_named(tmp_path: Path) -> None:
    with endpoint(["top_p"]) as url:
        finished = sweep(tmp_path, url, "--vary", "temperature=0.3,1.2", "--vary", "top_p=0.5,1")
    terminal = texts(tmp_path, finished)[0]
    assert terminal.startswith("temperature had no effect at all: all 48 answers are identical at 0.3 and 1.2;")
    assert "top_p had no effect" not in terminal
    found = {each["factor"]: each for each in document(group(tmp_path), "sweep.json")["identical"]}
    assert found["temperature"]["no_effect"] and found["top_p"]["identical"] == 0


def test_several_parameters_without_effect_are_all_named(tmp_path: Path) -> None:
    with endpoint([]) as url:
        finished = sweep(tmp_path, url, "--vary", "temperature=0.3,1.2", "--vary", "top_p=0.5,1")
    assert texts(tmp_path, finished)[0].startswith(
        "temperature and top_p had no effect at all: all answers are identical at temperature 0.3 and 1.2, and at "
        "top_p 0.5 and 1; does the endpoint honour them?"
    )


def test_answers_that_are_mostly_identical_are_a_note(tmp_path: Path) -> None:
    with endpoint(["temperature"], every=3) as url:
        finished = sweep(tmp_path, url, "--vary", "temperature=0.3,1.2")
    found = document(group(tmp_path), "sweep.json")
    (same,) = found["identical"]
    assert found["no_effect"] is None and not same["no_effect"]
    assert 2 < same["identical"] < same["compared"] == 24
    note = f"{same['identical']} of 24 answers ({round(100 * same['identical'] / 24)}%) are identical at 0.3 and 1.2"
    assert note in found["notes"]
    assert all(note in text for text in texts(tmp_path, finished))


def test_the_short_report_ends_with_what_it_begins_with(tmp_path: Path) -> None:
    with endpoint([]) as url:
        finished = sweep(tmp_path, url, "--vary", "temperature=0.3,1.2")
    said = " ".join(finished.out.split())
    assert said.count("temperature had no effect at all: all 24 answers are identical at 0.3 and 1.2;") == 2
    assert "no two settings are shown to differ" not in said.rpartition("corrected, ")[2]


def test_what_is_missing_is_said_before_a_parameter_without_effect(tmp_path: Path) -> None:
    def answer(call: Call) -> Answer:
        asked = call.body["messages"][-1]["content"]
        return say("It is so.") if call.body["temperature"] < 1 or len(asked) % 2 else refuse(400)

    settings = {"OPENAI_API_KEY": "sk-x", "EVAL_MODEL": "m"}
    flags = ("--vary", "temperature=0.3,1.2", "--limit", "12", "--quiet")
    with scripted_endpoint(answer) as server:
        settings["OPENAI_BASE_URL"] = server.url
        finished = run(*flags, runs=tmp_path, module="scripts.sweep_parameters", **settings)
    assert finished.code == 3, finished.err
    first = " ".join(finished.out.split()).partition("honour it?")[0]
    assert first.startswith("INCOMPLETE (") and "failed): temperature had no effect at all: all" in first
