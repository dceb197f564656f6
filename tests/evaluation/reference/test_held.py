"""Responses held against facts: the tables that were written before the code, and hostile texts."""

from evaluation.reference.held import discrepancies
from evaluation.reference.numbers import amounts_in
from evaluation.reference.reading import LONGEST, is_english
from tests.evaluation.reference.table import Tally, false_alarms, found_in, pairs, tally_of


def test_every_pair_of_the_table_is_found_as_written_before_the_code() -> None:
    assert len(pairs("pairs")) >= 60
    for pair in pairs("pairs"):
        found = [(each.kind, each.value) for each in found_in(pair)]
        wanted = [(kind, value) for kind in ("contradicted", "unsupported") for value in pair.get(kind, ())]
        assert len(found) == len(wanted), (pair, found)
        for (kind, value), (of_kind, said) in zip(found, wanted, strict=True):
            assert kind == of_kind and (value in said or said in value), (pair, found)


def test_the_held_out_pairs_are_found_as_often_as_the_document_says() -> None:
    assert len(pairs("held_out")) >= 40
    assert tally_of("held_out") == {"contradicted": Tally(10, 0, 4), "unsupported": Tally(6, 4, 1)}
    assert false_alarms("held_out") == (1, 19)
    assert tally_of("held_out_look_alikes") == {"contradicted": Tally(8, 0, 2), "unsupported": Tally(21, 3, 0)}
    assert false_alarms("held_out_look_alikes") == (1, 6)


def test_facts_of_one_subject_find_nothing_in_responses_about_another() -> None:
    table = pairs("pairs")
    by_facts = {tuple(pair["facts"]): pair["facts"] for pair in table}
    found = {
        (each.fact, each.sentence)
        for facts in by_facts.values()
        for pair in table[::3]
        if not set(facts) & set(pair["facts"])
        for each in discrepancies(pair["response"], facts)
        if each.kind == "contradicted"
    }
    # What contradicts a fact in another wording contradicts it here, too.
    assert found <= {
        ("The tax rate is 19 %.", "The tax rate is 16 %."),
        ("The clinic opens at 9 am.", "The clinic opens at 10."),
        ("The clinic opens at 9 am.", "It opens at 10."),
        ("Refunds are possible within 14 days.", "Refunds are possible within 30 days."),
    }


def test_evidence_is_the_responses_own_words_and_the_fact() -> None:
    response = "Thanks for asking. The Premium plan costs 15 euros a month, I believe."
    (found,) = discrepancies(response, ["The Basic plan is free.", "The Premium plan costs 12 euros a month."])
    assert response[found.start :].startswith(found.value) and found.value == "15 euros"
    assert found.sentence == "The Premium plan costs 15 euros a month, I believe."
    assert found.fact == "The Premium plan costs 12 euros a month."


NUMBERS = (
    ("1,200", {(1200, 1200), (1.2, 1.2)}, ""),
    ("1.200", {(1200, 1200), (1.2, 1.2)}, ""),
    ("1.200,50 €", {(1200.5, 1200.5)}, "eur"),
    ("1,200.50 dollars", {(1200.5, 1200.5)}, "usd"),
    ("12,000,000", {(12e6, 12e6)}, ""),
    ("twelve hundred", {(1200, 1200)}, ""),
    ("two thousand four hundred and five people", {(2405, 2405)}, "#peopl"),
    ("12 %", {(12, 12)}, "%"),
    ("twelve percent", {(12, 12)}, "%"),
    ("5 to 7 days", {(5 * 86400, 7 * 86400)}, "s"),
    ("between 5 and 7 kg", {(5000, 7000)}, "g"),
    ("about 100 metres", {(90, 110)}, "m"),
    ("half an hour", {(1800, 1800)}, "s"),
    ("a dozen eggs", {(12, 12)}, "#egg"),
    ("3.5 million euros", {(3.5e6, 3.5e6)}, "eur"),
    ("CHF 3.20", {(3.2, 3.2)}, "chf"),
)


def test_numbers_are_brought_to_one_form() -> None:
    for text, readings, unit in NUMBERS:
        (found,) = amounts_in(text)
        rounded = {(round(low, 6), round(high, 6)) for low, high in found.readings}
        assert rounded == readings, text
        assert found.unit == unit, text


def test_what_the_user_said_is_supported_and_what_tools_or_earlier_turns_said_too() -> None:
    response = "Then the trip costs you 340 euros, and you leave on 4 May with Ines."
    facts = ["The hotel has 20 rooms."]
    assert {each.value for each in discrepancies(response, facts)} == {"340 euros", "4 May", "Ines"}
    said = ["i have 340 euros", "We leave on May 4th.", "ines comes along"]
    assert discrepancies(response, facts, said) == ()


def test_only_english_is_read() -> None:
    assert is_english("It is open on Sundays, as far as I know, so you could go.")
    assert not is_english("Das Museum hat montags geschlossen und kostet zwölf Euro Eintritt pro Person.")
    assert not is_english("博物馆星期一不开门。")


def test_long_and_hostile_texts_take_bounded_work() -> None:
    facts = ["The plan costs 12 euros.", "The clinic opens at 9."]
    for text in (
        "one " * 5000,
        "1," * 10000,
        "Aa " * 7000,
        "\u0130 12 euros " * 500,
        "a hundred and " * 1500,
        "." * LONGEST,
    ):
        for each in discrepancies(text, facts, [text[:200]]):
            assert text[each.start :].startswith(each.value)
