"""The prose of a wiki page: what a reader of its paragraphs reads, without boxes, tables, lists and notes.

A paragraph of prose is a line with at least eight words that ends as a sentence does: the rule by which texts
of WikiExtractor are commonly cleaned.  What lies between paired marks is cut out first, in one walk over the
page: the parser of the lines that remain takes a time that grows with the square of what it is given.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

MIN_WORDS = 8
MAX_LINE = 10_000  # characters of markup; paragraphs are shorter
MOST_TAGS = 100  # of one line; the parser's time grows with the square of those that nothing closes
CUT = (
    "ref|math|chem|gallery|table|pre|source|syntaxhighlight|timeline|score|code|hiero|imagemap|templatestyles"
)
MARK = re.compile(rf"\{{\{{|\}}\}}|\{{\||\|\}}(?!\}})|<!--|-->|<(/?)({CUT})\b[^<>]*(?<!/)>", re.IGNORECASE)
OPENS = {"{{": "}}", "{|": "|}", "<!--": "-->"}
ALONE = re.compile(rf"<({CUT})\b[^<>]*/>|__[A-Z]+__|'{{2,}}", re.IGNORECASE)
TEXT_OF = {"nowrap": 1, "lang": 2, "transl": 2, "transliteration": 2}  # templates around a text: its place
NO_TEXT = re.compile(r"\s*(file|image|category|media|template|[a-z]{2,3}(-[a-z]+)*)\s*:", re.IGNORECASE)
NO_PARAGRAPH = tuple("*#:;|!{}=<")
EMPTY = re.compile(r" ?\([,;:– ]*\)")
SPACE = re.compile(r" (?=[,.;:)])|(?<=\() ")
END = re.compile(r"[.!?…][\"'”’»)]{0,4}\Z")


def prose(wikitext: str) -> str:
    """Return the paragraphs of prose of a page, one a line; lines over 10,000 characters are left out."""
    paragraphs = []
    for line in ALONE.sub("", without_pairs(wikitext)).split("\n"):
        if len(line) <= MAX_LINE and len(line.split()) >= MIN_WORDS:
            text = _text_of_line(line.strip())
            if END.search(text) and not text.startswith(NO_PARAGRAPH) and len(text.split()) >= MIN_WORDS:
                paragraphs.append(text)
    return "\n".join(paragraphs)


def without_pairs(wikitext: str) -> str:
    """Remove templates, tables, comments, notes and formulas; marks without a partner stay."""
    spans: list[tuple[int, int]] = []
    waiting: list[tuple[str, int]] = []  # closing marks that are waited for, and where their pairs began
    how_many: Counter[str] = Counter()  # of each closing mark among those
    for mark in MARK.finditer(wikitext):
        name = (mark[2] or mark[0]).lower()
        closing = name if mark[2] and not mark[1] else OPENS.get(name)
        if closing:
            waiting.append((closing, mark.start()))
            how_many[closing] += 1
        elif how_many[name]:
            while waiting[-1][0] != name:
                how_many[waiting.pop()[0]] -= 1
            how_many[name] -= 1
            begin = waiting.pop()[1]
            while spans and spans[-1][0] > begin:
                spans.pop()
            spans.append((begin, mark.end()))
    parts, last = [], 0
    for begin, end in spans:
        parts += [wikitext[last:begin], _text_of_template(wikitext[begin:end])]
        last = end
    return "".join([*parts, wikitext[last:]])


def _text_of_template(span: str) -> str:
    """Return the text inside ``{{lang|fr|text}}`` and its like, "" for any other template."""
    name, *arguments = span[2:-2].split("|")
    place = TEXT_OF.get(name.strip().lower()) if span.startswith("{{") else None
    text = arguments[place - 1] if place and len(arguments) >= place else ""
    return "" if "{" in text or "<" in text else text


def _text_of_line(line: str) -> str:
    import mwparserfromhell
    from mwparserfromhell.parser import ParserError

    if line.startswith(NO_PARAGRAPH[:-1]) or line.count("<") > MOST_TAGS:
        return ""
    if "[" in line or "<" in line or "&" in line:
        try:
            line = _text(mwparserfromhell.parse(line, skip_style_tags=True))
        except ParserError:  # "This is a bug and should be reported", says the library
            return ""
    line = EMPTY.sub("", " ".join(line.split()))
    return SPACE.sub("", line)


def _text(code: Any) -> str:
    """Return the text of parsed markup, with that of links and inside tags."""
    from mwparserfromhell import nodes

    parts: list[str] = []
    for node in code.nodes if code is not None else ():
        if isinstance(node, nodes.Text):
            parts.append(str(node.value))
        elif isinstance(node, nodes.Wikilink):
            if not NO_TEXT.match(str(node.title)):
                parts.append(_text(node.title if node.text is None else node.text))
        elif isinstance(node, nodes.HTMLEntity):
            parts.append(str(node.normalize()))
        elif isinstance(node, nodes.Tag):
            parts.append(" " if str(node.tag).lower() == "br" else _text(node.contents))
        elif isinstance(node, nodes.ExternalLink):
            parts.append(_text(node.title))
    return "".join(parts)
