"""What longer texts are made of: sentences with places for words, and the words, the most likely ones first.

The subjects stand where their number does not matter: "vaccines" and "photosynthesis" both fit.
"""

from collections.abc import Mapping

OPENING = (
    "The way into {a} is to look at what happens before asking how it happens.",
    "At its core, the subject of {a} is about how a few {simple} parts act together.",
    "Most {people} come across {a} almost every day, {often} without noticing.",
    "The subject of {a} looks larger than it is, since it rests on a {small} number of ideas.",
)
BRIEF = (
    "There is more to {a} than it seems.",
    "A first look at {a} is only a beginning.",
    "It begins with {a}.",
    "A closer look pays.",
    "Little is certain here.",
    "It depends.",
)
"""Where few words are allowed: each a whole sentence."""
LINKS = (
    "However, ", "Therefore, ", "For example, ", "In addition, ", "Furthermore, ", "As a result, ", "Meanwhile, ",
    "On the other hand, ", "Consequently, ", "Moreover, ", "In practice, ", "Nevertheless, ", "Specifically, ",
)  # fmt: skip
CLAUSES = (
    "much about {a} {depends} on where it begins, and {small} {changes} there can grow into {large} {results}",
    "nobody can look at {a} alone, because the {part} of {b} {shows} at every {stage}",
    "someone who deals with {a} daily will {see} the role of {b} long before reading about it",
    "it pays to look at {b} closely before drawing conclusions about {a}",
    "the cost of {a} is {often} hidden, because it appears later and somewhere else",
    "a look at {b} offers a {good} contrast, as a similar end is reached there by a different road",
    "three things decide the {result}: the means at hand, the order of the {stages}, and the time allowed",
    "a {simple} plan for {a} can fail over {b} in an unexpected way",
    "{people} with experience test {a} on a {small} scale first and extend what {holds}",
    "a {good} account of {a} names both what is known and what is merely assumed",
    "the main {part} of {a} is stable enough to be relied upon",
    "learning about {a} becomes easier once {b} is seen as {part} of the same picture",
    "the {important} question is not how {a} looks but what {changes} because of it",
    "{people} {often} disagree about {a}, and the {reason} is that they look at different {parts} of it",
    "one {stage} prepares the next, so that a {small} mistake early on {shows} in every later {result}",
    "what works for {b} does not have to work here, and a {good} test will tell",
    "the {simple} {reason} is that {a} and {b} draw on the same means",
    "it helps to write down what was expected before the {result} is known",
    "the {large} numbers matter less than the direction in which they move",
    "a {good} habit with {a} is worth more than a {large} effort that ends after a week",
    "everything {important} about {b} can be said in a few words, and most of it holds for {a} as well",
    "the hard {part} comes at the end, when the {simple} cases are done and the others remain",
    "others have tried this before, and their {results} are a {good} place to begin",
    "the limits of {a} become clear where {b} takes over",
)
STEPS = (
    "Gather everything that {a} will need, and put {b} within reach.",
    "Check the {part} that most {people} forget, which is {often} the one that fails.",
    "Begin with a {small} piece and {see} how it responds.",
    "Work slowly around {b} and keep the order of the {stages}.",
    "Wait until the first {result} is clear before going on.",
    "Repeat the last {stage} where it did not hold.",
    "Compare the {result} with what was wanted, and note every {change}.",
    "Clean up, and keep what can be used again.",
    "Ask a second person to look at the {important} {parts}.",
    "Set a date for looking at {a} again.",
)
STORY = (
    "that morning nobody in the street had thought of {a}, and the light came in {simple} and late",
    "an old woman stood at the window and began to {see} what the others had missed",
    "she had kept {b} for years, for a {reason} that she had never told anyone",
    "the boy from the corner asked about {a}, and the answer was {small} and took the whole afternoon",
    "they walked down to the water without speaking, as {people} do who know the same secret",
    "a {large} wind came up from the west and moved everything that was not tied down",
    "he remembered {b} then, and the {part} of it that had always been missing",
    "the door was open, although all of them had heard it close",
    "it was a {good} place to wait, with a {simple} bench and a view of the road",
    "somebody laughed in the next room, and the {change} in the air was {important}",
    "the evening bells began, and for one {stage} of the way nothing else could be heard",
    "in the end it was {a} that brought them together, as it {often} does",
    "she put it on the table, and for a long time none of them touched it",
    "what had looked like the end turned out to be only {part} of the story",
)
CLOSING = (
    "In conclusion, the study of {a} rewards patience: the idea is {simple}, practice is where it gets interesting.",
    "Overall, {a} and {b} belong together, and each is clearer in the light of the other.",
    "To sum up, begin with the purpose of {a}, follow the {stages}, and check the {result} against {b}.",
    "In summary, {a} asks for a {good} beginning, a {simple} order and an eye for {b}.",
)
ENDING = (
    "Finally the light went out, and everyone went home with a {part} of it.",
    "Years later they still spoke of it, each in a different way.",
    "And that was all, except that nobody ever looked at {a} in the same way again.",
)
WANDERING = (
    "Lanterns, incidentally, were once priced by the hour of light they gave.",
    "A neighbour's bicycle comes to mind here, although its bell never rang.",
    "Some rivers forget their names where two maps meet.",
    "Velvet, on a Tuesday, is a question nobody has asked properly.",
    "It is said that clocks in harbour towns run on salt and rumour.",
    "Who counts the stairs of a tower that leans into fog?",
    "Marble remembers rain, they claim, yet keeps no diary.",
)
WORDS: Mapping[str, tuple[str, ...]] = {
    "small": ("small", "modest", "slight", "tiny", "narrow", "thin"),
    "large": ("large", "considerable", "broad", "striking", "vast", "wild"),
    "simple": ("simple", "plain", "clear", "bare", "homely", "frugal"),
    "good": ("good", "sound", "solid", "fair", "worthy", "happy"),
    "important": ("important", "central", "decisive", "vital", "telling", "weighty"),
    "people": ("people", "readers", "households", "beginners", "neighbours", "travellers"),
    "often": ("often", "usually", "commonly", "now and then", "as a rule", "more than once"),
    "part": ("part", "side", "piece", "layer", "thread", "corner"),
    "parts": ("parts", "sides", "pieces", "layers", "threads", "corners"),
    "stage": ("step", "stage", "turn", "round", "phase", "station"),
    "stages": ("steps", "stages", "turns", "rounds", "phases", "stations"),
    "result": ("result", "outcome", "effect", "yield", "upshot", "harvest"),
    "results": ("results", "outcomes", "effects", "yields", "findings", "harvests"),
    "change": ("change", "shift", "turn", "drift", "swing", "stir"),
    "changes": ("changes", "shifts", "turns", "drifts", "moves", "stirs"),
    "reason": ("reason", "cause", "ground", "motive", "root", "spring"),
    "depends": ("depends", "rests", "builds", "turns", "hinges", "leans"),
    "shows": ("shows", "appears", "returns", "surfaces", "echoes", "glints"),
    "see": ("see", "notice", "observe", "discover", "sense", "glimpse"),
    "holds": ("holds", "works", "lasts", "proves true", "stands", "endures"),
}
"""Place in a sentence -> the words for it."""
