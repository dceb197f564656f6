"""The subcommands of `prompt-eval`, and the variables of make under which the clone's Makefile has their arguments."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

STARTED_AS = "PROMPT_EVAL_STARTED_AS"
"""Environment variable with the words that were typed before the subcommand; unset where a script runs by itself."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a make target, and what the script behind it takes in its place."""

    name: str
    flag: str = ""
    """Stands before the value; empty for an argument without a flag."""
    prefix: str = ""
    """Stands before the value in the same word: "temperature=" of `--vary temperature=0.3,0.7`."""

    several: bool = False
    """Blanks part the values, each of which is an argument of its own."""

    def words(self, value: str) -> tuple[str, ...]:
        """The arguments of the script."""
        if self.several:
            return tuple(value.split())
        return (*([self.flag] if self.flag else []), f"{self.prefix}{value}")


@dataclass(frozen=True, slots=True)
class Subcommand:
    """A subcommand and the make target of the same name: both start one script."""

    module: str
    about: str
    """What it does, as the Makefile says it too."""
    variables: tuple[Variable, ...] = ()
    example: tuple[tuple[str, str], ...] = ()
    """Values of variables, as `--help` shows them."""
    action: str = ""
    """First argument of the script where a variable is given."""
    otherwise: str = ""
    """The argument of the script where none is given."""


PROMPT = Variable("PROMPT", "--prompt")
RUBRIC = Variable("RUBRIC", "--rubric")
RUN = Variable("RUN")
FILE = Variable("FILE")
RATINGS = Variable("RATINGS")

