"""What a sentence claims: its content words and figures, whether it denies, and whether it claims anything at all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import regex

from greenroom.grade.figures import Figure, plain, read_figures
from greenroom.grade.lines import sentences
from greenroom.grade.wordlists import CHINESE_COURTESIES, CHINESE_STOPS, COURTESIES, STOP_WORDS, UNITS

_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+")
_LATIN = regex.compile(r"\p{Latin}")
_CHINESE_NOISE = regex.compile(
    "|".join(
        [
            *map(regex.escape, sorted(CHINESE_COURTESIES, key=lambda phrase: (-len(phrase), phrase))),
            f"[{CHINESE_STOPS}]",
        ]
    )
)
_LIGHT = frozenset(map(plain, STOP_WORDS | COURTESIES | UNITS))

_CLAUSE = regex.compile(
    r"[;，；、—()]|(?<!\d)[,:]|[,:](?!\d)|\s[-–]\s"
    r"|\b(?:and|but|und|aber|et|mais|y|pero|e|ma|mas|maar|और|लेकिन)\b",
    regex.IGNORECASE,
)
_DENIAL = regex.compile(
    r"\b(?:not|never|none|nothing|cannot|without|neither|nor|kein\w*|nicht|nie|niemals|ohne|pas|jamais|aucun\w*|sans"
    r"|nunca|sin|ningun\w*|non|nessun\w*|senza|nao|sem|nenhum\w*|niet|geen|nooit|zonder)\b"
    r"|n['’]t\b|नहीं|मत\b|不|没|無|无|未"
)
_NO = regex.compile(r"\bno\b")
_PORTUGUESE = regex.compile(r"[ãõ]|\b(?:você|uma|são|está|abert[oa]|fecha\w*|abrimos|temos)\b", regex.IGNORECASE)
_ANSWER = regex.compile(r"^\s*(?:no|nein|non|nee|não|नहीं|不是|不)\s*[,.，。!]\s*", regex.IGNORECASE)
# What denies without a word for `not`: wholly, or in part.
_CLOSED = regex.compile(
    r"\b(?:closed?|excluded|unavailable|geschlossen|fermee?s?|cerrad[oa]s?|cerramos|chius[oaie]|chiudiamo|fechad[oa]s?"
    r"|fechamos|gesloten)\b|बंद|关门|关闭|休息|不营业"
)
_EXCEPTION = regex.compile(
    r"\b(?:except|only|ausser|nur|sauf|seulement|excepto|solo|tranne|exceto|behalve|alleen)\b|सिर्फ|只"
)
_IGNORANCE = regex.compile(
    r"\b(?:i|we) (?:do not|don['’]?t|can['’]?t|cannot|could not|couldn['’]?t) (?:know|see|find|tell|say|confirm|answer)"
    r"|\bi (?:do not|don['’]?t) have\b|\bnot sure\b|\bno (?:information|idea)\b|\bunable to\b"
    r"|\b(?:weiss|finde|kann) (?:ich|das|es) .*nicht\b|\bich (?:weiss|kann) .*nicht\b"
    r"|\bkeine (?:information|angabe|ahnung)"
    r"|\b(?:je )?ne (?:sais|peux|trouve) .*pas\b|\bpas (?:d['’]information|sur)"
    r"|\bno (?:lo )?(?:se|tengo informacion|puedo)\b|\bnao (?:sei|tenho|posso)\b|\bnon (?:lo )?(?:so|ho|posso)\b"
    r"|\bik (?:weet|kan|heb) .*(?:niet|geen)\b|पता नहीं|नहीं पता|नहीं जानत|जानकारी नहीं|不知道|不清楚|不确定|没有.*信息"
)
_OFFER = regex.compile(
    r"\b(?:i['’]ll|i will|i can|i could|i['’]d be|i would be|let me|let['’]s|allow me|i['’]m going to|i am going to"
    r"|ich (?:kann|werde|schaue|verbinde|buche|helfe)|lassen sie mich|je (?:peux|vais)|laissez-moi|puedo|voy a|dejeme"
    r"|posso|vou|deixe-me|lasci che|vediamo|ik (?:kan|zal|ga)|laat me|我(?:可以|来|会|帮))",
)
_INTRODUCTION = regex.compile(
    r"\b(?:[Tt]his is|[Mm]y name is|I am|I['’]m|[Mm]ein Name ist|[Hh]ier ist|[Jj]e m['’]appelle|[Mm]e llamo"
    r"|[Mm]i nombre es|[Mm]i chiamo|[Mm]eu nome é|[Ii]k ben|[Mm]ijn naam is)"
    r"\s+\p{Lu}[\p{L}\p{M}'’-]*(?:\s+\p{Lu}[\p{L}\p{M}'’-]*)?"
    r"|(?:मेरा नाम|मैं)\s+[\p{L}\p{M}]+(?=\s+(?:है|हूँ|हूं|बोल))"
)
_QUESTION_END = regex.compile(r"(?:[?？؟]|[吗呢][。.]?)[\s\"'”’»)]*\Z")
_ASKING = regex.compile(
    r"^\W*(?:(?:so|and|also|okay|ok|then|hi|hello)\W+)*"
    r"(?:are|is|am|do|does|did|can|could|will|would|shall|should|may|have|has|had"
    r"|what|when|where|who|which|why|how|whats|what['’]s|was|wann|wo|wer|wie|warum|welche\w*|haben|hat|sind|ist|kann"
    r"|konnen|gibt|darf|mochten|soll\w*|est-ce|qu['’]|que|quel\w*|quand|ou|qui|pourquoi|comment|combien|puis-je"
    r"|avez|etes|voulez|pouvez|cual\w*|cuando|cuanto\w*|donde|quien|como|puede\w*|puedo|tiene\w*|hay|quiere|desea"
    r"|qual|quais|quando|quanto\w*|onde|quem|pode\w*|posso|tem|quer|gostaria|che|cosa|dove|chi|perche|avete|puo"
    r"|vuole|desidera|wat|wanneer|waar|hoe|heeft|hebben|kunt|mag|wilt|क्या|कब|कहाँ|कहां|कैसे|क्यों|कितन\w*"
    r"|kya|kab|kahan)\b"
    r"|^\W*(?:请问|什么|哪|几|多少|能不能|可以|是不是|有没有)"
)


@dataclass(frozen=True, slots=True)
class Content:
    """What a text says, as far as it can be compared. `figures` are numbers, times, days, months and `free`.

    `denies`: it says `not`; `closes`: it says that something is closed or unavailable; `excepts`: it makes an
    exception.
    """

    words: tuple[str, ...]
    figures: tuple[Figure, ...]
    denies: bool = False
    closes: bool = False
    excepts: bool = False

    @property
    def size(self) -> int:
        return len(self.words) + len(self.figures)

    @property
    def stands_alone(self) -> bool:
        """Whether there is enough to be a claim of its own: two things, or a number."""
        numbers = any(reading[0].isdigit() or reading[0] == "#" for figure in self.figures for reading in figure)
        return self.size >= 2 or numbers

    @property
    def readings(self) -> frozenset[str]:
        return frozenset(reading for figure in self.figures for reading in figure)


def content_of(text: str, names: frozenset[str] = frozenset()) -> Content:
    """What `text` says. `names` are words (in `plain` form) that claim nothing here, such as the agent's own name."""
    kept = _ANSWER.sub("", text)
    reading = read_figures(kept)
    words: list[str] = []
    for word in _CHINESE_NOISE.sub(" ", reading.rest).split():
        if word in names or word in _LIGHT:
            continue
        words.extend(_pieces(word))
    folded = plain(kept)
    denies = _DENIAL.search(folded) is not None or (_NO.search(folded) is not None and _PORTUGUESE.search(kept) is None)
    unique = tuple(dict.fromkeys(words))
    figures = tuple(dict.fromkeys(reading.figures))
    closes = _CLOSED.search(folded) is not None
    return Content(unique, figures, denies, closes, _EXCEPTION.search(folded) is not None)


