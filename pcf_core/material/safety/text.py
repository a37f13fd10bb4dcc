"""Checks of the short texts a user gives: names, words, titles.  One rule a function, one sentence a refusal.

``where`` opens every sentence: the file's name, or a phrase such as "The topic"; ``what`` names the value;
``error`` is the class of the refusal.

**Texts with very many combining marks on one letter: no script has them; they attack normalisation.**
Unicode's normal forms put the marks behind a letter into an order, and the standard library does so by
insertion: 16,000 marks of one kind before as many of another take three seconds, a megabyte of them hours, in
which nothing else runs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pcf_core.core.errors import InputError
from pcf_core.core.records import LeftOut, made

# Texts with very many combining marks on one letter: no script has them; they attack normalisation.


MOST_MARKS = 30  # on one letter, as Unicode's stream-safe texts have (UAX 15, 13); living scripts need three


def is_heaped(text: str) -> bool:
    """Tell whether over 30 combining marks stand on one letter: such a text is not normalised."""
    if text.isascii():
        return False
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks > MOST_MARKS:
            return True
    return False


def normal(form: Literal["NFC", "NFKC", "NFKD"], text: str) -> str:
    """Return the normal form of a text; one with many combining marks in a row stays as it is."""
    return text if is_heaped(text) else unicodedata.normalize(form, text)


NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")
MAX_NAME = 64
MAX_WORD = 200
MAX_FIELD = 65_536  # bytes of UTF-8
LARGEST_SHRUNK = 4 * MAX_FIELD  # characters; at most four become one in NFC, such as a Greek letter's marks
# Zero-width space, byte order mark, word joiner and soft hyphen: they come with copied text and are not seen.
INVISIBLE = dict.fromkeys((0x200B, 0xFEFF, 0x2060, 0x00AD))
ODD_SPACE = re.compile(r"(?: *[^\S ]\s*| {2,}\s*)")  # between words: anything but one space
LOST = "\ufffd"  # stands for a letter that could not be read
# Others that are not seen, and tell two words apart that look the same: fillers, and selectors of a variant.
# They stay where a script or an emoji needs them (:func:`hidden_in`).
JOINERS = "\u200c\u200d"
SELECTORS = "\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
TAGS = "\U000e0020-\U000e007f"  # behind a black flag: those of England, Scotland and Wales
MOST_TAGS = 7  # of one flag, the last of which ends it
EMOJI = "\u2139\u3030\ufe0e\ufe0f"  # a letter and a dash that are emoji, and how one is drawn
HIDDEN = re.compile(f"[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0{SELECTORS}]")
UNSEEN = re.compile(f"[{JOINERS}{SELECTORS}{TAGS}]")
# Of the format characters, signs of Arabic and Kaithi that are seen.
SIGNS = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
JOINING = (  # scripts, as the names of their letters begin, that write words with joiners
    *("ADLAM ", "ARABIC ", "BALINESE ", "BENGALI ", "DEVANAGARI ", "GUJARATI ", "GURMUKHI ", "JAVANESE "),
    *("KANNADA ", "KHMER ", "MALAYALAM ", "MANDAIC ", "MONGOLIAN ", "MYANMAR ", "NKO ", "ORIYA "),
    *("SINHALA ", "SYRIAC ", "TAMIL ", "TELUGU ", "TIBETAN "),
)
# Letters of Cyrillic, Greek and Armenian, and two of Latin, that look like another of Latin's; chosen from
# Unicode's table of confusables (UTS 39, confusables.txt).  Also the dashes and apostrophes of words.
ALIKE = (
    "АA ВB ЕE ЅS ІI ЈJ КK МM НH ОO РP СC ТT УY ХX ҮY ԌG ԚQ ԜW "
    "аa еe оo рp сc уy хx ѕs іi јj һh ԁd ԛq ԝw гr ѵv ӏl "
    "ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX αa ιi νv οo ρp υu γy ϲc ϳj "
    "ՕO օo ոn սu հh զq ցg յj ɑa ɡg ‐- ‑- ‒- –- −- ’' ʼ' ′'"
)
LOOKS = str.maketrans({pair[0]: pair[1] for pair in ALIKE.split()})
# Marks that turn the direction of the text around them.
TURNING = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def normalise(text: str) -> str:
    """Normalise to NFC, every run of white space one space, none at the ends; case is kept, models see it.

    A text with over 30 marks on one letter keeps its form, and :func:`check_text` refuses it (see
    the module).
    """
    return " ".join(normal("NFC", text).split())


def shown(value: object) -> str:
    """Quote a value for a sentence: a text on one line, cut at 60 characters; of anything else its kind."""
    if isinstance(value, (str, Path)):
        text = str(value)
        return repr(text if len(text) <= 60 else text[:57] + "...")
    if value is None:
        return "nothing"
    kinds = {int: "a number", float: "a number", list: "a list", dict: "a table", bool: "true or false"}
    return kinds.get(type(value), f"a {type(value).__name__}")


def shown_value(value: object) -> str:
    """Quote a value as :func:`shown` does, and a number as it was given: 90, 0.5, nan."""
    return repr(value) if isinstance(value, int | float) and not isinstance(value, bool) else shown(value)


def listed(names: Iterable[str]) -> str:
    """Join names for a sentence: "a, b and c"."""
    *others, last = list(names) or ["none"]
    return f"{', '.join(others)} and {last}" if others else last


def looks(text: str) -> str:
    """Return what a text looks like, the same for texts that a reader takes for one.

    Whatever is not seen is left out, and letters are those of Latin that they look like.
    """
    return normal("NFKC", UNSEEN.sub("", text).translate(LOOKS)).translate(LOOKS).casefold()


def hidden_in(text: str) -> str | None:
    """Return the first character that is not seen and that neither a script nor an emoji needs."""
    for index, character in enumerate(text):
        before, after = text[index - 1 : index] if index else "", text[index + 1 : index + 2]
        if character in JOINERS:
            needed = _joins(before) or _joins(after) or (character == "\u200d" and _is_sign(before))
        elif re.match(f"[{TAGS}]", character):
            needed = re.search(f"\U0001f3f4[{TAGS}]*$", text[max(0, index - MOST_TAGS) : index]) is not None
        elif re.match(f"[{SELECTORS}]", character):
            needed = _is_sign(before) or unicodedata.category(before or "a") == "Lo"
        else:
            needed = not HIDDEN.match(character) and (
                unicodedata.category(character) != "Cf" or character in SIGNS
            )
        if not needed:
            return character
    return None


def _joins(character: str) -> bool:
    """Tell whether a character is of a script that writes with joiners."""
    return bool(character) and unicodedata.name(character, "").startswith(JOINING)


def _is_sign(character: str) -> bool:
    """Tell whether a character is a symbol, a digit of a keycap, or what belongs to an emoji."""
    kind = unicodedata.category(character) if character else ""
    return kind in ("So", "Sk", "Sm", "Nd", "Po") or (bool(character) and character in EMOJI)


def check_name(value: object, what: str, where: str, error: type[InputError]) -> str:
    """Check a name that must be safe in file names and links; return it unchanged."""
    if isinstance(value, str) and NAME.fullmatch(value) and len(value) <= MAX_NAME:
        return value
    raise error(
        f"{where}: {what} is {shown(value)}; use small letters a to z, digits and hyphens, "
        f"at most {MAX_NAME} characters, for example my-list."
    )


def check_language(value: object, where: str, error: type[InputError]) -> str:
    """Check the code of a language; return it unchanged."""
    if isinstance(value, str) and LANGUAGE.fullmatch(value):
        return value
    raise error(f"{where}: the language is {shown(value)}; give a code such as en or zh.")


def check_text(value: object, what: str, where: str, error: type[InputError]) -> str:
    """Check a free text such as a title or a note, which may be empty.

    It is normalised, and invisible characters are removed.

    Joiners stay where a script or an emoji needs them.
    """
    if not isinstance(value, str):
        raise error(f"{where}: {what} is {shown(value)}; write it as a text in quotation marks.")
    text = value.translate(INVISIBLE)
    if len(text) <= LARGEST_SHRUNK or len(text := " ".join(text.split())) <= LARGEST_SHRUNK:
        text = normalise(text)  # else it is far too long, and is not worth the time
    size = len(text.encode(errors="surrogatepass"))
    if size > MAX_FIELD:
        raise error(f"{where}: {what} has {size:,} bytes; shorten it to {MAX_FIELD:,}.")
    if is_heaped(text):
        raise error(
            f"{where}: {what} {shown(text)} has more than {MOST_MARKS} combining marks on one letter: "
            "remove them."
        )
    plain = text.isprintable()  # and so without control characters, found much faster
    if not plain and any(unicodedata.category(character) in ("Cc", "Cs") for character in text):
        raise error(f"{where}: {what} {shown(text)} has control characters: remove them.")
    if not plain and TURNING & set(text):
        raise error(
            f"{where}: {what} {shown(text)} has marks that change the direction of text: remove them."
        )
    looked_at = not plain or (not text.isascii() and HIDDEN.search(text))
    if looked_at and (hidden := hidden_in(text)) is not None:
        raise error(
            f"{where}: {what} {shown(text)} has U+{ord(hidden):04X}, an invisible character that is not "
            "needed there: remove it."
        )
    return text


def check_sentence(value: object, what: str, where: str, error: type[InputError]) -> str:
    """Check a text that a model reads, as :func:`check_text`, and refuse white space that would be changed.

    Models read a line break, a tab or two spaces otherwise than one space.  At both ends it is removed.
    """
    text = check_text(value, what, where, error)
    written = normal("NFC", str(value).translate(INVISIBLE)).strip()
    if written != text and (odd := ODD_SPACE.search(written)):
        around = written[max(0, odd.start() - 20) : odd.end() + 20]
        raise error(
            f"{where}: {what} has {_space_name(odd[0])} in {around!r}, but only single spaces are allowed "
            "between words: replace it with one space."
        )
    return text


def _space_name(space: str) -> str:
    """Name white space for a sentence."""
    if "\n" in space or "\r" in space:
        return "a line break"
    if "\t" in space:
        return "a tab"
    if space.strip(" "):
        return f"the white space U+{ord(space.strip(' ')[0]):04X}"
    return f"{len(space)} spaces"


def check_word(value: object, what: str, where: str, error: type[InputError]) -> str:
    """Check and normalise a word or term that will stand at ``[X]`` or ``[Y]``."""
    word = check_text(value, what, where, error)
    if not any(character.isprintable() and character != " " for character in word):
        raise error(f"{where}: {what} is empty ({shown(value)}): write a text or remove the entry.")
    if len(word) > MAX_WORD:
        raise error(f"{where}: {what} {shown(word)} has more than {MAX_WORD} characters: shorten it.")
    if LOST in word:
        raise error(
            f"{where}: {what} {shown(word)} has U+FFFD in place of a letter that was lost: write it again."
        )
    if "[" in word or "]" in word:
        raise error(
            f"{where}: {what} {shown(word)} has a bracket, but [X] and [Y] are for templates only: remove it."
        )
    return word


def first_duplicate(words: Iterable[str]) -> str | None:
    """Return the first word that stands twice, ``None`` where all differ."""
    seen: set[str] = set()
    for word in words:
        if word in seen:
            return word
        seen.add(word)
    return None


def check_once(texts: Iterable[str], what: str, where: str, error: type[InputError]) -> None:
    """Refuse a list in which a text stands twice."""
    twice = first_duplicate(texts)
    if twice is not None:
        raise error(f"{where}: the {what} {shown(twice)} appears twice: write it once.")


def check_left_out(entries: object, where: str, error: type[InputError]) -> tuple[LeftOut, ...]:
    """Check what a file's author left out and why: a list of ``{name, reason}``."""
    if not isinstance(entries, (list, tuple)):
        raise error(f"{where}: left_out is {shown(entries)}; write [[left_out]] with a name and a reason.")
    checked = []
    for number, entry in enumerate(entries, 1):
        given = made(LeftOut, entry, f"{where}, left_out {number}", error)
        name = check_word(given.name, "the name of a left_out entry", where, error)
        checked.append(
            LeftOut(name=name, reason=check_text(given.reason, f"the reason of {name}", where, error))
        )
    return tuple(checked)


# What every writer of CSV must know of the programs that open it.


# A cell that begins with one of these is computed by a spreadsheet, the wide forms in some languages
# (https://owasp.org/www-community/attacks/CSV_Injection).
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
