"""The command that holds a rubric against people's ratings: a folder in, tables and two files out."""

import json
from pathlib import Path

import pytest

from scripts.validate_rubric import main

ASKS = "I hear you. What happened next?"
TELLS = "No."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EVAL_RUNS_DIR", str(tmp_path / "runs"))
    ratings = tmp_path / "ratings"
    ratings.mkdir()
    lines = [
        {
            "id": f"chat-{number}-{'kim' if number % 2 else 'lee'}",
            "user_input": "Hello there",
            "response": ASKS if number % 3 else TELLS,
            "ratings": {"overall": number % 3 * 1.0},
            "group": f"g{number % 5}",
        }
        for number in range(30)
    ]
    (ratings / "conture.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return ratings


def test_tables_and_files(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder), r"--bot=-(\w+)$"]) == 0
    out = capsys.readouterr().out
    assert "conture overall" in out
    assert "(2 bots)" in out
    assert "all together" in out
    assert max(map(len, out.splitlines())) <= 80
    written = tmp_path / "runs" / "validity" / "companion"
    found = json.loads((written / "validity.json").read_text(encoding="utf-8"))
    (row,) = found["ranks"]
    assert (row["n"], row["metric"], row["bots"]) == (30, "overall_quality", 2)
    assert row["ranks"]["tool"]["value"] > 0.7
    assert "Hello there" not in (written / "validity.md").read_text(encoding="utf-8")


def test_another_base_stands_beside_the_rubric(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shipped = Path(__file__).resolve().parents[2] / "evaluation" / "rubrics" / "companion.yaml"
    other = folder.parent / "other.yaml"
    other.write_text(
        shipped.read_text(encoding="utf-8").replace("name: companion\n", "name: other\n"), encoding="utf-8"
    )
    assert main([str(folder), "--rubric", str(other), "--base", "companion"]) == 0
    assert "beside companion" in capsys.readouterr().out


def test_an_exchange_in_a_language_that_the_rubric_does_not_read_is_in_no_table(folder: Path, tmp_path: Path) -> None:
    polish = {
        "id": "chat-30-kim",
        "user_input": "Jestem bardzo smutna, bo wczoraj umarł mój pies.",
        "response": "Bardzo mi przykro. Czy chcesz mi o nim opowiedzieć?",
        "ratings": {"overall": 1.0},
    }
    with (folder / "conture.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(polish) + "\n")
    assert main([str(folder)]) == 0
    found = json.loads((tmp_path / "runs" / "validity" / "companion" / "validity.json").read_text(encoding="utf-8"))
    assert [row["n"] for row in found["ranks"]] == [30]
    assert {row["n"] for row in found["spread"]["conture"]} == {30}


def test_unread_lines_end_with_3(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (folder / "conture.jsonl").open("a", encoding="utf-8") as file:
        file.write("{\n")
    assert main([str(folder)]) == 3
    assert "line 31" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["missing"], "missing"),
        (["empty"], "holds no .jsonl file of ratings"),
        (["ratings", "--bot", "("], "is no pattern"),
        (["ratings", "--bot", "kim|lee"], "'kim|lee' has no group"),
        (["ratings", "--seed", "-1"], "--seed -1: give a whole number from 0"),
        (["ratings", "--output", "ratings/conture.jsonl"], "ratings/conture.jsonl/validity.md: cannot be written"),
        (["ratings", "--output", "ratings/conture.jsonl/below"], "below/validity.md: cannot be written"),
        (["ratings", "--pairs", "none"], "there is no set of pairs"),
    ],
)
def test_wrong_input_is_refused_in_one_line(
    arguments: list[str],
    complaint: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder.parent)
    (folder.parent / "empty").mkdir()
    assert main(arguments) == 2
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert complaint in error
    assert error.startswith("error: ")


MARKED = "# Page\n\n<!-- agreement: companion -->\nold\n<!-- end -->\n\nafter <!-- end -->\n"


@pytest.mark.parametrize("before", ["old\n", ""])
def test_tables_are_written_into_a_page(before: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = folder.parent / "page.md"
    page.write_text(MARKED.replace("old\n", before), encoding="utf-8")
    for _ in range(2):
        assert main([str(folder), "--into", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# Page\n\n<!-- agreement: companion -->\n\n## ")
    assert text.endswith("\n<!-- end -->\n\nafter <!-- end -->\n")
    assert text.count("`conture overall`") == 2
    assert "old" not in text
    for said in ("Hello there", ASKS, "chat-1-kim"):
        assert said not in text, "nothing of the data but the names of files and dimensions"
    assert str(page) in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# Page\n", "has no place for the tables"),
        (MARKED.replace("companion", "companion-v3"), "has no place for the tables"),
        (MARKED + MARKED, "has two places for the tables"),
        (MARKED.replace("<!-- end -->", ""), "has no place for the tables"),
        (MARKED.replace("old\n<!-- end -->", "<!-- another -->\nkept", 1), "has no place for the tables"),
    ],
)
def test_a_page_without_its_place_is_refused_before_anything_is_scored(
    folder: Path, text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page = folder.parent / "page.md"
    page.write_text(text, encoding="utf-8")
    assert main([str(folder), "--into", str(page)]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert "<!-- agreement: companion --> and <!-- end -->" in err
    assert "reading" not in err
    assert page.read_text(encoding="utf-8") == text


def test_a_page_keeps_its_line_ends_its_permissions_and_its_link(folder: Path) -> None:
    page, link = folder.parent / "page.md", folder.parent / "link.md"
    page.write_text(MARKED, encoding="utf-8", newline="\r\n")
    page.chmod(0o640)
    link.symlink_to(page)
    assert main([str(folder), "--into", str(link)]) == 0
    assert link.is_symlink()
    assert page.stat().st_mode & 0o777 == 0o640
    content = page.read_bytes()
    assert b"`conture overall`" in content
    assert content.count(b"\n") == content.count(b"\r\n")


def test_figures_are_printed_before_a_folder_refuses_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder), "--output", str(folder / "conture.jsonl")]) == 2
    assert "conture overall" in capsys.readouterr().out


def test_the_good_replies_of_the_mutation_test_stand_beside_the_rated_ones(folder: Path, tmp_path: Path) -> None:
    assert main([str(folder), "--output", str(tmp_path / "out")]) == 0
    spread = json.loads((tmp_path / "out" / "validity.json").read_text(encoding="utf-8"))["spread"]
    assert list(spread) == ["conture", "mutation bases", "all together"]
    exchanges = {name: rows[0]["n"] for name, rows in spread.items()}
    assert exchanges["all together"] == exchanges["conture"] + exchanges["mutation bases"]


def test_people_with_people(folder: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in (folder / "conture.jsonl").read_text(encoding="utf-8").splitlines()]
    for number, line in enumerate(lines):
        line["raters"] = {"overall": [number % 3, number % 3 + 1]}
    (folder / "conture.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert main([str(folder), "--output", str(tmp_path / "out")]) == 0
    (row,) = json.loads((tmp_path / "out" / "validity.json").read_text(encoding="utf-8"))["ranks"]
    assert row["people"] == pytest.approx(1.0)
    assert row["chosen"] is True
