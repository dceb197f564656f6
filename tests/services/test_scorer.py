"""The digest of the code that scores: of a changed line another one, of the same code the same."""

import sys
from pathlib import Path

import pytest

from evaluation.suites import SUITES
from scripts.run.load import load_suite
from services.provenance import scorer_digest, sources_of
from tests.test_layers import imports_of


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
    code = digest()
    (package / "family" / "foods.yaml").write_text("cheese: {has: [dairy]}\n")
    with_table = digest()
    (package / "family" / "foods.yaml").write_text("cheese: {}\n")
    assert len({code, with_table, digest()}) == 3


def test_an_unknown_module_is_no_scorer() -> None:
    with pytest.raises(ModuleNotFoundError, match="made_up_scorer"):
        scorer_digest(("made_up_scorer",))


def test_every_suite_pins_code_of_its_own() -> None:
    digests = {name: scorer_digest(load_suite(name).suite.scored_by) for name in SUITES}
    assert all(len(digest) == 64 for digest in digests.values())
    assert len(set(digests.values())) == len(SUITES)


def test_what_scores_is_pinned_with_all_that_it_imports() -> None:
    """The records, models and readers that scoring is handed are pinned by other digests or change no value; so is how
    an application is asked."""
    handed = ("evaluation.applications", "evaluation.errors", "evaluation.ports", "evaluation.prompts",
              "evaluation.records", "evaluation.rubrics",
              "evaluation.runspec", "evaluation.scenarios", "evaluation.text",
              "evaluation.judging.asking", "evaluation.judging.material", "evaluation.expectations.form",
              "evaluation.expectations.criteria")  # fmt: skip
    for name in SUITES:
        pinned = SUITES[name].scored_by
        modules = {module for each in pinned for module, _ in sources_of(each)}
        paths = [path for each in pinned for _, path in sources_of(each) if path.suffix == ".py"]
        used = {found for path in paths for _, found in imports_of(path)}
        left = {each for each in used if each.startswith("evaluation.") and not each.startswith(handed)}
        assert {each for each in left if each not in modules and f"{each}.__init__" not in modules} == set(), name
