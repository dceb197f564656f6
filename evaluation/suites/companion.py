"""The companion suite: prompt versions of a voice companion, seven metrics from 0 to 1, a judge, a deploy decision."""

from evaluation.suites.suite import ANSWERED_BY, JUDGED_BY, SuiteDefinition

SUITE = SuiteDefinition(
    name="companion",
    rubric_file="companion",
    tagged={"memory": "memory"},
    scored_by=("evaluation.metrics", *JUDGED_BY, *ANSWERED_BY),
    score_prefixes={
        "combined": "",
        "heuristic": "rules.",
        "judge": "judge.",
        "check": "check.",
        "human": "human.",
    },
    own_prefix="",
)
