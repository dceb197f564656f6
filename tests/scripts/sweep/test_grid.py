"""--vary takes settings, and refuses others in one line."""

import pytest

from evaluation.errors import UsageError
from evaluation.request import EvaluationRequest, describe_variation, variants
from scripts.sweep.sweep import DEFAULT, Grid, parse_grid


@pytest.mark.parametrize(
    ("typed", "prompts", "fixed", "grid"),
    [
        ([], [], [], DEFAULT),
        (["temperature=0.3,0.7"], [], [], (("temperature", (0.3, 0.7)),)),
        ([" temperature = 0 , 2 "], [], [], (("temperature", (0.0, 2.0)),)),
        (
            ["temperature=0.3,1", "max_tokens=100,400", "top_p=1"],
            [],
            [],
            (("temperature", (0.3, 1.0)), ("max_tokens", (100, 400)), ("top_p", (1.0,))),
        ),
        (["model=a,b"], [], ["temperature"], (("model", ("a", "b")),)),
        (
            ["presence_penalty=-2,2", "frequency_penalty=0"],
            [],
            [],
            (("presence_penalty", (-2.0, 2.0)), ("frequency_penalty", (0.0,))),
        ),
        (["reasoning_effort=low,high"], [], [], (("reasoning_effort", ("low", "high")),)),
        ([], ["v2", "v3"], [], ()),
        (["temperature=0.5"], ["v2", "v3"], [], (("temperature", (0.5,)),)),
    ],
)
def test_grids(typed: list[str], prompts: list[str], fixed: list[str], grid: Grid) -> None:
    assert parse_grid(typed, prompts, fixed, large=False) == grid


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        (["temprature=1,2"], "did you mean temperature?"),
        (["prompt=v2,v3"], "prompts with --prompt"),
        (["temperature"], "give values after '='"),
        (["temperature="], "give values after '='"),
        (["temperature=0.3,,0.7"], "give values after '='"),
        (["temperature=0.3,2.1"], "'2.1' is not a temperature from 0 to 2"),
        (["temperature=nan,1"], "'nan' is not a temperature"),
        (["temperature=warm,1"], "'warm' is not a temperature from 0 to 2"),
        (["top_p=0,1"], "'0' is not above 0 and at most 1"),
        (["max_tokens=0,10"], "'0' is not a whole number from 1 up"),
        (["max_tokens=1.5,10"], "'1.5' is not a whole number from 1 up"),
        (["presence_penalty=-3,0"], "'-3' is not a number from -2 to 2"),
        (["temperature=0.3,0.30"], "0.30 is given twice"),
        (["temperature=0.3,0.7", "temperature=1,2"], "temperature is given twice"),
        (["model=a,b"], "model is given twice"),
        (["temperature=0.5"], "nothing varies"),
        (["temperature=0.1,0.2,0.3,0.4,0.5", "top_p=0.1,0.2,0.3,0.4,0.5"], "25 settings"),
    ],
)
def test_a_bad_grid_is_refused_in_one_line(typed: list[str], complaint: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_grid(typed, [], ["model"], large=False)
    assert complaint in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_large_grid_is_run_when_it_is_meant() -> None:
    typed = ["temperature=0.1,0.2,0.3,0.4,0.5", "top_p=0.1,0.2,0.3,0.4,0.5"]
    grid = parse_grid(typed, [], [], large=True)
    points = variants(EvaluationRequest(vary=grid))
    assert len(points) == 25
    assert (points[0].temperature, points[0].top_p, points[-1].top_p) == (0.1, 0.1, 0.5)
    assert describe_variation(points[1]) == "temperature 0.1, top_p 0.2"
