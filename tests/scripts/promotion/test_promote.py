"""A label moves where the proof is there: certificate, label, comment, each once, whatever is cut off in between."""

import json
import signal
import time
from pathlib import Path

import pytest

from services.certificates import write_certificate
from tests.langfuse_double.faults import Kind
from tests.scripts.commands import started
from tests.scripts.promotion.conftest import evaluated, kind
from tests.scripts.promotion.promoting import PROMOTE, V3, Place


def test_a_proved_version_gets_label_certificate_and_comment_once(proved: Place) -> None:
    done = proved.promote()
    assert done.code == 0, done.err
    assert proved.label() == 3
    certificate = proved.content
    assert (certificate["label"], certificate["moved_from"], certificate["prompt"]["version"]) == ("production", 2, 3)
    assert (certificate["proof"], certificate["gate"], certificate["verdict"]) == ("decision", "deploy", "deploy")
    (run,) = certificate["runs"]
    assert run["figures"]["counts"]["scored"] == run["figures"]["counts"]["planned"] == 12
    assert set(run["files"]) == {"manifest.json", "inputs.json", "results.jsonl", "summary.json", "decision.json"}
    (comment,) = proved.comments(3)
    assert certificate["id"] in comment and run["run_id"] in comment and "version 2" in comment
    written = proved.certificate.read_text() + comment + done.out + done.err
    assert proved.langfuse.secret_key not in written and proved.langfuse.public_key not in written
    assert "Marked words" not in written, "no response stands in a certificate"
    assert proved.langfuse.body_problems() == []
    before = proved.certificate.read_bytes()
    again = proved.promote("--json")
    assert again.code == 0, again.err
    answer = json.loads(again.out)
    assert (answer["promoted"], answer["moved"], answer["to"], answer["id"]) == (True, False, 3, certificate["id"])
    assert proved.certificate.read_bytes() == before
    assert len(proved.comments(3)) == 1
    assert proved.langfuse.count("PATCH *") == 2, "one of push-prompts, one of the promotion"


def test_a_label_that_nothing_carries_is_given(proved: Place) -> None:
    done = proved.promote("v3", "--to", "canary.eu")
    assert done.code == 0, done.err
    assert (proved.label("canary.eu"), proved.label()) == (3, 2)
    assert proved.content["moved_from"] is None
    assert "no version -> 3" in done.out


def test_a_label_that_stands_there_already_is_not_called_promoted_by_proof(proved: Place) -> None:
    proved.put_label(3)
    done = proved.promote()
    assert done.code == 0 and "already" in done.out
    assert proved.certificates == []
    refused = proved.promote(EVAL_JUDGE_MODEL="another")
    assert refused.code == 1, "without the proof it is refused all the same"