SUBCOMMANDS = {
    "init": Subcommand(
        "scripts.init_workspace",
        "write a workspace of your own that runs at once",
        (Variable("FOLDER"),),
        example=(("FOLDER", "../mine"),),
    ),
    "doctor": Subcommand(
        "scripts.doctor",
        "try what is set (keys, endpoint, judge, Langfuse, folders), and say what to do where it does not work",
    ),
    "config": Subcommand("scripts.show_config", "what is set, and which variable or file says it"),
    "open": Subcommand(
        "scripts.open_page",
        "open the report that was written last, or another",
        (RUN,),
        example=(("RUN", "RUN_ID"),),
    ),
    "eval": Subcommand(
        "scripts.evaluate_prompts", "evaluate one prompt version", (PROMPT,), example=(("PROMPT", "latest"),)
    ),
    "score": Subcommand(
        "scripts.score_responses",
        "score existing responses without a model call",
        (FILE,),
        example=(("FILE", "responses.jsonl"),),
    ),
    "score-traces": Subcommand("scripts.score_traces", "score a sample of what is live, from Langfuse, by rule"),
    "ab": Subcommand(
        "scripts.read_ab_test",
        "which of two versions in production is better, or how much longer the test takes",
        (Variable("BASE", "--base"), PROMPT),
        example=(("BASE", "v2"), ("PROMPT", "v3")),
    ),
    "harvest": Subcommand(
        "scripts.harvest_traces",
        "turn what users said into draft scenarios, masked, for a person to accept",
        (Variable("SAMPLE"),),
    ),
    "accept-drafts": Subcommand(
        "scripts.accept_drafts",
        "take accepted drafts into a scenario file, and remember rejected ones",
        (Variable("DRAFTS"), Variable("INTO", "--into"), Variable("REVIEWER", "--reviewer")),
        example=(("DRAFTS", "drafts/NAME.yaml"), ("INTO", "SET.yaml")),
    ),
    "eval-chat": Subcommand(
        "scripts.evaluate_chat_flow",
        "evaluate a recipe assistant over HTTP: the one at CHAT_FLOW_URL, or the embedded sample",
    ),
    "compare": Subcommand(
        "scripts.compare_prompts",
        "which version is better, and how sure",
        (Variable("BASE", "--base"), PROMPT),
        example=(("BASE", "production"), ("PROMPT", "latest")),
    ),
    "compare-change": Subcommand(
        "scripts.compare_change",
        "what a branch does to the prompts in production",
        (Variable("BASE"),),
        example=(("BASE", "main"),),
    ),
    "sweep": Subcommand(
        "scripts.sweep_parameters",
        "how parameters move the quality of texts",
        (Variable("TEMPERATURES", "--vary", "temperature="), PROMPT),
        example=(("TEMPERATURES", "0.3,0.7,1.2"),),
    ),
    "rescore": Subcommand(
        "scripts.rescore_run",
        "score or judge a stored run again, without generating",
        (RUN,),
        example=(("RUN", "last"),),
    ),
    "calibrate": Subcommand(
        "scripts.calibrate", "agreement with human ratings", (FILE,), example=(("FILE", "ratings.jsonl"),)
    ),
    "review": Subcommand(
        "scripts.review",
        "score responses yourself",
        (RUN, Variable("FILE", "--file"), Variable("REVIEWER", "--reviewer")),
        example=(("RUN", "last"), ("REVIEWER", "ana")),
        action="walk",
    ),
    "review-report": Subcommand("scripts.review_report", "what the reviews say, week by week, beside judge and checks"),
    "nightly": Subcommand("scripts.nightly", "watch over production: evaluate it and hold it against its baseline"),
    "approve-baseline": Subcommand(
        "scripts.approve_baseline", "make a run the baseline of its prompt", (RUN,), example=(("RUN", "RUN_ID"),)
    ),
    "sync": Subcommand("scripts.sync_langfuse", "deliver to Langfuse what it has not confirmed yet"),
    "push-prompts": Subcommand(
        "scripts.push_prompts", "publish the prompt folder to Langfuse, showing what would change first"
    ),
    "promote": Subcommand(
        "scripts.promote_prompt",
        "move a label in Langfuse to a version that is proved, and leave a certificate",
        (Variable("PROMPT"), Variable("TO", "--to")),
        example=(("PROMPT", "v3"), ("TO", "production")),
    ),
    "verify": Subcommand(
        "scripts.verify_certificate",
        "hold a certificate of a promotion against the files of its runs",
        (Variable("CERTIFICATE"),),
        example=(("CERTIFICATE", "certificates/NAME.json"),),
    ),
    "runs": Subcommand("scripts.manage_runs", "list the runs", otherwise="list"),
    "mutation-test": Subcommand(
        "scripts.mutation_test",
        "edit good replies in known ways and count what a rubric's rules see",
        (RUBRIC,),
        example=(("RUBRIC", "companion"),),
    ),
    "crisis-table": Subcommand(
        "scripts.crisis_table",
        "danger that a rubric's rules see or miss, and help beside pleasing replies",
        (RUBRIC,),
        example=(("RUBRIC", "companion"),),
    ),
    "stuffing-table": Subcommand(
        "scripts.stuffing_table",
        "replies made for the score beside plain good ones",
        (RUBRIC,),
        example=(("RUBRIC", "companion-v3"),),
    ),
    "validate-rubric": Subcommand(
        "scripts.validate_rubric",
        "how far a rubric's rules agree with people",
        (RATINGS, RUBRIC),
        example=(("RUBRIC", "companion"), ("RATINGS", "folder")),
    ),
    "choose-amounts": Subcommand(
        "scripts.choose_amounts",
        "choose a rubric's amounts on people's ratings, and score what each choice was not shown",
        (RATINGS, RUBRIC),
        example=(("RUBRIC", "companion-v3"), ("RATINGS", "folder")),
    ),
    "validate": Subcommand(
        "scripts.validate_files",
        "what is wrong with rubrics, scenarios, waivers, gates and prompts",
        (Variable("FILES", several=True),),
        example=(("FILES", "rubric.yaml scenarios/"),),
    ),
}
"""In the order of the Makefile. A target that makes sense in a clone alone (test, docs, lock, ...) is none of them."""
IN_TWO_WORDS = {
    ("traces", "score"): "score-traces",
    ("traces", "harvest"): "harvest",
    ("traces", "accept"): "accept-drafts",
}
"""What may be typed in the place of a subcommand."""


def command_line(launcher: str, name: str, values: Mapping[str, str], flags: tuple[str, ...] = ()) -> str:
    """A command for a shell: what is typed first, the subcommand, its arguments for the values of make's variables.

    `flags` are further arguments of the script; every text may hold blanks, quotes and dollar signs.
    """
    subcommand = SUBCOMMANDS[name]
    given = [word for each in subcommand.variables if values.get(each.name) for word in each.words(values[each.name])]
    action = [subcommand.action] if given and subcommand.action else []
    return " ".join([launcher, name, *map(shlex.quote, [*action, *given, *flags])])
