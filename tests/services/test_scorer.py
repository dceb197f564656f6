"""The digest of the code that scores: of a changed line another one, of the same code the same."""

import sys
from pathlib import Path

import pytest

from evaluation.suites import SUITES
from scripts.run.load import load_suite
from services.scorer import scorer_digest


def test_a_changed_line_in_a_package_changes_the_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "made_up_cues"
    (package / "family").mkdir(parents=True)
    cue = package / "family" / "cue.py"
    (package / "__init__.py").write_text("")
    cue.write_text("STRENGTH = 1.0\n")
    monkeypatch.syspath_prepend(tmp_path)

    def digest() -> str:
        scorer_digest.cache_clear()
        return scorer_digest(("made_up_cues",))

    before = digest()
    cue.write_bytes(b"STRENGTH = 1.0\r\n")
    assert digest() == before
    cue.write_text("STRENGTH = 0.5\n")
    assert digest() != before
    assert "made_up_cues.family.cue" not in sys.modules


def test_an_unknown_module_is_no_scorer() -> None:
    with pytest.raises(ModuleNotFoundError, match="made_up_scorer"):
        scorer_digest(("made_up_scorer",))


def test_every_suite_pins_code_of_its_own() -> None:
    digests = {name: scorer_digest(load_suite(name).suite.scored_by) for name in SUITES}
    assert all(len(digest) == 64 for digest in digests.values())
    assert len(set(digests.values())) == len(SUITES)
