"""The text quality suite: any text, six formulas from 0 to 1 and their weighted overall, no judge, no decision."""

from evaluation.suites.suite import SuiteDefinition

SUITE = SuiteDefinition(
    name="text_quality",
    rubric_file="text_quality",
    scenarios=("text_quality",),
    scored_by=("evaluation.metrics", "evaluation.vectors", "evaluation.languages"),
    needs_prompt=False,
    needs_user_input=False,
    score_prefixes={
        "heuristic": "text.",
        "measure": "text.",
        "combined": "text.combined.",
        "judge": "text.judge.",
        "check": "text.check.",
        "human": "text.human.",
    },
    own_prefix="text.",
)
