"""The companion suite: prompt versions of a voice companion, seven metrics from 0 to 1, a judge, a deploy decision."""

from evaluation.suites.suite import OF_CONVERSATIONS, SOURCE_PREFIXES, SuiteDefinition

SUITE = SuiteDefinition(
    name="companion",
    rubric_file="companion",
    tagged={"memory": "memory", "stated": "stated", "german": "german", "spanish": "spanish"},
    scored_by=OF_CONVERSATIONS,
    score_prefixes=SOURCE_PREFIXES,
    own_prefix="",
)
