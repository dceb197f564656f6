"""No personal data that was planted survives, in whatever form it was said; and plain words stay as they are."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.harvest.fixed_forms import is_iban, passes_luhn
from evaluation.harvest.masking import CUT, LONGEST, mask
from tests.evaluation.harvest.planted import KEPT, PLANTED


def holds(text: str, secret: str) -> bool:
    """True where a text has the words of a secret, whatever letters they are written in."""
    edges = r"(?<![^\W\d_]){}(?![^\W\d_])" if secret[0].isalpha() and ord(secret[0]) < 0x2E80 else "{}"
    return re.search(edges.format(re.escape(secret)), text, re.IGNORECASE) is not None


@pytest.mark.parametrize("case", PLANTED, ids=[case[0][:40] for case in PLANTED])
def test_what_is_planted_does_not_survive(case: tuple[str, ...]) -> None:
    said, *secrets = case
    masked = mask([said])
    survived = [secret for secret in secrets if holds(masked.texts[0], secret)]
    assert not survived, masked.texts[0]
    assert masked.replaced and masked.kinds


@pytest.mark.parametrize("said", KEPT)
def test_plain_words_stay(said: str) -> None:
    assert mask([said]).texts[0] == said


def test_a_name_that_one_text_gives_away_is_masked_in_all_of_its_conversation() -> None:
    said = (
        "my name is thorvald",
        "Hello THORVALD! Thorvald's day was long, T-h-o-r-v-a-l-d.",
        "thorvald2 left, Thorvalds too",
    )
    masked = mask(said)
    assert not any("horval" in text.lower() or "T-h-o" in text for text in masked.texts)
    assert masked.texts[0] == "my name is robin"
    assert masked.texts[1].startswith("Hello ROBIN! Robin's day was long, Robin.")
    assert masked.texts[2] == "robin2 left, Robins too"
    assert masked.replaced == {"Robin": 6}
    assert masked.kinds == {"name": 1}


def test_the_same_original_has_the_same_stand_in_and_others_have_another() -> None:
    masked = mask(["Call 415-555-2671 or 415 555 2671 or 415-555-9999, says Anna to Bjorn. Anna!"])
    assert masked.texts[0] == "Call 555-0101 or 555-0101 or 555-0102, says Robin to Alex. Robin!"
    assert masked.kinds == {"phone": 2, "name": 2}


def test_a_stand_in_is_nothing_that_was_said_there() -> None:
    masked = mask(["I'm Anna, not Robin. Mail person1@example.org or me@there.org."])
    assert "Robin" not in masked.texts[0] and "Alex" not in masked.kinds
    assert "person1@example.org" not in masked.texts[0]


def test_a_mails_address_gives_away_its_owners_name() -> None:
    assert "thorvald" not in " ".join(mask(["thorvald.y@web.de", "nobody likes thorvald"]).texts).lower()


def test_a_name_that_is_a_word_too_is_left_in_small_letters() -> None:
    assert mask(["I'm Hope, and I hope for rain."]).texts[0] == "I'm Robin, and I hope for rain."


def test_what_may_be_a_name_is_named_for_the_reader() -> None:
    masked = mask(["I moved to Springfield and work for Initrode with Washington."])
    assert set(masked.look_at) >= {"Springfield", "Washington"}
    assert mask(["it is about quillon, my favorite neighbor"]).look_at == ("quillon",)
    assert mask(["I am lonely on Monday."]).look_at == ()


def test_a_long_text_is_cut_and_nothing_behind_the_cut_is_kept() -> None:
    (text,) = mask(["word " * 10_000]).texts
    assert len(text) == LONGEST + len(CUT) and text.endswith(CUT)


def test_checksums() -> None:
    assert passes_luhn("4111 1111 1111 1111") and not passes_luhn("4111 1111 1111 1112") and not passes_luhn("42")
    assert is_iban("DE89 3704 0044 0532 0130 00") and not is_iban("DE88 3704 0044 0532 0130 00")


SENTENCES = (
    "My name is {}.",
    "Hi {}, how are you?",
    "I'm {}",
    "my sister {} is ill",
    "Regards,\n{}",
    "Yesterday {} called.",
)
MADE_UP = st.text("bdfgklmnprtvz", min_size=3, max_size=6).map(lambda stem: f"{stem.capitalize()}ovich")


@settings(max_examples=25)
@given(MADE_UP, st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4))
def test_a_made_up_name_survives_in_no_sentence(name: str, sentences: list[str]) -> None:
    masked = mask([sentence.format(name) for sentence in sentences])
    assert name.lower() not in " ".join(masked.texts).lower()


PART = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=2, max_size=10)


@settings(max_examples=25)
@given(PART, PART, st.sampled_from(("com", "org", "de", "co.uk", "io")), st.sampled_from(KEPT))
def test_no_mail_survives_wherever_it_stands(local: str, host: str, end: str, around: str) -> None:
    mail = f"{local}@{host}.{end}"
    for said in (f"{around} {mail}", f"{mail}. {around}", f"({mail})", f"<{mail}>,{around}"):
        assert f"@{host}" not in mask([said]).texts[0]


@settings(max_examples=25)
@given(
    st.text("0123456789", min_size=9, max_size=12),
    st.sampled_from(("", " ", "-", ".")),
    st.sampled_from(("", "+", "00")),
)
def test_no_phone_survives_however_it_is_grouped(digits: str, between: str, before: str) -> None:
    number = before + between.join(digits[place : place + 3] for place in range(0, len(digits), 3))
    grouped_as_a_sum = between in (" ", ".") and not before and len(digits) % 3 == 0 and digits[0] != "0"
    if not grouped_as_a_sum:
        assert number not in mask([f"call {number} today"]).texts[0]


@settings(max_examples=25)
@given(st.lists(st.text(max_size=80), max_size=4))
def test_any_text_is_read_and_the_same_way_each_time(texts: list[str]) -> None:
    masked = mask(texts)
    assert len(masked.texts) == len(texts)
    assert masked == mask(texts)
    assert not any("\ue000" <= sign <= "\ue002" for text in masked.texts for sign in text)


@settings(max_examples=25)
@given(
    st.lists(st.sampled_from(("i", "feel", "so", "lonely", "and", "tired", "of", "work", "at", "night")), max_size=30)
)
def test_plain_words_in_any_order_stay(words: list[str]) -> None:
    assert mask([" ".join(words)]).texts == (" ".join(words),)
