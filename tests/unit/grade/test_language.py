"""Which language the agent spoke, told offline."""

from __future__ import annotations

import socket

import pytest
from tests.support.grading import a_talk, agent_says, caller_says

from greenroom.grade.language import settle_language
from greenroom.model.checks import Language
from greenroom.model.run import CheckResult

LINES = {
    "en": "Your visit is booked for Monday at ten.",
    "de": "Ihr Termin ist am Montag um zehn Uhr.",
    "fr": "Votre rendez-vous est lundi à dix heures.",
    "es": "Su cita es el lunes a las diez.",
    "pt": "A sua consulta é segunda-feira às dez.",
    "it": "Il suo appuntamento è lunedì alle dieci.",
    "nl": "Goedemiddag, waarmee kan ik u helpen?",
    "pl": "Pana wizyta jest w poniedziałek o dziesiątej.",
    "sv": "Din tid är bokad på måndag klockan tio.",
    "tr": "Randevunuz pazartesi saat onda.",
    "ru": "Ваш приём в понедельник в десять.",
    "hi": "आपकी अपॉइंटमेंट सोमवार को दस बजे है।",
    "zh": "您的预约是星期一上午十点。",
    "ja": "ご予約は月曜日の十時です。",
    "ko": "예약은 월요일 열 시입니다.",
    "ar": "موعدك يوم الاثنين الساعة العاشرة.",
}


def language(code: str, *texts: str) -> CheckResult:
    return settle_language(Language(code=code), a_talk(*(agent_says(text) for text in texts))).result


@pytest.mark.parametrize(("code", "text"), LINES.items())
def test_a_spoken_sentence_is_taken_for_its_language(code: str, text: str) -> None:
    assert language(code, text).passed is True


@pytest.mark.parametrize(("code", "text"), LINES.items())
def test_a_spoken_sentence_is_not_taken_for_another_language(code: str, text: str) -> None:
    other = "fi" if code != "fi" else "en"
    assert language(other, text).passed is False


def test_a_line_in_another_language_is_quoted() -> None:
    result = language("de", LINES["de"], LINES["en"])
    assert (result.passed, result.line) == (False, 1)
    assert result.detail == f"This line reads as `en`, not `de`: “{LINES['en']}”"


def test_a_region_does_not_matter() -> None:
    assert language("en-GB", LINES["en"]).passed is True
    assert language("zh-Hant", LINES["zh"]).passed is True


@pytest.mark.parametrize("text", ["OK.", "Ciao, Maria!", "10:00", "👍", "D'accord, merci."])
def test_a_line_too_short_to_tell_is_passed_over(text: str) -> None:
    result = language("en", text)
    assert result.passed is True
    assert "long enough" in result.detail


def test_names_from_elsewhere_do_not_make_a_line_foreign() -> None:
    assert language("en", "Your dentist is Dr. Müller at Rue de Rivoli.").passed is True
    assert language("de", "Dr. Smith hat am Montag Zeit.").passed is True


def test_the_caller_may_speak_as_they_like() -> None:
    talk = a_talk(caller_says(LINES["es"]), agent_says(LINES["en"]))
    assert settle_language(Language(code="en"), talk).result.passed is True


def test_the_detector_never_goes_to_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert language("fr", LINES["fr"]).passed is True
