"""Telling a goodbye, so that two sides do not say it to each other until the turns run out."""

from __future__ import annotations

import regex

from greenroom.model.text import words

_MOST_WORDS = 16

# The goodbyes of the languages that agents are most tested in. A goodbye in another one is not told, and the talk goes
# on until the caller hangs up or the turns run out.
_GOODBYES = regex.compile(
    r"\b(?:good[\s-]?bye|bye|see you|farewell|take care"
    r"|(?:have|enjoy) (?:a|your) (?:\w+ )?(?:day|evening|weekend|one|night)"
    r"|good night|talk (?:to you )?(?:soon|later)"
    r"|adi[oó]s|hasta (?:luego|pronto|mañana)|chao|que tenga (?:un )?buen"
    r"|au revoir|à bient[oô]t|bonne (?:journée|soirée)"
    r"|auf wiederh[öo]ren|auf wiedersehen|tsch[üu]ss|sch[öo]nen tag"
    r"|arrivederci|buona giornata|tchau|até logo|tenha um bom|tot ziens|hej d[åa]|do widzenia|dowidzenia"
    r"|до свидания|всего доброго|güle güle|hoşça kal|iyi günler"
    r"|alvida|shukriya|phir milenge|sampai jumpa|selamat tinggal|tạm biệt)\b"
    r"|अलविदा|फिर मिलेंगे|शुभ दिन|再见|再見|拜拜|さようなら|失礼いたします|안녕히|مع السلامة|وداعا|להתראות|ลาก่อน",
    regex.IGNORECASE,
)


def is_farewell(text: str) -> bool:
    """Whether a line is a goodbye and little else: short, no question, with a word of parting."""
    if "?" in text or "？" in text or len(words(text)) > _MOST_WORDS:
        return False
    return _GOODBYES.search(text) is not None