def test_a_move_of_somebody_else_in_between_stops_it(proved: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def and_somebody_moves(path: Path, text: str) -> None:
        write_certificate(path, text)
        proved.put_label(1)

    monkeypatch.setattr("scripts.promotion.promote.write_certificate", and_somebody_moves)
    done = proved.promote()
    assert done.code == 2
    assert "was on version 2 and is on version 1 now: somebody moved it meanwhile" in done.err
    assert proved.label() == 1 and proved.certificates == []


@pytest.mark.parametrize(
    ("pattern", "fault", "code", "said"),
    [
        ("GET *", "401", 2, "refuses the keys (401)"),
        ("GET *", "503", 2, "answered 503"),
        ("PATCH *", "401", 2, "refuses the keys (401)"),
        ("PATCH *", "403", 2, "label 'production' (403): it may be protected"),
        ("PATCH *", "404", 2, "refuses to move label 'production' (404"),
        ("PATCH *", "500", 3, "answered 500"),
        ("PATCH *", "hang", 3, "did not answer within"),
        ("POST */comments", "500", 3, "the comment is missing"),
        ("POST */comments", "403", 3, "the comment is missing"),
    ],
)
def test_what_langfuse_refuses_is_one_line_and_the_same_command_goes_on(
    proved: Place, monkeypatch: pytest.MonkeyPatch, pattern: str, fault: Kind, code: int, said: str
) -> None:
    monkeypatch.setattr("scripts.promotion.kept.QUICK_SECONDS", 0.5)
    proved.langfuse.fail(pattern, fault, times=None)
    done = proved.promote()
    assert done.code == code, done.err
    assert said in done.err and done.err.count("\n") == 1, done.err
    assert proved.label() == (3 if "comments" in pattern else 2)
    assert len(proved.certificates) == (1 if code == 3 else 0)
    assert code == 2 or "go on with make promote PROMPT=v3 TO=production" in done.err
    proved.langfuse.heal()
    again = proved.promote()
    assert again.code == 0, again.err
    assert proved.label() == 3 and len(proved.certificates) == 1 and len(proved.comments(3)) == 1


@pytest.mark.parametrize("fault", ["reset_after_store", "429"])
@pytest.mark.parametrize("pattern", ["PATCH *", "POST */comments"])
def test_a_lost_acknowledgement_and_a_throttle_change_nothing(proved: Place, pattern: str, fault: Kind) -> None:
    proved.langfuse.fail(pattern, fault, times=1, retry_after=0)
    done = proved.promote()
    assert done.code == 0, done.err
    assert proved.label() == 3 and len(proved.comments(3)) == 1


@pytest.mark.parametrize(("cut_at", "moved"), [("PATCH *", False), ("POST */comments", True)])
def test_a_kill_between_two_steps_leaves_what_the_same_command_completes(
    proved: Place, cut_at: str, moved: bool
) -> None:
    proved.langfuse.fail(cut_at, "hang", times=None)
    seen = proved.langfuse.count(cut_at)
    with started(*V3, runs=proved.runs, module=PROMOTE, **proved.settings) as process:
        deadline = time.monotonic() + 60
        while proved.langfuse.count(cut_at) == seen and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
    written = proved.certificate.read_bytes()
    assert proved.label() == (3 if moved else 2)
    proved.langfuse.heal()
    done = proved.promote()
    assert done.code == 0, done.err
    assert ("was moved before" in done.out) is moved
    assert proved.certificate.read_bytes() == written
    assert proved.label() == 3 and len(proved.comments(3)) == 1


def test_a_comparison_with_what_carries_the_label_proves_too(proved: Place) -> None:
    """A verdict that is no deploy, and no metric worse than in production."""
    other = Place(proved.folder / "compared", proved.langfuse)
    other.folder.mkdir()
    rules = str(other.folder / "rules.yaml")
    sides = ("--base", "v2", "--prompt", "v3", "--gate", "no_regression", "--rules", rules)
    evaluated(other.folder, lambda quality, canary, _: 0.5 if canary is None else quality, *sides)
    shipped = other.promote()
    assert shipped.code == 1 and other.certificates == []
    assert "did not pass its gate: " in shipped.out, "by itself"
    assert "did not pass no_regression" in shipped.out
    done = other.promote("--rules", rules)
    assert done.code == 0, done.out + done.err
    certificate = other.content
    assert (certificate["proof"], certificate["gate"]) == ("comparison", "no_regression")
    assert [run["role"] for run in certificate["runs"]] == ["candidate", "base"]
    assert [run["prompt"]["version"] for run in certificate["runs"]] == [3, 2]
    assert other.verify().code == 0
    base = next(path for path in other.runs.iterdir() if "-v2-" in path.name)
    lines = (base / "results.jsonl").read_text().splitlines(keepends=True)
    (base / "results.jsonl").write_text("".join(lines[1:]))
    found = other.verify()
    assert found.code == 1 and f"{base}/results.jsonl: its hash is" in found.out


def test_names_from_elsewhere_are_safe_as_files_and_on_the_terminal(proved: Place) -> None:
    name = "team/../x\x1b[31m"
    rows = proved.langfuse.store.prompts
    rows[name] = [row for row in rows["penpal-companion"] if row.version == 3]
    rows[name][0].name = name
    done = proved.promote("v1", "--to", "production", EVAL_PROMPT_NAME="team/../x")
    assert done.code == 2 and "\x1b" not in done.err
    label = proved.promote("v3", "--to", "../\x1b[2J")
    assert label.code == 2 and "\x1b" not in label.err and "Langfuse takes" in label.err
    assert proved.certificates == []


def test_the_opinion_of_the_fixture_is_right_about_canaries() -> None:
    assert kind(0.3, None, 1) == 0.95
