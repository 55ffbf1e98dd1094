"""Whether a reply is carried by the knowledge: worked examples in several languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.grading import a_talk, agent_says, caller_says, test_with, tool_ran

from greenroom.grade.grounding import ground, ground_reply, settle_grounded
from greenroom.model.checks import Grounded
from greenroom.model.run import Grounding, Line

DENTIST = """Northline Dental, opening hours
Monday to Friday: 9:00-17:00
Saturday: 10:00-14:00
Closed on Sundays.

Prices
A check-up costs 45 euros. A cleaning costs 80 euros and takes 30 minutes. A filling costs 120 euros.
Cancelling is free up to 24 hours before the visit. After that we charge 30 euros.
The clinic is at 4 Harbour Street, next to the old mill. Parking is available behind the building.
We do not accept walk-ins. Phone: 555-0100."""
CAFE = """Opening hours: Monday to Friday 9-17. Saturday 10-14.
The Riverside Cafe serves breakfast until 11:30. The soup of the day costs $7.50, the club sandwich $12.
Returns are accepted within 30 days with a receipt. Refunds take 5 to 7 business days.
Shipping to Canada takes 8-10 days; to the US 3-5 days. Orders over $50 ship free."""
ZAHNARZT = """Öffnungszeiten
Montag bis Freitag: 8.00 - 18.00 Uhr
Samstag: 9.00 - 12.00 Uhr
Sonntags geschlossen.
Preise: Eine Zahnreinigung kostet 85 Euro. Eine Füllung kostet 110 Euro.
Parkplätze gibt es hinter dem Gebäude. Wir nehmen keine Kreditkarten."""
CABINET = """Le cabinet est ouvert du lundi au vendredi de 9h à 18h. Fermé le dimanche.
Un détartrage coûte 60 euros. Une consultation coûte 30 euros."""
CLINICA = """Abrimos de lunes a viernes de 9:00 a 18:00. Cerramos los domingos.
Una limpieza cuesta 60 euros. Una consulta cuesta 30 euros."""
HINDI = """क्लिनिक सोमवार से शुक्रवार सुबह 9 बजे से शाम 5 बजे तक खुला है।
रविवार को क्लिनिक बंद रहता है।
दाँतों की सफ़ाई की फ़ीस 800 रुपये है। जाँच की फ़ीस 300 रुपये है।"""
CHINESE = """诊所营业时间：周一至周五上午九点到下午五点。周六上午十点到下午两点。周日休息。
洗牙收费80元。补牙收费120元。
停车场在大楼后面。"""


def grounding(passage: str, text: str, *before: Line) -> Grounding:
    talk = a_talk(*before, agent_says(text), passages={len(before): (passage,)})
    return ground(talk)[len(before)]


@pytest.mark.parametrize(
    ("passage", "text"),
    [
        (DENTIST, "We're open Monday to Friday from nine to five."),
        (DENTIST, "On Saturday we are open from ten to two."),
        (DENTIST, "We are closed on Sunday."),
        (DENTIST, "We're open on Wednesdays."),
        (DENTIST, "No, we're closed on Sundays, but we're open on Saturday from 10 am to 2 pm."),
        (DENTIST, "You can reach us Monday to Friday from nine to five."),
        (DENTIST, "A cleaning costs eighty euros and takes thirty minutes."),
        (DENTIST, "A cleaning is 80 euros and a filling is 120."),
        (DENTIST, "A cleaning is 80 euros, would you like to book one?"),
        (DENTIST, "We're at 4 Harbour Street, next to the old mill."),
        (DENTIST, "You can park behind the building."),
        (DENTIST, "Cancelling is free up to 24 hours ahead."),
        (DENTIST, "Sorry, walk-ins are not accepted."),
        (DENTIST, "Our number is five five five zero one zero zero."),
        (CAFE, "We're open Saturday from ten to two."),
        (CAFE, "Breakfast is served until eleven thirty."),
        (CAFE, "The soup is seven fifty."),
        (CAFE, "You can return it within thirty days with a receipt."),
        (CAFE, "Shipping to Canada takes eight to ten days."),
        (ZAHNARZT, "Wir haben Montag bis Freitag von acht bis achtzehn Uhr geöffnet."),
        (ZAHNARZT, "Sonntags haben wir leider geschlossen."),
        (ZAHNARZT, "Eine Zahnreinigung kostet fünfundachtzig Euro."),
        (ZAHNARZT, "Parken können Sie hinter dem Gebäude."),
        (ZAHNARZT, "Kreditkarten nehmen wir nicht."),
        (CABINET, "Nous sommes ouverts du lundi au vendredi de neuf heures à dix-huit heures."),
        (CABINET, "Le dimanche, nous sommes fermés."),
        (CLINICA, "Abrimos de lunes a viernes, de nueve a seis."),
        (CLINICA, "La limpieza cuesta sesenta euros."),
        (HINDI, "क्लिनिक सोमवार से शुक्रवार सुबह नौ बजे से शाम पाँच बजे तक खुला है।"),
        (HINDI, "रविवार को क्लिनिक बंद रहता है।"),
        (HINDI, "सफ़ाई की फ़ीस ८०० रुपये है।"),
        (CHINESE, "我们周一至周五上午九点到下午五点营业。"),
        (CHINESE, "星期六我们上午10点到下午2点营业。"),
        (CHINESE, "洗牙的费用是八十元。"),
        (CHINESE, "您可以在大楼后面停车。"),
    ],
)
def test_a_reply_that_the_knowledge_carries_is_known(passage: str, text: str) -> None:
    assert grounding(passage, text) == "known"


@pytest.mark.parametrize(
    ("passage", "text"),
    [
        (DENTIST, "On Saturday we are open from nine to five."),
        (DENTIST, "Yes, we are open until six on Fridays."),
        (DENTIST, "We are open on Sunday."),
        (DENTIST, "A cleaning costs 90 euros."),
        (DENTIST, "A cleaning is 120 euros."),
        (DENTIST, "A cleaning is 120 euros and a filling is 80."),
        (DENTIST, "A cleaning is 85 euros, would you like to book one?"),
        (DENTIST, "We're at 14 Harbour Street, next to the old mill."),
        (DENTIST, "You can park for free behind the building."),
        (DENTIST, "Cancelling is free up to 48 hours ahead."),
        (DENTIST, "We accept walk-ins."),
        (DENTIST, "Our number is 555-0199."),
        (DENTIST, "We also offer teeth whitening."),
        (DENTIST, "Dr. Patel studied in London."),
        (DENTIST, "Sure. A cleaning costs 80 euros and whitening costs 200 euros."),
        (CAFE, "Breakfast is served until twelve."),
        (CAFE, "The soup is twelve dollars."),
        (CAFE, "You can return it within sixty days."),
        (CAFE, "Returns are accepted within 30 days without a receipt."),
        (CAFE, "Shipping to Canada takes three to five days."),
        (CAFE, "We have a rooftop pool."),
        (ZAHNARZT, "Am Samstag haben wir von acht bis achtzehn Uhr geöffnet."),
        (ZAHNARZT, "Sonntags haben wir geöffnet."),
        (ZAHNARZT, "Eine Zahnreinigung kostet 110 Euro."),
        (ZAHNARZT, "Wir nehmen Kreditkarten."),
        (CABINET, "Nous sommes ouverts le dimanche."),
        (CABINET, "Un détartrage coûte 30 euros."),
        (CLINICA, "Abrimos los domingos."),
        (CLINICA, "La limpieza cuesta 30 euros."),
        (HINDI, "क्लिनिक रविवार को खुला है।"),
        (HINDI, "सफ़ाई की फ़ीस 300 रुपये है।"),
        (HINDI, "सफ़ाई की फ़ीस 900 रुपये है।"),
        (CHINESE, "洗牙120元。"),
        (CHINESE, "洗牙收费90元。"),
        (CHINESE, "我们周日营业。"),
    ],
)
def test_a_reply_that_states_something_else_is_unknown_however_like_it_sounds(passage: str, text: str) -> None:
    assert grounding(passage, text) == "unknown"


@pytest.mark.parametrize(
    ("passage", "text"),
    [
        (DENTIST, "Hello, how can I help you today?"),
        (DENTIST, "Northline Dental, this is Maya speaking."),
        (DENTIST, "One moment, let me check that for you."),
        (DENTIST, "Thanks for calling Northline Dental, have a great day!"),
        (DENTIST, "I'm sorry, I don't have that information."),
        (DENTIST, "Would you like Monday at ten?"),
        (DENTIST, "So that's March 3rd, 1985?"),
        (DENTIST, "You're welcome. Goodbye!"),
        (DENTIST, "Happy to help. Is there anything else?"),
        (CAFE, "Let me transfer you to a colleague."),
        (CAFE, "I'm afraid I can't tell you that."),
        (ZAHNARZT, "Guten Tag, wie kann ich Ihnen helfen?"),
        (ZAHNARZT, "Einen Moment bitte, ich schaue nach."),
        (ZAHNARZT, "Das weiß ich leider nicht."),
        (ZAHNARZT, "Vielen Dank für Ihren Anruf, auf Wiedersehen!"),
        (CABINET, "Bonjour, comment puis-je vous aider ?"),
        (CABINET, "Un instant, je vérifie."),
        (CLINICA, "Hola, ¿en qué puedo ayudarle?"),
        (HINDI, "नमस्ते, मैं आपकी क्या मदद कर सकती हूँ?"),
        (HINDI, "एक मिनट रुकिए, मैं देखती हूँ।"),
        (CHINESE, "您好，请问有什么可以帮您？"),
        (CHINESE, "请稍等，我查一下。"),
        (CHINESE, "谢谢您的来电，再见！"),
        (DENTIST, ""),
        (DENTIST, "🙂"),
    ],
)
def test_a_reply_that_claims_nothing_needs_no_knowledge(passage: str, text: str) -> None:
    assert grounding(passage, text) == "none"


BOOKED = tool_ran("book_slot", {"day": "Monday", "time": "10:00"}, {"ok": True, "slot": "Monday 10:00"})


@pytest.mark.parametrize(
    ("before", "text"),
    [
        (caller_says("I'm Ravi Kumar, I need Monday at ten"), "So Monday at ten for Ravi Kumar."),
        (caller_says("My name is Ravi."), "Perfect, Ravi."),
        (caller_says("It's March third, 1985"), "Your birthday is March 3rd, 1985."),
        (BOOKED, "I've booked your visit for Monday at ten."),
    ],
)
def test_what_repeats_the_caller_or_a_tool_claims_nothing_of_the_knowledge(before: Line, text: str) -> None:
    assert grounding(DENTIST, text, before) == "none"


@pytest.mark.parametrize(
    ("before", "text"),
    [
        (caller_says("Are you open on Sunday?"), "Yes, we are open on Sunday."),
        (caller_says("are you open on sunday"), "Yes, we are open on Sunday."),
        (caller_says("Is a cleaning 60 euros?"), "Yes, a cleaning is 60 euros."),
        (BOOKED, "I've booked your visit for Tuesday at ten."),
        (tool_ran("book_slot", {"day": "Tuesday"}, source="refused"), "You are booked for Tuesday at ten."),
    ],
)
def test_what_the_caller_only_asked_is_a_claim_when_the_agent_says_it(before: Line, text: str) -> None:
    assert grounding(DENTIST, text, before) == "unknown"


def test_a_claim_without_any_passage_before_it_is_unknown() -> None:
    talk = a_talk(agent_says("We are open on Monday."), passages={0: ()})
    assert ground(talk) == {0: "unknown"}


def test_lines_without_passages_and_lines_of_the_history_get_no_grounding() -> None:
    talk = a_talk(
        agent_says("We are open.", from_history=True),
        agent_says("Hello."),
        agent_says("A cleaning is 80 euros."),
        passages={0: (DENTIST,), 2: (DENTIST,)},
    )
    assert ground(talk) == {2: "known"}


def test_a_passage_in_another_place_carries_too() -> None:
    talk = a_talk(
        agent_says("A cleaning is 80 euros."), passages={0: ("Nothing of use.", "A cleaning costs 80 euros.")}
    )
    assert ground(talk) == {0: "known"}


def test_the_same_talk_is_measured_the_same_every_time() -> None:
    talk = a_talk(agent_says("A cleaning is 80 euros. It is near the mill."), passages={0: (DENTIST,)})
    assert ground(talk) == ground(talk)


def test_a_reply_of_several_lines_is_known_when_none_of_them_is_unknown() -> None:
    lines = (agent_says("One moment."), agent_says("A cleaning is 80 euros."))
    assert ground_reply(a_talk(*lines, passages={0: (DENTIST,), 1: (DENTIST,)})) == "known"
    wrong = (*lines, agent_says("A filling is free."))
    assert ground_reply(a_talk(*wrong, passages=dict.fromkeys(range(3), (DENTIST,)))) == "unknown"


@pytest.mark.parametrize(
    ("text", "passed", "words"),
    [
        ("A cleaning is 80 euros.", True, "The knowledge carries"),
        ("A cleaning is 90 euros.", False, "does not carry"),
        ("Hello!", False, "states nothing"),
    ],
)
def test_grounded_holds_when_the_last_reply_is_known(text: str, passed: bool, words: str) -> None:
    settled = settle_grounded(Grounded(), a_talk(agent_says(text), passages={0: (DENTIST,)}))
    assert settled is not None
    assert (settled.result.passed, settled.result.line) == (passed, 0)
    assert words in settled.result.detail


def test_grounded_fails_without_a_passage_and_without_a_reply() -> None:
    for talk in (a_talk(agent_says("A cleaning is 80 euros.")), a_talk()):
        settled = settle_grounded(Grounded(), talk)
        assert settled is not None
        assert settled.result.passed is False


def test_grounded_is_left_to_the_judge_where_the_test_says_so() -> None:
    test = test_with(grounding="judge")
    assert settle_grounded(Grounded(), a_talk(agent_says("Hi."), test=test, passages={0: (DENTIST,)})) is None
    without = settle_grounded(Grounded(), a_talk(agent_says("Hi."), test=test))
    assert without is not None
    assert without.result.passed is False


@given(st.text(), st.text())
def test_any_text_can_be_measured_against_any_passage(text: str, passage: str) -> None:
    assert grounding(passage, text) in ("known", "unknown", "none")
