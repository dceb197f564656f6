"""The command that edits good replies: what it prints, and what it refuses."""

import json

import pytest

from scripts.mutation_test import main


def test_every_kind_stands_under_its_metric(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    out = capsys.readouterr().out
    assert out.startswith("rules of companion ")
    assert "Edits that should move trust boundaries" in out
    assert max(map(len, out.splitlines())) <= 80


def test_json_holds_the_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--json", "--shut"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["wordings"] == "shut"
    assert all(each["right"] + each["wrong"] + each["ties"] == each["edits"] > 0 for each in found["edits"])


def test_misses_show_the_reply_before_and_after(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--misses", "false-memory"]) == 0
    assert "after: As we discussed last week, your operation went well." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--misses", "padd"], "did you mean 'pad'?"),
        (["--rubric", "text_quality"], "score none of the metrics that edits of a companion's replies should move"),
    ],
)
def test_what_does_not_exist_is_refused(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert complaint in capsys.readouterr().err


def test_the_shut_wordings_are_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--shut", "--misses", "pad"])
    assert stop.value.code == 2
    assert "--shut" in capsys.readouterr().err
