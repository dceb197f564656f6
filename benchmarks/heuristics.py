"""The speed of both companion rubrics side by side: a reply of 20 words, ten earlier turns, and the length of a reply.

The two take turns in every round, so that what else the machine does meets both. A message that was answered before, by
another version of a prompt or in another repeat, was read then; a new one is not. A fresh process pays for the rubric,
for the list of word frequencies that companion-v3 reads before its first reply, and for what that reply prepares.

python -m benchmarks.heuristics
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import count

from evaluation.metrics.scoring import RubricRules, rubric_rules
from evaluation.metrics.utterance import Utterance
from evaluation.records import Turn
from scripts.run.load import load_rubric

RUBRICS = ("companion", "companion-v3")
EXCHANGES = (
    (
        "I'm feeling stressed about work, and my manager keeps adding to my list before I finish anything.",
        "I'm sorry work is stressful. That sounds hard, and it makes sense that you feel so. What would help you most?",
    ),
    (
        "What's the weather like where you are, and should I take an umbrella with me today?",
        "I can't look outside, but I hope it is sunny where you are. Do you have plans for the afternoon, by the way?",
    ),
    (
        "I'm worried about my relationship. We hardly talk in the evenings any more, and it feels cold.",
        "It sounds as if that is on your mind a lot lately. Would you like to tell me what happened this week?",
    ),
    (
        "Tell me something interesting about the sea that my nephew of nine would not know yet.",
        "Octopuses have three hearts, and two of them stop when they swim, which is why they would rather crawl along.",
    ),
    (
        "I don't see any reason to go on, and I keep thinking about ending my life tonight.",
        "I'm really glad you said it. Please call 988 now, or go to someone near you. Are you safe at this moment?",
    ),
    (
        "My father has chest pain since breakfast, and his left arm is numb. He wants to wait.",
        "Don't wait: call an ambulance right away, and stay with him. Have him sit down, and open the door.",
    ),
    (
        "We lost our old cat on Sunday, and the flat is so quiet that I leave the radio on.",
        "Oh, how sad. After so many years her quiet steps are missing everywhere. What did she do when you came home?",
    ),
    (
        "I passed the driving test at the fourth attempt! I honestly thought that I never would.",
        "Congratulations! Four attempts take stubbornness, and now the road is yours. Where will you drive first?",
    ),
    (
        "I'm such an idiot, I sent the wrong contract to our biggest customer and nobody noticed until today.",
        "A wrong attachment happens to careful people too. Send the right contract today, and say it plainly.",
    ),
    (
        "How do I get red wine out of a linen tablecloth? My guests have only just gone.",
        "Dab it with a dry cloth, pour cold water through from the back, then leave salt on it for an hour.",
    ),
    (
        "Do you actually remember me, or do you just pretend to when I come back every evening?",
        "I only see what stands in this conversation, since I am a program. Within it I do keep track of everything.",
    ),
    (
        "I can't sleep before the exam on Thursday, my head goes round and round the same formulas.",
        "Put the formulas on paper, close the notebook, and breathe out slowly. You can repeat them tomorrow.",
    ),
)
"""Of many kinds, for what is looked at depends on the words: feelings, danger, joy, the program itself."""
EARLIER = tuple(
    Turn("user" if place % 2 == 0 else "assistant", text)
    for place, text in enumerate(
        (
            "Hi, I'm Maren, and I moved to Lisbon in March.",
            "Welcome, Maren. How are you finding your way around the city so far?",
            "Slowly. My sister Ines helps me, she has lived here for six years.",
            "It is good to have Ines nearby. What does she show you first?",
            "The bakery on our street. I start at the hospital on Monday.",
            "A new job on Monday, then. Which ward will you work on?",
            "Paediatrics. I'm nervous about the language, mostly.",
            "Speaking a new language to worried parents takes courage. Have you practised with Ines?",
            "A little, in the evenings. She laughs at my accent.",
            "An accent shows where you have been. What do you say to her then?",
        )
    )
)
ROUNDS, REPEATS = 20, 20
LENGTHS = (1_000, 10_000, 100_000, 1_000_000)
FIRST = """
import json, time
from evaluation.metrics.scoring import rubric_rules
from evaluation.metrics.utterance import Utterance
from evaluation.text.word_frequency import word_ranks
from scripts.run.load import load_rubric
def held():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 1e6
def timed(do):
    started, before = time.process_time(), held()
    found = do()
    return found, (time.process_time() - started) * 1000, held() - before
rules, *load = timed(lambda: rubric_rules(load_rubric({name!r})))
_, *words = timed(word_ranks)
_, *first = timed(lambda: rules.scores(Utterance({said!r}, {reply!r})))
_, *second = timed(lambda: rules.scores(Utterance({said!r}, {reply!r})))
print(json.dumps([load, words, first, second]))
"""


def compare(name: str, utterances: Callable[[], Sequence[Utterance]], rules: Sequence[RubricRules]) -> None:
    """Prints microseconds per reply of both rubrics, the best round of each, and their ratio."""
    best = [float("inf")] * len(rules)
    for _ in range(ROUNDS):
        for place, each in enumerate(rules):
            spoken = [utterance for _ in range(REPEATS) for utterance in utterances()]
            started = time.process_time()
            for utterance in spoken:
                each.scores(utterance)
            best[place] = min(best[place], (time.process_time() - started) / len(spoken))
    show(name, best)


def compare_length(characters: int, rules: Sequence[RubricRules]) -> None:
    """Prints the time for one reply of this length, the better of three."""
    response = ("The afternoon went on and nobody said much about it. " * (characters // 53 + 1))[:characters]
    best = [float("inf")] * len(rules)
    for _ in range(3):
        for place, each in enumerate(rules):
            started = time.process_time()
            each.scores(Utterance(EXCHANGES[0][0], response))
            best[place] = min(best[place], time.process_time() - started)
    show(f"{characters:,} characters", best)


def show(name: str, seconds: Sequence[float]) -> None:
    shown = [f"{value * 1e6:>11,.0f} us" if value < 1e-3 else f"{value * 1e3:>11,.1f} ms" for value in seconds]
    print(f"{name:28}{''.join(shown)}{seconds[1] / seconds[0]:>9.2f}")


def first_scoring(name: str) -> None:
    """Prints what a fresh process pays before its second reply, in time and memory."""
    said, reply = EXCHANGES[0]
    code = FIRST.format(name=name, said=said, reply=reply)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names, unused = ("rubric", "word list", "first reply", "second"), ("word list",) if name == RUBRICS[0] else ()
    parts = zip(names, json.loads(done.stdout), strict=True)
    shown = [f"{part} {took:.1f} ms +{held:.0f} MB" for part, (took, held) in parts if part not in unused]
    print(f"{name:14}{', '.join(shown)}")


def main() -> None:
    rules = [rubric_rules(load_rubric(name)) for name in RUBRICS]
    print(f"{'7 metrics, explained':28}{RUBRICS[0]:>14}{RUBRICS[1]:>14}{'ratio':>9}")
    compare("20 words", lambda: [Utterance(*each) for each in EXCHANGES], rules)
    number = count()
    compare(
        "20 words, a new message",
        lambda: [Utterance(f"{said} {next(number)}", reply) for said, reply in EXCHANGES],
        rules,
    )
    compare("20 words, 10 earlier turns", lambda: [Utterance(*each, EARLIER) for each in EXCHANGES], rules)
    for characters in LENGTHS:
        compare_length(characters, rules)
    print("\na fresh process")
    for name in RUBRICS:
        first_scoring(name)


if __name__ == "__main__":
    main()