def _pieces(word: str) -> Iterable[str]:
    """The units by which a word is compared: itself, or pairs of letters where a script puts no spaces."""
    if not _UNSPACED.fullmatch(word):
        # A lone Latin letter is left over from an elision or an initial.
        return () if len(word) == 1 and _LATIN.match(word) else (word,)
    if len(word) <= 2:
        return (word,)
    return tuple(word[start : start + 2] for start in range(len(word) - 1))


def words_of(text: str) -> frozenset[str]:
    """All words of `text` in `plain` form, for names."""
    return frozenset(regex.findall(r"[\p{L}\p{M}]+", plain(text)))


def alike(one: str, other: str) -> bool:
    """Whether two words are forms of one: equal, or a long common beginning with short endings."""
    if one == other:
        return True
    shorter, longer = sorted((one, other), key=len)
    enough = 4 if _LATIN.match(shorter) else 3
    if len(shorter) < enough or _UNSPACED.match(shorter):
        return False
    common = next((place for place, sign in enumerate(shorter) if longer[place] != sign), len(shorter))
    if common == len(shorter) and common >= 5:
        return True
    return common >= enough and len(shorter) - common <= 3 and len(longer) - common <= 3


def is_question(sentence: str) -> bool:
    """Whether a sentence asks: by its mark, or by its first word where speech recognition left the mark out."""
    return _QUESTION_END.search(sentence) is not None or _ASKING.search(plain(sentence)) is not None


def clauses(sentence: str, names: frozenset[str]) -> list[str]:
    """A sentence in parts that can be judged apart; too small a part stays with its neighbour."""
    pieces: list[str] = []
    start = 0
    for match in _CLAUSE.finditer(sentence):
        pieces.append(sentence[start : match.start()])
        start = match.end()
    pieces.append(sentence[start:])
    joined: list[str] = []
    for piece in pieces:
        if joined and not (content_of(piece, names).stands_alone and content_of(joined[-1], names).stands_alone):
            joined[-1] = f"{joined[-1]} {piece}"
        else:
            joined.append(piece)
    return [piece.strip() for piece in joined if piece.strip()]


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement that something must carry: by its parts, or as a whole."""

    parts: tuple[Content, ...]
    whole: Content


def claims_of(text: str, names: frozenset[str]) -> list[Claim]:
    """The statements of a reply, without greetings, courtesies, questions, offers and confessions of not knowing."""
    found: list[Claim] = []
    for sentence in sentences(_INTRODUCTION.sub(" ", text)):
        stated = _stated(sentence, names)
        parts = [part for part in stated if _claims(part, names)]
        if parts:
            contents = tuple(content_of(part, names) for part in parts)
            found.append(Claim(contents, content_of(" ".join(parts), names)))
    return found


def _stated(sentence: str, names: frozenset[str]) -> list[str]:
    """The clauses of a sentence that state; of a question those before the asking, where they name a figure."""
    parts = clauses(sentence, names)
    if not _QUESTION_END.search(sentence):
        return parts
    asking = next((place for place, part in enumerate(parts) if _ASKING.search(plain(part))), 0)
    return [part for part in parts[:asking] if content_of(part, names).figures]


def _claims(part: str, names: frozenset[str]) -> bool:
    content = content_of(part, names)
    if content.size == 0:
        return False
    folded = plain(part)
    if _IGNORANCE.search(folded):
        return False
    return bool(content.figures) or _OFFER.search(folded) is None
