"""The command that chooses amounts: a folder of ratings in, a table of amounts and of what was left out."""

import json
from pathlib import Path

import pytest

from scripts.choose_amounts import main

REPLIES = ("What would help you most?", "No.", "I understand that you are sad.", "Is it raining?")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("conture", "ieval"):
        lines = [
            {
                "id": f"{number}-{'kim' if number % 2 else 'lee'}",
                "user_input": "I am sad about my work",
                "response": REPLIES[number % 4],
                "ratings": {"overall": (number % 4) * 1.0, "empathetic": (number % 4 == 2) * 1.0},
                "group": f"g{number // 3}",
            }
            for number in range(30)
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return tmp_path


def test_amounts_and_what_was_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder), r"--bot=-(\w+)$"]) == 0
    out = capsys.readouterr().out
    for part in ("amounts chosen", "sources left out", "bots left out", "conversations left out", "over all choices"):
        assert part in out
    assert max(map(len, out.splitlines())) <= 80
    assert "sad about my work" not in out
    assert "Amounts of trust boundaries" in out
    assert "more are in" not in out, "no file holds what is left out"


def test_amounts_as_json_keep_those_of_named_cues(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder), "--keep", "shares_word", "--json"]) == 0
    choices = json.loads(capsys.readouterr().out)
    assert choices[0]["left_out"] is None
    assert {"sources: conture", "sources: ieval"} < {choice["left_out"] for choice in choices}
    for choice in choices:
        assert [each["add"] for each in choice["amounts"] if each["cue"] == "shares_word"] == [0.3]


def test_an_unknown_cue_to_keep_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder), "--keep", "nothing"]) == 2
    assert "--keep nothing" in capsys.readouterr().err


def ratings_file(folder: Path, count: int, **more: object) -> Path:
    file = folder / "ieval.jsonl"
    line = {"user_input": "I am sad", "ratings": {"empathetic": 1}, **more}
    texts = [json.dumps({**line, "id": f"{number}", "response": REPLIES[number % 4]}) for number in range(count)]
    file.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return file


@pytest.mark.parametrize("count, more", [(0, {}), (12, {"level": "pair", "group": "one"}), (12, {"ratings": {}})])
def test_ratings_without_a_line_to_choose_on_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], count: int, more: dict[str, object]
) -> None:
    file = ratings_file(tmp_path, count, **more)
    assert main([str(file)]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(f"error: {file}: no line of its files could be used")


@pytest.mark.parametrize("count, ratings", [(12, {"unheard of": 1}), (2, {"empathetic": 1})])
def test_ratings_that_no_pair_speaks_of_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], count: int, ratings: dict[str, int]
) -> None:
    assert main([str(ratings_file(tmp_path, count, ratings=ratings))]) == 2
    assert "--pairs" in capsys.readouterr().err.splitlines()[-1]


def test_lines_that_could_not_be_read_show_in_the_exit_code(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (folder / "ieval.jsonl").open("a", encoding="utf-8") as file:
        file.write("no json\n")
    assert main([str(folder)]) == 3
    assert "line 31" in capsys.readouterr().err


def test_the_only_source_is_not_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(ratings_file(tmp_path, 12)), "--json"]) == 0
    left_out = [choice["left_out"] for choice in json.loads(capsys.readouterr().out)]
    assert len(left_out) > 1
    assert not [each for each in left_out if each and each.startswith("sources")]
