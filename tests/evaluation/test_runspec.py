"""Two runs are comparable where their parts are the same."""

import json
from dataclasses import asdict, replace

import pytest

from evaluation.runspec import (
    ADDED_TO_JUDGE,
    JudgePin,
    PromptPin,
    RunSpec,
    TextPin,
    call_seed,
    canonical_json,
    differences,
    digest,
)

SPEC = RunSpec(
    suite="companion",
    prompt=PromptPin("p", 3, "production", "abc", "directory"),
    model="m",
    endpoint="https://host/v1",
    parameters={"temperature": 0.7, "top_p": 1},
    judge=JudgePin("j", "https://host/v1", "text"),
    rubric=TextPin("companion", "2.0.1", "def"),
    scenarios=TextPin("companion", "67", "ghi"),
    repeats=1,
    seed=0,
    prompt_parameters=("temperature",),
)


def test_a_spec_survives_json() -> None:
    assert RunSpec.from_json(json.loads(json.dumps(asdict(SPEC)))) == SPEC
    bare = replace(SPEC, prompt=None, judge=None)
    assert RunSpec.from_json(json.loads(json.dumps(asdict(bare)))) == bare


def test_a_spec_from_before_moderation_loads_without_it() -> None:
    older = {name: value for name, value in asdict(SPEC).items() if name != "moderation"}
    assert RunSpec.from_json(json.loads(json.dumps(older))) == SPEC


def test_a_prompt_is_named_by_its_number_or_else_by_its_hash() -> None:
    versioned = PromptPin("penpal-companion", 3, "production", "1a2b3c4d5e", "langfuse")
    assert (versioned.title, versioned.short_title) == ("penpal-companion v3", "v3")
    assert (versioned.version_title, versioned.slug) == ("v3", "penpal-companion-v3")
    file = PromptPin("mine", None, None, "1a2b3c4d5e", "file")
    assert (file.title, file.short_title) == ("mine 1a2b3c4d", "mine 1a2b3c4d")
    assert (file.version_title, file.slug) == ("1a2b3c4d", "mine-1a2b3c4d")


def test_a_moved_label_changes_nothing() -> None:
    assert SPEC.prompt is not None
    assert differences(SPEC, replace(SPEC, prompt=replace(SPEC.prompt, label="latest"))) == ()


def test_what_the_prompts_config_gave_belongs_to_the_prompt() -> None:
    assert SPEC.prompt is not None
    other = replace(SPEC, prompt=replace(SPEC.prompt, sha256="other"), parameters={"temperature": 0.2, "top_p": 1})
    assert differences(SPEC, other) == ("prompt",)
    assert differences(SPEC, replace(other, prompt_parameters=())) == ("prompt", "parameters")


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("suite", "other"),
        ("model", "other"),
        ("endpoint", "other"),
        ("parameters", {"temperature": 0.7, "top_p": 0.5}),
        ("judge", None),
        ("rubric", TextPin("companion", "2.0.2", "xyz")),
        ("scenarios", TextPin("companion", "67", "xyz")),
        ("repeats", 2),
        ("seed", 1),
        ("moderation", "omni"),
        ("scorer", "other"),
    ],
)
def test_every_other_part_is_reported(part: str, value: object) -> None:
    assert differences(SPEC, replace(SPEC, **{part: value})) == (part,)  # type: ignore[arg-type]


def test_digests_do_not_depend_on_the_order_of_keys() -> None:
    assert canonical_json({"b": 1, "a": [1.5, None]}) == '{"a":[1.5,null],"b":1}'
    assert digest({"b": 1, "a": 2}) == digest({"a": 2, "b": 1})
    assert digest("\ud800")


def test_every_call_has_a_seed_of_its_own() -> None:
    seeds = {
        call_seed(seed, name, repeat, turn) for seed in (0, 1) for name in "ab" for repeat in (1, 2) for turn in (1, 2)
    }
    assert len(seeds) == 16
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_a_judge_without_a_form_is_the_judge_that_it_always_was() -> None:
    older = {name: value for name, value in asdict(SPEC).items() if name != "judge"}
    assert SPEC.judge is not None
    pin = {name: value for name, value in asdict(SPEC.judge).items() if name not in ADDED_TO_JUDGE}
    read = RunSpec.from_json({**older, "judge": pin})
    assert differences(read, SPEC) == ()
    assert SPEC.digests["judge"] == digest(pin)


def test_a_judge_of_another_form_is_another_judge() -> None:
    assert SPEC.judge is not None
    other = replace(SPEC, judge=replace(SPEC.judge, form="score_first"))
    assert differences(SPEC, other) == ("judge",)
    assert RunSpec.from_json(json.loads(json.dumps(asdict(other)))) == other


def panel_of(*members: JudgePin, escalate: JudgePin | None = None) -> RunSpec:
    return replace(SPEC, judge=JudgePin("a + b", "e", "schema", members=members, escalate=escalate, apart=0.3))


def test_a_panel_is_read_back_as_it_was() -> None:
    prompt = PromptPin("judge", 3, "production", "0" * 64, "langfuse")
    members = (JudgePin("a", "e", "schema", prompt=prompt), JudgePin("b", "f", "text"))
    spec = panel_of(*members, escalate=JudgePin("big", "e", "json"))
    assert RunSpec.from_json(json.loads(json.dumps(asdict(spec)))) == spec
    assert spec.judge is not None
    assert [pin.model for pin in spec.judge.judges] == ["a", "b", "big"]
    assert [pin.model for pin in spec.judge.voices] == ["a", "b"]


def test_a_smaller_panel_is_another_judge_and_a_moved_label_of_a_members_prompt_is_not() -> None:
    prompt = PromptPin("judge", 3, "production", "0" * 64, "langfuse")
    first, second, third = (JudgePin(name, "e", "schema", prompt=prompt) for name in "abc")
    whole = panel_of(first, second, third)
    assert differences(whole, panel_of(first, second)) == ("judge",)
    assert differences(whole, panel_of(first, second, third, escalate=third)) == ("judge",)
    moved = replace(third, prompt=replace(prompt, label="latest"))
    assert differences(whole, panel_of(first, second, moved)) == ()
