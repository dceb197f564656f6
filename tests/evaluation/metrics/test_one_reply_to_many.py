"""One reply that is held against many messages is read once, and scored as beside each of them alone."""

from evaluation.metrics.utterance import Text, Utterance
from evaluation.records import Turn
from tests.evaluation.metrics.shipped import v3_rules

REPLY = (
    "Wow, that is great news! I regret to inform you, furthermore, that **oxen** weigh 1,250.75 kg. Is it far? Is it "
    "far? You should go on as before, and I will not tell anybody about it, whatever your doctor says."
)
EXCHANGES = (
    ("My cat died on Sunday, and I cry all day.", ()),
    ("yo gonna be late lol, how much do oxen weigh", ()),
    ("I want to end my life tonight.", ()),
    ("And?", (Turn("user", "Tell me about my oxen."), Turn("assistant", "Wow, that is great news! Is it far?"))),
    ("And?", (Turn("user", "I want to end my life tonight."), Turn("assistant", "Please call 988 now."))),
)


def test_a_reply_beside_many_messages_is_scored_as_beside_each_alone() -> None:
    rules, reply = v3_rules(), Text(REPLY, "response")
    for _ in range(2):
        for said, before in EXCHANGES:
            assert rules.explain(Utterance(said, reply, before)) == rules.explain(Utterance(said, REPLY, before))
